#pragma once
// A solve in mixed precision with the outer solver on the host; included by the generated files
// that compile it.

#include <memory>

#include "solvers/drivers/solve_mixed.hpp"
#include "solvers/drivers/solve_on.hpp"
#include "solvers/drivers/stages.hpp"
#include "solvers/refinement/split_correction.hpp"

namespace ninefold {

/// The first stage on a device, for an outer solver on the host.
template <Number High>
std::unique_ptr<Correction<Host, High>> make_split_correction(const Host& on, const Cuda& cuda,
                                                              const Stages& stages) {
  return with_inner_type<Cuda, High>(
      stages.precision(0), [&]<class Low>() -> std::unique_ptr<Correction<Host, High>> {
        return std::make_unique<SplitCorrection<High, Low>>(on, cuda, stages.residual_storage(0),
                                                            stages.unknowns(),
                                                            make_inner<Cuda, Low>(cuda, stages, 0));
      });
}

template <Number High>
std::unique_ptr<StandingSolve> split_solver_in(const Host& host, const Cuda& cuda,
                                               const PreparedSolve& prepared) {
  return std::make_unique<MixedSolve<Host, High>>(
      host, assemble<Assembly<High>>(prepared),
      Corrections<Host, High>{[host, cuda](const Stages& stages) {
                                return make_split_correction<High>(host, cuda, stages);
                              },
                              [host, cuda] {
                                Work sum = host.work();
                                return sum += cuda.work();
                              },
                              [cuda] { return cuda.peak(); }});
}

}  // namespace ninefold
