#pragma once
// Which operations are compiled for a backend B and a value type T: one line each.  `how` is
// nothing in the file that compiles them (gpu/CMakeLists.txt generates one for each format), and
// extern elsewhere (gpu/compiled/elsewhere.hpp).

#include "gpu/meaning/generic_cg_operations.hpp"
#include "gpu/meaning/generic_grid_operations.hpp"
#include "gpu/meaning/generic_measure_operations.hpp"
#include "gpu/meaning/generic_operations.hpp"
#include "gpu/operations/coarse_operations.hpp"
#include "gpu/operations/line_operations.hpp"

#define NINEFOLD_OPERATIONS(how, B, T)                                                             \
  how template void assemble_bands(const B&, const Coefficients<Assembly<T>>&,                     \
                                   const NodeCouplings<Assembly<T>>*,                              \
                                   const NodeCouplings<Assembly<T>>*, const NineBand<T>&);         \
  how template void set_zero(const B&, const Field<T>&);                                           \
  how template void copy(const B&, In<Field, T>, const Field<T>&);                                 \
  how template void dot<B, T>(const B&, const Box&, In<Field, T>, In<Field, T>, Scalar<T>*);       \
  how template void xpby(const B&, const Box&, const Scalar<T>*, In<Field, T>, const Field<T>&);   \
  how template void product(const B&, In<NineBand, T>, In<Field, T>, const Field<T>&);             \
  how template void product_dot(const B&, In<NineBand, T>, In<Field, T>, const Field<T>&,          \
                                Scalar<T>*);                                                       \
  how template void residual(const B&, In<NineBand, T>, In<Field, T>, In<Field, T>,                \
                             const Field<T>&);                                                     \
  how template void residual_square<B, T>(const B&, In<NineBand, T>, In<Field, T>, In<Field, T>,   \
                                          Scalar<T>*);                                             \
  how template void rounding_scale<B, T>(const B&, In<NineBand, T>, In<Field, T>, In<Field, T>,    \
                                         Scalar<T>*);                                              \
  how template void jacobi_step(const B&, In<NineBand, T>, In<Field, T>, Leading<T>, In<Field, T>, \
                                const Field<T>&);                                                  \
  how template void jacobi_start(const B&, In<NineBand, T>, In<Field, T>, Leading<T>,              \
                                 const Field<T>&);                                                 \
  how template void restrict_residual(const B&, const Box&, const Box&,                            \
                                      const Transfer<Scalar<T>>&, In<Field, T>, const Field<T>&);  \
  how template void add_prolongated(const B&, const Box&, const Transfer<Scalar<T>>&,              \
                                    In<Field, T>, const Field<T>&);                                \
  how template void solve_coarsest(const B&, In<NineBand, T>, In<Field, T>, const Field<T>&);      \
  how template void cg_update(const B&, const Box&, In<Field, T>, In<Field, T>, const Field<T>&,   \
                              const Field<T>&, CgState<Scalar<T>>*);                               \
  how template void cg_direction(const B&, const Box&, In<Field, T>, const CgState<Scalar<T>>*,    \
                                 const Field<T>&);                                                 \
  how template void weighted_residual_square<B, T>(const B&, In<NineBand, T>, In<Field, T>,        \
                                                   In<Field, T>, const NodeWeights&, double*);     \
  how template void weighted_rounding_square<B, T>(const B&, In<NineBand, T>, In<Field, T>,        \
                                                   In<Field, T>, const NodeWeights&, double*);     \
  how template void mass_square<B, T>(const B&, const Box&, In<Field, T>, const NodeWeights&,      \
                                      double*);                                                    \
  how template void largest<B, T>(const B&, const Box&, In<Field, T>, Largest*);                   \
  how template void remove_mean<B, T>(const B&, const Box&, const Field<T>&, Scalar<T>*)

/// The steps between scalars, for the formats that are computed in.
#define NINEFOLD_SCALAR_OPERATIONS(how, B, T)        \
  how template void cg_alpha(const B&, CgState<T>*); \
  how template void cg_count(const B&, CgState<T>*); \
  how template void cg_beta(const B&, BetaForm, CgState<T>*)

/// Line relaxation and coarse levels.
#define NINEFOLD_LINE_OPERATIONS(how, B, T)                                                      \
  how template void line_step(const B&, In<NineBand, T>, In<Field, T>, Leading<T>, const Lines&, \
                              In<Field, T>, const LineScratch<Leading<T>>&, const Field<T>&)
#define NINEFOLD_COARSE_OPERATIONS(how, T)                                                    \
  how template void visit_coarse(const Cuda&, const CoarseProblem<T>&, const CoarseSchedule&, \
                                 Leading<T>)
