#pragma once
// Which operations with sparse rows are compiled for a backend B and a value type T; `how` as in
// gpu/compiled/vector_operations.hpp.

#include "gpu/meaning/generic_sparse_operations.hpp"

#define NINEFOLD_SPARSE_ROWS(how, B, T, Rows)                                                \
  how template void product<B, T>(const B&, const Rows&, In<Field, T>, const Field<T>&);     \
  how template void product_dot<B, T>(const B&, const Rows&, In<Field, T>, const Field<T>&,  \
                                      Scalar<T>*);                                           \
  how template void residual<B, T>(const B&, const Rows&, In<Field, T>, In<Field, T>,        \
                                   const Field<T>&);                                         \
  how template void residual_square<B, T>(const B&, const Rows&, In<Field, T>, In<Field, T>, \
                                          Scalar<T>*);                                       \
  how template void rounding_scale<B, T>(const B&, const Rows&, In<Field, T>, In<Field, T>,  \
                                         Scalar<T>*)

#define NINEFOLD_SPARSE_OPERATIONS(how, B, T)                                                      \
  how template void products<B, T>(const B&, const SlicedRows<T>&, const Columns<T>&);             \
  how template void divide<B, T>(const B&, In<Field, T>, const T*, const Field<T>&);               \
  how template void multiply_blocks<B, T>(const B&, const DiagonalBlocks<T>&, In<Field, T>,        \
                                          const Field<T>&);                                        \
  how template void update_by_diagonal<B, T>(const B&, const T*, const Field<T>&, const Field<T>&, \
                                             const IterationEnd&, TwoSums<Scalar<T>>*,             \
                                             CgState<Scalar<T>>*);                                 \
  how template void step_and_direction<B, T>(const B&, In<Field, T>, const CgState<Scalar<T>>*,    \
                                             const Field<T>&, const Field<T>&);                    \
  how template void exchange_halo<B, T>(const B&, const SparseRows<T>&, In<Field, T>);             \
  how template void next_direction<B, T>(const B&, In<Field, T>, In<Field, T>,                     \
                                         const CgState<Scalar<T>>*, const Field<T>&);              \
  how template void two_steps_and_direction<B, T>(const B&, In<Field, T>, In<Field, T>,            \
                                                  const CgState<Scalar<T>>*, const Field<T>&,      \
                                                  const Field<T>&);                                \
  how template void step<B, T>(const B&, In<Field, T>, const CgState<Scalar<T>>*,                  \
                               const Field<T>&);                                                   \
  NINEFOLD_SPARSE_ROWS(how, B, T, SlicedRows<T>);                                                  \
  NINEFOLD_SPARSE_ROWS(how, B, T, CompressedRows<T>);                                              \
  NINEFOLD_SPARSE_ROWS(how, B, T, JaggedRows<T>);                                                  \
  NINEFOLD_SPARSE_BLOCKS(how, B, T, 2);                                                            \
  NINEFOLD_SPARSE_BLOCKS(how, B, T, 3);                                                            \
  NINEFOLD_SPARSE_BLOCKS(how, B, T, 4)
#define NINEFOLD_COMMA ,
#define NINEFOLD_SPARSE_BLOCKS(how, B, T, b) \
  NINEFOLD_SPARSE_ROWS(how, B, T, BlockRows<T NINEFOLD_COMMA b>)

/// The residual of an outer solver in High, whose storage is the sliced one.
#define NINEFOLD_SPARSE_PAIR_OPERATIONS(how, B, High, Low)                                    \
  how template void residual_rounded<B, High, Low>(                                           \
      const B&, const SlicedRows<High>&, In<Field, High>, In<Field, High>, const Field<Low>&, \
      RefinementState<Scalar<High>>*)

/// On numbers, for the formats that are computed in.
#define NINEFOLD_SPARSE_SCALAR_OPERATIONS(how, B, T) \
  how template void count_preconditioned(const B&, const T*, const T*, CgState<T>*)
