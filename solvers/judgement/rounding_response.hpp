#pragma once
// The error that rounding of the rows may leave, as the matrix passes it on.
//
// Mathematics.  The rows that a format holds are those of A + D, |D y| <= T y = u m(0, y) with the
// sizes m of rounding_of_rows, and the x found solves (A + D) x = b + a part of u m(b, x).  Off the
// solution of A it is by
//
//     sum over k >= 0 of ((A + D)^-1 D)^k (A + D)^-1 (that part + D x),
//
// where all is computed with A + D, so that a hold which rounding adds to rows cannot hide itself.
// With R = (A + D)^-1 T and y = (A + D)^-1 u m(b, x), both positive as far as the matrix is inverse
// positive, R y <= q y at every node bounds that by y / (1 - q) (Collatz, Wielandt).  Cycles from
// zero find y and R y.  Where cells are flat, mass matrices have inverses of both signs: of y and R
// y the sizes are taken then, and it is an estimate.
//
// Why.  Accuracy::rounding() does not see what couples thin cells, and may be larger by many
// orders.
//
// Tests.  tests/solvers/judgement/rounding_response_test.cpp

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>
#include <type_traits>
#include <vector>

#include "precision/larger.hpp"

#include "gpu/backend/vector.hpp"
#include "gpu/operations/any_rows.hpp"

#include "solvers/judgement/accuracy.hpp"
#include "solvers/multigrid/multigrid.hpp"

namespace ninefold {

/// Cycles from zero for the right-hand side that is there; true if their solution, measured by
/// size(), has settled.
template <Backend B, Number T, class Size>
bool settles(Multigrid<B, T>& multigrid, const Size& size) {
  multigrid.cycle_from_zero();
  const auto after = [&](int cycles) {
    for (int k = 0; k < cycles; ++k) multigrid.cycle();
    return size();
  };
  const double first = after(3), second = after(3), last = after(3);
  const double before = std::abs(second - first), now = std::abs(last - second);
  // What is slow goes on as it was; what is fast has come to its end.
  return now <= 1e-3 * last || (now <= 0.05 * last && now <= 0.5 * before);
}

/// The largest |above| / |below| at a node of the box: infinite where the latter is zero, NaN where
/// one is.  Both are of the rows share->here(), or of all.
template <class W>
double largest_quotient(const std::vector<W>& above, const std::vector<W>& below, const Box& box,
                        int nx, const RowShare* share) {
  const RowRange own = share == nullptr ? RowRange{box.j0, box.j1} : share->own();
  const int first = share == nullptr ? 0 : share->here().first;
  std::vector<double> of_rows(static_cast<std::size_t>(box.j1), 0.0);
  for (int j = std::max(box.j0, own.first); j < std::min(box.j1, own.last); ++j) {
    double& most = of_rows[static_cast<std::size_t>(j)];
    for (int i = box.i0; i < box.i1; ++i) {
      const auto k = static_cast<std::size_t>(j - first) * static_cast<std::size_t>(nx)
                     + static_cast<std::size_t>(i);
      const auto part = std::abs(static_cast<double>(above[k]));
      const auto whole = std::abs(static_cast<double>(below[k]));
      const double quotient = whole == 0 ? std::numeric_limits<double>::infinity() : part / whole;
      most = larger(most, quotient);
    }
  }
  if (share != nullptr) share->tell(of_rows);
  return largest_size(of_rows);
}

/// The error, relative to x; none unless it is small and all of the above holds.  Uses up b and x
/// of the multigrid; `b` may be the former.
template <Backend B, Number T>
std::optional<double> rounding_response(const B& on, const Accuracy<B, T>& accuracy,
                                        Multigrid<B, T>& multigrid,
                                        const std::type_identity_t<Field<const T>>& b,
                                        const std::type_identity_t<Field<const T>>& x) {
  constexpr double small = 0.1, fading = 0.5;
  const double u = unit_roundoff<T>();
  const Operator<T>& A = multigrid.A();
  if (A.has_free_constant) return {};
  const auto size = [&] {
    return u * accuracy.change(A.unknowns, Field<const T>(multigrid.x()), x);
  };
  rounding_of_rows<B, T>(on, A, b, x, multigrid.b());
  if (!settles(multigrid, size)) return {};
  const double error = size();
  if (!(error <= small)) return {};
  const RowsOfRanks* const share = accuracy.share();
  const auto y = download<B, T>(on, multigrid.x(), 0, share);

  set_zero(on, multigrid.b());
  rounding_of_rows<B, T>(on, A, multigrid.b(), multigrid.x(), multigrid.b());
  if (!settles(multigrid, size)) return {};
  const double q =
      u * largest_quotient(download<B, T>(on, multigrid.x(), 0, share), y, A.unknowns, A.nx, share);
  if (!(q <= fading)) return {};
  return error / (1 - q);
}

}  // namespace ninefold
