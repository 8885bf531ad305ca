// Host and device agree to the last bit on sparse rows, in every storage, form and format, and on
// whole solves with them.

#include <algorithm>
#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "fem/sparse/generators.hpp"

#include "gpu/operations/any_sparse_rows.hpp"

#include "solvers/sparse/sparse_solve.hpp"

#include "tests/support/catch.hpp"
#include "tests/support/device.hpp"
#include "tests/support/outputs.hpp"
#include "tests/support/same_bits.hpp"
#include "tests/support/several_rights.hpp"
#include "tests/support/sparse_sample.hpp"
#include "tests/support/types.hpp"

namespace ninefold {
namespace {

using namespace testing;

/// What each operation writes with one matrix.
template <Backend B, class T>
std::vector<Output> written(const SparseMatrix& A, SparseStorage storage, OperatorForm form) {
  using C = Arithmetic<T>;
  const B on;
  const auto n = static_cast<std::size_t>(A.pattern.n_rows);
  const int components = A.pattern.n_rows % 3 == 0 ? 3 : 1;
  const auto matrix = stored_on<B, T>(on, A, storage, form, false, components);
  const Array<B, T> x(on, random_values<T>(n, 21, Range::tame));
  const Array<B, T> b(on, random_values<T>(n, 22, Range::alike));
  const Array<B, T> y(on, n);
  const Array<B, C> number(on, 1);
  const Array<B, RefinementState<C>> state(on,
                                           std::vector<RefinementState<C>>{{C(0), C(0.5), C(2)}});
  const auto field = [&](const Array<B, T>& v) {
    return Field<T>{v.data(), static_cast<int>(n), 1};
  };
  Outputs<B> outputs(on);
  const auto keep = [&](const std::string& name, bool is_sum) {
    outputs.keep(name, y.data(), n);
    if (is_sum) outputs.keep(name, number.data(), 1);
  };
  product(on, matrix.view(), field(x), field(y));
  keep("product", false);
  product_dot(on, matrix.view(), field(x), field(y), number.data());
  keep("product_dot", true);
  residual(on, matrix.view(), field(b), field(x), field(y));
  keep("residual", false);
  residual_square(on, matrix.view(), field(b), field(x), number.data());
  keep("residual_square", true);
  rounding_scale(on, matrix.view(), field(b), field(x), number.data());
  keep("rounding_scale", true);
  // Several vectors at once, and one.
  const Array<B, T> z(on, n), w(on, n);
  products(on, matrix.view(), {3, {b.data(), x.data(), b.data()}, {y.data(), z.data(), w.data()}});
  for (const Array<B, T>* result : {&y, &z, &w}) outputs.keep("products", result->data(), n);
  products(on, matrix.view(), {1, {z.data()}, {y.data()}});
  keep("products of one", false);
  divide<B, T>(on, field(x), b.data(), field(y));
  keep("divide", false);
  const Array<B, T> blocks(on, random_values<T>(3 * n, 23, Range::alike));
  multiply_blocks<B, T>(on, {blocks.data(), 3}, field(x), field(y));
  keep("multiply_blocks", false);
  if (storage == SparseStorage::sliced) {
    residual_rounded<B, T, T>(on, matrix.view(), field(b), field(x), field(y), state.data());
    keep("residual_rounded", false);
    outputs.keep("residual_rounded", &state.data()->square, 1);
  }
  return outputs.all();
}

}  // namespace

TEMPLATE_TEST_CASE("sparse rows have the same bits on host and device", "[device][sparse]",
                   NINEFOLD_DEVICE_FORMATS) {
  using T = TestType;
  std::vector<SparseMatrix> matrices;
  for (const int n : {1, 33, 1024, full_or_small(70001, 3001)}) {
    matrices.push_back(random_sparse(n, 5, Range::tame));
  }
  // Whole numbers, and then numbers of single, which lie in narrower formats.
  matrices.push_back(generate_sparse({.name = "laplace-3d-27", .size = full_or_small(40, 12)}));
  matrices.push_back(matrices.back());
  matrices.back().values.front() = 26.1f;
  for (const SparseMatrix& A : matrices) {
    for (const OperatorForm form : operator_forms) {
      for (const SparseStorage storage : sparse_storages) {
        CAPTURE(A.pattern.n_rows, to_string(storage), to_string(form));
        const auto on_host = written<Host, T>(A, storage, form);
        CHECK(difference(on_host, on_device([&] { return written<Device, T>(A, storage, form); }))
              == "");
      }
    }
  }
}

namespace {

/// What the steps of two iterations preconditioned by a diagonal write; n may take several rounds
/// of sums.
template <Backend B, class T>
std::vector<Output> stepped(int n, const IterationEnd& end, bool is_active) {
  using C = Arithmetic<T>;
  const B on;
  const auto count = static_cast<std::size_t>(n);
  const auto vector = [&](std::uint64_t seed) {
    return Array<B, T>(on, random_values<T>(count, seed, Range::alike));
  };
  const Array<B, T> q = vector(31), d = vector(32), r = vector(33), x = vector(34), p = vector(35),
                    other = vector(36);
  CgState<C> scalars{};
  scalars.rz = C(0.75);
  scalars.pq = C(2.5);
  scalars.target = C(1e-3);
  scalars.active = is_active;
  scalars.max_iterations = 9;
  const Array<B, CgState<C>> state(on, std::vector<CgState<C>>{scalars});
  const Array<B, TwoSums<C>> sums(on, 1);
  const auto field = [&](const Array<B, T>& v) { return Field<T>{v.data(), n, 1}; };
  update_by_diagonal<B, T>(on, d.data(), field(q), field(r), end, sums.data(), state.data());
  Outputs<B> outputs(on);
  step_and_direction<B, T>(on, field(q), state.data(), field(x), field(p));
  for (const Array<B, T>* v : {&q, &r, &x, &p}) outputs.keep("vectors", v->data(), count);
  next_direction<B, T>(on, field(q), field(p), state.data(), field(other));
  outputs.keep("next direction", other.data(), count);
  update_by_diagonal<B, T>(on, d.data(), field(q), field(r), end, sums.data(), state.data());
  two_steps_and_direction<B, T>(on, field(q), field(other), state.data(), field(x), field(p));
  for (const Array<B, T>* v : {&q, &r, &x, &p}) outputs.keep("two steps", v->data(), count);
  step<B, T>(on, field(p), state.data(), field(x));
  outputs.keep("step", x.data(), count);
  CgState<C>* const all = state.data();
  for (C* number : {&all->rr, &all->rz, &all->rz_new, &all->alpha, &all->alpha_before, &all->beta,
                    &all->steps[0]}) {
    outputs.keep("scalars", number, 1);
  }
  return outputs.all();
}

}  // namespace

TEMPLATE_TEST_CASE("steps of an iteration by a diagonal have the same bits on host and device",
                   "[device][sparse]", NINEFOLD_DEVICE_FORMATS) {
  using T = TestType;
  // One chunk; several, whose sums take one round and two; alpha at each node and by itself.
  for (const int n : {1, 1024, 5000, full_or_small((1 << 22) + 3, 9000)}) {
    for (const IterationEnd end : {IterationEnd{false, true}, IterationEnd{true, false},
                                   IterationEnd{true, true}, IterationEnd{false, false}}) {
      for (const bool is_active : {true, false}) {
        if (n > (1 << 20) && !(is_active && end.has_beta)) continue;
        CAPTURE(n, end.by_rz, is_active);
        CHECK(difference(stepped<Host, T>(n, end, is_active),
                         on_device([&] { return stepped<Device, T>(n, end, is_active); }))
              == "");
      }
    }
  }
}

namespace {

/// With an entry in each corner, so that the slices there reach from column 0 to the last one.
SparseMatrix corners_joined(const SparseMatrix& A) {
  const int n = A.pattern.n_rows;
  std::vector<SparseEntry> entries;
  for (int i = 0; i < n; ++i) {
    for (std::int64_t e = A.pattern.start(i); e < A.pattern.start(i + 1); ++e) {
      const auto k = static_cast<std::size_t>(e);
      entries.push_back({i, A.pattern.columns[k], A.values[k]});
    }
  }
  entries.push_back({0, n - 1, -1});
  entries.push_back({n - 1, 0, -1});
  return assemble_sparse(n, n, entries);
}

/// Row i has entries in i % 12 columns around the diagonal, chunks of 1024 rows by turns none.
SparseMatrix ragged(int n) {
  std::vector<SparseEntry> entries;
  for (int i = 0; i < n; ++i) {
    const int count = i / 1024 % 3 == 1 ? 0 : i % 12;
    const int first = std::clamp(i - count / 2, 0, n - count);
    for (int k = 0; k < count; ++k) entries.push_back({i, first + k, 1.0 + (i + k) % 7});
  }
  return assemble_sparse(n, n, entries);
}

}  // namespace

TEMPLATE_TEST_CASE("many rows that meet the same x have the same bits on host and device",
                   "[device][sparse]", NINEFOLD_DEVICE_FORMATS) {
  using T = TestType;
  // From 2^18 rows on: an odd number of them, and three to a node.
  std::vector<SparseMatrix> matrices;
  for (const int size : {full_or_small(65, 11), full_or_small(66, 12)}) {
    matrices.push_back(generate_sparse({.name = "laplace-3d-7", .size = size}));
    matrices.push_back(matrices.back());
    matrices.back().values.front() = 6.1;
  }
  // Columns of 32 bits among those of 16.
  matrices.push_back(corners_joined(matrices.front()));
  // Numbers of single, and rows of all lengths from none on.
  matrices.push_back(matrices.front());
  matrices.back().values.front() = 6.1f;
  matrices.push_back(ragged(full_or_small((1 << 18) + 1, 1001)));
  // Of these a thread has one; the second's rows have the same columns by twos.
  matrices.push_back(generate_sparse({.name = "triangles", .size = full_or_small(513, 33)}));
  matrices.push_back(generate_sparse({.name = "elasticity-2d", .size = full_or_small(363, 24)}));
  std::array<int, 2> kinds{};
  for (const SparseMatrix& A : matrices) {
    const RowLayout layout = row_layout(A.pattern, SparseStorage::sliced);
    REQUIRE(layout.is_near);
    ++kinds[layout.suits_pairs ? 1 : 0];
    for (const OperatorForm form : operator_forms) {
      CAPTURE(A.pattern.n_rows, to_string(form));
      const auto on_host = written<Host, T>(A, SparseStorage::sliced, form);
      CHECK(difference(on_host, on_device([&] {
                         return written<Device, T>(A, SparseStorage::sliced, form);
                       }))
            == "");
    }
  }
  CHECK(kinds[0] > 0);
  CHECK(kinds[1] > 0);
}

TEST_CASE("sparse solves have the same bits on host and device", "[device][sparse][solves]") {
  const SparseProblem problem =
      with_ones(generate_sparse({.name = "triangles", .size = full_or_small(200, 40)}));
  const SparseProblem elastic =
      with_random_solution(generate_sparse({.name = "elasticity-2d", .size = 12}), 3);
  std::vector<SparseOptions> all;
  for (const Precision precision : {Precision::half, Precision::single_, Precision::double_single,
                                    Precision::double_, Precision::double_double}) {
    SparseOptions options;
    options.solver.precision = precision;
    options.solver.max_iterations = 300;
    all.push_back(options);
    options.solver.preconditioner = Preconditioning::none;
    options.solver.form = OperatorForm::difference;
    options.storage = SparseStorage::blocks_2;
    all.push_back(options);
  }
  for (const RefinementVariant variant :
       {RefinementVariant::residual_guided_cg, RefinementVariant::flexible_cg,
        RefinementVariant::refinement}) {
    for (const Precision inner : {Precision::single_, Precision::half}) {
      SparseOptions options;
      options.solver.refinement.inner = {inner};
      options.solver.refinement.variant = variant;
      all.push_back(options);
    }
  }
  SparseOptions cascade;
  cascade.solver.precision = Precision::double_double;
  cascade.solver.tolerance = 1e-20;
  cascade.solver.refinement.inner = {Precision::double_, Precision::single_};
  cascade.solver.refinement.variant = RefinementVariant::flexible_cg;
  all.push_back(cascade);
  SparseOptions preconditioned;
  preconditioned.stop = StopBy::preconditioned;
  preconditioned.order = RowOrder::rcm;
  all.push_back(preconditioned);
  for (const StopBy stop : {StopBy::residual, StopBy::preconditioned}) {
    SparseOptions by_blocks;
    by_blocks.solver.preconditioner = Preconditioning::block_jacobi;
    by_blocks.block_size = 3;
    by_blocks.stop = stop;
    all.push_back(by_blocks);
    if (stop == StopBy::residual) by_blocks.solver.refinement.inner = {Precision::single_};
    all.push_back(by_blocks);
  }
  for (const SparseProblem* system : {&problem, &elastic}) {
    for (const SparseOptions& options : all) {
      CAPTURE(to_string(options.solver.precision), options.solver.refinement.inner.size(),
              to_string(options.solver.refinement.variant));
      const SparseSolved host = solve_sparse(*system, options, BackendKind::host);
      const SparseSolved device =
          on_device([&] { return solve_sparse(*system, options, device_kind); });
      CHECK(host.report.outcome == device.report.outcome);
      CHECK(same_bits(host.report.history, device.report.history));
      CHECK(same_bits(host.solution.high, device.solution.high));
      CHECK(same_bits(host.solution.low, device.solution.low));
      CHECK(host.report.inner_history == device.report.inner_history);
      CHECK(host.condition == device.condition);
    }
  }
}

TEST_CASE("several right-hand sides have the bits of each alone, on host and device",
          "[device][sparse][solves]") {
  // Many rows that meet the same x, and others.
  for (const int size : {full_or_small(520, 40), 24}) {
    const SparseMatrix A = generate_sparse({.name = "triangles", .size = size});
    const std::vector<SparseRight> rights = several_rights(A, size == 24 ? 6 : 3);
    for (const Precision precision :
         {Precision::half, Precision::bfloat16, Precision::single_, Precision::double_single,
          Precision::double_, Precision::double_double}) {
      for (const Preconditioning preconditioner :
           {Preconditioning::none, Preconditioning::jacobi, Preconditioning::block_jacobi}) {
        SparseOptions options;
        options.solver.precision = precision;
        options.solver.preconditioner = preconditioner;
        options.solver.max_iterations = 70;
        options.solver.tolerance = 1e-5;
        if (preconditioner == Preconditioning::block_jacobi) options.block_size = 2;
        const auto on_host = solve_sparse(A, rights, options, BackendKind::host);
        const auto together =
            on_device([&] { return solve_sparse(A, rights, options, device_kind); });
        for (std::size_t k = 0; k < rights.size(); ++k) {
          CAPTURE(size, k, to_string(precision), to_string(preconditioner));
          CHECK(difference(on_host[k], together[k]) == "");
          if (size != 24) continue;
          const SparseSolved alone = on_device([&] {
            return solve_sparse({A, rights[k].b, {}}, options, device_kind);
          });
          CHECK(difference(alone, together[k]) == "");
        }
      }
    }
  }
}

}  // namespace ninefold
