#pragma once
// The pair operations by name, as the probe applies them; see
// experiments/measure/probe/number_probe.hpp.
//
// Included by the sources of the probe only.

#include "precision/square_root.hpp"

#include "experiments/measure/probe/compared_operations.hpp"
#include "experiments/measure/probe/number_probe.hpp"
#include "experiments/measure/probe/number_samples.hpp"

namespace ninefold {

/// Calls run.template operator()<operation>() for the operation that is asked for.
template <PairOperation candidate = PairOperation::two_sum, class Run>
auto with_operation(PairOperation operation, const Run& run) {
  constexpr auto next = static_cast<std::size_t>(candidate) + 1;
  if constexpr (next < pair_operations.size()) {
    if (operation != candidate) {
      return with_operation<static_cast<PairOperation>(next)>(operation, run);
    }
  }
  return run.template operator()<candidate>();
}

template <Word F>
using OtherPair = DoubleWord<std::conditional_t<std::same_as<F, float>, double, float>>;

template <class R>
HOST_DEVICE ProbedWords probed(const Rounded<R>& x) {
  return {static_cast<double>(x.value), static_cast<double>(x.error)};
}
template <class R>
HOST_DEVICE ProbedWords probed(const DoubleWord<R>& x) {
  return {static_cast<double>(x.high), static_cast<double>(x.low)};
}
template <class R>
requires std::is_arithmetic_v<R> HOST_DEVICE ProbedWords probed(R x) {
  return {static_cast<double>(x), 0};
}

template <Word F>
HOST_DEVICE int comparison_bits(const DoubleWord<F>& a, const DoubleWord<F>& b) {
  return (a == b ? 1 : 0) | (a < b ? 2 : 0) | (a <= b ? 4 : 0) | (a > b ? 8 : 0) | (a >= b ? 16 : 0)
         | (a != b ? 32 : 0);
}

/// One operation on one set of operands.
template <PairOperation operation, Word F>
HOST_DEVICE ProbedWords applied(const PairOperands<F>& x) {
  using P = PairOperation;
  const DoubleWord<F>&a = x.a, &b = x.b, &c = x.c;
  if constexpr (operation == P::two_sum) return probed(two_sum(a.high, b.high));
  if constexpr (operation == P::quick_two_sum) return probed(quick_two_sum(a.high, b.high));
  if constexpr (operation == P::two_product) return probed(two_product(a.high, b.high));
  if constexpr (operation == P::two_product_by_splitting) {
    return probed(two_product_by_splitting(a.high, b.high));
  }
  if constexpr (operation == P::split) return probed(split(a.high));
  if constexpr (operation == P::sum) return probed(a + b);
  if constexpr (operation == P::difference) return probed(a - b);
  if constexpr (operation == P::sloppy_sum) return probed(sloppy_sum(a, b));
  if constexpr (operation == P::sloppy_sum_of_one_sign) {
    return probed(sloppy_sum(a, (a.high < 0) == (b.high < 0) ? b : -b));
  }
  if constexpr (operation == P::sum_with_word) return probed(a + b.high);
  if constexpr (operation == P::word_minus) return probed(b.high - a);
  if constexpr (operation == P::product) return probed(a * b);
  if constexpr (operation == P::product_by_splitting) return probed(product_by_splitting(a, b));
  if constexpr (operation == P::product_with_word) return probed(a * b.high);
  if constexpr (operation == P::accurate_product_with_word) {
    return probed(accurate_product(a, b.high));
  }
  if constexpr (operation == P::quotient) return probed(a / b);
  if constexpr (operation == P::quotient_by_word) return probed(a / b.high);
  if constexpr (operation == P::fused) return probed(fused(a, b, c));
  if constexpr (operation == P::fused_with_words) return probed(fused(a.high, b.high, c));
  if constexpr (operation == P::square_root) return probed(sqrt(a));
  if constexpr (operation == P::absolute) return probed(abs(a));
  if constexpr (operation == P::comparison) return probed(comparison_bits(a, b));
  if constexpr (operation == P::to_float) return probed(static_cast<float>(a));
  if constexpr (operation == P::to_double) return probed(static_cast<double>(a));
  if constexpr (operation == P::to_other_pair) return probed(static_cast<OtherPair<F>>(a));
  if constexpr (operation == P::word_to_other_pair) {
    return probed(static_cast<OtherPair<F>>(a.high));
  }
  if constexpr (operation == P::to_integer) {
    return probed(abs(a) < DoubleWord<F>(F(1 << 30)) ? static_cast<int>(a) : 0);
  }
  if constexpr (operation == P::fused_words) return probed(fused(a.high, b.high, c.high));
  if constexpr (operation == P::product_sum_of_words) return probed(a.high * b.high + c.high);
  if constexpr (operation == P::square_root_of_word) return probed(square_root(a.high));
}

/// b of sums: a partner of a, which cancels much of it.
template <PairOperation operation, Word F>
HOST_DEVICE void sample_partner(PairSource<F>& source, PairOperands<F>& x) {
  using P = PairOperation;
  constexpr bool of_words = operation == P::two_sum || operation == P::quick_two_sum;
  constexpr bool with_word = operation == P::sum_with_word || operation == P::word_minus;
  x.b = source.partner(x.a);
  if (!of_words) {
    if (source.one_in(16)) source.publish(x.a, x.b, with_word);
  }
  // Partners cancel in a sum.
  if (operation == P::difference || operation == P::word_minus) x.b = -x.b;
  if (operation == P::comparison) x.b = source.one_in(8) ? x.a : -x.b;
}

/// b around the size below which the error of a product itself underflows.
template <Word F>
HOST_DEVICE void sample_underflow(PairSource<F>& source, PairOperands<F>& x) {
  using Layout = WordLayout<F>;
  const int limit = Layout::smallest_normal + Layout::precision - 1;
  if (source.one_in(8) && x.a.high != 0) {
    x.b.high = source.word(limit - exponent_of(x.a.high) + source.integer(-1, 1));
  }
}

/// c that cancels much of a b.
template <PairOperation operation, Word F>
HOST_DEVICE void sample_addend(PairSource<F>& source, PairOperands<F>& x) {
  if constexpr (operation == PairOperation::fused) {
    const DoubleWord<F> product = x.a * x.b;
    x.c = is_finite(product) ? source.partner(product) : source.pair();
  } else {
    const Rounded<F> product = two_product(x.a.high, x.b.high);
    x.c = product.value - product.value == 0 && product.error - product.error == 0
              ? source.partner(DoubleWord<F>(product.value, product.error))
              : source.pair();
  }
}

/// a near squares, seldom negative.
template <Word F>
HOST_DEVICE void sample_square(PairSource<F>& source, PairOperands<F>& x) {
  if (source.one_in(8)) {
    const F root = source.word(source.integer(-20, 20));
    const Rounded<F> square = two_product(root, root);
    x.a = DoubleWord<F>(square.value, square.error);
  }
  if (!source.one_in(64)) x.a = abs(x.a);
}

/// a where pairs of float lie; a tie of the one format means little to the other.
HOST_DEVICE inline void sample_shorter(PairSource<double>& source, PairOperands<double>& x) {
  if (!source.one_in(4)) {
    const double high = source.word(source.integer(-160, 130));
    x.a =
        source.one_in(2) ? source.pair_around(static_cast<float>(high)) : source.pair_around(high);
  }
}

/// Zeros, infinities, NaN and the ends of the range.
template <PairOperation operation, Word F>
HOST_DEVICE void sample_special(PairSource<F>& source, PairOperands<F>& x) {
  using P = PairOperation;
  if (!source.one_in(64)) return;
  const int which = source.integer(0, 3);
  if (which != 1) x.a = source.special();
  if (which != 0) x.b = source.special();
  if ((operation == P::fused || operation == P::fused_with_words) && which == 3)
    x.c = source.special();
}

/// The operands of a sample, as suit the operation.
template <PairOperation operation, Word F>
HOST_DEVICE PairOperands<F> sampled(std::uint64_t seed, std::uint64_t index) {
  using P = PairOperation;
  PairSource<F> source(seed, index);
  PairOperands<F> x;
  x.a = source.pair();
  x.b = source.pair();
  x.c = DoubleWord<F>(F(0));
  constexpr bool converts = operation == P::to_other_pair || operation == P::word_to_other_pair;
  if constexpr (operation == P::two_sum || operation == P::quick_two_sum || operation == P::sum
                || operation == P::difference || operation == P::sloppy_sum
                || operation == P::sloppy_sum_of_one_sign || operation == P::sum_with_word
                || operation == P::word_minus || operation == P::comparison) {
    sample_partner<operation>(source, x);
  } else if constexpr (operation == P::two_product || operation == P::two_product_by_splitting) {
    sample_underflow(source, x);
  } else if constexpr (operation == P::quotient || operation == P::quotient_by_word) {
    if (source.one_in(8)) x.b = source.pair_around(x.a.high);
  } else if constexpr (operation == P::fused || operation == P::fused_with_words) {
    sample_addend<operation>(source, x);
  } else if constexpr (operation == P::square_root) {
    sample_square(source, x);
  } else if constexpr (converts && std::same_as<F, double>) {
    sample_shorter(source, x);
  }
  sample_special<operation>(source, x);
  if constexpr (operation == P::quick_two_sum) {
    if (abs(x.a) < abs(x.b)) {
      const DoubleWord<F> larger = x.b;
      x.b = x.a;
      x.a = larger;
    }
  }
  return x;
}

}  // namespace ninefold
