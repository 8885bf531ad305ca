#include "precision/elementary.hpp"

#include <cmath>
#include <limits>

namespace ninefold {
namespace {

/// 1 / n!, each the nearest pair.
constexpr DoubleDouble inverse_factorial[] = {
    {0x1p+0, 0},
    {0x1p+0, 0},
    {0x1p-1, 0},
    {0x1.5555555555555p-3, 0x1.5555555555555p-57},
    {0x1.5555555555555p-5, 0x1.5555555555555p-59},
    {0x1.1111111111111p-7, 0x1.1111111111111p-63},
    {0x1.6c16c16c16c17p-10, -0x1.f49f49f49f49fp-65},
    {0x1.a01a01a01a01ap-13, 0x1.a01a01a01a01ap-73},
    {0x1.a01a01a01a01ap-16, 0x1.a01a01a01a01ap-76},
    {0x1.71de3a556c734p-19, -0x1.c154f8ddc6cp-73},
    {0x1.27e4fb7789f5cp-22, 0x1.cbbc05b4fa99ap-76},
    {0x1.ae64567f544e4p-26, -0x1.c062e06d1f209p-80},
    {0x1.1eed8eff8d898p-29, -0x1.2aec959e14c06p-83},
    {0x1.6124613a86d09p-33, 0x1.f28e0cc748ebep-87},
    {0x1.93974a8c07c9dp-37, 0x1.05d6f8a2efd1fp-92},
    {0x1.ae7f3e733b81fp-41, 0x1.1d8656b0ee8cbp-97},
    {0x1.ae7f3e733b81fp-45, 0x1.1d8656b0ee8cbp-101},
    {0x1.952c77030ad4ap-49, 0x1.ac981465ddc6cp-103},
    {0x1.6827863b97d97p-53, 0x1.eec01221a8b0bp-107},
    {0x1.2f49b46814157p-57, 0x1.2650f61dbdcb4p-112},
    {0x1.e542ba4020225p-62, 0x1.ea72b4afe3c2fp-120},
    {0x1.71b8ef6dcf572p-66, -0x1.d043ae40c4647p-120},
    {0x1.0ce396db7f853p-70, -0x1.aebcdbd20331cp-124},
    {0x1.761b41316381ap-75, -0x1.3423c7d91404fp-130},
    {0x1.f2cf01972f578p-80, -0x1.9ada5fcc1ab14p-135},
    {0x1.3f3ccdd165fa9p-84, -0x1.58ddadf344487p-139},
    {0x1.88e85fc6a4e5ap-89, -0x1.71c37ebd1654p-143},
    {0x1.d1ab1c2dccea3p-94, 0x1.054d0c78aea14p-149},
    {0x1.0a18a2635085dp-98, 0x1.b9e2e28e1aa54p-153},
};

/// A constant in three parts.  The first two have 42 bits, so that their products with integers
/// below 2^11 are exact; together they miss the constant by less than 2^-141.
struct Parts {
  double first, second, third;
};
constexpr Parts ln_2{0x1.62e42fefa3800p-1, 0x1.ef35793c76800p-45, -0x1.9ff0342542fc3p-90};
constexpr Parts half_pi{0x1.921fb54443000p+0, -0x1.73dcb3b39a000p-43, 0x1.45c06e0e68948p-86};

/// x - k c, within 2u^2 of each of three differences, none larger than about the result.
DoubleDouble reduced(DoubleDouble x, double k, const Parts& c) {
  return ((x - k * c.first) - k * c.second) - k * c.third;
}

double nearest_multiple(double x, const Parts& c) {
  return std::nearbyint(x / c.first);
}

/// Sum of x^((n - first) / step) / n! with alternating signs if `alternating`, n = first,
/// first + step, ..., last; terms after `wide_last` are summed in double.
template <int first, int wide_last, int last, int step, bool alternating>
DoubleDouble series(DoubleDouble x) {
  const auto sign = [](int n) { return alternating && ((n - first) / step) % 2 == 1 ? -1.0 : 1.0; };
  double tail = 0;
  for (int n = last; n > wide_last; n -= step) {
    tail = fused(tail, x.high, sign(n) * inverse_factorial[n].high);
  }
  DoubleDouble sum = sign(wide_last) * inverse_factorial[wide_last] + tail * x.high;
  for (int n = wide_last - step; n >= first; n -= step) {
    sum = sum * x + sign(n) * inverse_factorial[n];
  }
  return sum;
}

// e^r - 1 = r + r^2 Q: Q and the products within 12u^2 of a part that is at most 0.19 of the
// result, the sum 3u^2, together 5.3u^2.
DoubleDouble expm1_of_reduced(DoubleDouble r) {
  return r + r * r * series<2, 14, 23, 1, false>(r);
}

// sin r = r - r^3 Q: 16u^2 of a part that is at most 0.12 of the result, the sum 3u^2: 4.9u^2.
DoubleDouble sin_of_reduced(DoubleDouble r) {
  const DoubleDouble z = r * r;
  return r - r * z * series<3, 17, 27, 2, true>(z);
}

// cos r = 1 - r^2 Q: 12u^2 of a part that is at most 0.42 of the result, the sum 2u^2: 7u^2.
DoubleDouble cos_of_reduced(DoubleDouble r) {
  const DoubleDouble z = r * r;
  return 1.0 - z * series<2, 16, 28, 2, true>(z);
}

/// 2^k x; exact unless it leaves the range.
DoubleDouble scaled(DoubleDouble x, int k) {
  return DoubleDouble::normalise(std::ldexp(x.high, k), std::ldexp(x.low, k));
}

/// sin(x + quarters pi/2).  The rounding of r costs another 5u^2.
DoubleDouble sine_from(DoubleDouble x, int quarters) {
  if (!(std::abs(x.high) <= 1000)) return {std::numeric_limits<double>::quiet_NaN(), 0};
  const double k = nearest_multiple(x.high, half_pi);
  const DoubleDouble r = k == 0 ? x : reduced(x, k, half_pi);
  const unsigned quarter = static_cast<unsigned>(static_cast<int>(k) + quarters) % 4;
  const DoubleDouble value = quarter % 2 == 0 ? sin_of_reduced(r) : cos_of_reduced(r);
  return quarter < 2 ? value : -value;
}

constexpr double infinity = std::numeric_limits<double>::infinity();

}  // namespace

DoubleDouble exp(DoubleDouble x) {
  if (is_nan(x)) return x;
  if (x.high > 710) return {infinity, 0};
  if (x.high < -746) return {0, 0};
  const double k = nearest_multiple(x.high, ln_2);
  // r within 2.2u^2, its exponential 2.2u^2 more, the sum 2u^2.
  return scaled(1.0 + expm1_of_reduced(reduced(x, k, ln_2)), static_cast<int>(k));
}

DoubleDouble expm1(DoubleDouble x) {
  if (is_nan(x)) return x;
  if (x.high > 710) return {infinity, 0};
  if (x.high < -75) return {-1, 0};
  const double k = nearest_multiple(x.high, ln_2);
  if (k == 0) return expm1_of_reduced(x);
  // e^r - 1 within 5.2u^2, absolute; worst for k = 1, where 2 e^r - 1 may be as small as 0.41.
  const int exponent = static_cast<int>(k);
  const DoubleDouble power_less_one = DoubleDouble(std::ldexp(1.0, exponent)) - 1.0;
  return scaled(expm1_of_reduced(reduced(x, k, ln_2)), exponent) + power_less_one;
}

DoubleDouble sin(DoubleDouble x) {
  return sine_from(x, 0);
}

DoubleDouble cos(DoubleDouble x) {
  return sine_from(x, 1);
}

}  // namespace ninefold
