#include "fem/problem/formula_steps.hpp"

#include <algorithm>
#include <array>
#include <cmath>

#include "precision/array_functions.hpp"

namespace ninefold {
namespace {

/// Of each value by itself.
template <class F>
void each(std::span<const double> v, double* to, const F& f) {
  for (std::size_t i = 0; i < v.size(); ++i) to[i] = f(v[i]);
}

// The parser's formulas.
void area_sine(std::span<const double> v, double* to) {
  each(v, to, [](double w) { return w + std::sqrt(w * w + 1); });
  log_of({to, v.size()}, to);
}
void area_cosine(std::span<const double> v, double* to) {
  each(v, to, [](double w) { return w + std::sqrt(w * w - 1); });
  log_of({to, v.size()}, to);
}
void area_tangent(std::span<const double> v, double* to) {
  each(v, to, [](double w) { return (1 + w) / (1 - w); });
  log_of({to, v.size()}, to);
  each({to, v.size()}, to, [](double w) { return 0.5 * w; });
}

// The compiler's library.
void arc_sine(std::span<const double> v, double* to) {
  each(v, to, [](double w) { return std::asin(w); });
}
void arc_cosine(std::span<const double> v, double* to) {
  each(v, to, [](double w) { return std::acos(w); });
}
void arc_tangent(std::span<const double> v, double* to) {
  each(v, to, [](double w) { return std::atan(w); });
}
void square_root_of(std::span<const double> v, double* to) {
  each(v, to, [](double w) { return std::sqrt(w); });
}
void size_of(std::span<const double> v, double* to) {
  each(v, to, [](double w) { return std::abs(w); });
}

/// v^n for a whole n > 0 by at most n - 1 products, hence within (n - 1) u of it.
template <std::size_t n>
double whole_power(double v) {
  if constexpr (n == 1) {
    return v;
  } else if constexpr (n % 2 == 1) {
    return v * whole_power<n - 1>(v);
  } else {
    const double root = whole_power<n / 2>(v);
    return root * root;
  }
}

template <class F>
void map(const Operand& a, double* to, std::size_t n, const F& f) {
  if (a.values == nullptr) {
    std::fill_n(to, n, f(a.value));
  } else {
    for (std::size_t i = 0; i < n; ++i) to[i] = f(a.values[i]);
  }
}

template <class F>
void combine(const Operand& a, const Operand& b, double* to, std::size_t n, const F& f) {
  if (a.values == nullptr) {
    map(b, to, n, [&](double v) { return f(a.value, v); });
  } else if (b.values == nullptr) {
    map(a, to, n, [&](double v) { return f(v, b.value); });
  } else {
    for (std::size_t i = 0; i < n; ++i) to[i] = f(a.values[i], b.values[i]);
  }
}

/// n values of an operand, in `room` if it has one alone.
std::span<const double> all_of(const Operand& a, std::span<double> room, std::size_t n) {
  if (a.values != nullptr) return {a.values, n};
  std::fill_n(room.data(), n, a.value);
  return room.first(n);
}

void take_whole_power(std::size_t exponent, const Operand& a, double* to, std::size_t n) {
  static_assert(largest_whole_power == 8);
  switch (exponent) {
    case 2:
      return map(a, to, n, [](double v) { return whole_power<2>(v); });
    case 3:
      return map(a, to, n, [](double v) { return whole_power<3>(v); });
    case 4:
      return map(a, to, n, [](double v) { return whole_power<4>(v); });
    case 5:
      return map(a, to, n, [](double v) { return whole_power<5>(v); });
    case 6:
      return map(a, to, n, [](double v) { return whole_power<6>(v); });
    case 7:
      return map(a, to, n, [](double v) { return whole_power<7>(v); });
    default:
      return map(a, to, n, [](double v) { return whole_power<8>(v); });
  }
}

}  // namespace

OneArgument function_of_one(std::string_view name) {
  struct Named {
    std::string_view name;
    OneArgument function;
  };
  static constexpr Named known[] = {
      {"sin", sin_of},      {"cos", cos_of},        {"tan", tan_of},
      {"asin", arc_sine},   {"acos", arc_cosine},   {"atan", arc_tangent},
      {"sinh", sinh_of},    {"cosh", cosh_of},      {"tanh", tanh_of},
      {"asinh", area_sine}, {"acosh", area_cosine}, {"atanh", area_tangent},
      {"log2", log2_of},    {"log10", log10_of},    {"log", log_of},
      {"ln", log_of},       {"exp", exp_of},        {"sqrt", square_root_of},
      {"abs", size_of},
  };
  for (const Named& one : known) {
    if (one.name == name) return one.function;
  }
  return nullptr;
}

void take(const FormulaStep& step, const Operand& a, const Operand& b, double* to, std::size_t n) {
  using enum FormulaStep::Kind;
  std::array<double, points_at_once> room, more_room;
  switch (step.kind) {
    case leaf:
      break;
    case negative:
      return map(a, to, n, [](double v) { return -v; });
    case whole_power:
      return take_whole_power(step.number, a, to, n);
    case one:
      return step.one(all_of(a, room, n), to);
    case sum:
      return combine(a, b, to, n, [](double v, double w) { return v + w; });
    case difference:
      return combine(a, b, to, n, [](double v, double w) { return v - w; });
    case product:
      return combine(a, b, to, n, [](double v, double w) { return v * w; });
    case quotient:
      return combine(a, b, to, n, [](double v, double w) { return v / w; });
    case power:
      return power_of(all_of(a, room, n), all_of(b, more_room, n), to);
    case least:
      return combine(a, b, to, n, [](double v, double w) { return std::min(v, w); });
    case largest:
      return combine(a, b, to, n, [](double v, double w) { return std::max(v, w); });
    case direction:
      return combine(a, b, to, n, [](double v, double w) { return std::atan2(v, w); });
  }
}

}  // namespace ninefold
