#pragma once
// Where solves can run: the processors and graphics cards of this machine.
//
// Tests.  tests/solvers/devices_test.cpp, tests/solvers/formats_test.cpp

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "precision/precision.hpp"

namespace ninefold {

class Ranks;

/// Where a solve runs: "host" or "cuda".
enum class BackendKind { host, cuda };
std::string_view to_string(BackendKind kind);

/// True where memory is not the host's, and software formats do not run.
bool is_device(BackendKind kind);

/// One processor or graphics card as the program sees it.
struct DeviceInfo {
  BackendKind kind = BackendKind::host;
  std::string name;                  ///< e.g. "AMD EPYC" or "NVIDIA H200"
  std::string detail;                ///< threads and instructions, or compute capability and driver
  std::size_t memory_total = 0;      ///< bytes
  std::size_t memory_available = 0;  ///< bytes, now
};

/// The host first, then the CUDA device that would be used, if there is one.
std::vector<DeviceInfo> devices();

/// The CUDA devices that can be used; 0 if there is none, or in builds without CUDA.
int number_of_devices();

/// The device, counted from 0, of one of several ranks, which share devices if there are fewer; the
/// first for null.
int device_of(const Ranks* ranks);

/// True if this build contains CUDA code.
bool built_with_cuda();

/// Why such a build finds no CUDA device to use, in one line; empty if it does, or is host only.
std::string why_no_cuda();

/// Resolves "auto" (a CUDA device if there is one), "host" or "cuda"; throws BadValue
/// if the name is unknown, if "cuda" is asked of a host-only build, or if no device is present.
BackendKind choose_backend(const std::string& name);

/// The same for a solve in this format: software formats run on the host only, so that "auto" is
/// the host and "cuda" is refused.
BackendKind choose_backend(const std::string& name, Precision precision);

}  // namespace ninefold
