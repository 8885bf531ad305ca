#pragma once
// Runs with a sparse matrix, a mesh's among them: from plans to solved systems, their table, files
// and page.
//
// Shape.  Each run is a row.  Files are written anew after each of them: results.csv, .json, .md,
// report.html, history-RUN.csv and, if asked for, RUN-solution.mtx; of a mesh RUN.obj, RUN.vtp,
// RUN-map.png and RUN-surface.png.  Of one that is smoothed histories and solutions are RUN-x,
// RUN-y and RUN-z, pictures RUN-before.png and RUN-after.png.
//
// Tests.  tests/experiments/matrix.py, tests/experiments/mesh.py, tests/experiments/smooth.py

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "solvers/sparse/sparse_solve.hpp"

#include "output/document/document.hpp"
#include "output/tables/table.hpp"

#include "experiments/config/study.hpp"
#include "experiments/program/mesh_run.hpp"
#include "experiments/program/smooth_run.hpp"

namespace ninefold {

/// What a run has found.
struct MatrixRun {
  const Plan* plan = nullptr;
  std::string matrix{};  ///< "A.mtx", "triangles of size 40"
  std::int64_t rows = 0, entries = 0;
  std::string device{};
  SparseSolved solved{};                ///< of several right-hand sides as_one()
  std::optional<double> plain_rate{};   ///< bytes per second
  std::optional<MapFacts> map{};        ///< of a mesh that is laid flat
  std::optional<SmoothFacts> smooth{};  ///< of one that is smoothed
  std::vector<std::string> remarks{};

  /// Of a mesh, in texels or mean edges.
  std::optional<double> mesh_error() const;
  /// Whether that is known to be small enough.
  bool is_near() const;
};

struct MatrixRunEvents {
  std::function<void(const std::string& heading)> begin;  ///< what will be solved
  std::function<void(const MatrixRun&)> run_ends;         ///< its files are on disk
};

/// "double", "double:single"
std::string formats_of(const SolverOptions& solver);
/// Bytes that moved over those that plain movement would have moved in the time.
std::optional<double> share_of_rate(const Report& report, std::optional<double> plain_rate);
/// A run's history as a curve of some hundred points.
FigureSeries history_series(const Plan& plan, const std::vector<double>& history);

/// True if the runs have done what they were asked for: all have converged, or, of meshes, have an
/// error that is small enough; where the program itself has chosen formats, one has.
bool is_done(const std::vector<MatrixRun>& runs, bool open_formats);

/// What tells the runs of a study apart: their names and varied keys; none of a single run.
std::vector<Column> varied_columns(const std::vector<Plan>& plans);

/// The columns of the table, those of data only included; and a run's row.
std::vector<Column> matrix_run_columns(const std::vector<Plan>& plans);
std::vector<Cell> matrix_run_row(const MatrixRun& run);
Table matrix_run_table(const std::vector<Plan>& plans, const std::vector<MatrixRun>& runs);

/// The table of all runs with what is said of them; a page has figures, too.
Article matrix_run_document(const std::vector<Plan>& plans, const std::vector<MatrixRun>& runs);

/// Solves all in their order.  Throws ConfigurationError for a matrix or a right-hand side that
/// cannot be read or solved with, before anything is written if it is the first run's.
std::vector<MatrixRun> run_matrices(const std::vector<Plan>& plans, const std::string& json,
                                    const MatrixRunEvents& events);

}  // namespace ninefold
