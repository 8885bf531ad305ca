#pragma once
// What a run tells of a level's solution beside its table: integrals, values at places and along
// lines.
//
// Tests.  tests/experiments/program/derived_output_test.cpp

#include <filesystem>

#include "fem/discrete/nodal_values.hpp"

#include "solvers/solve.hpp"

#include "output/tables/results.hpp"
#include "output/tables/sample_files.hpp"

#include "experiments/config/configuration.hpp"

namespace ninefold {

/// Of one run; its files begin anew with its first level.
class DerivedOutput {
 public:
  /// Files are `stem`-points.csv and `stem`-lines.csv, which are written if `writes`; the options
  /// must outlive it.  Ranks that share a grid make the same calls.
  DerivedOutput(const OutputOptions& wanted, const std::filesystem::path& stem, bool writes = true);

  /// Puts the integrals that are wanted into the row of a level, unless it was refused; `coarser`
  /// is the next coarser level's solution, or empty.  Errors that cannot be measured, since the
  /// problem's solution is infinite at a point, are absent, and a remark says so.
  void measure(const PreparedSolve& prepared, const Solved& solved,
               const NodalValues<double>& coarser, LevelResult& row) const;

  /// Adds a level that was solved to the files that are wanted; throws std::runtime_error if one
  /// cannot be written.
  void write(const PreparedSolve& prepared, const Solved& solved,
             const NodalValues<double>& coarser);

 private:
  const OutputOptions& wanted_;
  bool writes_;
  GrowingFile points_, lines_;
};

}  // namespace ninefold
