#pragma once
// Whether single is enough for a mesh, or a fit, in a sentence.
//
// Tests.  tests/experiments/program/mesh_run_test.cpp,
// tests/experiments/program/fit_verdict_test.cpp

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace ninefold {

/// What errors are counted in.
struct ErrorUnit {
  std::string_view what;   ///< that has an error: "map"
  std::string_view words;  ///< behind a number: " texels of a 4096 x 4096 texture"
  double enough;           ///< up to here a format is enough
  std::string_view limit;  ///< the same in words: "half of one"
  std::string_view its = "its largest error is", the = "the largest error is";
};

/// A run in a few words, for the verdict.
struct JudgedRun {
  std::string run{}, formats{};  ///< "run-2"; "single", "double:single"
  bool is_single = false;        ///< solved in single alone
  std::size_t mesh = 0;          ///< runs of the same mesh have the same number
  bool finite = true;
  bool has_met_tolerance = false;  ///< so that it may have ended too early
  std::optional<double> error{};
  bool is_forecast = false;  ///< by what another format has seen
  std::string product{};     ///< before the error's number: "4 x 6.0e-08 = "
};

/// Whether single is enough, as far as the runs say: of each mesh the best run in single counts,
/// and of several meshes the worst of these.
std::string mesh_verdict(const std::vector<JudgedRun>& runs, const ErrorUnit& unit);

}  // namespace ninefold
