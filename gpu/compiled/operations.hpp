#pragma once
// Which operations on a grid are compiled for a backend B and a value type T, those on vectors left
// aside: one line each; `how` as in gpu/compiled/vector_operations.hpp.

#include "fem/matrix/computed_bands.hpp"
#include "fem/matrix/factored_rows.hpp"

#include "gpu/meaning/generic_error_operations.hpp"
#include "gpu/meaning/generic_grid_operations.hpp"
#include "gpu/meaning/generic_measure_operations.hpp"
#include "gpu/meaning/generic_product_operations.hpp"
#include "gpu/meaning/generic_row_operations.hpp"
#include "gpu/operations/coarse_operations.hpp"
#include "gpu/operations/line_operations.hpp"

/// With a matrix of any kind: what an outer solver needs ...
#define NINEFOLD_OUTER_ROWS(how, B, T, Rows)                                                   \
  how template void product_dot<B, T>(const B&, const Rows&, In<Field, T>, const Field<T>&,    \
                                      Scalar<T>*);                                             \
  how template void residual_square<B, T>(const B&, const Rows&, In<Field, T>, In<Field, T>,   \
                                          Scalar<T>*);                                         \
  how template void rounding_scale<B, T>(const B&, const Rows&, In<Field, T>, In<Field, T>,    \
                                         Scalar<T>*);                                          \
  how template void weighted_residual_square<B, T>(const B&, const Rows&, In<Field, T>,        \
                                                   In<Field, T>, const NodeWeights&, double*); \
  how template void weighted_rounding_square<B, T>(const B&, const Rows&, In<Field, T>,        \
                                                   In<Field, T>, const NodeWeights&, double*)
/// ... and what smoothers and their residuals add.
#define NINEFOLD_SMOOTHING_ROWS(how, B, T, Rows)                                               \
  how template void product<B, T>(const B&, const Rows&, In<Field, T>, const Field<T>&);       \
  how template void residual<B, T>(const B&, const Rows&, In<Field, T>, In<Field, T>,          \
                                   const Field<T>&);                                           \
  how template void rounding_of_rows<B, T>(const B&, const Rows&, In<Field, T>, In<Field, T>,  \
                                           const Field<T>&);                                   \
  how template void jacobi_step<B, T>(const B&, const Rows&, In<Field, T>, StepRelaxation<T>,  \
                                      In<Field, T>, const Field<T>&);                          \
  how template void jacobi_start<B, T>(const B&, const Rows&, In<Field, T>, StepRelaxation<T>, \
                                       const Field<T>&)

#define NINEFOLD_COARSEST_ROWS(how, B, T, Rows) \
  how template void solve_coarsest<B, T>(const B&, const Rows&, In<Field, T>, const Field<T>&)

#define NINEFOLD_STORED_ROWS(how, B, T)                                                    \
  how template void assemble_bands(const B&, const Coefficients<Assembly<T>>&,             \
                                   const NodeCouplings<Assembly<T>>*,                      \
                                   const NodeCouplings<Assembly<T>>*, const NineBand<T>&); \
  NINEFOLD_COARSEST_ROWS(how, B, T, NineBand<const T>);                                    \
  NINEFOLD_OUTER_ROWS(how, B, T, NineBand<const T>);                                       \
  NINEFOLD_SMOOTHING_ROWS(how, B, T, NineBand<const T>)

#define NINEFOLD_COMPUTED_ROWS(how, B, T)           \
  NINEFOLD_OUTER_ROWS(how, B, T, ComputedBands<T>); \
  NINEFOLD_SMOOTHING_ROWS(how, B, T, ComputedBands<T>)

#define NINEFOLD_FACTORED_ROWS(how, B, T)             \
  NINEFOLD_COARSEST_ROWS(how, B, T, FactoredRows<T>); \
  NINEFOLD_OUTER_ROWS(how, B, T, FactoredRows<T>);    \
  NINEFOLD_SMOOTHING_ROWS(how, B, T, FactoredRows<T>)

/// Between grids.
#define NINEFOLD_TRANSFER_OPERATIONS(how, B, T)                                                  \
  how template void restrict_residual(const B&, const Box&, const Box&,                          \
                                      const Transfer<Scalar<T>>&, In<Field, T>, const Field<T>&, \
                                      int);                                                      \
  how template void add_prolongated(const B&, const Box&, const Transfer<Scalar<T>>&,            \
                                    In<Field, T>, const Field<T>&)

#define NINEFOLD_OPERATIONS(how, B, T)                                                            \
  how template void compare_solution<B, T>(const B&, const FoundSolution<T>&,                     \
                                           const ExactSolution<Assembly<T>>&, const ErrorScales&, \
                                           ErrorSums*);                                           \
  how template void compare_levels<B, T>(const B&, const FoundSolution<T>&,                       \
                                         const CoarserSolution&, const ErrorScales&, ErrorSums*); \
  how template void solution_values<B, T>(const B&, const FoundSolution<T>&,                      \
                                          const Field<double>&);                                  \
  how template void sum_solution<B, T>(const B&, const FoundSolution<T>&, const NodeWeights&,     \
                                       const PowerOfTwo&, ErrorSums*);                            \
  how template void mean_of_solution<B, T>(const B&, const FoundSolution<T>&, const Assembly<T>*, \
                                           const Assembly<T>*, Assembly<T>*);                     \
  how template void set_products(const B&, const Box&, const Products<Assembly<T>>&,              \
                                 const PowerOfTwo&, const Field<T>&);                             \
  how template void mass_square<B, T>(const B&, const Box&, In<Field, T>, const NodeWeights&,     \
                                      double*);                                                   \
  NINEFOLD_STORED_ROWS(how, B, T);                                                                \
  NINEFOLD_FACTORED_ROWS(how, B, T);                                                              \
  NINEFOLD_TRANSFER_OPERATIONS(how, B, T)

/// Line relaxation, and the cycle on coarse levels.
#define NINEFOLD_LINE_STEP(how, B, T, Rows)                                                      \
  how template void line_step<T>(const B&, const Rows&, In<Field, T>, Leading<T>, const Lines&,  \
                                 In<Field, T>, const LineScratch<Leading<T>>&, const Field<T>&); \
  how template void line_start<T>(const B&, const Rows&, In<Field, T>, Leading<T>, const Lines&, \
                                  const LineScratch<Leading<T>>&, const Field<T>&);              \
  how template void keep_lines<T>(const B&, const Rows&, LineDirection, Leading<T>*)
#define NINEFOLD_LINE_OPERATIONS(how, B, T)         \
  NINEFOLD_LINE_STEP(how, B, T, NineBand<const T>); \
  NINEFOLD_LINE_STEP(how, B, T, ComputedBands<T>);  \
  NINEFOLD_LINE_STEP(how, B, T, FactoredRows<T>)
#define NINEFOLD_VISIT_COARSE(how, T, Rows)                                     \
  how template void visit_coarse<T>(const Cuda&, const CoarseProblem<T, Rows>&, \
                                    const CoarseSchedule&, const CycleRelaxations<T>&)
#define NINEFOLD_COARSE_OPERATIONS(how, T)          \
  NINEFOLD_VISIT_COARSE(how, T, NineBand<const T>); \
  NINEFOLD_VISIT_COARSE(how, T, FactoredRows<T>)
