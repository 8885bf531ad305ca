#pragma once
// Definitions of solvers/drivers/stages.hpp; compiled by solvers/drivers/compiled.hpp.

#include <cstddef>
#include <memory>
#include <stdexcept>

#include "precision/double_word.hpp"
#include "precision/half.hpp"
#include "precision/soft_float.hpp"

#include "solvers/direct/direct_inner.hpp"
#include "solvers/drivers/stages.hpp"
#include "solvers/krylov/guided_cg.hpp"
#include "solvers/refinement/refinement.hpp"
#include "solvers/system/system.hpp"

namespace ninefold {

template <Backend B, Number T>
std::unique_ptr<InnerSolver<B, T>> make_inner(const B& on, const Stages& stages,
                                              std::size_t stage) {
  const SolverOptions& options = stages.options();
  const Boundary& boundary = stages.problem().boundary;
  const std::vector<TensorGrid>& grids = stages.prepared.grids;
  const Smoothing& smoothing = stages.prepared.smoothing;
  const auto coefficients = scaled_coefficients<Assembly<T>>(stages.problem(), stages.scaling);
  const InnerStop stop = inner_stop(options, stage);
  const OperatorForm form = inner_form_of(options);
  const OperatorStorage storage = storage_of_stage(options, stage);
  const auto make_matrix = [&] {
    return Matrix<B, T>(on, stages.finest(), stages.unknowns(), coefficients, form, storage);
  };
  if (stage + 1 < stages.count()) {
    return std::make_unique<RefinementInner<B, T>>(on, make_matrix, options, stop,
                                                   make_correction<B, T>(on, stages, stage + 1));
  }
  if (options.refinement.variant == RefinementVariant::residual_guided_cg) {
    return std::make_unique<GuidedCg<B, T>>(on, make_matrix, stop, options.max_iterations);
  }
  if (is_direct(options)) {
    if constexpr (is_direct_format<T>) {
      return std::make_unique<DirectInner<B, T>>(on, stages.finest(), boundary, coefficients);
    } else {
      throw std::logic_error("validate() has let a format pass that no direct solver has");
    }
  }
  if (options.method != Method::cg) {
    return std::make_unique<MultigridInner<B, T>>(on, grids, boundary, coefficients, form, options,
                                                  smoothing, stop, storage);
  }
  return std::make_unique<CgInner<B, T>>(on, grids, boundary, coefficients, form, options,
                                         smoothing, stop, storage);
}

template <Backend B, Number High>
std::unique_ptr<Correction<B, High>> make_correction(const B& on, const Stages& stages,
                                                     std::size_t stage) {
  return with_inner_type<B, High>(
      stages.precision(stage), [&]<class Low>() -> std::unique_ptr<Correction<B, High>> {
        return std::make_unique<CorrectionIn<B, High, Low>>(on, stages.residual_storage(stage),
                                                            make_inner<B, Low>(on, stages, stage));
      });
}

// Each format's own file compiles its make_inner; corrections in it are told so.
#define NINEFOLD_MAKE_INNER(B, T)                                                        \
  extern template std::unique_ptr<InnerSolver<B, T>> make_inner(const B&, const Stages&, \
                                                                std::size_t);
#define NINEFOLD_FORMAT(kind, T, role) \
  NINEFOLD_MAKE_INNER(Host, T)         \
  NINEFOLD_MAKE_INNER(Cuda, T)
#define NINEFOLD_SOFTWARE_FORMAT(kind, T, role) NINEFOLD_MAKE_INNER(Host, T)
#include "precision/formats.def"
#undef NINEFOLD_MAKE_INNER

}  // namespace ninefold
