#pragma once
// What a run makes of the solutions of its levels: values at places, VTK files, pictures.
//
// Ranks.  Where they share a level's grid, each has the values of its rows: all make the same
// calls, and tell each other what is computed from values.  The first writes what is one file, each
// its own piece of a .pvtr file.
//
// Signals wait while a file is written, but not while ranks tell each other what goes into it.
//
// Tests.  tests/experiments/program/level_files_test.cpp, tests/experiments/program.py,
// tests/experiments/ranks.py

#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "output/document/results_document.hpp"
#include "output/plots/sampling.hpp"
#include "output/vtk/vtk.hpp"

#include "experiments/config/study.hpp"
#include "experiments/program/derived_output.hpp"
#include "experiments/program/run.hpp"

namespace ninefold {

/// Of one run.
class LevelFiles {
 public:
  /// Files begin with `stem`; `writes` is false on ranks but the first.  The plan must outlive it.
  LevelFiles(const Plan& plan, const std::filesystem::path& stem, bool writes);

  /// Puts the integrals that are wanted into the row.
  void measure(const PreparedSolve& prepared, SolvedLevel& level) const;

  /// Writes the files of a level that was solved, whose row this is; throws std::runtime_error if
  /// one cannot be written.  The solution may then be gone.
  void write(const PreparedSolve& prepared, const LevelResult& row, SolvedLevel& level);

  /// Draws the last level that was written, if pictures are wanted; tells of what is not drawn, and
  /// of nodes that VTK files hold moved apart.
  void finish(const std::function<void(const std::string&)>& note);

 private:
  void write_fields(const PreparedSolve& prepared, const SolvedLevel& level);
  std::filesystem::path path(const std::string& ending) const;

  const Plan& plan_;
  std::filesystem::path stem_;
  bool writes_;
  DerivedOutput derived_;
  PvdCollection collection_;
  std::string first_moved_, moved_;  ///< VTK file with other nodes than the grid, and what of them

  struct Finest {
    const PreparedSolve* solve;
    NodeRows<double> solution, coarser;
  };
  std::optional<Finest> finest_;  ///< solved, to be drawn
};

/// The images of levels for a page.
class LevelPictures {
 public:
  /// Of so many runs.
  explicit LevelPictures(std::size_t runs) : runs_(runs) {}

  /// Takes the images of a level that was solved, if its solution is at hand and small enough.
  void add(const std::string& run, const PreparedSolve& prepared, const LevelResult& row,
           const SolvedLevel& level);
  const std::vector<LevelImages>& images() const { return images_; }

 private:
  std::size_t runs_;
  std::vector<LevelImages> images_;
};

}  // namespace ninefold
