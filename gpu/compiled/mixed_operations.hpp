#pragma once
// Which residuals of a pair of formats are compiled for a backend B; `how` as in
// gpu/compiled/vector_operations.hpp.

#include "gpu/compiled/operations.hpp"
#include "gpu/meaning/generic_mixed_operations.hpp"
#include "gpu/meaning/generic_split_operations.hpp"

#define NINEFOLD_RESIDUAL_ROUNDED(how, B, High, Low, Rows)                                 \
  how template void residual_rounded<B, High, Low>(const B&, const Rows&, In<Field, High>, \
                                                   In<Field, High>, const Field<Low>&,     \
                                                   RefinementState<Scalar<High>>*)
#define NINEFOLD_PAIR_OPERATIONS(how, B, High, Low)                   \
  NINEFOLD_RESIDUAL_ROUNDED(how, B, High, Low, NineBand<const High>); \
  NINEFOLD_RESIDUAL_ROUNDED(how, B, High, Low, ComputedBands<High>);  \
  NINEFOLD_RESIDUAL_ROUNDED(how, B, High, Low, FactoredRows<High>)

/// The residual by rows, which the host alone has.
#define NINEFOLD_RESIDUAL_ROWS(how, High, Low, Rows)                                 \
  how template void residual_rounded_rows<High, Low>(                                \
      const Host&, const Rows&, In<Field, High>, In<Field, High>, const Field<Low>&, \
      const RefinementState<Scalar<High>>*, int, int)
#define NINEFOLD_SPLIT_OPERATIONS(how, High, Low)               \
  NINEFOLD_RESIDUAL_ROWS(how, High, Low, NineBand<const High>); \
  NINEFOLD_RESIDUAL_ROWS(how, High, Low, ComputedBands<High>);  \
  NINEFOLD_RESIDUAL_ROWS(how, High, Low, FactoredRows<High>)
