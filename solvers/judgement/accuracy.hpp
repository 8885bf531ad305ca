#pragma once
// Is a solution as accurate as `converged` promises?
//
// Mathematics.  Two measures of the error of an x, each relative to the solution's size in the same
// norm, the larger of l2 and the largest node:
//
//   bound     from the residual: holds on every grid, for every method
//             (fem/discrete/error_bound.hpp).  It is 3 to 30 times too large for smooth problems,
//             more where a residual is rough.
//   change    what one more cycle or correction has changed, if the next ones do not add up
//             (solvers/judgement/change_watch.hpp): with a smoother that suits the grid, the error
//             is not larger than a few times that.  It sees what rounding hides from the residual:
//             x is as good as its digits, and yet b - A x is u |x| over the width of thin cells
//             (has_detached_thin_cells).  And where nothing holds constants, the bound is by the
//             smallest eigenvalue alone.
//
// What follows from them: solvers/judgement/judge.hpp.  Beside them the bound of what rounding of
// the rows may leave in x, which neither sees.
//
// Cost.  One pass over the matrix and two over x when the residual has met the tolerance, two more
// over x where boundary values and x may cancel; where a constant is free, one more for its mean.
//
// Tests.  tests/solvers/judgement/accuracy_test.cpp, tests/guard

#include <algorithm>
#include <cmath>
#include <optional>
#include <type_traits>
#include <vector>

#include "precision/larger.hpp"

#include "fem/discrete/error_bound.hpp"
#include "fem/discrete/q1_element.hpp"

#include "gpu/backend/vector.hpp"
#include "gpu/operations/measure_operations.hpp"

#include "solvers/options.hpp"
#include "solvers/system/assembled_system.hpp"
#include "solvers/system/data_on_backend.hpp"
#include "solvers/system/system.hpp"

namespace ninefold {

/// Of nodal values, in the units of the scaled system.  l2 is by the lumped masses: not less than
/// the integral norm that the bound is of, and at most 3 times that.
struct SolutionSize {
  double l2, largest;
};

template <Backend B, Number T>
class Accuracy {
 public:
  using W = Assembly<T>;

  /// `system` and `data` must outlive this.  Holds nothing if the options ask for residuals only.
  Accuracy(const B& on, const System<W>& system, const DataOnBackend<B, T>& data)
      : on_(on), system_(system), data_(data) {
    if (!is_used()) return;
    const ErrorBoundWeights weights =
        error_bound_weights(system.problem(), system.finest(), system.scaling.matrix);
    to_l2_ = weights.to_l2;
    to_largest_ = weights.to_largest;
    stiff_x_ = Array<B, double>(on, weights.stiff_x);
    mass_x_ = Array<B, double>(on, weights.mass_x);
    stiff_y_ = Array<B, double>(on, weights.stiff_y);
    mass_y_ = Array<B, double>(on, weights.mass_y);
    sum_ = Array<B, double>(on, 1);
    largest_ = Array<B, Largest>(on, 1);
  }

  bool is_used() const { return system_.options().norm == StoppingNorm::error; }

  /// The bound, for the x that is there.
  double bound(const Operator<T>& A, const Field<const T>& b, const Field<const T>& x) const {
    weighted_residual_square<B, T>(on_, A, b, x, weights(), sum_.data());
    return of_energy(std::sqrt(read_value(on_, sum_.data())), A.unknowns, x);
  }

  /// The same for a residual that rounding may leave (weighted_rounding_square).
  double rounding(const Operator<T>& A, const Field<const T>& b, const Field<const T>& x) const {
    weighted_rounding_square<B, T>(on_, A, b, x, weights(), sum_.data());
    return of_energy(unit_roundoff<T>() * std::sqrt(read_value(on_, sum_.data())), A.unknowns, x);
  }

  /// A device loads kernels when they are first used: with this, before the time of a first solve
  /// begins.
  void prepare(const Operator<T>& A, const Field<const T>& b, const Field<const T>& x) {
    if constexpr (!std::is_same_v<B, Host>) {
      if (!is_prepared_) (void)suffices(A, b, x);
      is_prepared_ = true;
    }
  }

