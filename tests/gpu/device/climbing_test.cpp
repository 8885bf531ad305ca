// Rows that are climbed, two neighbouring columns at once, in a ring or marching where a device
// does so: sides of grids and boxes at even and odd columns, rows that fill no batch, and fields
// whose neighbours are not one access.

#include <cstdint>
#include <vector>

#include "precision/double_word.hpp"
#include "precision/half.hpp"

#include "gpu/operations/mixed_operations.hpp"
#include "gpu/operations/nested_operations.hpp"
#include "gpu/operations/row_operations.hpp"

#include "solvers/system/system.hpp"

#include "tests/support/catch.hpp"
#include "tests/support/device.hpp"
#include "tests/support/exact.hpp"
#include "tests/support/outputs.hpp"
#include "tests/support/shifted.hpp"

namespace ninefold {
namespace {

using testing::Device;
using testing::full_or_small;
using testing::on_device;
using testing::Range;
using testing::Shifted;

/// Of the fields (tests/support/shifted.hpp).
struct Shifts {
  int x, b, y;
};

/// Cells of several widths.
TensorGrid grid_of(int nx, int ny) {
  const auto line = [](int nodes) {
    std::vector<double> widths;
    for (int i = 0; i + 1 < nodes; ++i) widths.push_back((1 + i % 7) / 8.0);
    return make_line(widths);
  };
  return {line(nx), line(ny)};
}

template <class T>
struct Given {
  using W = Assembly<T>;
  TensorGrid grid;
  std::vector<W> x = values(5), b = values(6);

