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
// In one norm.  Where the tolerance is one of the error (measures_error), both are in that norm,
// and the bound is of all that x is off: of |r| + u m, m what rounding adds to rows
// (rounding_of_rows), and of the roundings of w + x, w the boundary values carried inward.  It is
// relative to the exact discrete solution u_h, boundary values included,
//
//     |e| / |u_h|  <=  bound / (|x| - bound),
//
// where |x| is the l2 norm, the largest node or the energy norm of the whole solution, less its
// mean where a constant is free, and not by lumped masses; or it is in the units of the problem.
// The size is measured until the bound is a tenth of it, and kept.  Changes are not measured in the
// energy norm: differences of x across thin cells are what that norm is of, and changes that are
// rounding alone are not small there.
//
// Cost.  In one norm two passes over the matrix and two over x, the latter a few times in a solve;
// of an energy norm with boundary values, x comes to the host for them.  Else one pass over the
// matrix and two over x when the residual has met the tolerance, two more over x where boundary
// values and x may cancel; where a constant is free, one more for its mean.
//
// Tests.  tests/solvers/judgement/accuracy_test.cpp, tests/guard

#include <algorithm>
#include <array>
#include <cmath>
#include <mutex>
#include <set>
#include <type_traits>
#include <vector>

#include "precision/larger.hpp"

#include "fem/discrete/error_bound.hpp"
#include "fem/discrete/q1_element.hpp"
#include "fem/discrete/quantities.hpp"

#include "gpu/backend/vector.hpp"
#include "gpu/operations/measure_operations.hpp"
#include "gpu/operations/vector_operations.hpp"

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

