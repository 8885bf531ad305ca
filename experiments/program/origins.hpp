#pragma once
// Where, of what commit and when each part of a page ran.
//
// Shape.  Reports and tables tell it in words of their own, which are taken apart: a machine, its
// CUDA and driver in one form, the program's version and commit, a date.
//
// Tests.  tests/experiments/program/origins_test.cpp

#include <string>
#include <utility>
#include <vector>

#include "output/document/document.hpp"

namespace ninefold {

struct RunOrigin {
  std::string machine, driver, version, commit, date;
};

/// Of an experiment: "a device; driver CUDA 13.0; ninefold 0.1.0 (abc), today".
RunOrigin origin_of_experiment(const std::string& subtitle);

/// Of a table: "device: a; driver: 580.1; commit: abc; date: today".
RunOrigin origin_of_table(const std::string& subtitle);

/// "CUDA 13.0, driver 580.1" of what is known of the two, however it is written.
std::string driver_words(const std::string& text);

class Origins {
 public:
  /// `what` has its heading at `link`.
  void add(const RunOrigin& origin, const std::string& what, const std::string& link);

  /// "a device; another; CUDA 13.0; ninefold 0.1.0", without what is said of them.
  std::string places() const;

  /// "several commits, 21 to 26 November 2026", which leads to the section; empty of one commit.
  Link commits() const;

  /// A row for each part, and how the rows are to be read.
  Section section() const;

 private:
  struct Row {
    RunOrigin origin;
    std::string what, link;
  };
  std::vector<Row> rows_;
};

}  // namespace ninefold
