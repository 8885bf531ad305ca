#pragma once
// Which operations of mixed precision are compiled for a backend B: those of an outer format, and
// those of a pair of formats.  Included by the instantiation files, after their launch primitives.

#include "gpu/meaning/generic_measure_operations.hpp"
#include "gpu/meaning/generic_mixed_operations.hpp"

#define NINEFOLD_INSTANTIATE_OUTER(B, T)                                                        \
  template void residual_square<B, T>(const B&, const ComputedBands<T>&, In<Field, T>,          \
                                      In<Field, T>, Scalar<T>*);                                \
  template void rounding_scale<B, T>(const B&, const ComputedBands<T>&, In<Field, T>,           \
                                     In<Field, T>, Scalar<T>*);                                 \
  template void product_dot<B, T>(const B&, const ComputedBands<T>&, In<Field, T>,              \
                                  const Field<T>&, Scalar<T>*);                                 \
  template void rescale<B, T>(const B&, const Box&, const Scalar<T>*, const Field<T>&);         \
  template void weighted_residual_square<B, T>(const B&, const ComputedBands<T>&, In<Field, T>, \
                                               In<Field, T>, const NodeWeights&, double*);      \
  template void weighted_rounding_square<B, T>(const B&, const ComputedBands<T>&, In<Field, T>, \
                                               In<Field, T>, const NodeWeights&, double*)

/// For the formats that are computed in.
#define NINEFOLD_INSTANTIATE_SCALE(B, T) \
  template void set_scale(const B&, RefinementScaling, int, RefinementState<T>*)

#define NINEFOLD_INSTANTIATE_PAIR(B, High, Low)                                                    \
  template void residual_rounded<B, High, Low>(const B&, const ComputedBands<High>&,               \
                                               In<Field, High>, In<Field, High>,                   \
                                               const Field<Low>&, RefinementState<Scalar<High>>*); \
  template void add_correction<B, High, Low>(const B&, const Box&,                                 \
                                             const RefinementState<Scalar<High>>*, In<Field, Low>, \
                                             const Field<High>&);                                  \
  template void dot_widened<B, High, Low>(const B&, const Box&, In<Field, High>, In<Field, Low>,   \
                                          const RefinementState<Scalar<High>>*, Scalar<High>*);    \
  template void xpby_widened<B, High, Low>(const B&, const Box&, const Scalar<High>*,              \
                                           In<Field, Low>, const RefinementState<Scalar<High>>*,   \
                                           const Field<High>&);                                    \
  template void cg_update_rounded<B, High, Low>(                                                   \
      const B&, const Box&, In<Field, High>, In<Field, High>, const Field<High>&,                  \
      const Field<High>&, const Field<Low>&, const RefinementState<Scalar<High>>*,                 \
      CgState<Scalar<High>>*)

/// The residual in two parts, which the host alone has; after
/// gpu/meaning/generic_split_operations.hpp.
#define NINEFOLD_INSTANTIATE_SPLIT(High, Low)                                    \
  template void residual_rounded_rows<High, Low>(                                \
      const Host&, const ComputedBands<High>&, In<Field, High>, In<Field, High>, \
      const Field<Low>&, const RefinementState<Scalar<High>>*, int, int)
#define NINEFOLD_INSTANTIATE_SPLIT_SQUARE(High)                                        \
  template void residual_rounded_square<High>(const Host&, const ComputedBands<High>&, \
                                              RefinementState<Scalar<High>>*)