  std::vector<W> values(unsigned seed) const {
    return testing::random_values<W>(std::size_t(grid.nx()) * std::size_t(grid.ny()), seed,
                                     Range::tame);
  }
};

template <Backend B, Number T>
std::vector<testing::Output> outputs_of(const B& on, const Given<T>& given, const Box& box,
                                        const Shifts& shifts, double reaction) {
  using W = Assembly<T>;
  const int nx = given.grid.nx(), ny = given.grid.ny();
  const FactoredMatrix<B, T> matrix(on, given.grid, box, {W(1.0), W(0.7), W(reaction)});
  const FactoredRows<T>& A = matrix.view();
  const Shifted<B, T> x(on, nx, ny, shifts.x), b(on, nx, ny, shifts.b);
  upload(on, given.x, 0, x.view());
  upload(on, given.b, 0, b.view());
  testing::Outputs<B> outputs(on);
  const auto keep = [&](const char* name, const auto& run) {
    const Shifted<B, T> y(on, nx, ny, shifts.y);
    run(y.view());
    outputs.keep(name, y.view());
  };
  keep("product", [&](const Field<T>& y) { product(on, A, x.view(), y); });
  keep("residual", [&](const Field<T>& y) { residual(on, A, b.view(), x.view(), y); });
  for (const Divisor divisor : {Divisor::diagonal, Divisor::bound}) {
    keep("jacobi_step", [&](const Field<T>& y) {
      jacobi_step(on, A, b.view(), {Leading<T>(0.75F), divisor}, x.view(), y);
    });
  }
  return outputs.all();
}

template <class T>
void check(const Given<T>& given, const Box& box, const Shifts& shifts, double reaction) {
  const Host host;
  const Device device;
  CAPTURE(given.grid.nx(), given.grid.ny(), box.i0, box.i1, box.j0, box.j1, reaction);
  CAPTURE(shifts.x, shifts.b, shifts.y);
  CHECK(difference(outputs_of<Host, T>(host, given, box, shifts, reaction), on_device([&] {
                     return outputs_of<Device, T>(device, given, box, shifts, reaction);
                   }))
        == "");
}

/// Norms of residuals, and what is stored of these.
template <Backend B, Number High, Number Low>
std::vector<testing::Output> norms_of(const B& on, const Given<High>& given, const Box& box,
                                      const Shifts& shifts, double reaction) {
  using W = Assembly<High>;
  using C = Arithmetic<High>;
  const int nx = given.grid.nx(), ny = given.grid.ny();
  const FactoredMatrix<B, High> matrix(on, given.grid, box, {W(1.0), W(0.7), W(reaction)});
  const FactoredRows<High>& A = matrix.view();
  const Shifted<B, High> x(on, nx, ny, shifts.x), b(on, nx, ny, shifts.b);
  const Shifted<B, Low> r(on, nx, ny, shifts.y), alone(on, nx, ny, shifts.y);
  upload(on, given.x, 0, x.view());
  upload(on, given.b, 0, b.view());
  const Array<B, RefinementState<C>> state(
      on, {RefinementState<C>{C(0), C(W(0.7)), C(W(1.0)) / C(W(0.7))}});
  testing::Outputs<B> outputs(on);
  residual_narrowed<B, High, Low>(on, A, b.view(), x.view(), state.data(), alone.view());
  outputs.keep("r alone", alone.view());
  residual_rounded<B, High, Low>(on, A, b.view(), x.view(), r.view(), state.data());
  outputs.keep("r", r.view());
  outputs.keep("its square", &state.data()->square, 1);
  residual_square<B, High>(on, A, b.view(), x.view(), &state.data()->square);
  outputs.keep("square", &state.data()->square, 1);
  return outputs.all();
}

template <class High, class Low>
void check_norms(const Given<High>& given, const Box& box, const Shifts& shifts, double reaction) {
  const Host host;
  const Device device;
  CAPTURE(given.grid.nx(), given.grid.ny(), box.i0, box.i1, box.j0, box.j1, reaction);
  CAPTURE(shifts.x, shifts.b, shifts.y);
  CHECK(difference(norms_of<Host, High, Low>(host, given, box, shifts, reaction), on_device([&] {
                     return norms_of<Device, High, Low>(device, given, box, shifts, reaction);
                   }))
        == "");
}

template <class High_, class Low_>
struct Formats {
  using High = High_;
  using Low = Low_;
};

}  // namespace

TEMPLATE_TEST_CASE("rows that are climbed give the same bits on host and device",
                   "[gpu][operations]", float, double, DoubleSingle, Half, BFloat16) {
  using T = TestType;
  constexpr Shifts none{0, 0, 0};
  // From so many nodes on columns climb in twos; with four times as many, longer ones.
  const int nodes = full_or_small(1 << 21, 1 << 11);
  for (const int nx : {127, 128, 131}) {
    const int ny = nodes / (nx - 5) + 8;
    const Given<T> given{grid_of(nx, ny)};
    check(given, {0, nx, 0, ny}, none, 0.3);
    check(given, {1, nx - 1, 1, ny - 1}, none, 0);
    check(given, {2, nx, 0, ny - 1}, none, 0);
    check(given, {3, nx - 2, 1, ny - 2}, none, 0.3);
  }
  const int nx = 131, ny = nodes / (nx - 5) + 8;
  const Given<T> given{grid_of(nx, ny)};
  for (const Shifts& shifts :
       {Shifts{1, 1, 1}, Shifts{2, 2, 2}, Shifts{0, 0, 2}, Shifts{0, 2, 0}, Shifts{1, 0, 0}}) {
    check(given, {1, nx - 1, 1, ny - 1}, shifts, 0);
  }
  const int wide = 517, high = 4 * nodes / (wide - 2) + 3;
  check(Given<T>{grid_of(wide, high)}, {1, wide - 1, 1, high - 1}, none, 0.3);
}

// From so many nodes on blocks march up the columns of a chunk: these begin at odd and even
// columns, the last ones are whole, of a few columns, and of one; rows end within a batch.
TEMPLATE_TEST_CASE("norms of residuals are the same on large grids", "[gpu][operations]",
                   (Formats<double, float>), (Formats<double, double>), (Formats<double, Half>),
                   (Formats<double, BFloat16>), (Formats<DoubleSingle, float>),
                   (Formats<DoubleSingle, DoubleSingle>), (Formats<DoubleSingle, Half>)) {
  using High = typename TestType::High;
  using Low = typename TestType::Low;
  constexpr Shifts none{0, 0, 0};
  for (const int nodes : {full_or_small(1 << 19, 1 << 11), full_or_small(1 << 21, 1 << 12)}) {
    for (const int nx : {1026, 1027, 1040, 2051}) {
      if (nodes >= 1 << 21 && nx > 1026) continue;
      const int ny = nodes / (nx - 5) + 8;
      const Given<High> given{grid_of(nx, ny)};
      check_norms<High, Low>(given, {1, nx - 1, 1, ny - 1}, none, 0);
      check_norms<High, Low>(given, {0, nx, 0, ny}, none, 0.3);
      check_norms<High, Low>(given, {2, nx, 0, ny - 2}, none, 0);
      check_norms<High, Low>(given, {3, nx - 2, 1, ny - 2}, none, 0.3);
    }
  }
  const int nx = 1040, ny = full_or_small(1 << 19, 1 << 11) / (nx - 5) + 8;
  const Given<High> given{grid_of(nx, ny)};
  for (const Shifts& shifts : {Shifts{1, 0, 0}, Shifts{0, 1, 0}, Shifts{0, 0, 1}, Shifts{2, 2, 2}})
    check_norms<High, Low>(given, {1, nx - 1, 1, ny - 1}, shifts, 0);
  // More rows than blocks at once have.
  const int narrow = 131, high = full_or_small(40000, 300);
  check_norms<High, Low>(Given<High>{grid_of(narrow, high)}, {1, narrow - 1, 1, high - 1}, none, 0);
}

}  // namespace ninefold
