// Host and device agree to the last bit on vectors without a grid, whatever the rows that hold
// them.

#include <algorithm>
#include <string>
#include <type_traits>
#include <vector>

#include "gpu/backend/vector.hpp"
#include "gpu/operations/mixed_vector_operations.hpp"

#include "tests/support/catch.hpp"
#include "tests/support/device.hpp"
#include "tests/support/exact.hpp"
#include "tests/support/outputs.hpp"
#include "tests/support/types.hpp"

namespace ninefold {
namespace {

using testing::Device;
using testing::difference;
using testing::on_device;
using testing::Output;
using testing::Outputs;

template <Backend B, class T>
struct Setting {
  using C = Arithmetic<T>;
  B on;
  std::int64_t n;
  Folding folding;
  Array<B, T> x, y, z;
  Array<B, C> number;
  Array<B, CgState<C>> state;
  Array<B, RefinementState<C>> scale;

  /// `drawn` are the values of x, then y, then z.
  Setting(const std::vector<T>& drawn, const Folding& rows)
      : n(rows.extent().values()),
        folding(rows),
        x(on, rows.storage()),
        y(on, rows.storage()),
        z(on, rows.storage()),
        number(on, std::vector<C>{C(0.75)}),
        state(on, 1),
        scale(on, std::vector<RefinementState<C>>{{C(0), C(0.5), C(2)}}) {
    const T* from = drawn.data();
    for (const Array<B, T>* v : {&x, &y, &z}) {
      on.copy_in(v->data(), from, static_cast<std::size_t>(n) * sizeof(T));
      from += n;
    }
    CgState<C> scalars{};
    scalars.alpha = C(0.375);
    scalars.beta = C(-0.625);
    scalars.active = 1;
    on.copy_in(state.data(), &scalars, sizeof scalars);
  }
  Field<T> view(const Array<B, T>& v) const {
    return {v.data(), folding.row_length(), folding.rows()};
  }
};

/// By each operation, or by those that sum alone.
template <Backend B, class T>
std::vector<Output> written(const std::vector<T>& drawn, const Folding& folding, bool sums_only) {
  std::vector<Output> all;
  const auto n = drawn.size() / 3;
  const auto each = [&](const std::string& name, const auto& operation) {
    const Setting<B, T> s(drawn, folding);
    operation(s.on, s, s.folding.extent(), s.view(s.x), s.view(s.y), s.view(s.z));
    Outputs<B> outputs(s.on);
    outputs.keep(name, s.x.data(), n);
    outputs.keep(name, s.y.data(), n);
    outputs.keep(name, s.z.data(), n);
    outputs.keep(name, s.number.data(), 1);
    outputs.keep(name, &s.state.data()->rr, 1);
    all.insert(all.end(), outputs.all().begin(), outputs.all().end());
  };
  each("dot", [](const B& on, const auto& s, const Extent& e, auto x, auto y, auto) {
    dot<B, T>(on, e, x, y, s.number.data());
  });
  each("remove_mean", [](const B& on, const auto& s, const Extent& e, auto x, auto, auto) {
    remove_mean<B, T>(on, e, x, s.number.data());
  });
  if (sums_only) return all;
  each("xpby", [](const B& on, const auto& s, const Extent& e, auto x, auto y, auto) {
    xpby<B, T>(on, e, s.number.data(), x, y);
  });
  each("cg_direction", [](const B& on, const auto& s, const Extent& e, auto x, auto y, auto) {
    cg_direction<B, T>(on, e, x, s.state.data(), y);
  });
  each("cg_update", [](const B& on, const auto& s, const Extent& e, auto x, auto y, auto z) {
    cg_update<B, T>(on, e, x, y, y, z, s.state.data());
  });
  each("cg_update of two extents",
       [](const B& on, const auto& s, const Extent& e, auto x, auto y, auto z) {
         cg_update<B, T>(on, Box{0, 1, 0, 1}, e, x, y, y, z, s.state.data());
         cg_update<B, T>(on, e, Box{0, 1, 0, 1}, x, y, y, z, s.state.data());
       });
  each("add_correction", [](const B& on, const auto& s, const Extent& e, auto x, auto y, auto) {
    add_correction<B, T, T>(on, e, s.scale.data(), x, y);
  });
  each("dot of one row that is shorter than its box",
       [](const B& on, const auto& s, const Extent& e, auto x, auto y, auto) {
         const int width = e.box.width();
         dot<B, T>(on, Extent(Box{0, width, 0, 1}, std::min(width, 100)), x, y, s.number.data());
       });
  each("xpby_widened", [](const B& on, const auto& s, const Extent& e, auto x, auto y, auto) {
    xpby_widened<B, T, T>(on, e, s.number.data(), x, s.scale.data(), y);
  });
  each("rescale", [](const B& on, const auto& s, const Extent& e, auto x, auto, auto) {
    rescale<B, T>(on, e, s.number.data(), x);
  });
  each("cg_update_rounded",
       [](const B& on, const auto& s, const Extent& e, auto x, auto y, auto z) {
         cg_update_rounded<B, T, T>(on, e, x, x, y, z, x, s.scale.data(), s.state.data());
       });
  each("dot_widened", [](const B& on, const auto& s, const Extent& e, auto x, auto y, auto) {
    dot_widened<B, T, T>(on, e, x, y, s.scale.data(), s.number.data());
  });
  return all;
}

}  // namespace

TEMPLATE_TEST_CASE("vectors without a grid have the same bits on host and device",
                   "[gpu][vector][summation]", NINEFOLD_DEVICE_FORMATS) {
  // Sums of so many take a third round; what a value is does not matter to that.
  const bool third_round = !testing::small && std::is_same_v<TestType, float>;
  for (const int n : {1, 255, 1025, 5000, 70001, third_round ? 4'300'000 : 70003}) {
    const auto drawn = testing::random_values<TestType>(3 * static_cast<std::size_t>(n), 1);
    const bool sums_only = n > 1'000'000;
    const auto expected = written<Host, TestType>(drawn, Folding(n), sums_only);
    for (const int longest : {1 << 30, 4096}) {
      CAPTURE(n, longest);
      CHECK(difference(expected, on_device([&] {
                         return written<Device, TestType>(drawn, Folding(n, longest), sums_only);
                       }))
            == "");
    }
  }
}

}  // namespace ninefold
