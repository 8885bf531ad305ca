#pragma once
// Which values agree with what is expected of them, by which rule, and the closing summary.
//
// Mathematics.  Five rules; a value that is not a number agrees with nothing:
//     count      |ours - expected| <= margin, of whole numbers
//     share      the same with a share of expected for a margin, rounded, where that is larger
//     relative   |ours - expected| <= tolerance |expected|
//     digits     |ours - expected| <= half a unit of the n-th significant digit of expected
//     statement  something that can only be true or false, such as "the error rises"
//
// Shape.  Values are compared row by row, as a table is filled; every comparison counts.  What is
// shown beside the paper's value without being compared does not; it can be left out with a reason,
// which stands below the table.
//
// Tests.  tests/experiments/support/comparison_test.cpp

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "output/tables/table.hpp"

namespace ninefold {

/// Where an expected value comes from: the paper, the exact solution of the discrete equations, or
/// what can be proved of the arithmetic.
enum class Source { paper, exact, theory };
std::string_view to_string(Source source);

struct ComparedValue {
  std::string row;  ///< what distinguishes it in its table, e.g. "A CG"
  int level = 0;
  std::string quantity;  ///< "iterations"
  Source source = Source::paper;
  Cell expected, ours;
  std::string rule;  ///< "equal", "within 2 %", "5 digits"
  bool agrees = false;
};

/// What the paper prints and is not compared, and why.
struct LeftOutValue {
  std::string row;
  int level = 0;
  std::string quantity;
  Cell expected, ours;
  std::string reason;
};

/// Half a unit of the n-th significant digit of `value`, which is neither zero nor infinite.
double half_unit(double value, int digits);

/// How many significant digits two values share: the largest n such that they differ by at most
/// half a unit of the n-th digit of the first; 0 if not even one, `most` at most.
int shared_digits(double value, double other, int most = 10);

class Comparison {
 public:
  /// `name` is for the summary, e.g. "table 2, double".
  explicit Comparison(std::string name) : name_(std::move(name)) {}

  /// What follows belongs to this row.
  void begin_row(std::string row, int level);

  void count(const std::string& quantity, Source source, int expected, int ours, int margin = 0);
  void share(const std::string& quantity, Source source, int expected, int ours, int margin,
             double part);
  void relative(const std::string& quantity, Source source, double expected, double ours,
                double tolerance);
  void digits(const std::string& quantity, Source source, double expected, double ours, int digits);
  void statement(const std::string& quantity, Source source, const std::string& text, double ours,
                 bool holds);

  /// A value of the paper's that is shown only; `reason` is a sentence's part, "it is a misprint".
  void leave_out(const std::string& quantity, Cell expected, Cell ours, const std::string& reason);

  /// Of the present row: "yes", "NO: cycles, error", or empty if nothing was compared.
  std::string verdict() const;

  const std::string& name() const { return name_; }
  const std::vector<ComparedValue>& values() const { return values_; }
  const std::vector<LeftOutValue>& left_out() const { return left_out_; }
  int agreeing() const;
  bool all_agree() const { return agreeing() == static_cast<int>(values_.size()); }

  /// "summary: NAME: N of M values agree"
  std::string summary() const;

 private:
  void add(const std::string& quantity, Source source, Cell expected, Cell ours, std::string rule,
           bool agrees);

  std::string name_, row_;
  int level_ = 0;
  std::vector<ComparedValue> values_;
  std::vector<LeftOutValue> left_out_;
  std::size_t row_begin_ = 0;
};

/// All values of the comparisons, one per row.
Table comparison_table(const std::vector<Comparison>& comparisons);

/// All that they leave out, one per row.
Table left_out_table(const std::vector<Comparison>& comparisons);

}  // namespace ninefold