/// Bounds of what the residual says, and of what rounding of rows may add to it.
struct ErrorInNorm {
  double by_residual = 0, rounding = 0;
  double all() const { return by_residual + rounding; }
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
    if (in_one_norm()) product_ = Array<B, Arithmetic<T>>(on, 1);
  }

  bool is_used() const { return system_.options().norm != StoppingNorm::residual; }
  /// True if the tolerance is one of the error in one norm.
  bool in_one_norm() const { return measures_error(system_.options()); }

  bool is_relative() const { return system_.options().relative; }

  /// In one norm, in the units of the problem.
  ErrorInNorm error(const Operator<T>& A, const Field<const T>& b, const Field<const T>& x) const {
    weighted_residual_square<B, T>(on_, A, b, x, weights(), sum_.data());
    const double by_residual = norm_of_energy(std::sqrt(read_value(on_, sum_.data())));
    return {by_residual, rounding_in_norm(A, b, x)};
  }

  /// Not more than the size of the exact solution in that norm, by an x whose error is at most
  /// this.
  double least_size(const Operator<T>& A, const Field<const T>& b, const Field<const T>& x,
                    double error) const {
    return norm_of_solution(A, b, x, error) - error;
  }

  /// The bound, for the x that is there; not in one norm.
  double bound(const Operator<T>& A, const Field<const T>& b, const Field<const T>& x) const {
    weighted_residual_square<B, T>(on_, A, b, x, weights(), sum_.data());
    return of_energy(std::sqrt(read_value(on_, sum_.data())), A.unknowns, x);
  }

  /// The same for a residual that rounding may leave (weighted_rounding_square); in one norm of
  /// that, relative to x.
  double rounding(const Operator<T>& A, const Field<const T>& b, const Field<const T>& x) const {
    if (in_one_norm()) {
      const double error = rounding_in_norm(A, b, x);
      return part(error, norm_of_solution(A, b, x, error));
    }
    weighted_rounding_square<B, T>(on_, A, b, x, weights(), sum_.data());
    return of_energy(unit_roundoff<T>() * std::sqrt(read_value(on_, sum_.data())), A.unknowns, x);
  }

  /// A device loads kernels when they are first used: with this, before the time of a solve begins
  /// whose kind no other has been of in this process.
  void prepare(const Operator<T>& A, const Field<const T>& b, const Field<const T>& x) {
    if constexpr (!std::is_same_v<B, Host>) {
      if (is_prepared_ || !is_used()) return;
      is_prepared_ = true;
      // Ranks do the same, whatever each has done before.
      if (on_.ranks() == nullptr && !is_first_of_kind(A)) return;
      if (in_one_norm()) {
        (void)least_size(A, b, x, error(A, b, x).all());
      } else {
        (void)bound(A, b, x);
      }
    }
  }

  /// How ranks share the nodes of the solve's grid; null where each has all.
  const RowsOfRanks* share() const { return system_.share.get(); }

  /// True if a bound is what `converged` promises.
  bool is_promised(double bound) const {
    const double tolerance = system_.options().tolerance;
    return bound <= (in_one_norm() ? tolerance : promise(tolerance));
  }

  /// True if the start, with nothing but boundary values carried inward, has no error that could be
  /// told from the rounding of the data.
  bool starts_at_the_end(const Operator<T>& A, const Field<const T>& b,
                         const Field<const T>& x) const {
    if (!is_used() || system_.lifting.largest() == 0) return false;
    const double u =
        std::is_same_v<W, double> || !has_wide_data(system_.problem()) ? 0x1p-53 : 0x1p-106;
    if (in_one_norm()) {
      const ErrorInNorm found = error(A, b, x);
      const double size = least_size(A, b, x, found.all());
      return found.by_residual <= 1024 * u * size
             && in_tolerances(found.all(), size) <= system_.options().tolerance;
    }
    return bound(A, b, x) <= std::min(1024 * u, system_.options().tolerance);
  }

  /// The size of a change c, relative to x; not in the energy norm.
  double change(const Box& box, const Field<const T>& c, const Field<const T>& x) const {
    const SolutionSize size = size_of(box, c);
    if (!in_one_norm()) return relative(size, box, x);
    const double in_norm = system_.options().norm == StoppingNorm::l2 ? size.l2 : size.largest;
    return part(std::ldexp(in_norm, system_.scaling.solution()), norm_of_values(x));
  }

  /// What errors relative to x are to be multiplied by to be compared with the tolerance.
  double unit_of_errors(const Operator<T>& A, const Field<const T>& b,
                        const Field<const T>& x) const {
    return in_one_norm() && !is_relative() ? norm_of_solution(A, b, x, 0) : 1.0;
  }

  /// The same of changes, which are not measured in the energy norm.
  double unit_of_changes(const Field<const T>& x) const {
    return in_one_norm() && !system_.options().relative ? norm_of_values(x) : 1.0;
  }

  /// An error in one norm as it is compared with the tolerance, the exact solution being not less
  /// than `size`.
  double in_tolerances(double error, double size) const {
    if (!system_.options().relative) return error;
    return size > 0 && std::isfinite(size) ? error / size : part(error, 0);
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

  double rounding_in_norm(const Operator<T>& A, const Field<const T>& b,
                          const Field<const T>& x) const {
    weighted_rounding_square<B, T>(on_, A, b, x, weights(), sum_.data());
    const double of_rows =
        norm_of_energy(unit_roundoff<T>() * std::sqrt(read_value(on_, sum_.data())));
    return of_rows + rounding_of_values(A.unknowns, x);
  }

  /// What the result's nodal values lose where boundary values or a mean are added to x: a few
  /// roundoffs of the largest.
  double rounding_of_values(const Box& box, const Field<const T>& x) const {
    const bool are_as_they_are =
        system_.lifting.largest() == 0 && !has_free_constant(system_.problem());
    return are_as_they_are ? 0 : noise(std::is_same_v<W, double> ? 0x1p-53 : 0x1p-104, box, x);
  }

  double noise(double u, const Box& box, const Field<const T>& x) const {
    constexpr double few = 4;
    largest<B, T>(on_, box, x, largest_.data());
    const double most =
        std::ldexp(read_value(on_, largest_.data()).value, system_.scaling.solution());
    return few * u * (system_.lifting.largest() + most) * norm_of_noise();
  }

  /// Not less than the norm of nodal values of sizes up to one: in a cell of width h and height k
  /// derivatives are at most 2/h and 2/k.
  double norm_of_noise() const {
    const Problem& problem = system_.problem();
    const double area = problem.width * problem.height;
    if (system_.options().norm == StoppingNorm::largest) return 1;
    if (system_.options().norm == StoppingNorm::l2) return std::sqrt(area);
    const auto inverses = [](const std::vector<double>& widths) {
      double sum = 0;
      for (const double h : widths) sum += 1 / h;
      return sum;
    };
    const TensorGrid& grid = system_.finest();
    return std::sqrt(4 * problem.gx * problem.height * inverses(grid.x.width)
                     + 4 * problem.gy * problem.width * inverses(grid.y.width)
                     + problem.reaction * area);
  }

  /// What an energy norm, in the units of the scaled system, bounds in the norm of the tolerance.
  double norm_of_energy(double eta) const {
    const int exponent = system_.scaling.solution();
    switch (system_.options().norm) {
      case StoppingNorm::l2:
        return std::ldexp(eta * to_l2_, exponent);
      case StoppingNorm::largest:
        return std::ldexp(eta * to_largest_, exponent);
      default:
        return std::ldexp(eta * std::sqrt(std::ldexp(1.0, system_.scaling.matrix)), exponent);
    }
  }

  /// The size of the solution that x stands for, in the norm of the tolerance; `error` bounds that
  /// of x.
  double norm_of_solution(const Operator<T>& A, const Field<const T>& b, const Field<const T>& x,
                          double error) const {
    if (system_.options().norm != StoppingNorm::energy) return norm_of_values(x);
    return system_.lifting.largest() == 0 ? energy_norm_of_unknowns(A, b, x, error)
                                          : energy_norm_of_values(A, x);
  }

  double norm_of_values(const Field<const T>& x) const {
    const Errors size = data_.norms(system_, x);
    return system_.options().norm == StoppingNorm::l2 ? size.l2 : size.max;
  }

  /// With v = A^-1 b and e = x - v, (b, x) = |v|_A^2 + (A v, e) >= |v|_A (|v|_A - |e|_A).  A
  /// thousandth is for the rounding of the product, more than it is in practice.
  double energy_norm_of_unknowns(const Operator<T>& A, const Field<const T>& b,
                                 const Field<const T>& x, double error) const {
    dot<B, T>(on_, A.unknowns, b, x, product_.data());
    const double product = static_cast<double>(read_value(on_, product_.data()));
    // Squares may leave the range of double in the units of the problem.
    const int exponent = system_.scaling.load + system_.scaling.solution(), half = exponent >> 1;
    const double energy = 0.999 * std::ldexp(product, exponent - 2 * half);
    if (!(energy > 0)) return std::isnan(energy) ? energy : 0.0;
    const double e = std::ldexp(error, -half);
    // |v| (|v| + |e|) >= (b, x)
    return std::ldexp((std::hypot(e, 2 * std::sqrt(energy)) - e) / 2 + e, half);
  }

  /// By all nodal values, on the host; of wide ones not more than it, whatever their rounding to
  /// double adds.
  double energy_norm_of_values(const Operator<T>& A, const Field<const T>& x) const {
    const std::vector<W> values = data_.on_host(system_, x);
    const auto measure = [&](const std::vector<double>& u) {
      return measure_energy_norm(system_.problem(), system_.finest(), {u, share()});
    };
    if constexpr (std::is_same_v<W, double>) {
      return measure(values);
    } else {
      std::vector<double> rounded;
      rounded.reserve(values.size());
      for (const W& value : values) rounded.push_back(static_cast<double>(value));
      return std::max(0.0, measure(rounded) - noise(0x1p-53, A.unknowns, x));
    }
  }

  static double part(double e, double s) { return e == 0 ? 0.0 : e / s; }

  static double quotient(const SolutionSize& error, const SolutionSize& size) {
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

  /// True once for all that decides on the kernels of a device.
  bool is_first_of_kind(const Operator<T>& A) const {
    static std::mutex mutex;
    static std::set<std::array<int, 6>> known;
    const int rows = A.template as<FactoredRows<T>>() != nullptr    ? 0
                     : A.template as<ComputedBands<T>>() != nullptr ? 1
                                                                    : 2;
    const std::array<int, 6> kind{on_.device(),
                                  rows,
                                  static_cast<int>(A.form),
                                  static_cast<int>(system_.options().norm),
                                  system_.lifting.largest() == 0,
                                  has_free_constant(system_.problem())};
    const std::lock_guard lock(mutex);
    return known.insert(kind).second;
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
  Array<B, Arithmetic<T>> product_;
};

}  // namespace ninefold
