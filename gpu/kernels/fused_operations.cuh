#pragma once
// The operations of gpu/operations/fused_operations.hpp; included by the generated files that
// compile them.

#include <cstdint>
#include <stdexcept>
#include <string>

#include "precision/half.hpp"

#include "gpu/kernels/divided_window.cuh"
#include "gpu/kernels/marching_restriction.cuh"
#include "gpu/kernels/marching_steps.cuh"
#include "gpu/kernels/tile_passes.cuh"
#include "gpu/operations/fused_operations.hpp"

namespace ninefold {

inline void require_steps(const char* operation, int steps) {
  if (steps < 1 || steps > most_fused_steps) {
    throw std::invalid_argument(std::string(operation) + ": " + std::to_string(steps)
                                + " steps, where 1 and 2 are possible");
  }
}
/// Rows of n values are read at once.
template <class T, int n = kernels::lane_columns<T>>
void require_aligned(const char* operation, const Field<const T>& x) {
  const auto address = reinterpret_cast<std::uintptr_t>(x.data);
  if (x.pitch % n != 0 || address % (n * sizeof(T)) != 0) {
    throw std::invalid_argument(std::string(operation) + ": rows do not begin at multiples of "
                                + std::to_string(n) + " values");
  }
}
template <class T>
void require_other(const char* operation, const Field<const T>& x, const Field<T>& y) {
  if (x.data == y.data) {
    throw std::invalid_argument(std::string(operation) + ": y is a vector that is read");
  }
}

/// Steps from a source, on the grid of A.
template <class T, class Source>
void run_steps(const Cuda& on, FusedBy by, const FactoredRows<T>& A, const Field<const T>& b,
               const StepRelaxations<T>& relaxations, const Field<T>& y, const Source& source,
               int steps) {
  const kernels::StepsProblem<T> problem{A, b, relaxations, y};
  if (by == FusedBy::size) by = fused_by<T>(on, problem.A.nx, problem.A.ny);
  if (by == FusedBy::strips) {
    kernels::launch_steps<T>(on, problem, source, steps);
  } else {
    kernels::launch_tile_steps<T>(on, problem, source, steps);
  }
}

template <Number T>
void jacobi_steps(const Cuda& on, const FactoredRows<T>& A, In<Field, T> b,
                  const StepRelaxations<T>& relaxations, In<Field, T> x, int steps,
                  const Field<T>& y, FusedBy by) {
  require_shape("jacobi_steps", y, A, b, x);
  require_inside("jacobi_steps", A.unknowns, A);
  require_steps("jacobi_steps", steps);
  for (const Field<const T>& v : {Field<const T>(b), Field<const T>(x), Field<const T>(y)})
    require_aligned<T>("jacobi_steps", v);
  require_other<T>("jacobi_steps", x, y);
  count(on, jacobi_step_traffic, A.unknowns, sizeof(T));
  if (divides(on, A.ny)) {
    share_borders(on, Bordered<T>{x, 2}, Bordered<T>{b});
    const DividedWindow window(*on.ranks(), A.ny);
    return run_steps<T>(on, by, window.fine(A), window.fine(b), relaxations, window.fine(y),
                        kernels::FromVector<T>{window.fine(x)}, steps);
  }
  run_steps<T>(on, by, A, b, relaxations, y, kernels::FromVector<T>{x}, steps);
}

template <Number T>
void jacobi_steps_from_zero(const Cuda& on, const FactoredRows<T>& A, In<Field, T> b,
                            const StepRelaxations<T>& relaxations, int steps, const Field<T>& y,
                            FusedBy by) {
  require_shape("jacobi_steps_from_zero", y, A, b);
  require_inside("jacobi_steps_from_zero", A.unknowns, A);
  require_steps("jacobi_steps_from_zero", steps);
  for (const Field<const T>& v : {Field<const T>(b), Field<const T>(y)})
    require_aligned<T>("jacobi_steps_from_zero", v);
  require_other<T>("jacobi_steps_from_zero", b, y);
  count(on, jacobi_start_traffic, A.unknowns, sizeof(T));
  if (divides(on, A.ny)) {
    share_borders(on, Bordered<T>{b});
    const DividedWindow window(*on.ranks(), A.ny);
    return run_steps<T>(on, by, window.fine(A), window.fine(b), relaxations, window.fine(y),
                        kernels::FromZero<T>{}, steps);
  }
  run_steps<T>(on, by, A, b, relaxations, y, kernels::FromZero<T>{}, steps);
}

template <Number T>
void jacobi_steps_on_sum(const Cuda& on, const Transfer<Scalar<T>>& transfer, In<Field, T> c,
                         const FactoredRows<T>& A, In<Field, T> b,
                         const StepRelaxations<T>& relaxations, In<Field, T> x, int steps,
                         const Field<T>& y, FusedBy by) {
  require_shape("jacobi_steps_on_sum", y, A, b, x);
  require_shape("jacobi_steps_on_sum", Field<const T>{nullptr, 2 * c.nx - 1, 2 * c.ny - 1}, x);
  require_inside("jacobi_steps_on_sum", A.unknowns, A);
  require_steps("jacobi_steps_on_sum", steps);
  for (const Field<const T>& v :
       {Field<const T>(c), Field<const T>(b), Field<const T>(x), Field<const T>(y)})
    require_aligned<T>("jacobi_steps_on_sum", v);
  require_other<T>("jacobi_steps_on_sum", x, y);
  count(on, jacobi_step_traffic, A.unknowns, sizeof(T));
  if (divides(on, A.ny)) {
    share_borders(on, Bordered<T>{x, 2}, Bordered<T>{c, 2}, Bordered<T>{b});
    const DividedWindow window(*on.ranks(), A.ny);
    const kernels::FromSum<T> source{window.fine(Field<const T>(x)),
                                     window.coarse(Field<const T>(c)), window.fine(transfer)};
    return run_steps<T>(on, by, window.fine(A), window.fine(b), relaxations, window.fine(y), source,
                        steps);
  }
  run_steps<T>(on, by, A, b, relaxations, y, kernels::FromSum<T>{x, c, transfer}, steps);
}

template <Number T>
void jacobi_steps_on_prolongation(const Cuda& on, const Transfer<Scalar<T>>& transfer,
                                  In<Field, T> c, const FactoredRows<T>& A, In<Field, T> b,
                                  const StepRelaxations<T>& relaxations, int steps,
                                  const Field<T>& y, FusedBy by, OthersRows others) {
  require_shape("jacobi_steps_on_prolongation", y, A, b);
  require_shape("jacobi_steps_on_prolongation", Field<const T>{nullptr, 2 * c.nx - 1, 2 * c.ny - 1},
                y);
  require_inside("jacobi_steps_on_prolongation", A.unknowns, A);
  require_steps("jacobi_steps_on_prolongation", steps);
  for (const Field<const T>& v : {Field<const T>(c), Field<const T>(b), Field<const T>(y)})
    require_aligned<T>("jacobi_steps_on_prolongation", v);
  require_other<T>("jacobi_steps_on_prolongation", b, y);
  count(on, jacobi_start_traffic, A.unknowns, sizeof(T));
  // x has a shape, and is not read.
  const Field<const T> zero{nullptr, y.nx, y.ny, y.pitch};
  if (divides(on, A.ny)) {
    if (others == OthersRows::asked_for) share_borders(on, Bordered<T>{c, 2}, Bordered<T>{b});
    const DividedWindow window(*on.ranks(), A.ny);
    const kernels::FromSum<T, true> source{window.fine(zero), window.coarse(c),
                                           window.fine(transfer)};
    return run_steps<T>(on, by, window.fine(A, others), window.fine(b), relaxations, window.fine(y),
                        source, steps);
  }
  run_steps<T>(on, by, A, b, relaxations, y, kernels::FromSum<T, true>{zero, c, transfer}, steps);
}

template <Number T>
void restrict_residual_of(const Cuda& on, const Box& coarse_box,
                          const Transfer<Scalar<T>>& transfer, const FactoredRows<T>& A,
                          In<Field, T> b, In<Field, T> x, const Field<T>& b_coarse, FusedBy by) {
  require_shape("restrict_residual_of", A, b, x);
  require_shape("restrict_residual_of",
                Field<const T>{nullptr, 2 * b_coarse.nx - 1, 2 * b_coarse.ny - 1}, x);
  require_inside("restrict_residual_of", A.unknowns, A);
  require_inside("restrict_residual_of", coarse_box, b_coarse);
  for (const Field<const T>& v : {Field<const T>(b), Field<const T>(x), Field<const T>(b_coarse)})
    require_aligned<T>("restrict_residual_of", v);
  count(on, residual_square_traffic, A.unknowns, sizeof(T));
  count(on, Traffic{0, 1}, coarse_box, sizeof(T));
  kernels::RestrictionProblem<T> problem{A, b, x, transfer, coarse_box, b_coarse};
  if (divides(on, A.ny)) {
    share_borders(on, Bordered<T>{x, 2}, Bordered<T>{b});
    const DividedWindow window(*on.ranks(), A.ny);
    problem = {window.fine(A),
               window.fine(b),
               window.fine(x),
               window.fine(transfer),
               window.own_coarse(coarse_box),
               window.coarse(b_coarse)};
  }
  if (by == FusedBy::size) by = fused_by<T>(on, problem.A.nx, problem.A.ny);
  if (by == FusedBy::strips) {
    kernels::launch_restriction<T>(on, problem);
  } else {
    kernels::launch_tile_restriction<T>(on, problem);
  }
  gather_if_whole(on, A.ny, b_coarse);
}

}  // namespace ninefold
