#include "solvers/drivers/solve_on.hpp"

#include <stdexcept>
#include <type_traits>
#include <utility>

#include "precision/precision.hpp"
#include "precision/soft_float.hpp"

#include "solvers/with_backend.hpp"

namespace ninefold {
namespace {

/// A solver in a software format, which is in force while it works; one format at most, wherever it
/// stands: validate() has seen to that.
class InSoftwareFormat final : public StandingSolve {
 public:
  template <class Make>
  InSoftwareFormat(const Precision& format, const Make& make) : format_(format) {
    const SoftFloat::Scope scope(format_.mantissa(), format_.exponent());
    solver_ = make();
  }

  void aim_by(std::shared_ptr<const LevelSolution> coarser) override {
    solver_->aim_by(std::move(coarser));
  }
  Solved solve() override {
    const SoftFloat::Scope scope(format_.mantissa(), format_.exponent());
    return solver_->solve();
  }
  void is_made() override { solver_->is_made(); }
  void take_data() override { solver_->take_data(); }
  void set_solution(const std::vector<double>& values) override {
    const SoftFloat::Scope scope(format_.mantissa(), format_.exponent());
    solver_->set_solution(values);
  }
  Report step(double rate) override {
    const SoftFloat::Scope scope(format_.mantissa(), format_.exponent());
    return solver_->step(rate);
  }
  Solved current(const Report& report) override {
    const SoftFloat::Scope scope(format_.mantissa(), format_.exponent());
    return solver_->current(report);
  }

  std::shared_ptr<const LevelSolution> values() override {
    const SoftFloat::Scope scope(format_.mantissa(), format_.exponent());
    return solver_->values();
  }
  std::optional<Errors> level_errors(const LevelSolution& coarser) override {
    const SoftFloat::Scope scope(format_.mantissa(), format_.exponent());
    return solver_->level_errors(coarser);
  }
  double solution_size() override {
    const SoftFloat::Scope scope(format_.mantissa(), format_.exponent());
    return solver_->solution_size();
  }
  std::unique_ptr<FoundUnknowns> unknowns() override {
    const SoftFloat::Scope scope(format_.mantissa(), format_.exponent());
    return solver_->unknowns();
  }

 private:
  Precision format_;
  std::unique_ptr<StandingSolve> solver_;
};

std::unique_ptr<StandingSolve> make_on(const Host& on, const PreparedSolve& prepared) {
  const auto make = [&] {
    return with_type(prepared.options.precision, [&]<class T>() {
      return prepared.options.refinement.used() ? mixed_solver_in<Host, T>(on, prepared)
                                                : solver_in_format<Host, T>(on, prepared);
    });
  };
  if (const auto soft = software_format(prepared.options)) {
    return std::make_unique<InSoftwareFormat>(*soft, make);
  }
  return make();
}

[[maybe_unused]] std::unique_ptr<StandingSolve> make_on(const Cuda& on,
                                                        const PreparedSolve& prepared) {
  using Made = std::unique_ptr<StandingSolve>;
  const RefinementOptions& refinement = prepared.options.refinement;
  return with_type(prepared.options.precision, [&]<class T>() -> Made {
    if constexpr (has_cuda && !std::is_same_v<T, SoftFloat>) {
      if (!refinement.used()) return solver_in_format<Cuda, T>(on, prepared);
      if (refinement.outer_backend == OuterBackend::same) {
        return mixed_solver_in<Cuda, T>(on, prepared);
      }
      return split_solver_in<T>(Host(on.scratch_bytes()), on, prepared);
    } else {
      throw std::logic_error("there are no operations on a device for this format");
    }
  });
}

}  // namespace

std::unique_ptr<StandingSolve> make_standing(const PreparedSolve& prepared) {
  const TensorGrid& finest = prepared.finest();
  std::unique_ptr<StandingSolve> made = with_backend(
      prepared.where,
      [&](const auto& on) {
        on.reserve(prepared.memory.backend);
        return make_on(on, prepared);
      },
      sum_scratch_bytes(finest.nx(), finest.ny()), prepared.options.ranks);
  made->is_made();
  return made;
}

void hold_on(const Host& on, const PreparedSolve& prepared) {
  with_type(prepared.options.precision, [&]<class T>() { hold_in_format<T>(on, prepared); });
}

void hold_mixed_on(const Host& on, const Host& inner, const PreparedSolve& prepared) {
  with_type(prepared.options.precision,
            [&]<class High>() { hold_mixed_in<High>(on, inner, prepared); });
}

}  // namespace ninefold
