// Residuals of pairs of words that become words, computed without normalising, against 50 digits.
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <type_traits>
#include <vector>

#include "grids/tensor_grid.hpp"

#include "fem/discrete/assembly.hpp"
#include "fem/matrix/unnormalised_rows.hpp"

#include "gpu/backend/backend.hpp"
#include "gpu/operations/any_rows.hpp"
#include "gpu/operations/mixed_operations.hpp"
#include "gpu/operations/nested_operations.hpp"

#include "solvers/system/system.hpp"

#include "tests/support/catch.hpp"
#include "tests/support/exact.hpp"
#include "tests/support/put.hpp"
#include "tests/support/types.hpp"

namespace ninefold {
namespace {

using testing::to_exact;

/// b - A x by the factors that are there, and the sizes of all that is added up in it.
struct ExactResidual {
  Exact value, size;
};

template <class High>
ExactResidual exact_residual_of(const FactoredRows<High>& A, const Field<const High>& b,
                                const Field<const High>& x, int i, int j) {
  const auto at = [&](int s, int t) { return to_exact(x(i + s, j + t)); };
  const auto cell = [](const High* of, int k) { return to_exact(of[k]); };
  const auto mass = [&](const LineFactors<High>& line, int k, int s) {
    const Exact before = cell(line.mass, k), after = cell(line.mass, k + 1);
    return s < 0 ? before : s > 0 ? after : Exact(2 * (before + after));
  };
  ExactResidual result{to_exact(b(i, j)), abs(to_exact(b(i, j)))};
  const auto take = [&](const Exact& factor, const Exact& plus, const Exact& minus) {
    result.value -= factor * (plus - minus);
    result.size += abs(factor) * (abs(plus) + abs(minus));
  };
  for (int t = -1; t <= 1; ++t) {
    const Exact m = mass(A.y, j, t);
    take(m * cell(A.x.stiffness, i), at(0, t), at(-1, t));
    take(m * cell(A.x.stiffness, i + 1), at(0, t), at(1, t));
    for (int s = -1; s <= 1; ++s) {
      take(m * to_exact(A.reaction) * mass(A.x, i, s), at(s, t), Exact(0));
    }
  }
  for (int s = -1; s <= 1; ++s) {
    const Exact m = mass(A.x, i, s);
    take(m * cell(A.y.stiffness, j), at(s, 0), at(s, -1));
    take(m * cell(A.y.stiffness, j + 1), at(s, 0), at(s, 1));
  }
  return result;
}

/// Pairs whose low words count; smooth ones are near each other in neighbouring nodes.
template <class High>
std::vector<High> pair_values(const TensorGrid& grid, bool smooth, std::uint64_t seed) {
  using F = Leading<High>;
  std::vector<High> result;
  const auto noise = testing::random_values<F>(
      2 * static_cast<std::size_t>(grid.nx()) * static_cast<std::size_t>(grid.ny()), seed);
  for (int j = 0; j < grid.ny(); ++j) {
    for (int i = 0; i < grid.nx(); ++i) {
      const std::size_t k = 2 * result.size();
      const F high = smooth ? static_cast<F>(2 + std::sin(0.02 * i + 0.03 * j)) : noise[k];
      const F low = high * noise[k + 1] * static_cast<F>(unit_roundoff<F>()) / 4;
      result.push_back(High::normalise(high, low));
    }
  }
  return result;
}

template <class High_, class Low_>
struct HighAndLow {
  using High = High_;
  using Low = Low_;
};

TEMPLATE_TEST_CASE("residuals of pairs that become words keep their bound",
                   "[gpu][nested][double_word]", (HighAndLow<DoubleSingle, float>),
                   (HighAndLow<DoubleDouble, double>)) {
  using High = typename TestType::High;
  using Low = typename TestType::Low;
  using W = Assembly<High>;
  const Host on;
  const bool smooth = GENERATE(true, false);
  const double reaction = GENERATE(0.0, 3.0);
  const TensorGrid grid = make_hierarchy(1.0, 0.7, 5, {0.8, {Side::left}}).back();
  const Box box = unknown_nodes(grid, {});
  const FactoredMatrix<Host, High> matrix(on, grid, box, {W(1.0), W(0.5), W(reaction)});
  const FactoredRows<High>& A = matrix.view();
  const NodeVector<Host, High> b(on, grid.nx(), grid.ny()), x(on, grid.nx(), grid.ny());
  const NodeVector<Host, Low> r(on, grid.nx(), grid.ny());
  testing::put(on, pair_values<High>(grid, smooth, 7), b.view());
  testing::put(on, pair_values<High>(grid, smooth, 8), x.view());
  const RefinementState<High> state{High(1), High(4), High(0.25)};
  residual_narrowed<Host, High, Low>(on, A, b.view(), x.view(), &state, r.view());
  using P = UnnormalisedPair<Low>;
  const Exact u(Format<Low>::unit_roundoff), c(reaction > 0 ? 247 : 123);
  double worst = 0, worst_of_word = 0;
  for (int j = box.j0; j < box.j1; ++j) {
    for (int i = box.i0; i < box.i1; ++i) {
      const P found = P(b.view()(i, j))
                      - FactoredForm::product<PairInMemory<Low>>(
                          unnormalised(A), unnormalised(Field<const High>(x.view())), i, j);
      // Rows that are climbed have these bits, too, and become a word of which four is taken.
      REQUIRE(r.view()(i, j) == 4 * static_cast<Low>(found));
      const ExactResidual exact = exact_residual_of<High>(A, b.view(), x.view(), i, j);
      const Exact error = abs(Exact(found.high) + Exact(found.low) - exact.value) / exact.size;
      worst = std::max(worst, static_cast<double>(error / (Exact(1.001) * c * u * u)));
      worst_of_word = std::max(worst_of_word, static_cast<double>(error / u));
    }
  }
  CAPTURE(smooth, reaction, worst, worst_of_word);
  CHECK(worst <= 1);
  CHECK(worst > 5e-4);  // random signs: a few hundredths of a sum of worst cases at most
  CHECK(worst_of_word < 1e-4);
}

TEMPLATE_TEST_CASE("residuals that stay pairs, and those of other rows, are normalised",
                   "[gpu][nested][double_word]", (HighAndLow<DoubleSingle, DoubleSingle>),
                   (HighAndLow<DoubleSingle, float>)) {
  using High = typename TestType::High;
  using Low = typename TestType::Low;
  const Host on;
  const TensorGrid grid = make_hierarchy(1.0, 0.7, 6, {0.8, {Side::left}}).back();
  const NodeVector<Host, High> b(on, grid.nx(), grid.ny()), x(on, grid.nx(), grid.ny());
  const NodeVector<Host, Low> r(on, grid.nx(), grid.ny()), s(on, grid.nx(), grid.ny());
  testing::put(on, pair_values<High>(grid, true, 3), b.view());
  testing::put(on, pair_values<High>(grid, true, 4), x.view());
  for (const auto storage :
       {OperatorStorage::stored, OperatorStorage::computed, OperatorStorage::factored}) {
    const Matrix<Host, High> A(on, grid, unknown_nodes(grid, {}), {1.0, 0.5, 2.0},
                               OperatorForm::difference, storage);
    RefinementState<High> state{High(1), High(0.5), High(2)};
    residual_narrowed<Host, High, Low>(on, A.view(), b.view(), x.view(), &state, r.view());
    residual_rounded<Host, High, Low>(on, A.view(), b.view(), x.view(), s.view(), &state);
    const bool is_as_it_was = testing::take(on, r.view()) == testing::take(on, s.view());
    const bool is_other =
        storage == OperatorStorage::factored && std::is_same_v<Low, Leading<High>>;
    CHECK(is_as_it_was == !is_other);
  }
}

}  // namespace
}  // namespace ninefold
