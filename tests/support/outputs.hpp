#pragma once
// What operations have written on a backend, byte by byte.

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <string>
#include <type_traits>
#include <vector>

#include "precision/double_word.hpp"

#include "grids/field.hpp"

#include "gpu/operations/cg_operations.hpp"
#include "gpu/operations/refinement_state.hpp"

#include "tests/support/catch.hpp"

namespace ninefold::testing {

/// What an operation wrote on a backend.
struct Output {
  std::string name;
  std::vector<unsigned char> bytes;
  std::size_t value_bytes;
};

/// Makes all NaN alike: which one an operation returns is left to the hardware.
template <class T>
void canonicalise(T& value) {
  if constexpr (is_double_word<T>) {
    canonicalise(value.high);
    canonicalise(value.low);
  } else if constexpr (!std::is_integral_v<T> && std::is_convertible_v<T, double>) {
    if (std::isnan(static_cast<double>(value))) value = T(std::numeric_limits<float>::quiet_NaN());
  }
}

/// The outputs of one backend, in the order in which they were written.
template <Backend B>
class Outputs {
 public:
  explicit Outputs(const B& on) : on_(on) {}

  template <class T>
  void keep(const std::string& name, const T* data, std::size_t n) {
    static_assert(std::has_unique_object_representations_v<
                      T> || std::is_floating_point_v<T> || is_double_word<T>,
                  "a type with padding has no bytes to compare");
    std::vector<T> values(n);
    on_.read(values.data(), data, n * sizeof(T));
    for (T& value : values) canonicalise(value);
    Output output{name, std::vector<unsigned char>(n * sizeof(T)), sizeof(T)};
    std::memcpy(output.bytes.data(), values.data(), output.bytes.size());
    outputs_.push_back(std::move(output));
  }
  template <class T>
  void keep(const std::string& name, const Field<T>& field) {
    // With what lies between rows, where nothing is written.
    keep(name, field.data, static_cast<std::size_t>(field.pitch) * (field.ny - 1) + field.nx);
  }
  /// CgState has padding, so that its members are compared.
  template <class C>
  void keep(const std::string& name, const CgState<C>* state) {
    keep(name + ", rr", &state->rr, 1);
    keep(name + ", rz", &state->rz, 1);
    keep(name + ", rz_new", &state->rz_new, 1);
    keep(name + ", qz", &state->qz, 1);
    keep(name + ", alpha", &state->alpha, 1);
    keep(name + ", beta", &state->beta, 1);
    keep(name + ", iterations", &state->iterations, 1);
    keep(name + ", active", &state->active, 1);
    keep(name + ", history", state->history, cg_block);
  }
  template <class C>
  void keep(const std::string& name, const RefinementState<C>* state) {
    keep(name + ", square", &state->square, 1);
    keep(name + ", down", &state->down, 1);
    keep(name + ", up", &state->up, 1);
  }

  const std::vector<Output>& all() const { return outputs_; }

 private:
  B on_;
  std::vector<Output> outputs_;
};

/// Where two backends first differ in any bit, in words; empty if nowhere.
inline std::string difference(const std::vector<Output>& a, const std::vector<Output>& b) {
  REQUIRE(a.size() == b.size());
  REQUIRE(!a.empty());
  for (std::size_t k = 0; k < a.size(); ++k) {
    REQUIRE(a[k].name == b[k].name);
    REQUIRE(a[k].bytes.size() == b[k].bytes.size());
    const auto [mine, theirs] =
        std::mismatch(a[k].bytes.begin(), a[k].bytes.end(), b[k].bytes.begin());
    if (mine == a[k].bytes.end()) continue;
    const auto position = static_cast<std::size_t>(mine - a[k].bytes.begin());
    return a[k].name + ", value " + std::to_string(position / a[k].value_bytes) + ", byte "
           + std::to_string(position % a[k].value_bytes) + ": " + std::to_string(*mine) + " and "
           + std::to_string(*theirs);
  }
  return "";
}

}  // namespace ninefold::testing
