// No operation does more than it says: a storage format is single rounded once when a result is
// stored, and a software format with the digits and exponents of a machine format is that format,
// bit for bit.
//
// Each operation gets the same numbers in both formats; what it writes must be the other's result,
// rounded once.  Values are chosen so that results overflow and underflow as well.

#include <array>
#include <cmath>

#include "grids/tensor_grid.hpp"

#include "gpu/operations/cg_operations.hpp"
#include "gpu/operations/line_operations.hpp"
#include "gpu/operations/row_operations.hpp"

#include "tests/support/catch.hpp"
#include "tests/support/sample.hpp"
#include "tests/support/types.hpp"

namespace ninefold {
namespace {

using testing::Case;
using testing::cases;
using testing::InFormat;
using testing::NodeValues;
using testing::RandomMatrix;
using testing::Range;
using testing::same_bits;
using testing::Signs;

/// The format that another one is compared with.
template <class Name>
struct ReferenceOf {
  using type = float;
};
template <>
struct ReferenceOf<testing::S52e11> {
  using type = double;
};
template <class Name>
using Reference = typename ReferenceOf<Name>::type;

#define NINEFOLD_COMPARED_FORMATS NINEFOLD_STORAGE_FORMATS, testing::S23e8, testing::S52e11

/// The same numbers in T and in R; R holds all of T.
template <class T, class R>
struct Both {
  NodeValues<T> mine;
  NodeValues<R> theirs;

  Both(const Case& c, std::uint64_t seed, Range range)
      : mine(c.nx, c.ny, seed, range), theirs(mine) {}

  /// True if R's values, rounded once, are T's values in all bits.
  bool agree() const { return mine.equals(NodeValues<T>(theirs)); }
};

template <class T, class R>
struct Sample {
  Case c = GENERATE(from_range(cases<T>()));
  OperatorForm form = GENERATE(OperatorForm::plain, OperatorForm::difference);
  Range range = GENERATE(Range::tame, Range::hurtful, Range::alike, Range::extreme);
  std::uint64_t seed = 23;
  Box box = c.unknowns;
  RandomMatrix<T> mine;
  RandomMatrix<R> theirs;
  Both<T, R> x{c, seed + 1, range}, b{c, seed + 2, range}, y{c, seed + 3, Range::tame};