  /// True if the bound is what `converged` promises, or nothing is asked.
  bool suffices(const Operator<T>& A, const Field<const T>& b, const Field<const T>& x) const {
    return !is_used() || is_promised(bound(A, b, x));
  }
  bool is_promised(double bound) const { return bound <= promise(system_.options().tolerance); }

  /// True if the start, with nothing but boundary values carried inward, has no error that could be
  /// told from the rounding of the data.
  bool starts_at_the_end(const Operator<T>& A, const Field<const T>& b,
                         const Field<const T>& x) const {
    if (!is_used() || system_.lifting.largest() == 0) return false;
    const double u =
        std::is_same_v<W, double> || !has_wide_data(system_.problem()) ? 0x1p-53 : 0x1p-106;
    return bound(A, b, x) <= std::min(1024 * u, system_.options().tolerance);
  }

  /// The size of a change c, relative to x.
  double change(const Box& box, const Field<const T>& c, const Field<const T>& x) const {
    return relative(size_of(box, c), box, x);
  }

 private:
  NodeWeights weights() const {
    return {stiff_x_.data(), mass_x_.data(), stiff_y_.data(), mass_y_.data()};
  }

  SolutionSize size_of(const Box& box, const Field<const T>& v) const {
    mass_square<B, T>(on_, box, v, weights(), sum_.data());
    largest<B, T>(on_, box, v, largest_.data());
    return {std::sqrt(read_value(on_, sum_.data())), read_value(on_, largest_.data()).value};
  }

  double of_energy(double eta, const Box& box, const Field<const T>& x) const {
    return relative({eta * to_l2_, eta * to_largest_}, box, x);
  }

  static double quotient(const SolutionSize& error, const SolutionSize& size) {
    const auto part = [](double e, double s) { return e == 0 ? 0.0 : e / s; };
    const double l2 = part(error.l2, size.l2), node = part(error.largest, size.largest);
    return larger(node, l2);
  }

  /// Of the solution w + x, first with what w and x say by themselves, and only where that does not
  /// suffice node by node.
  double relative(const SolutionSize& error, const Box& box, const Field<const T>& x) const {
    const SolutionSize v = size_of(box, x);
    const auto& lifting = system_.lifting;
    if (has_free_constant(system_.problem())) return quotient(error, exact_size(x));
    if (lifting.largest() == 0) return quotient(error, v);
    const auto scaled = [&](double value) {
      return std::ldexp(value, -system_.scaling.solution());
    };
    const SolutionSize least{
        std::abs(scaled(lifting.l2()) - v.l2),
        std::max(scaled(lifting.largest_boundary_value()), v.largest - scaled(lifting.largest()))};
    const double at_most = quotient(error, least);
    if (at_most <= system_.options().tolerance) return at_most;
    const double exact = quotient(error, exact_size(x));
    return exact > at_most ? at_most : exact;  // NaN stays
  }

  SolutionSize exact_size(const Field<const T>& x) const {
    const int exponent = -system_.scaling.solution();
    const auto size = data_.size(system_, x, weights());
    return {std::ldexp(size.l2, exponent), std::ldexp(size.largest, exponent)};
  }

  B on_;
  const System<W>& system_;
  const DataOnBackend<B, T>& data_;
  bool is_prepared_ = false;
  double to_l2_ = 0, to_largest_ = 0;
  Array<B, double> stiff_x_, mass_x_, stiff_y_, mass_y_, sum_;
  Array<B, Largest> largest_;
};

/// The bound of an x, which is asked for several times between two steps.
template <Backend B, Number T>
class KnownBound {
 public:
  /// All of these must outlive this.
  KnownBound(const Accuracy<B, T>& accuracy, const Operator<T>& A, const Field<const T>& b,
             const Field<const T>& x)
      : accuracy_(accuracy), A_(A), b_(b), x_(x) {}

  double value() {
    if (!value_) value_ = accuracy_.bound(A_, b_, x_);
    return *value_;
  }
  /// Accuracy::suffices
  bool suffices() { return !accuracy_.is_used() || accuracy_.is_promised(value()); }
  /// When x has changed.
  void forget() { value_.reset(); }

 private:
  const Accuracy<B, T>& accuracy_;
  const Operator<T>& A_;
  Field<const T> b_, x_;
  std::optional<double> value_;
};

}  // namespace ninefold
