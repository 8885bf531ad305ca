#pragma once
// The number format as a choice made at run time, by the name that config files use.
//
// Tests.  tests/precision/precision_test.cpp

#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "precision/double_word.hpp"
#include "precision/half.hpp"
#include "precision/number.hpp"
#include "precision/soft_float.hpp"

namespace ninefold {

/// A number format that a solver can run in: one of the constants below, or software-rounded with
/// any number of bits.
class Precision {
 public:
  enum class Kind {
#define NINEFOLD_FORMAT(kind, type, role) kind,
#define NINEFOLD_SOFTWARE_FORMAT(kind, type, role) kind,
#include "precision/formats.def"
  };

  static const Precision half, bfloat16, single_, double_single, double_, double_double;

  /// s`mantissa`e`exponent`, such as s28e11; throws std::invalid_argument unless SoftFloat can be
  /// that.
  static Precision soft(int mantissa, int exponent);

  constexpr Kind kind() const {
    return kind_;
  }
  constexpr int mantissa() const {
    return mantissa_;
  }  ///< of kind soft
  constexpr int exponent() const {
    return exponent_;
  }  ///< of kind soft

  friend bool operator==(const Precision&, const Precision&) = default;

 private:
  constexpr explicit Precision(Kind kind, int mantissa = 0, int exponent = 0)
      : kind_(kind), mantissa_(mantissa), exponent_(exponent) {}

  Kind kind_;
  int mantissa_, exponent_;
};

inline constexpr Precision Precision::half{Kind::half};
inline constexpr Precision Precision::bfloat16{Kind::bfloat16};
inline constexpr Precision Precision::single_{Kind::single_};
inline constexpr Precision Precision::double_single{Kind::double_single};
inline constexpr Precision Precision::double_{Kind::double_};
inline constexpr Precision Precision::double_double{Kind::double_double};

/// The formats with a name of their own, by the memory that they take.
const std::vector<Precision>& named_precisions();

/// "half", "bfloat16", "single", "double-single", "double", "double-double", or "s28e11".
std::string to_string(Precision p);

/// The format that goes by that name elsewhere ("float", "fp64", "bf16"), in capitals, too; of one
/// that is not here ("quad") the nearest.
std::optional<Precision> precision_meant_by(std::string_view name);

/// The precision of that name; throws std::invalid_argument with the names that there are, and the
/// one that is meant.
Precision precision_from_name(std::string_view name);

/// Format<T> as values; `bits` are those of the number, not of the memory that it takes.
struct FormatFacts {
  double unit_roundoff;
  int bits;
  int min_exponent, max_exponent;
  bool on_device;  ///< false: runs on the host only
  bool storage;    ///< for memory only: computed in another format, Arithmetic<T>
};
FormatFacts facts(Precision p);

/// Calls f.template operator()<T>() with the value type that p names, for questions about the type
/// alone: a software format is not set.
template <class F>
decltype(auto) with_type(Precision p, F&& f) {
  switch (p.kind()) {
#define NINEFOLD_FORMAT(kind, type, role) \
  case Precision::Kind::kind:             \
    return f.template operator()<type>();
#define NINEFOLD_SOFTWARE_FORMAT(kind, type, role) NINEFOLD_FORMAT(kind, type, role)
#include "precision/formats.def"
  }
  throw std::logic_error("a precision without a type");
}

/// The same for computing: a software format is set until f returns (see SoftFloat::Scope: by one
/// thread at a time).
template <class F>
decltype(auto) with_format(Precision p, F&& f) {
  if (p.kind() != Precision::Kind::soft) return with_type(p, std::forward<F>(f));
  const SoftFloat::Scope scope(p.mantissa(), p.exponent());
  return f.template operator()<SoftFloat>();
}

}  // namespace ninefold
