#pragma once
// Which operations of mixed precision are compiled for a backend B: those of an outer format, and
// those of a pair of formats; `how` as in gpu/compiled/operations.hpp.

#include "gpu/compiled/operations.hpp"
#include "gpu/meaning/generic_mixed_operations.hpp"
#include "gpu/meaning/generic_split_operations.hpp"

/// Of an outer format.
#define NINEFOLD_OUTER_OPERATIONS(how, B, T) \
  NINEFOLD_COMPUTED_ROWS(how, B, T);         \
  how template void rescale<B, T>(const B&, const Box&, const Scalar<T>*, const Field<T>&)

/// For the formats that are computed in.
#define NINEFOLD_SCALE_OPERATIONS(how, B, T) \
  how template void set_scale(const B&, RefinementScaling, int, RefinementState<T>*)

#define NINEFOLD_RESIDUAL_ROUNDED(how, B, High, Low, Rows)                                 \
  how template void residual_rounded<B, High, Low>(const B&, const Rows&, In<Field, High>, \
                                                   In<Field, High>, const Field<Low>&,     \
                                                   RefinementState<Scalar<High>>*)
#define NINEFOLD_PAIR_OPERATIONS(how, B, High, Low)                                                \
  NINEFOLD_RESIDUAL_ROUNDED(how, B, High, Low, NineBand<const High>);                              \
  NINEFOLD_RESIDUAL_ROUNDED(how, B, High, Low, ComputedBands<High>);                               \
  NINEFOLD_RESIDUAL_ROUNDED(how, B, High, Low, FactoredRows<High>);                                \
  how template void add_correction<B, High, Low>(const B&, const Box&,                             \
                                                 const RefinementState<Scalar<High>>*,             \
                                                 In<Field, Low>, const Field<High>&);              \
  how template void dot_widened<B, High, Low>(                                                     \
      const B&, const Box&, In<Field, High>, In<Field, Low>, const RefinementState<Scalar<High>>*, \
      Scalar<High>*);                                                                              \
  how template void xpby_widened<B, High, Low>(                                                    \
      const B&, const Box&, const Scalar<High>*, In<Field, Low>,                                   \
      const RefinementState<Scalar<High>>*, const Field<High>&);                                   \
  how template void cg_update_rounded<B, High, Low>(                                               \
      const B&, const Box&, In<Field, High>, In<Field, High>, const Field<High>&,                  \
      const Field<High>&, const Field<Low>&, const RefinementState<Scalar<High>>*,                 \
      CgState<Scalar<High>>*)

/// The residual by rows, which the host alone has.
#define NINEFOLD_RESIDUAL_ROWS(how, High, Low, Rows)                                 \
  how template void residual_rounded_rows<High, Low>(                                \
      const Host&, const Rows&, In<Field, High>, In<Field, High>, const Field<Low>&, \
      const RefinementState<Scalar<High>>*, int, int)
#define NINEFOLD_SPLIT_OPERATIONS(how, High, Low)               \
  NINEFOLD_RESIDUAL_ROWS(how, High, Low, NineBand<const High>); \
  NINEFOLD_RESIDUAL_ROWS(how, High, Low, ComputedBands<High>);  \
  NINEFOLD_RESIDUAL_ROWS(how, High, Low, FactoredRows<High>)
