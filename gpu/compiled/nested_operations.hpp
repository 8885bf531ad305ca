#pragma once
// Which operations of full multigrid are compiled for a backend B, a value type T and pairs of
// them; `how` as in gpu/compiled/vector_operations.hpp.

#include "fem/matrix/computed_bands.hpp"
#include "fem/matrix/factored_rows.hpp"

#include "gpu/meaning/generic_nested_operations.hpp"
#include "gpu/meaning/generic_small_inverse.hpp"

#define NINEFOLD_NESTED_OPERATIONS(how, B, T)                                                \
  how template void interpolate<B, T>(const B&, const Box&, const CubicTransfer<Scalar<T>>&, \
                                      In<Field, T>, const Field<T>&);                        \
  how template void evaluate_load<B, T>(const B&, const Box&, const Products<LoadValue<T>>&, \
                                        const Field<T>&)

#define NINEFOLD_SMALL_INVERSE(how, B, T, C)                                             \
  how template void solve_small<B, T, C>(const B&, const SmallInverse<C>&, In<Field, T>, \
                                         const Field<T>&)

#define NINEFOLD_SMALL_PASSES(how, T, C)                                                          \
  how template void solve_small_restricted<T, C>(const Cuda&, const SmallInverse<C>&, const Box&, \
                                                 const Transfer<Scalar<T>>&, In<Field, T>,        \
                                                 const Field<T>&)

#define NINEFOLD_NESTED_SCALAR_OPERATIONS(how, B, T) \
  how template void set_scales(const B&, RefinementScaling, int, int, int, int, RefinementState<T>*)

#define NINEFOLD_RESIDUAL_NARROWED(how, B, High, Low, Rows)    \
  how template void residual_narrowed<B, High, Low>(           \
      const B&, const Rows&, In<Field, High>, In<Field, High>, \
      const RefinementState<Scalar<High>>*, const Field<Low>&)
#define NINEFOLD_NESTED_PAIR_OPERATIONS(how, B, High, Low)                       \
  how template void add_interpolated<B, High, Low>(                              \
      const B&, const Box&, const CubicTransfer<Scalar<High>>&, In<Field, High>, \
      const RefinementState<Scalar<High>>*, In<Field, Low>, const Field<High>&); \
  NINEFOLD_RESIDUAL_NARROWED(how, B, High, Low, NineBand<const High>);           \
  NINEFOLD_RESIDUAL_NARROWED(how, B, High, Low, ComputedBands<High>);            \
  NINEFOLD_RESIDUAL_NARROWED(how, B, High, Low, FactoredRows<High>)

#define NINEFOLD_NESTED_PASSES(how, High, Low)                                                     \
  how template void nested_residual<High, Low>(                                                    \
      const Cuda&, const FactoredRows<High>&, In<Field, High>, const CubicTransfer<Scalar<High>>&, \
      In<Field, High>, const RefinementState<Scalar<High>>*, const Field<Low>&, const Box&,        \
      const Transfer<Scalar<Low>>&, const Field<Low>&, FusedBy);                                   \
  how template void nested_correction<High, Low>(                                                  \
      const Cuda&, const Transfer<Scalar<Low>>&, In<Field, Low>, const FactoredRows<Low>&,         \
      In<Field, Low>, const StepRelaxations<Low>&, const CubicTransfer<Scalar<High>>&,             \
      In<Field, High>, const RefinementState<Scalar<High>>*, const Field<High>&, FusedBy,          \
      OthersRows)

#define NINEFOLD_CORRECTION_AFTER_STEPS(how, High, Low)                                    \
  how template void add_correction_after_steps<High, Low>(                                 \
      const Cuda&, const Transfer<Scalar<Low>>&, In<Field, Low>, const FactoredRows<Low>&, \
      In<Field, Low>, const StepRelaxations<Low>&, const RefinementState<Scalar<High>>*,   \
      const Field<High>&, FusedBy, OthersRows)

#define NINEFOLD_SMALL_NARROWED(how, High, Low, C)                                                \
  how template void solve_small_narrowed<High, Low, C>(                                           \
      const Cuda&, const SmallInverse<C>&, In<Field, High>, const RefinementState<Scalar<High>>*, \
      const Field<High>&)
