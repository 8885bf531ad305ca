#pragma once
// Which operations on vectors are compiled for a backend B and a value type T: one line each. `how`
// is nothing in the file that compiles them (gpu/CMakeLists.txt generates one for each format), and
// extern elsewhere (gpu/compiled/elsewhere.hpp).  Nothing here knows a matrix.

#include "gpu/meaning/generic_cg_operations.hpp"
#include "gpu/meaning/generic_mixed_vector_operations.hpp"
#include "gpu/meaning/generic_vector_operations.hpp"

#define NINEFOLD_VECTOR_OPERATIONS(how, B, T)                                                      \
  how template void set_zero(const B&, const Field<T>&);                                           \
  how template void copy(const B&, In<Field, T>, const Field<T>&);                                 \
  how template void dot<B, T>(const B&, const Extent&, In<Field, T>, In<Field, T>, Scalar<T>*);    \
  how template void dot_rows<B, T>(const B&, const Extent&, In<Field, T>, In<Field, T>, int, int); \
  how template void xpby(const B&, const Extent&, const Scalar<T>*, In<Field, T>,                  \
                         const Field<T>&);                                                         \
  how template void rescale<B, T>(const B&, const Extent&, const Scalar<T>*, const Field<T>&);     \
  how template void remove_mean<B, T>(const B&, const Extent&, const Field<T>&, Scalar<T>*);       \
  how template void largest<B, T>(const B&, const Extent&, In<Field, T>, Largest*);                \
  how template void cg_update<B, T>(const B&, const Extent&, const Extent&, In<Field, T>,          \
                                    In<Field, T>, const Field<T>&, const Field<T>&,                \
                                    CgState<Scalar<T>>*);                                          \
  how template void cg_direction(const B&, const Extent&, In<Field, T>, const CgState<Scalar<T>>*, \
                                 const Field<T>&)

/// On numbers, for the formats that are computed in.
#define NINEFOLD_SCALAR_OPERATIONS(how, B, T)                                        \
  how template void finish_sum(const B&, const Extent&, T*);                         \
  how template void cg_alpha(const B&, CgState<T>*);                                 \
  how template void cg_count(const B&, CgState<T>*);                                 \
  how template void cg_beta(const B&, BetaForm, CgState<T>*);                        \
  how template void begin_scales(const B&, const T*, RefinementState<T>*);           \
  how template void set_scale(const B&, RefinementScaling, int, RefinementState<T>*, \
                              const OverCorrections&)

/// On vectors of a pair of formats.
#define NINEFOLD_VECTOR_PAIR_OPERATIONS(how, B, High, Low)                             \
  how template void add_correction<B, High, Low>(const B&, const Extent&,              \
                                                 const RefinementState<Scalar<High>>*, \
                                                 In<Field, Low>, const Field<High>&);  \
  how template void dot_widened<B, High, Low>(                                         \
      const B&, const Extent&, In<Field, High>, In<Field, Low>,                        \
      const RefinementState<Scalar<High>>*, Scalar<High>*);                            \
  how template void xpby_widened<B, High, Low>(                                        \
      const B&, const Extent&, const Scalar<High>*, In<Field, Low>,                    \
      const RefinementState<Scalar<High>>*, const Field<High>&);                       \
  how template void cg_update_rounded<B, High, Low>(                                   \
      const B&, const Extent&, const Extent&, In<Field, High>, In<Field, High>,        \
      const Field<High>&, const Field<High>&, const Field<Low>&,                       \
      const RefinementState<Scalar<High>>*, CgState<Scalar<High>>*)
