#pragma once
// What a config file says, checked: everything that a run needs to know.
//
// Usage.
//     const Document document = read_document("first.toml", overrides);
//     const Configuration configuration = make_configuration(document);
//
// Reference.  docs/configuration.md
// Tests.      tests/experiments/config/configuration_test.cpp,
// tests/experiments/config/bad_input_test.cpp

#include <filesystem>
#include <string>
#include <utility>
#include <vector>

#include "precision/bad_value.hpp"

#include "grids/tensor_grid.hpp"

#include "fem/discrete/point_values.hpp"
#include "fem/problem/problems.hpp"

#include "solvers/least_squares/least_squares.hpp"
#include "solvers/options.hpp"

#include "experiments/config/least_squares_settings.hpp"
#include "experiments/config/matrix_settings.hpp"
#include "experiments/config/mesh_settings.hpp"
#include "experiments/config/settings.hpp"

namespace ninefold {

/// The finest level whose matrix is written as a file: 270 MB.
inline constexpr int last_filed_level = 10;

struct OutputOptions {
  std::string directory;           ///< default: "results/" and the name of the config file
  bool vtk = false;                ///< a .vtr file per level and a .pvd file over the levels
  bool plots = false;              ///< a picture of the errors over the levels
  bool estimates = true;           ///< of errors: coarser levels are solved for them
  std::vector<Position> points;    ///< where the solution's values are written
  std::vector<SampledLine> lines;  ///< along which they are
  bool quantities = false;         ///< integrals and energies of the solution
  bool matrix = false;             ///< each level's matrix and right-hand side, as files

  /// Whether something is made of the solution itself.
  bool needs_solution() const {
    return vtk || plots || quantities || !points.empty() || !lines.empty();
  }
};

struct Configuration {
  double width = 1.0, height = 1.0;
  int first_level = 5, last_level = 9;
  GridGrading grading;
  std::string x_widths, y_widths;  ///< the files of own widths, as the user names them
  ProblemOptions problem;
  SolverOptions solver;
  bool automatic_precision = false;    ///< solver.precision is chosen level by level
  std::optional<double> double_speed;  ///< for that choice; else that of the device
  MatrixSettings matrix;               ///< in the place of a grid and a problem
  MeshSettings mesh;                   ///< whose equations are a matrix
  LeastSquaresSettings least_squares;  ///< a fit in the place of a system
  std::string backend = "auto";
  int devices = 1;                       ///< of a CUDA backend; 0 for all that can be used
  std::optional<int> min_rows_per_rank;  ///< of cells of a grid that several ranks divide
  std::string transfers = "auto";        ///< or "direct", "host": between devices of processes
  OutputOptions output;

  /// Whether it is about a sparse matrix, be it that of a mesh or of a fit.
  bool has_matrix() const { return matrix.is_used() || mesh.is_used() || least_squares.is_used(); }
};

/// The configuration that the settings state.  Throws ConfigurationError for an unknown key, a
/// value of the wrong type or out of range, a formula that makes no sense, and for settings that
/// contradict each other; nothing is written and no large memory is used.  `varied` are the keys
/// that a study varies: what matters to another run of it is not refused for having no effect here.
Configuration make_configuration(const std::vector<Setting>& settings,
                                 const std::filesystem::path& file,
                                 const std::vector<std::string>& varied = {});

/// The same for a document without a study; throws ConfigurationError if there is one.
Configuration make_configuration(const Document& document);

/// Throws ConfigurationError: the error of the library with the place of the setting at fault, or
/// of the file, if there is one.
[[noreturn]] void refuse_value(const BadValue& error, const std::vector<Setting>& settings,
                               const std::filesystem::path& file);

/// Of a run with a matrix.
SparseOptions sparse_options(const Configuration& configuration);
/// Of a run with [least_squares].
LeastSquaresOptions least_squares_options(const Configuration& configuration);

/// (dotted key, TOML value), in the order of the documentation.
using Options = std::vector<std::pair<std::string, std::string>>;

/// Those that concern a run with a matrix, one with a mesh, a fit, or one with a grid.
Options all_options(const Configuration& configuration);

/// The options as a config file; those of a configuration give this configuration again.
std::string to_toml(const Options& options);

}  // namespace ninefold
