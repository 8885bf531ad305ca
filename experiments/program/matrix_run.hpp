#pragma once
// Runs with a sparse matrix, a mesh's among them: from plans to solved systems, their table, files
// and page.
//
// Shape.  Each run is a row.  Files are written anew after each of them: results.csv, .json, .md,
// report.html, history-RUN.csv and, if asked for, RUN-solution.mtx; of a mesh RUN.obj, RUN.vtp,
// RUN-map.png and RUN-surface.png.  Of one that is smoothed histories and solutions are RUN-x,
// RUN-y and RUN-z, pictures RUN-after.png and, once for all runs of one mesh, before.png, or
// RUN-before.png where there are several.
//
// Together.  Systems of one matrix.files are solved in one solve, and each is a run; seconds,
// memory and bytes are those of all, where they are solved side by side.
//
// Refusals.  What a solve refuses of one of several runs, such as a format, is told in its row.
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
  std::size_t together = 1;             ///< systems, it included, that share seconds and memory
  std::optional<double> plain_rate{};   ///< bytes per second
  std::optional<MapFacts> map{};        ///< of a mesh that is laid flat
  std::optional<SmoothFacts> smooth{};  ///< of one that is smoothed
  Image before{};                       ///< the mesh, of the first run with it
  std::string refusal{};                ///< why it was not solved; else empty
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
/// "converged after 7 iterations", or "refused".
std::string ending_of(const Report& report, const std::string& refusal);
/// Throws ConfigurationError, with the first, if all of a study's runs are refused.
void require_one_solved(const Plan& plan, const std::vector<std::string>& refusals);
/// Bytes that moved over those that plain movement would have moved in the time.
std::optional<double> share_of_rate(const Report& report, std::optional<double> plain_rate);
/// A run's history as a curve of some hundred points.
FigureSeries history_series(const Plan& plan, const std::vector<double>& history);

/// True if the runs have done what they were asked for: all have converged, or, of meshes, have an
/// error that is small enough; where the program itself has chosen formats, one has.
bool is_done(const std::vector<MatrixRun>& runs, bool open_formats);

/// What tells the runs of a study apart: their names and varied keys; none of a single run.
std::vector<Column> varied_columns(const std::vector<Plan>& plans);

/// The cells of a run that was refused: what was known before, "refused" and why.
std::vector<Cell> refused_cells(const std::vector<Column>& columns, std::vector<Cell> cells,
                                const std::string& refusal);

/// A row for each run; columns in which none has anything are of data only.
Table matrix_run_table(const std::vector<Plan>& plans, const std::vector<MatrixRun>& runs);

/// The table of all runs with what is said of them; a page has figures, too.
Article matrix_run_document(const std::vector<Plan>& plans, const std::vector<MatrixRun>& runs);

/// Solves all in their order.  Throws ConfigurationError for a matrix or a right-hand side that
/// cannot be read or solved with, before anything is written if it is the first run's.
std::vector<MatrixRun> run_matrices(const std::vector<Plan>& plans, const std::string& json,
                                    const MatrixRunEvents& events);

}  // namespace ninefold
