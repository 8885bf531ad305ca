#pragma once
// Which operations are compiled for a backend B and a value type T: one line each.
// Included by the instantiation files, after gpu/meaning/generic_operations.hpp.

#include "gpu/meaning/generic_cg_operations.hpp"
#include "gpu/meaning/generic_grid_operations.hpp"
#include "gpu/meaning/generic_measure_operations.hpp"
#include "gpu/meaning/generic_operations.hpp"

#define NINEFOLD_INSTANTIATE_OPERATIONS(B, T)                                                      \
  template void assemble_bands(const B&, const Coefficients<Assembly<T>>&,                         \
                               const NodeCouplings<Assembly<T>>*,                                  \
                               const NodeCouplings<Assembly<T>>*, const NineBand<T>&);             \
  template void set_zero(const B&, const Field<T>&);                                               \
  template void copy(const B&, In<Field, T>, const Field<T>&);                                     \
  template void dot<B, T>(const B&, const Box&, In<Field, T>, In<Field, T>, Scalar<T>*);           \
  template void xpby(const B&, const Box&, const Scalar<T>*, In<Field, T>, const Field<T>&);       \
  template void product(const B&, In<NineBand, T>, In<Field, T>, const Field<T>&);                 \
  template void product_dot(const B&, In<NineBand, T>, In<Field, T>, const Field<T>&, Scalar<T>*); \
  template void residual(const B&, In<NineBand, T>, In<Field, T>, In<Field, T>, const Field<T>&);  \
  template void residual_square<B, T>(const B&, In<NineBand, T>, In<Field, T>, In<Field, T>,       \
                                      Scalar<T>*);                                                 \
  template void rounding_scale<B, T>(const B&, In<NineBand, T>, In<Field, T>, In<Field, T>,        \
                                     Scalar<T>*);                                                  \
  template void jacobi_step(const B&, In<NineBand, T>, In<Field, T>, Leading<T>, In<Field, T>,     \
                            const Field<T>&);                                                      \
  template void jacobi_start(const B&, In<NineBand, T>, In<Field, T>, Leading<T>,                  \
                             const Field<T>&);                                                     \
  template void restrict_residual(const B&, const Box&, const Box&, const Transfer<Scalar<T>>&,    \
                                  In<Field, T>, const Field<T>&);                                  \
  template void add_prolongated(const B&, const Box&, const Transfer<Scalar<T>>&, In<Field, T>,    \
                                const Field<T>&);                                                  \
  template void solve_coarsest(const B&, In<NineBand, T>, In<Field, T>, const Field<T>&);          \
  template void cg_update(const B&, const Box&, In<Field, T>, In<Field, T>, const Field<T>&,       \
                          const Field<T>&, CgState<Scalar<T>>*);                                   \
  template void cg_direction(const B&, const Box&, In<Field, T>, const CgState<Scalar<T>>*,        \
                             const Field<T>&);                                                     \
  template void weighted_residual_square<B, T>(const B&, In<NineBand, T>, In<Field, T>,            \
                                               In<Field, T>, const NodeWeights&, double*);         \
  template void weighted_rounding_square<B, T>(const B&, In<NineBand, T>, In<Field, T>,            \
                                               In<Field, T>, const NodeWeights&, double*);         \
  template void mass_square<B, T>(const B&, const Box&, In<Field, T>, const NodeWeights&,          \
                                  double*);                                                        \
  template void largest<B, T>(const B&, const Box&, In<Field, T>, Largest*);                       \
  template void remove_mean<B, T>(const B&, const Box&, const Field<T>&, Scalar<T>*)

/// The steps between scalars, for the formats that are computed in.
#define NINEFOLD_INSTANTIATE_SCALAR_OPERATIONS(B, T) \
  template void cg_alpha(const B&, CgState<T>*);     \
  template void cg_count(const B&, CgState<T>*);     \
  template void cg_beta(const B&, BetaForm, CgState<T>*)
