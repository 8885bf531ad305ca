#pragma once
// Runs of least squares: from plans to solutions, their table, files and page.
//
// Shape.  Each run is a row, of several right-hand sides, which are solved together, each of them
// is; they are called RUN-1, RUN-2, ..., and so are their files.  Files are written anew after each
// of them: results.csv, .json, .md, report.html, history-RUN.csv; RUN-image.png and truth.png where
// the unknowns are an image; l-curve.csv and l-curve.svg where runs differ in lambda alone;
// RUN-solution.mtx if asked for.
//
// Refusals.  What a solve refuses of one of several runs, such as a format, is told in its row.
//
// Tests.  tests/experiments/least_squares.py

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "solvers/least_squares/least_squares.hpp"

#include "output/document/document.hpp"
#include "output/tables/table.hpp"

#include "experiments/config/study.hpp"
#include "experiments/program/l_curve.hpp"
#include "experiments/program/least_squares_problem.hpp"

namespace ninefold {

/// What a run has found.
struct LeastSquaresRun {
  const Plan* plan = nullptr;
  int image_number = 0;  ///< of several right-hand sides, from 1 on; 0 of one
  std::string name{};    ///< the plan's, and which of several right-hand sides it is
  std::string matrix{};
  std::int64_t rows = 0, unknowns = 0, entries = 0;
  bool is_measured = false;
  LeastSquaresSolved solved{};
  std::optional<double> plain_rate{};  ///< bytes per second
  std::optional<double> deficiency{};  ///< rank_deficiency(), where nothing is added
  Image image{}, truth{};              ///< without bytes where the unknowns are none
  std::string refusal{};               ///< why it was not solved; else empty
  std::vector<std::string> remarks{};
};

/// Its plan, under its own name.
Plan named_plan(const LeastSquaresRun& run);

struct LeastSquaresEvents {
  std::function<void(const std::string& heading)> begin;  ///< what will be solved
  std::function<void(const LeastSquaresRun&)> run_ends;   ///< its files are on disk
};

/// A row for each run; columns in which none has anything are of data only.
Table least_squares_table(const std::vector<Plan>& plans, const std::vector<LeastSquaresRun>& runs);

/// True where a study is about lambda and nothing else; and the points of what has been solved.
bool has_l_curve(const std::vector<Plan>& plans);
std::vector<LCurvePoint> l_curve_points(const std::vector<LeastSquaresRun>& runs);

/// The table of all runs with what is said of them; a page has figures, too.
Article least_squares_document(const std::vector<Plan>& plans,
                               const std::vector<LeastSquaresRun>& runs);

/// Solves all in their order; as run_matrices().
std::vector<LeastSquaresRun> run_least_squares(const std::vector<Plan>& plans,
                                               const std::string& json,
                                               const LeastSquaresEvents& events);

}  // namespace ninefold
