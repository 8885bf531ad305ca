#pragma once
// What a value type must offer to be used as a number format by grids, operators and solvers.
//
// Mathematics.  Only +, -, *, / and fused(a, b, c) occur in the operations.  Each has one result on
// host and device alike (correctly rounded, or the stated algorithm for pairs), which is what
// makes their results equal to the last bit.
//
// Storage.  Some formats are for memory only, such as half: what is read is computed in
// Arithmetic<T>, here single, and rounded once when it is stored.  For all others Arithmetic<T> is
// T itself.
//
// Tests.  tests/precision/number_test.cpp

#include <concepts>
#include <stdexcept>
#include <string>
#include <string_view>

#include "precision/fused.hpp"
#include "precision/host_device.hpp"

namespace ninefold {

template <class T>
struct ArithmeticOf {
  using type = T;
};
/// The format in which values stored as T are computed: T itself but for the storage formats.
template <class T>
using Arithmetic = typename ArithmeticOf<T>::type;

template <class T>
struct LeadingOf {
  using type = T;
};
/// The format of a number's leading digits: the word of a pair, Arithmetic<T> itself for all
/// others. For corrections that are small beside what they correct.
template <class T>
using Leading = typename LeadingOf<Arithmetic<T>>::type;

template <class T>
struct AssemblyOf {
  using type = double;
};
/// The format in which a system is assembled that will be rounded to T: never the coarser one.
template <class T>
using Assembly = typename AssemblyOf<T>::type;

/// Numbers to compute with.
template <class T>
concept Computable = std::copyable<T> && requires(T a, T b, T c) {
  { a + b } -> std::convertible_to<T>;
  { a - b } -> std::convertible_to<T>;
  { a* b } -> std::convertible_to<T>;
  { a / b } -> std::convertible_to<T>;
  { fused(a, b, c) } -> std::convertible_to<T>;
  { a < b } -> std::convertible_to<bool>;
};

/// The sum of a few products, added up in the order given.  Here with one fused multiply-add each;
/// pairs have a cheaper way, see precision/double_word.hpp.
template <class C>
class ProductSum {
 public:
  HOST_DEVICE ProductSum(C a, C b) : sum_(a * b) {}
  HOST_DEVICE void add(C a, C b) { sum_ = fused(a, b, sum_); }
  HOST_DEVICE C value() const { return sum_; }

 private:
  C sum_;
};

/// v + v, exact; pairs do it word by word (precision/double_word.hpp).
template <class C>
HOST_DEVICE C twice(const C& v) {
  return v + v;
}

/// Numbers to store in matrices and vectors: they become Arithmetic<T> by themselves, and
/// Arithmetic<T> becomes T only where that is written.
template <class T>
concept Number = std::copyable<T> && Computable<Arithmetic<T>> && std::convertible_to<
    T, Arithmetic<T>> && std::constructible_from<T, Arithmetic<T>>;

/// Facts about a number format: its name in a config file, its unit roundoff u (for the formats of
/// the hardware half the distance from 1 to the next larger number; for pairs see
/// precision/double_word.hpp), the bits it occupies, and its range as powers of two.
template <class T>
struct Format;

template <>
struct Format<float> {
  static constexpr std::string_view name = "single";
  static constexpr double unit_roundoff = 0x1p-24;
  static constexpr int bits = 32;
  static constexpr int min_exponent = -126, max_exponent = 127;
};

template <>
struct Format<double> {
  static constexpr std::string_view name = "double";
  static constexpr double unit_roundoff = 0x1p-53;
  static constexpr int bits = 64;
  static constexpr int min_exponent = -1022, max_exponent = 1023;
};

/// The unit roundoff as a function, for formats that are known at run time only too.
template <class T>
constexpr double unit_roundoff() {
  return Format<T>::unit_roundoff;
}

/// Throws std::invalid_argument with `message` unless `condition` holds; never compiled out.
inline void require(bool condition, const std::string& message) {
  if (!condition) throw std::invalid_argument(message);
}

}  // namespace ninefold
