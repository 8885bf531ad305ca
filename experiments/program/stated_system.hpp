#pragma once
// The system that a plan states: a matrix in a file or generated, or that of a mesh, which has
// three right-hand sides if it is smoothed; with what is said of where it is from.
//
// Tests.  tests/experiments/matrix.py, tests/experiments/mesh.py

#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include <fmt/format.h>

#include "solvers/sparse/sparse_solve.hpp"

#include "experiments/config/bad_input.hpp"
#include "experiments/config/study.hpp"
#include "experiments/program/mesh_run.hpp"
#include "experiments/program/smooth_run.hpp"

namespace ninefold {

struct StatedSystem {
  std::string name{};
  SparseMatrix A{};
  std::vector<SparseRight> rights{};
  std::optional<MeshProblem> mesh{};      ///< laid flat; without its matrix, which is A
  std::optional<SmoothProblem> smooth{};  ///< the same of a mesh that is smoothed
  std::vector<std::string> remarks{};
};

/// Runs a task; what the library refuses gets the place of a setting.
template <class Task>
auto located(const Plan& plan, std::string_view key, const Task& task) {
  try {
    return task();
  } catch (const BadValue& error) {
    refuse_value(error, plan.settings, plan.file);
  } catch (const std::invalid_argument& error) {
    const Setting* setting = find_setting(plan.settings, key);
    const bool is_matrix = plan.file.extension() == ".mtx";  // stated by its name alone
    if (setting == nullptr || is_matrix || setting->origin.place == plan.configuration.mesh.file) {
      throw ConfigurationError(error.what());
    }
    throw ConfigurationError(fmt::format("{}\n  {}", error.what(), setting->origin.place));
  }
}

/// As located(), but of several runs what the library refuses is the matter of one of them: nothing
/// then, and its sentence in `refusal`.
template <class Task>
auto located_or_refused(const Plan& plan, std::string_view key, bool is_alone, std::string& refusal,
                        const Task& task) -> std::optional<decltype(task())> {
  return located(plan, key, [&]() -> std::optional<decltype(task())> {
    try {
      return task();
    } catch (const BadValue& error) {
      if (is_alone) throw;
      refusal = error.what();
      return {};
    }
  });
}

/// The one that its configuration names, refused where that cannot be used.
BackendKind backend_of(const Plan& plan);

/// The key that states the matrix, or the mesh.
std::string_view source_key(const Configuration& c);

/// Throws ConfigurationError for what cannot be read, made or solved with.
StatedSystem stated_system(const Plan& plan);

/// True if the two plans are about the same system.
bool same_system(const Plan& a, const Plan& b);

}  // namespace ninefold
