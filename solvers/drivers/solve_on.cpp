#include "solvers/drivers/solve_on.hpp"

#include <optional>
#include <stdexcept>
#include <type_traits>

#include "precision/precision.hpp"
#include "precision/soft_float.hpp"

#include "solvers/with_backend.hpp"

namespace ninefold {

Solved solve_on(const Host& on, const PreparedSolve& prepared) {
  return with_format(prepared.options.precision,
                     [&]<class T>() { return solve_in_format<Host, T>(on, prepared); });
}

Solved solve_mixed_on(const Host& on, const PreparedSolve& prepared) {
  const SolverOptions& options = prepared.options;
  // One software format at most, wherever it stands; validate() has seen to that.
  std::optional<SoftFloat::Scope> scope;
  if (const auto soft = software_format(options)) scope.emplace(soft->mantissa(), soft->exponent());
  return with_type(options.precision,
                   [&]<class High>() { return solve_mixed_in<Host, High>(on, prepared); });
}

void hold_on(const Host& on, const PreparedSolve& prepared) {
  with_type(prepared.options.precision, [&]<class T>() { hold_in_format<T>(on, prepared); });
}

void hold_mixed_on(const Host& on, const Host& inner, const PreparedSolve& prepared) {
  with_type(prepared.options.precision,
            [&]<class High>() { hold_mixed_in<High>(on, inner, prepared); });
}

namespace {

/// Calls run.template operator()<T>() with the outer format, where a device has solvers for it.
template <class Run>
Solved with_device_type(const PreparedSolve& prepared, const Run& run) {
  return with_type(prepared.options.precision, [&]<class T>() -> Solved {
    if constexpr (has_cuda && !std::is_same_v<T, SoftFloat>) {
      return run.template operator()<T>();
    } else {
      throw std::logic_error("there are no operations on a device for this format");
    }
  });
}

}  // namespace

Solved solve_on(const Cuda& on, const PreparedSolve& prepared) {
  return with_device_type(prepared,
                          [&]<class T>() { return solve_in_format<Cuda, T>(on, prepared); });
}

Solved solve_mixed_on(const Cuda& on, const PreparedSolve& prepared) {
  return with_device_type(prepared,
                          [&]<class High>() { return solve_mixed_in<Cuda, High>(on, prepared); });
}

Solved solve_split(const Host& host, const Cuda& cuda, const PreparedSolve& prepared) {
  return with_device_type(prepared,
                          [&]<class High>() { return solve_split_in<High>(host, cuda, prepared); });
}

}  // namespace ninefold