  Sample()
      : mine(c.nx, c.ny, form, box, seed, range == Range::alike ? Range::tame : range),
        theirs(mine) {}
};

#define CAPTURE_SAMPLE(s) \
  CAPTURE((s).c.nx, (s).c.ny, (s).box.i0, to_string((s).form), int((s).range), (s).seed)

/// True if a scalar of Arithmetic<T> is the one of R; where half overflows, both may be NaN.
template <class C, class R>
bool same_scalar(const C& mine, const R& theirs) {
  const R value = static_cast<R>(mine);
  return same_bits(value, theirs) || (std::isnan(value) && std::isnan(theirs));
}

TEMPLATE_TEST_CASE("operations with vectors are rounded once", "[gpu][operations][rounded]",
                   NINEFOLD_COMPARED_FORMATS) {
  const InFormat<TestType> format;
  using T = typename InFormat<TestType>::T;
  using C = Arithmetic<T>;
  using R = Reference<TestType>;
  const Host on;
  Sample<T, R> s;
  CAPTURE_SAMPLE(s);
  if (s.form == OperatorForm::difference) return;  // no matrix takes part

  C mine(-77);
  R theirs(-77);
  dot<Host, T>(on, s.box, s.x.mine.view(), s.b.mine.view(), &mine);
  dot<Host, R>(on, s.box, s.x.theirs.view(), s.b.theirs.view(), &theirs);
  REQUIRE(same_scalar(mine, theirs));

  const C beta = C(-0.7);
  const R same_beta = static_cast<R>(beta);
  xpby(on, s.box, &beta, s.x.mine.view(), s.y.mine.view());
  xpby(on, s.box, &same_beta, s.x.theirs.view(), s.y.theirs.view());
  REQUIRE(s.y.agree());

  CgState<C> state{};
  CgState<R> same_state{};
  state.alpha = C(0.3);
  same_state.alpha = static_cast<R>(state.alpha);
  state.active = same_state.active = 1;
  Both<T, R> r(s.c, 5, s.range), q(s.c, 6, s.range);
  cg_update(on, s.box, s.b.mine.view(), q.mine.view(), s.x.mine.view(), r.mine.view(), &state);
  cg_update(on, s.box, s.b.theirs.view(), q.theirs.view(), s.x.theirs.view(), r.theirs.view(),
            &same_state);
  REQUIRE(s.x.agree());
  REQUIRE(r.agree());
  // The squares are those of the stored values.
  const NodeValues<R> stored(r.mine);
  dot<Host, R>(on, s.box, stored.read(), stored.read(), &theirs);
  REQUIRE(same_scalar(state.rr, theirs));

  copy(on, s.b.mine.view(), s.y.mine.view());
  REQUIRE(s.y.mine.equals(s.b.mine));
  set_zero(on, s.y.mine.view());
  REQUIRE(s.y.mine.equals(NodeValues<T>(s.c.nx, s.c.ny)));
}

TEMPLATE_TEST_CASE("operations with the matrix are rounded once", "[gpu][operations][rounded]",
                   NINEFOLD_COMPARED_FORMATS) {
  const InFormat<TestType> format;
  using T = typename InFormat<TestType>::T;
  using C = Arithmetic<T>;
  using R = Reference<TestType>;
  const Host on;
  Sample<T, R> s;
  CAPTURE_SAMPLE(s);
  const NineBand<const T> A = s.mine.view();
  const NineBand<const R> B = s.theirs.view();
  const Field<const T> x = s.x.mine.read(), b = s.b.mine.read();
  const Field<const R> same_x = s.x.theirs.read(), same_b = s.b.theirs.read();
  const Field<T> y = s.y.mine.view();
  const Field<R> same_y = s.y.theirs.view();
  C mine(-77);
  R theirs(-77);

  product(on, A, x, y);
  product(on, B, same_x, same_y);
  REQUIRE(s.y.agree());
  product_dot(on, A, x, y, &mine);
  REQUIRE(s.y.agree());
  // The sum is that of the stored product.
  const NodeValues<R> stored(s.y.mine);
  dot<Host, R>(on, s.box, same_x, stored.read(), &theirs);
  REQUIRE(same_scalar(mine, theirs));

  residual(on, A, b, x, y);
  residual(on, B, same_b, same_x, same_y);
  REQUIRE(s.y.agree());
  residual_square<Host, T>(on, A, b, x, &mine);
  residual_square<Host, R>(on, B, same_b, same_x, &theirs);
  REQUIRE(same_scalar(mine, theirs));
  rounding_scale<Host, T>(on, A, b, x, &mine);
  rounding_scale<Host, R>(on, B, same_b, same_x, &theirs);
  REQUIRE(same_scalar(mine, theirs));

  const C omega = C(0.8);
  const R same_omega = static_cast<R>(omega);
  jacobi_step(on, A, b, omega, x, y);
  jacobi_step(on, B, same_b, same_omega, same_x, same_y);
  REQUIRE(s.y.agree());
  jacobi_start(on, A, b, omega, y);
  jacobi_start(on, B, same_b, same_omega, same_y);
  REQUIRE(s.y.agree());
}

TEMPLATE_TEST_CASE("line relaxation is rounded once", "[gpu][operations][rounded][lines]",
                   NINEFOLD_COMPARED_FORMATS) {
  const InFormat<TestType> format;
  using T = typename InFormat<TestType>::T;
  using C = Arithmetic<T>;
  using R = Reference<TestType>;
  const Host on;
  const Case c = GENERATE(from_range(cases<T>()));
  const OperatorForm form = GENERATE(OperatorForm::plain, OperatorForm::difference);
  const Range range = GENERATE(Range::tame, Range::hurtful);
  CAPTURE(c.nx, c.ny, c.unknowns.i0, to_string(form), int(range));
  const RandomMatrix<T> A(c.nx, c.ny, form, c.unknowns, 29, range, Signs::symmetric);
  const RandomMatrix<R> B(A);
  const Both<T, R> x(c, 30, range), b(c, 31, range);
  for (const auto direction : {LineDirection::x, LineDirection::y}) {
    for (const int stride : {1, 2}) {
      const Lines lines{direction, 0, stride};
      Both<T, R> y(c, 32, Range::tame);
      line_step<T>(on, A.view(), b.mine.read(), C(0.8), lines, x.mine.read(), {}, y.mine.view());
      line_step<R>(on, B.view(), b.theirs.read(), static_cast<R>(C(0.8)), lines, x.theirs.read(),
                   {}, y.theirs.view());
      REQUIRE(y.agree());
    }
  }
}

TEMPLATE_TEST_CASE("operations between grids are rounded once", "[gpu][operations][rounded]",
                   NINEFOLD_COMPARED_FORMATS) {
  const InFormat<TestType> format;
  using T = typename InFormat<TestType>::T;
  using C = Arithmetic<T>;
  using R = Reference<TestType>;
  const Host on;
  const double nu = GENERATE(1.0, 0.7);
  const int level = GENERATE(2, 4);
  const Range range = GENERATE(Range::tame, Range::hurtful, Range::extreme);
  CAPTURE(nu, level, int(range));
  const Line line = make_hierarchy(1, 1, level, {.nu = nu}).back().x;
  const auto weights = transfer_weights<C>(line);
  const auto same_weights = transfer_weights<R>(line);
  for (std::size_t i = 0; i < weights.size(); ++i) {
    REQUIRE(same_scalar(weights[i].lower, same_weights[i].lower));
    REQUIRE(same_scalar(weights[i].upper, same_weights[i].upper));
  }
  const Transfer<C> transfer{weights.data(), weights.data()};
  const Transfer<R> same_transfer{same_weights.data(), same_weights.data()};
  const int n = line.nodes(), m = n / 2 + 1;
  const Box fine{0, n - 1, 1, n}, coarse{0, m - 1, 1, m};
  Both<T, R> x({n, n, fine}, 1, range), c({m, m, coarse}, 2, range);

  restrict_residual(on, coarse, fine, transfer, x.mine.view(), c.mine.view());
  restrict_residual(on, coarse, fine, same_transfer, x.theirs.view(), c.theirs.view());
  REQUIRE(c.agree());
  Both<T, R> correction({m, m, coarse}, 3, range);
  add_prolongated(on, fine, transfer, correction.mine.view(), x.mine.view());
  add_prolongated(on, fine, same_transfer, correction.theirs.view(), x.theirs.view());
  REQUIRE(x.agree());
}

TEMPLATE_TEST_CASE("the coarsest solve is rounded once", "[gpu][operations][rounded]",
                   NINEFOLD_COMPARED_FORMATS) {
  const InFormat<TestType> format;
  using T = typename InFormat<TestType>::T;
  using R = Reference<TestType>;
  const OperatorForm form = GENERATE(OperatorForm::plain, OperatorForm::difference);
  const Box box = GENERATE(Box{1, 2, 1, 2}, Box{1, 3, 1, 2}, Box{0, 3, 1, 3}, Box{0, 3, 0, 3});
  const Range range = GENERATE(Range::tame, Range::hurtful);
  const std::uint64_t seed = GENERATE(1U, 2U, 3U);
  CAPTURE(to_string(form), box.i0, box.i1, box.j0, box.j1, int(range), seed);
  const RandomMatrix<T> A(3, 3, form, box, seed, range, Signs::dominant);
  const RandomMatrix<R> B(A);
  Both<T, R> b({3, 3, box}, seed + 5, range), x({3, 3, box}, seed + 6, Range::tame);
  solve_coarsest(Host(), A.view(), b.mine.read(), x.mine.view());
  solve_coarsest(Host(), B.view(), b.theirs.read(), x.theirs.view());
  REQUIRE(x.agree());
}

TEMPLATE_TEST_CASE("the steps between scalars are those of the machine format",
                   "[gpu][operations][rounded]", testing::S23e8, testing::S52e11) {
  const InFormat<TestType> format;
  using R = Reference<TestType>;
  const std::uint64_t seed = GENERATE(range(1U, 20U));
  const Range range = GENERATE(Range::tame, Range::hurtful);
  CAPTURE(seed, int(range));
  const auto v = testing::random_values<SoftFloat>(6, seed, range);
  CgState<SoftFloat> mine{};
  mine.rr = v[0];
  mine.rz = v[1];
  mine.pq = v[2];
  mine.rz_new = v[3];
  mine.qz = v[4];
  mine.target = v[5];
  mine.max_iterations = 5;
  mine.active = 1;
  CgState<R> theirs{};
  theirs.rr = static_cast<R>(v[0]);
  theirs.rz = static_cast<R>(v[1]);
  theirs.pq = static_cast<R>(v[2]);
  theirs.rz_new = static_cast<R>(v[3]);
  theirs.qz = static_cast<R>(v[4]);
  theirs.target = static_cast<R>(v[5]);
  theirs.max_iterations = 5;
  theirs.active = 1;
  const auto agree = [&] {
    return same_scalar(mine.rr, theirs.rr) && same_scalar(mine.rz, theirs.rz)
           && same_scalar(mine.rz_new, theirs.rz_new) && same_scalar(mine.alpha, theirs.alpha)
           && same_scalar(mine.beta, theirs.beta) && mine.iterations == theirs.iterations
           && mine.active == theirs.active && same_scalar(mine.history[0], theirs.history[0]);
  };
  const Host on;
  cg_alpha(on, &mine);
  cg_alpha(on, &theirs);
  REQUIRE(agree());
  cg_beta(on, BetaForm::flexible, &mine);
  cg_beta(on, BetaForm::flexible, &theirs);
  REQUIRE(agree());
  cg_count(on, &mine);
  cg_count(on, &theirs);
  REQUIRE(agree());
  cg_beta(on, BetaForm::standard, &mine);
  cg_beta(on, BetaForm::standard, &theirs);
  REQUIRE(agree());
}

// Whatever a system is assembled in, its entries are rounded once from there.
TEMPLATE_TEST_CASE("bands are the entries of the assembly rounded once",
                   "[gpu][operations][rounded]", NINEFOLD_ALL_FORMATS) {
  const InFormat<TestType> format;
  using T = typename InFormat<TestType>::T;
  using W = Assembly<T>;
  const OperatorForm form = GENERATE(OperatorForm::plain, OperatorForm::difference);
  const double nu = GENERATE(1.0, 0.7);
  CAPTURE(to_string(form), nu);
  const TensorGrid grid = make_hierarchy(1, 0.7, 4, {.nu = nu}).back();
  const std::size_t n = std::size_t(grid.nx()) * std::size_t(grid.ny());
  const auto x = node_couplings<W>(grid.x), y = node_couplings<W>(grid.y);
  const Coefficients<W> g{W(1), W(0.7), W(0.3)};
  std::array<std::vector<T>, 9> mine;
  std::array<std::vector<W>, 9> wide;
  const auto assemble = [&]<class V>(std::array<std::vector<V>, 9>& bands) {
    NineBand<V> A{{}, grid.nx(), grid.ny(), form, {1, grid.nx(), 0, grid.ny() - 1}};
    for (std::size_t m = 0; m < 9; ++m) {
      bands[m].resize(n);
      A.band[m] = bands[m].data();
    }
    assemble_bands<Host, W, V>(Host(), g, x.data(), y.data(), A);
  };
  assemble(mine);
  assemble(wide);
  for (std::size_t m = 0; m < 9; ++m) {
    for (std::size_t k = 0; k < n; ++k) {
      CAPTURE(m, k);
      REQUIRE(same_bits(mine[m][k], static_cast<T>(wide[m][k])));
    }
  }
}

}  // namespace
}  // namespace ninefold
