#include "precision/soft_float.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <mutex>
#include <stdexcept>
#include <thread>
#include <utility>

#include <fmt/format.h>

namespace ninefold {
namespace {

/// True if neither products of such numbers nor what they lose leave the range of double.
bool is_moderate(double x) {
  return x == 0 || (std::abs(x) >= 0x1p-400 && std::abs(x) <= 0x1p400);
}

/// x as fraction 2^exponent; zero is smaller than all others.
struct Scaled {
  double fraction;
  int exponent;

  explicit Scaled(double x) : fraction(std::frexp(x, &exponent)) {
    if (x == 0) exponent = std::numeric_limits<int>::min() / 4;
  }
};

/// The sign of p + q + z + w, where |q| <= ulp(p) / 2, as a number.
double sign_of_sum(double p, double q, double z, double w) {
  // The sum as numbers that do not overlap, least first (Shewchuk 1997, Grow-Expansion).
  std::array<double, 4> part{q, p, 0, 0};
  std::size_t n = 2;
  for (double next : {z, w}) {
    for (std::size_t k = 0; k < n; ++k) {
      const Rounded<double> sum = two_sum(next, part[k]);
      part[k] = sum.error;
      next = sum.value;
    }
    part[n++] = next;
  }
  const auto last = std::find_if(part.rbegin(), part.rend(), [](double x) { return x != 0; });
  return last == part.rend() ? 0 : *last;
}

/// Who holds the scopes that are alive.
struct Owner {
  std::mutex mutex;
  std::thread::id thread;
  int scopes = 0;
};
Owner owner;

}  // namespace

SoftFloat::Scope::Scope(int mantissa, int exponent) : before_(mantissa, exponent) {
  const std::lock_guard lock(owner.mutex);
  if (owner.scopes > 0 && owner.thread != std::this_thread::get_id()) {
    throw std::logic_error("software formats are in use by another thread: one at a time");
  }
  owner.thread = std::this_thread::get_id();
  ++owner.scopes;
  std::swap(format_, before_);
}

SoftFloat::Scope::~Scope() {
  const std::lock_guard lock(owner.mutex);
  format_ = before_;
  --owner.scopes;
}

constinit SoftFormat SoftFloat::format_{52, 11};

void SoftFormat::refuse(int mantissa, int exponent) {
  throw std::invalid_argument(
      fmt::format("s{}e{} is no software format: sMeE has M = 10 to 52 mantissa bits and E = 8 or "
                  "11 exponent bits",
                  mantissa, exponent));
}

double SoftFloat::rounded_outside(double x, double error) {
  const double size = std::abs(x), outwards = x < 0 ? -error : error;
  const auto bits = std::bit_cast<std::uint64_t>(size);
  double result = 0;
  if (const std::uint64_t overflow = format_.lowest + format_.range; bits >= overflow) {
    // For M = 52 this is no middle, but the power of two to which double has rounded.
    const bool below = bits == overflow && format_.half > 0 && outwards < 0;
    result = below ? std::bit_cast<double>(bits - format_.half)
                   : std::numeric_limits<double>::infinity();
  } else {
    // Subnormal numbers are the multiples of one quantum, and so are doubles near 2^52 quanta.
    const double quantum = std::ldexp(1.0, format_.min_exponent() - format_.mantissa);
    const double shift = 0x1p52 * quantum;
    result = (size + shift) - shift;
    const double rest = size - result;
    if (std::abs(rest) == quantum / 2 && outwards != 0) {
      result = size + std::copysign(quantum / 2, outwards);
    }
  }
  return std::copysign(result, x);
}

double SoftFloat::error_sign(double x, double y, double z, double w) {
  if (is_moderate(x) && is_moderate(y) && is_moderate(z) && is_moderate(w)) [[likely]] {
    const Rounded<double> product = two_product(x, y);
    return sign_of_sum(product.value, product.error, z, w);
  }
  // The same after dividing all by a power of two; terms out of reach keep their sign.
  const Scaled a(x), b(y), c(z), d(w);
  const int product_exponent = a.exponent + b.exponent;
  const int largest = std::max({product_exponent, c.exponent, d.exponent});
  const auto scaled = [&](double fraction, int exponent) {
    return std::ldexp(fraction, std::max(exponent - largest, -450));
  };
  const Rounded<double> product = two_product(a.fraction, b.fraction);
  return sign_of_sum(scaled(product.value, product_exponent),
                     scaled(product.error, product_exponent), scaled(c.fraction, c.exponent),
                     scaled(d.fraction, d.exponent));
}

}  // namespace ninefold
