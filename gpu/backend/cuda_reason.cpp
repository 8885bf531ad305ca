#include "gpu/backend/cuda_reason.hpp"

#include <stdexcept>

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace ninefold {

namespace {

constexpr int first_capability = 70;  // cmake/architectures.cmake says why

std::string capability_words(int tens) {
  return fmt::format("{}.{}", tens / 10, tens % 10);
}

}  // namespace

std::string cuda_version(int version) {
  return fmt::format("{}.{}", version / 1000, version % 1000 / 10);
}

std::string cuda_reason(CudaProblem problem, const CudaFacts& facts) {
  switch (problem) {
    case CudaProblem::no_device:
      return "no CUDA device is present";
    case CudaProblem::old_driver:
      if (facts.driver == 0) return "there is no NVIDIA driver";
      return fmt::format(
          "the NVIDIA driver is for CUDA {}, this build is by CUDA {}: it needs a newer driver, or "
          "a build by an older toolkit",
          cuda_version(facts.driver), cuda_version(facts.runtime));
    case CudaProblem::no_code: {
      if (facts.capability < first_capability) {
        return fmt::format("{} has compute capability {}; devices below {} are not supported",
                           facts.name, capability_words(facts.capability),
                           capability_words(first_capability));
      }
      std::vector<std::string> built;
      for (const int architecture : facts.architectures) {
        built.push_back(capability_words(architecture / 10));
      }
      return fmt::format(
          "{} has compute capability {}, and this build has code for {}: build it with "
          "CMAKE_CUDA_ARCHITECTURES={}",
          facts.name, capability_words(facts.capability), fmt::join(built, ", "), facts.capability);
    }
    case CudaProblem::other:
      return fmt::format("no CUDA device can be used: {}", facts.message);
  }
  throw std::logic_error("a problem without words");
}

}  // namespace ninefold
