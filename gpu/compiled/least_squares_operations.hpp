#pragma once
// Which operations of least squares are compiled for a backend B and a value type T; `how` as in
// gpu/compiled/vector_operations.hpp.

#include "gpu/meaning/generic_cgls_iteration.hpp"

#define NINEFOLD_LEAST_SQUARES_ROWS(how, B, T, Rows)                                             \
  how template void multiply<B, T>(const B&, const Rows&, In<Field, T>, const Field<T>&);        \
  how template void least_squares_residual<B, T>(                                                \
      const B&, const Rows&, In<Field, T>, In<Field, T>, const BoundRows<T>&, const Field<T>&);  \
  how template void cgls_product<B, T>(const B&, const Rows&, In<Field, T>, const BoundRows<T>&, \
                                       const Field<T>&, CglsSums<Scalar<T>>*,                    \
                                       CgState<Scalar<T>>*);                                     \
  how template void cgls_gradient<B, T>(const B&, const Rows&, In<Field, T>, const T*,           \
                                        const BoundRows<T>&, const Field<T>&,                    \
                                        CglsSums<Scalar<T>>*, CgState<Scalar<T>>*);              \
  how template void cgls_iteration<B, T>(const B&, const B&, const Rows&, const Rows&,           \
                                         const CglsSystems<T>&);                                 \
  how template void cgls_iterations<B, T>(const B&, const B&, const Rows&, const Rows&,          \
                                          const CglsSystem<T>&, int)

#define NINEFOLD_LEAST_SQUARES_OPERATIONS(how, B, T)                                             \
  how template void cgls_update<B, T>(const B&, In<Field, T>, In<Field, T>, const BoundRows<T>&, \
                                      const Field<T>&, const Field<T>&,                          \
                                      const CgState<Scalar<T>>*);                                \
  NINEFOLD_LEAST_SQUARES_ROWS(how, B, T, SlicedRows<T>);                                         \
  NINEFOLD_LEAST_SQUARES_ROWS(how, B, T, CompressedRows<T>);                                     \
  NINEFOLD_LEAST_SQUARES_ROWS(how, B, T, JaggedRows<T>)

#define NINEFOLD_LEAST_SQUARES_PAIR_OPERATIONS(how, B, High, Low)   \
  how template void narrow<B, High, Low>(const B&, In<Field, High>, \
                                         const RefinementState<Scalar<High>>*, const Field<Low>&)
