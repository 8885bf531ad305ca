#pragma once
// visit_coarse on a device; included by the generated files that compile it.

#include "precision/double_word.hpp"
#include "precision/half.hpp"

#include "gpu/kernels/coarse_cycle.cuh"
#include "gpu/meaning/generic_coarse_cycle.hpp"

namespace ninefold {

template <Number T, class Rows>
void visit_coarse(const Cuda& on, const CoarseProblem<T, Rows>& problem,
                  const CoarseSchedule& schedule, const CycleRelaxations<T>& relaxations) {
  const int finest = problem.levels - 1;
  if (finest < 0) throw std::invalid_argument("visit_coarse: there is no level");
  const Rows& A = problem.level[finest].A;
  require_shape("visit_coarse", A, problem.x, problem.t, problem.b);
  for (int l = 0; l <= finest; ++l) on.count({0, coarse_matrix_bytes(problem.level[l].A)});
  count(on, coarse_finest_traffic, Box{0, A.nx, 0, A.ny}, sizeof(T));
  with_form(A, [&]<class Form>(Form) {
    kernels::launch_coarse_cycle<CoarseCycle, Form, T, Rows>(on, problem, schedule, relaxations);
  });
}

}  // namespace ninefold
