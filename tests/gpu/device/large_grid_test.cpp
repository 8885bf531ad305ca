// What happens on large grids only: sums of rows of several chunks, and columns that are climbed
// over more rows than are read at once.

#include <string>
#include <vector>

#include "precision/precision.hpp"

#include "gpu/operations/row_operations.hpp"

#include "solvers/system/data_on_backend.hpp"
#include "solvers/system/system.hpp"

#include "tests/support/catch.hpp"
#include "tests/support/device.hpp"
#include "tests/support/exact.hpp"
#include "tests/support/outputs.hpp"
#include "tests/support/types.hpp"

namespace ninefold {
namespace {

using testing::Device;
using testing::full_or_small;
using testing::on_device;
using testing::Range;

template <Backend B, Number T>
std::vector<testing::Output> outputs_of(const B& on, const PreparedSolve& prepared,
                                        const System<Assembly<T>>& system) {
  using W = Assembly<T>;
  const int nx = prepared.finest().nx(), ny = prepared.finest().ny();
  const std::size_t nodes = std::size_t(nx) * std::size_t(ny);
  const DataOnBackend<B, T> data(on, prepared);
  const FactoredMatrix<B, T> matrix(on, prepared.finest(), system.unknowns(),
                                    {W(1.0), W(0.7), W(0.3)});
  const FactoredRows<T>& A = matrix.view();
  const NodeVector<B, T> x(on, nx, ny), b(on, nx, ny), y(on, nx, ny);
  upload(on, testing::random_values<W>(nodes, 5, Range::tame), 0, x.view());
  testing::Outputs<B> outputs(on);
  data.upload_load(system.load, system.scaling, b.view());
  outputs.keep("load", b.view());
  residual(on, A, b.view(), x.view(), y.view());
  outputs.keep("residual", y.view());
  jacobi_step(on, A, b.view(), Leading<T>(0.75F), x.view(), y.view());
  outputs.keep("jacobi_step", y.view());
  const Array<B, Scalar<T>> number(on, 1);
  residual_square<B, T>(on, A, b.view(), x.view(), number.data());
  outputs.keep("residual_square", number.data(), 1);
  product_dot(on, A, x.view(), y.view(), number.data());
  outputs.keep("product_dot, sum", number.data(), 1);
  outputs.keep("product_dot, product", y.view());
  const auto errors = data.errors(system, x.view());
  REQUIRE(errors);
  outputs.keep("errors", Array<B, double>(on, {errors->l2, errors->rms, errors->max}).data(), 3);
  return outputs.all();
}

}  // namespace

TEMPLATE_TEST_CASE("large grids give the same bits on host and device", "[gpu][operations]", float,
                   double, DoubleSingle, Half) {
  using T = TestType;
  ProblemOptions stated;
  stated.solution = "exponential";
  stated.boundary[Side::top] = BoundaryKind::neumann;
  const int level = full_or_small(11, 8) - (is_double_word<Arithmetic<T>> ? 1 : 0);
  const auto grids = make_hierarchy(1.0, 0.5, level, {0.9, {Side::right}});
  SolverOptions options;
  options.precision = precision_from_name(Format<T>::name);
  const PreparedSolve prepared =
      prepare(make_problem(stated, 1.0, 0.5), grids, options, BackendKind::host);
  const auto system = assemble<Assembly<T>>(prepared);
  const Host host;
  const Device device;
  CHECK(difference(outputs_of<Host, T>(host, prepared, system),
                   on_device([&] { return outputs_of<Device, T>(device, prepared, system); }))
        == "");
}

}  // namespace ninefold
