// The operations with sparse rows on Host: against 50 digits, all storages and numbers of threads
// to the last bit, and those of a grid's nine bands.
#include <algorithm>
#include <cmath>
#include <optional>
#include <string>
#include <type_traits>
#include <vector>

#include <omp.h>

#include "fem/sparse/generators.hpp"
#include "fem/sparse/nine_band_matrix.hpp"
#include "fem/sparse/row_order.hpp"

#include "gpu/operations/any_least_squares_rows.hpp"
#include "gpu/operations/any_sparse_rows.hpp"

#include "tests/support/bound.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/guarded_values.hpp"
#include "tests/support/sample.hpp"
#include "tests/support/sparse_sample.hpp"
#include "tests/support/types.hpp"

namespace ninefold {
namespace {

using namespace testing;

template <class T>
Field<T> field(std::vector<T>& values) {
  return {values.data(), static_cast<int>(values.size()), 1};
}

/// What may be lost in a row's sum, in unit roundoffs of the terms' sizes.
template <class T>
double row_loss(int n, OperatorForm form) {
  const double difference = form == OperatorForm::plain ? 0 : loss<T>.sum;
  switch (row_class(n)) {
    case RowClass::chained:
      return product_sum_loss<T>(n + 1) + difference + 1;
    case RowClass::laned:
      return product_sum_loss<T>(n / row_lanes + 2) + 6 * loss<T>.sum + loss<T>.fused + difference;
    case RowClass::chunked:
      break;
  }
  return product_sum_loss<T>(5) + 24 * loss<T>.sum + loss<T>.fused + difference;
}

template <class T>
void check_rows(const SparseMatrix& A, const std::vector<T>& x, const std::vector<T>& y,
                OperatorForm form) {
  Worst worst;
  for (int i = 0; i < A.pattern.n_rows; ++i) {
    Exact value = 0, size = 0, sum = 0;
    const Exact here = to_exact(x[std::size_t(i)]);
    for (std::int64_t k = A.pattern.start(i); k < A.pattern.start(i + 1); ++k) {
      const Exact a = to_exact(static_cast<T>(static_cast<Assembly<T>>(A.values[std::size_t(k)])));
      const Exact other = to_exact(x[std::size_t(A.pattern.columns[std::size_t(k)])]);
      const Exact term = a * (form == OperatorForm::plain ? other : Exact(other - here));
      value += term;
      size += abs(term);
      sum += Exact(A.values[std::size_t(k)]);
    }
    if (form == OperatorForm::difference) {
      const DoubleDouble wide(static_cast<double>(sum),
                              static_cast<double>(Exact(sum - Exact(static_cast<double>(sum)))));
      const Exact s = to_exact(static_cast<T>(static_cast<Assembly<T>>(wide)));
      value += s * here;
      size += abs(Exact(s * here));
    }
    worst.add(within(y[std::size_t(i)], value, row_loss<T>(A.pattern.length(i), form), size), i, 0);
  }
  REQUIRE(worst.count() == A.pattern.n_rows);
  REQUIRE(worst.value());
}

TEMPLATE_TEST_CASE(
    "a sparse product is that of its rows to their roundings, in every storage the "
    "same",
    "[gpu][operations][sparse]", NINEFOLD_ALL_FORMATS) {
  const InFormat<TestType> format;
  using T = typename InFormat<TestType>::T;
  const Host on;
  for (const int n : {1, 31, 1025, 6000}) {
    const Range range = GENERATE(Range::tame, Range::alike);
    const SparseMatrix A = random_sparse(n, 3, range);
    std::vector<T> x = random_values<T>(std::size_t(n), 4, range);
    for (const OperatorForm form : operator_forms) {
      std::optional<std::vector<T>> first;
      for (const SparseStorage storage : sparse_storages) {
        CAPTURE(n, to_string(storage), to_string(form));
        const auto matrix = stored_on<Host, T>(on, A, storage, form);
        std::vector<T> y(std::size_t(n), T(-7));
        product(on, matrix.view(), field(x), field(y));
        if (!first) {
          check_rows(A, x, y, form);
          first = y;
        }
        REQUIRE(same_bits(y, *first));
        std::vector<T> again(std::size_t(n), T(3));
        Arithmetic<T> dotted(-1), square(-1), of_product(-2);
        product_dot(on, matrix.view(), field(x), field(again), &dotted);
        REQUIRE(same_bits(again, *first));
        dot<Host, T>(on, matrix.view().unknowns, field(x), field(again), &of_product);
        REQUIRE(same_bits(dotted, of_product));
        // b - A x by itself is what a residual's square sums up, rounded to T.
        std::vector<T> b = random_values<T>(std::size_t(n), 5, range), r(std::size_t(n), T(0));
        residual(on, matrix.view(), field(b), field(x), field(r));
        residual_square(on, matrix.view(), field(b), field(x), &square);
        dot<Host, T>(on, matrix.view().unknowns, field(r), field(r), &of_product);
        if constexpr (std::is_same_v<T, Arithmetic<T>>) {
          REQUIRE(same_bits(square, of_product));
        } else {
          const double stored = static_cast<double>(of_product);
          REQUIRE(std::abs(static_cast<double>(square) - stored)
                  <= 4 * unit_roundoff<T>() * stored);
        }
      }
    }
  }
}

TEMPLATE_TEST_CASE("rows of grids, told by their diagonals, have the bits of all storages",
                   "[gpu][operations][sparse]", NINEFOLD_ALL_FORMATS) {
  const InFormat<TestType> format;
  using T = typename InFormat<TestType>::T;
  const Host on;
  struct Grid {
    const char* name;
    int size, components;
  };
  for (const Grid& grid : {Grid{"laplace-3d-7", 13, 1}, Grid{"laplace-3d-27", 11, 1},
                           Grid{"elasticity-2d", 24, 2}, Grid{"elasticity-3d", 7, 3}}) {
    const SparseMatrix A = generate_sparse({.name = grid.name, .size = grid.size});
    const RowLayout layout = row_layout(A.pattern, SparseStorage::sliced);
    REQUIRE(std::any_of(layout.slices.begin(), layout.slices.end(),
                        [](const Slice& slice) { return slice.column_0 == on_diagonals; }));
    std::vector<T> x = random_values<T>(std::size_t(A.pattern.n_rows), 21, Range::alike);
    for (const OperatorForm form : operator_forms) {
      std::optional<std::vector<T>> first;
      for (const SparseStorage storage : sparse_storages) {
        for (const bool wide : {false, true}) {
          if (wide && storage != SparseStorage::sliced) continue;
          CAPTURE(grid.name, to_string(storage), to_string(form), wide);
          const auto matrix = stored_on<Host, T>(on, A, storage, form, wide, grid.components);
          std::vector<T> y(x.size(), T(-7));
          product(on, matrix.view(), field(x), field(y));
          if (!first) first = y;
          REQUIRE(same_bits(y, *first));
        }
      }
    }
  }
}

TEMPLATE_TEST_CASE("wide and narrow columns, and any number of threads, give one result",
                   "[gpu][operations][sparse]", float, DoubleDouble) {
  using T = TestType;
  const Host on;
  const int n = 80000;
  const SparseMatrix A = random_sparse(n, 8, Range::hurtful);
  std::vector<T> x = random_values<T>(std::size_t(n), 9, Range::hurtful);
  const RowLayout narrow = row_layout(A.pattern, SparseStorage::sliced);
  int wide_slices = 0, narrow_slices = 0;
  for (const Slice& slice : narrow.slices) {
    ++(slice.column_0 == wide_columns ? wide_slices : narrow_slices);
  }
  REQUIRE(wide_slices > 100);
  REQUIRE(narrow_slices > 100);
  std::optional<std::vector<T>> first;
  std::optional<T> sum;
  for (const bool wide : {false, true}) {
    for (const int threads : {1, 2, 7}) {
      omp_set_num_threads(threads);
      const auto matrix =
          stored_on<Host, T>(on, A, SparseStorage::sliced, OperatorForm::difference, wide);
      std::vector<T> y(std::size_t(n), T(0));
      T result(-1);
      product_dot(on, matrix.view(), field(x), field(y), &result);
      if (!first) {
        first = y;
        sum = result;
      }
      REQUIRE(same_bits(y, *first));
      REQUIRE(same_bits(result, *sum));
    }
  }
  omp_set_num_threads(1);
}

TEMPLATE_TEST_CASE("few rows give one result by any number of threads, long ones among them",
                   "[gpu][operations][sparse]", float, double) {
  using T = TestType;
  const Host on;
  const int n = 6000;
  const SparseMatrix A = random_sparse(n, 8, Range::hurtful);
  std::vector<T> x = random_values<T>(std::size_t(n), 9, Range::hurtful);
  for (const OperatorForm form : operator_forms) {
    std::vector<T> expected(std::size_t(n), T(0));
    product(on, stored_on<Host, T>(on, A, SparseStorage::compressed, form).view(), field(x),
            field(expected));
    const auto matrix = stored_on<Host, T>(on, A, SparseStorage::sliced, form);
    for (const int threads : {1, 2, 7}) {
      omp_set_num_threads(threads);
      std::vector<T> y(std::size_t(n), T(0));
      product(on, matrix.view(), field(x), field(y));
      CHECK(same_bits(y, expected));
    }
    omp_set_num_threads(1);
  }
}

TEMPLATE_TEST_CASE("nothing behind x is read", "[gpu][operations][sparse]", float, double) {
  using T = TestType;
  const Host on;
  std::vector<SparseMatrix> matrices;
  for (const char* name :
       {"elasticity-2d", "elasticity-3d", "shell", "triangles", "laplace-3d-27"}) {
    matrices.push_back(generate_sparse({.name = name, .size = 7}));
  }
  // 64 x 32 in pairs of rows, and its transpose: columns up to the last one in both slices.
  std::vector<SparseEntry> tall, flat;
  for (int i = 0; i < 64; ++i) {
    for (const int apart : {0, 1}) {
      const int j = (i - i % 2) % 32 + apart;
      tall.push_back({i, j, 1.0 + i + 0.25 * j});
      flat.push_back({j, i, 1.0 + i + 0.25 * j});
    }
  }
  matrices.push_back(assemble_sparse(64, 32, tall));
  matrices.push_back(assemble_sparse(32, 64, flat));
  for (const SparseMatrix& A : matrices) {
    const SparsePattern& pattern = A.pattern;
    CAPTURE(pattern.n_rows, pattern.n_columns);
    const std::vector<T> x = random_values<T>(std::size_t(pattern.n_columns), 3, Range::tame);
    GuardedValues<T> guarded(x);
    std::vector<std::vector<T>> results;
    for (const SparseStorage storage : {SparseStorage::compressed, SparseStorage::sliced}) {
      results.emplace_back(std::size_t(pattern.n_rows), T(-7));
      const auto matrix = stored_on<Host, T>(on, A, storage, OperatorForm::plain);
      multiply<Host, T>(on, matrix.view(), Field<T>{guarded.data(), pattern.n_columns, 1},
                        field(results.back()));
    }
    CHECK(same_bits(results[0], results[1]));
  }
}

TEMPLATE_TEST_CASE("unknowns of several kinds are compared each with its own",
                   "[gpu][operations][sparse]", NINEFOLD_ALL_FORMATS) {
  const InFormat<TestType> format;
  using T = typename InFormat<TestType>::T;
  const Host on;
  const int c = 3, n = 1200;
  const SparseMatrix A = random_sparse(n, 17, Range::tame);
  std::vector<T> x = random_values<T>(std::size_t(n), 18, Range::alike);
  std::optional<std::vector<T>> first;
  for (const SparseStorage storage : sparse_storages) {
    const auto matrix = stored_on<Host, T>(on, A, storage, OperatorForm::difference, false, c);
    std::vector<T> y(std::size_t(n), T(-7));
    product(on, matrix.view(), field(x), field(y));
    if (first) {
      REQUIRE(same_bits(y, *first));
      continue;
    }
    first = y;
    Worst worst;
    for (int i = 0; i < n; ++i) {
      Exact value = 0, size = 0, sums[c] = {0, 0, 0};
      for (std::int64_t k = A.pattern.start(i); k < A.pattern.start(i + 1); ++k) {
        const int j = A.pattern.columns[std::size_t(k)];
        const Exact a =
            to_exact(static_cast<T>(static_cast<Assembly<T>>(A.values[std::size_t(k)])));
        const Exact own = to_exact(x[std::size_t(i / c * c + j % c)]);
        const Exact term = a * Exact(to_exact(x[std::size_t(j)]) - own);
        value += term;
        size += abs(term);
        sums[j % c] += Exact(A.values[std::size_t(k)]);
      }
      for (int k = 0; k < c; ++k) {
        const double high = static_cast<double>(sums[k]);
        const DoubleDouble wide(high, static_cast<double>(Exact(sums[k] - Exact(high))));
        const Exact s = to_exact(static_cast<T>(static_cast<Assembly<T>>(wide)));
        const Exact term = s * to_exact(x[std::size_t(i / c * c + k)]);
        value += term;
        size += abs(term);
      }
      const double lost = row_loss<T>(A.pattern.length(i) + c, OperatorForm::difference)
                          + c * (loss<T>.fused + loss<T>.sum);
      worst.add(within(y[std::size_t(i)], value, lost, size), i, 0);
    }
    REQUIRE(worst.value());
  }
}

TEMPLATE_TEST_CASE("the nine-band matrix as sparse rows gives the product of its bands",
                   "[gpu][operations][sparse]", NINEFOLD_ALL_FORMATS) {
  const InFormat<TestType> format;
  using T = typename InFormat<TestType>::T;
  const Host on;
  for (const auto& [nx, ny, box] :
       {Case{9, 6, {1, 8, 1, 5}}, Case{40, 33, {0, 40, 0, 33}}, Case{65, 20, {1, 65, 1, 20}}}) {
    for (const OperatorForm form : operator_forms) {
      // Entries that a double holds and T, too: what is rounded is the products and sums.
      const RandomMatrix<float> entries(nx, ny, OperatorForm::plain, box, 3, Range::tame,
                                        Signs::symmetric);
      const RandomMatrix<T> in_format(entries);
      const SparseMatrix A = sparse_matrix(RandomMatrix<double>(in_format).view());
      // In difference form band 4 holds row sums: those of the sparse rows.
      RandomMatrix<T> bands(in_format);
      const auto matrix = stored_on<Host, T>(on, A, SparseStorage::sliced, form);
      NodeValues<T> x(nx, ny), y(nx, ny);
      std::vector<T> values, result(std::size_t(A.pattern.n_rows), T(0));
      const auto drawn = random_values<T>(std::size_t(nx * ny), 6, Range::alike);
      for (int j = box.j0; j < box.j1; ++j) {
        for (int i = box.i0; i < box.i1; ++i) {
          x.view()(i, j) = drawn[std::size_t(j * nx + i)];
          values.push_back(x(i, j));
        }
      }
      NineBand<const T> view = bands.view();
      std::vector<T> centre(view.band[4], view.band[4] + nx * ny);
      view.form = form;
      if (form == OperatorForm::difference) {
        // Couplings to nodes that are no unknowns have no place in sparse rows.
        const SparseRows<T>* rows = nullptr;
        matrix.view().visit([&](const auto& all) { rows = &all; });
        int k = 0;
        for (int j = box.j0; j < box.j1; ++j) {
          for (int i = box.i0; i < box.i1; ++i) {
            centre[std::size_t(j * nx + i)] = rows->row_sums[k++];
          }
        }
        view.band[4] = centre.data();
      }
      product<Host, T>(on, matrix.view(), field(values), field(result));
      product<Host, T>(on, view, x.view(), y.view());
      int k = 0, compared = 0;
      for (int j = box.j0; j < box.j1; ++j) {
        for (int i = box.i0; i < box.i1; ++i, ++k) {
          const bool inner = form == OperatorForm::plain
                             || (i > box.i0 && i + 1 < box.i1 && j > box.j0 && j + 1 < box.j1);
          if (!inner) continue;
          ++compared;
          REQUIRE(result[std::size_t(k)] == y(i, j));
        }
      }
      REQUIRE(compared > 0);
    }
  }
}

TEMPLATE_TEST_CASE("the scale of rounding is that of the sizes of all terms",
                   "[gpu][operations][sparse]", NINEFOLD_ALL_FORMATS) {
  const InFormat<TestType> format;
  using T = typename InFormat<TestType>::T;
  const Host on;
  const int n = 2100;
  const SparseMatrix A = random_sparse(n, 12, Range::tame);
  std::vector<T> x = random_values<T>(std::size_t(n), 13, Range::tame);
  std::vector<T> b = random_values<T>(std::size_t(n), 14, Range::tame);
  Exact square = 0;
  for (int i = 0; i < n; ++i) {
    Exact row = abs(to_exact(b[std::size_t(i)]));
    for (std::int64_t k = A.pattern.start(i); k < A.pattern.start(i + 1); ++k) {
      const Exact a = to_exact(static_cast<T>(static_cast<Assembly<T>>(A.values[std::size_t(k)])));
      row += abs(Exact(a * to_exact(x[std::size_t(A.pattern.columns[std::size_t(k)])])));
    }
    square += row * row;
  }
  for (const SparseStorage storage : sparse_storages) {
    const auto matrix = stored_on<Host, T>(on, A, storage, OperatorForm::plain);
    Arithmetic<T> result(-1);
    rounding_scale(on, matrix.view(), field(b), field(x), &result);
    const double ratio = static_cast<double>(Exact(to_exact(result) / square));
    CHECK(std::abs(ratio - 1) < 3000 * unit_roundoff<Arithmetic<T>>());
  }
}

/// Bytes of a value of slices.
template <class T>
std::size_t held_bytes(const HeldValues<T>& values) {
  return values.visit([](const auto* held) { return sizeof(*held); });
}

TEMPLATE_TEST_CASE(
    "values lie in the narrowest format that holds them all, and no bit depends on it",
    "[gpu][operations][sparse]", NINEFOLD_ALL_FORMATS) {
  const InFormat<TestType> format;
  using T = typename InFormat<TestType>::T;
  const Host on;
  SparseMatrix A = generate_sparse({.name = "laplace-3d-27", .size = 9});
  const auto n = static_cast<std::size_t>(A.pattern.n_rows);
  std::vector<T> x = random_values<T>(n, 1, Range::tame);
  const auto check = [&](std::size_t narrow) {
    for (const OperatorForm form : operator_forms) {
      std::vector<T> y(n, T(Arithmetic<T>(0))), expected(y);
      const auto sliced = stored_on<Host, T>(on, A, SparseStorage::sliced, form);
      const auto compressed = stored_on<Host, T>(on, A, SparseStorage::compressed, form);
      product(on, sliced.view(), field(x), field(y));
      product(on, compressed.view(), field(x), field(expected));
      CHECK(same_bits(y, expected));
      CHECK(held_bytes(sliced.view().sliced()->values) == std::min(narrow, sizeof(T)));
    }
  };
  // A host holds none in half.
  constexpr bool has_narrower = holds_in<T, float>;
  check(has_narrower ? 4 : sizeof(T));  // whole numbers
  // Not all are held by half, as the first ones are.
  A.values[A.values.size() / 2] = 0.1f;
  check(has_narrower ? 4 : sizeof(T));
  A.values[A.values.size() / 3] = 0.1;
  check(has_narrower && std::is_same_v<T, DoubleDouble> ? 8 : sizeof(T));
}

TEMPLATE_TEST_CASE("products with several vectors have the bits of one after the other",
                   "[gpu][operations][sparse]", NINEFOLD_ALL_FORMATS) {
  const InFormat<TestType> format;
  using T = typename InFormat<TestType>::T;
  const Host on;
  // With and without long rows; three chunks of rows.
  for (const SparseMatrix& A :
       {random_sparse(2500, 3, Range::tame), generate_sparse({.name = "triangles", .size = 50})}) {
    const auto n = static_cast<std::size_t>(A.pattern.n_rows);
    std::vector<std::vector<T>> x, y;
    for (int k = 0; k < most_columns; ++k) {
      x.push_back(random_values<T>(n, 30 + static_cast<std::uint64_t>(k), Range::tame));
      y.emplace_back(n, T(Arithmetic<T>(0)));
    }
    for (const SparseStorage storage : {SparseStorage::sliced, SparseStorage::jagged}) {
      for (const OperatorForm form : operator_forms) {
        const auto matrix = stored_on<Host, T>(on, A, storage, form);
        for (int count = 1; count <= most_columns; ++count) {
          Columns<T> columns{count, {}, {}};
          for (std::size_t k = 0; k < x.size(); ++k) {
            columns.x[k] = x[k].data(), columns.y[k] = y[k].data();
          }
          products(on, matrix.view(), columns);
          for (std::size_t k = 0; k < static_cast<std::size_t>(count); ++k) {
            std::vector<T> expected(n, T(Arithmetic<T>(0)));
            product(on, matrix.view(), field(x[k]), field(expected));
            CHECK(same_bits(y[k], expected));
            y[k].assign(n, T(Arithmetic<T>(0)));
          }
        }
        if (storage != SparseStorage::sliced || A.pattern.n_rows != 2500) continue;
        Columns<T> none{0, {}, {}};
        CHECK_THROWS_AS(products(on, matrix.view(), none), std::logic_error);
      }
    }
  }
}

TEST_CASE("products with several vectors read the matrix once", "[gpu][operations][sparse]") {
  const SparseMatrix A = generate_sparse({.name = "triangles", .size = 20});
  const Host on;
  const auto matrix = stored_on<Host, double>(on, A, SparseStorage::sliced, OperatorForm::plain);
  const auto n = static_cast<std::size_t>(A.pattern.n_rows);
  const std::vector<double> x(n, 1.0);
  std::vector<double> y(n), z(n);
  const Work before = on.work();
  products(on, matrix.view(), {2, {x.data(), x.data()}, {y.data(), z.data()}});
  const std::int64_t bytes = (on.work() - before).bytes;
  CHECK(bytes
        == matrix.view().sliced()->moved_bytes + static_cast<std::int64_t>(4 * n * sizeof(double)));
}

TEMPLATE_TEST_CASE("products with blocks on the diagonal round as rows of their length do",
                   "[gpu][operations][sparse]", NINEFOLD_ALL_FORMATS) {
  const InFormat<TestType> format;
  using T = typename InFormat<TestType>::T;
  using C = Arithmetic<T>;
  const Host on;
  constexpr std::size_t n = 301;  // the last block has a single row
  const std::vector<T> r = random_values<T>(n, 1, Range::tame);
  for (const int size : {2, 3, 4}) {
    const auto terms = static_cast<std::size_t>(size);
    const std::vector<T> values = random_values<T>(n * terms, 2, Range::alike);
    std::vector<T> z(n, T(C(0)));
    std::vector<T> argument = r;
    multiply_blocks<Host, T>(on, {values.data(), size}, field(argument), field(z));
    for (std::size_t i = 0; i < n; ++i) {
      const std::size_t first = i / terms * terms;
      Exact sum = 0, sizes = 0;
      for (std::size_t j = first; j < std::min(first + terms, n); ++j) {
        const Exact term = to_exact(values[i * terms + j - first]) * to_exact(r[j]);
        sum += term;
        sizes += abs(term);
      }
      // A rounding for each term, one to T, and what pairs lose of a product and a sum.
      const Exact bound = sizes * ((4 * size + 1) * unit_roundoff<C>() + unit_roundoff<T>());
      REQUIRE(abs(Exact(to_exact(z[i]) - sum)) <= bound);
    }
  }
}

TEMPLATE_TEST_CASE("division by a diagonal rounds the quotient once", "[gpu][operations][sparse]",
                   NINEFOLD_ALL_FORMATS) {
  const InFormat<TestType> format;
  using T = typename InFormat<TestType>::T;
  const Host on;
  std::vector<T> r = random_values<T>(300, 1, Range::tame),
                 d = random_values<T>(300, 2, Range::alike);
  std::vector<T> z(300, T(0));
  divide<Host, T>(on, field(r), d.data(), field(z));
  for (std::size_t k = 0; k < z.size(); ++k) {
    const Exact divisor = to_exact(static_cast<Leading<T>>(Arithmetic<T>(d[k])));
    const Exact quotient = to_exact(r[k]) / divisor;
    REQUIRE(within(z[k], quotient, loss<T>.quotient, quotient));
  }
}

}  // namespace
}  // namespace ninefold
