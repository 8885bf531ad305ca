#pragma once
// From how many nodes on a device takes the ways of large grids, as measured there, and the file in
// which that is kept: a start of the program later reads it.
//
// Shape.  A file for each kind of device, `NAME-MULTIPROCESSORS.toml`, in the folder `ninefold` of
// the user's cache.
//
// Rounding.  None of it changes a bit (gpu/backend/pass_sizes.hpp).
//
// Tests.  tests/experiments/program/tuning_test.cpp, tests/gpu/device/pass_sizes_test.cpp

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "gpu/backend/pass_sizes.hpp"

#include "output/tables/table.hpp"

namespace ninefold {

/// A device's sizes.
struct TunedDevice {
  std::string name;
  int multiprocessors = 0;
  PassSizes sizes;
};

/// Seconds of the same work on the grid of one level, in both ways.
struct WaySeconds {
  int level;
  double small, large;
};

/// The nodes from which on the way of large grids is taken: `rule`, unless on the last level on
/// which that way loses, or on the next one, the rule takes what is slower by 2 %.  Levels rise one
/// by one; beyond the last, grids are large.
std::int64_t size_by_times(const std::vector<WaySeconds>& levels, std::int64_t rule);

/// $XDG_CACHE_HOME/ninefold, or $HOME/.cache/ninefold; nothing if neither names an absolute folder.
std::optional<std::filesystem::path> tuning_folder();
/// A device's file in a folder.
std::filesystem::path tuning_file(const std::filesystem::path& folder, const std::string& name,
                                  int multiprocessors);

/// The content of its file.
std::string tuning_text(const TunedDevice& device);
/// What a file holds for the device of this name and with so many multiprocessors; nothing if there
/// is no file that can be reached, or one of another version or commit of the program or of another
/// device. Throws ConfigurationError, which names the file and the place, if it is not as
/// tuning_text() writes it.
std::optional<PassSizes> read_tuning(const std::filesystem::path& file, const std::string& name,
                                     int multiprocessors);

/// All devices take their sizes from the user's files from here on.
void use_kept_tuning();
/// What holds for the devices of this process, for people: a line for each kind; empty if there is
/// none.  Of a file that is refused it says why.
std::string tuning_words();

/// `ninefold tune`: measures the devices of this process, one of each kind, shows what it found
/// and, unless it is only to be shown, keeps it in place of what is there.  Throws
/// ConfigurationError if there is no device, no folder for the files, or no memory to measure in.
std::string tune_command(bool only_show);

}  // namespace ninefold
