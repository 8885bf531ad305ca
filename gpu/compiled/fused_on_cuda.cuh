#pragma once
// What a generated file needs that compiles the fused operations for a CUDA device.

#include "precision/half.hpp"

#include "gpu/kernels/fused_operations.cuh"

#define NINEFOLD_FUSED_OPERATIONS(how, T)                                                          \
  how template void jacobi_steps<T>(const Cuda&, const FactoredRows<T>&, In<Field, T>,             \
                                    const StepRelaxations<T>&, In<Field, T>, int, const Field<T>&, \
                                    FusedBy);                                                      \
  how template void jacobi_steps_from_zero<T>(const Cuda&, const FactoredRows<T>&, In<Field, T>,   \
                                              const StepRelaxations<T>&, int, const Field<T>&,     \
                                              FusedBy);                                            \
  how template void jacobi_steps_on_sum<T>(                                                        \
      const Cuda&, const Transfer<Scalar<T>>&, In<Field, T>, const FactoredRows<T>&, In<Field, T>, \
      const StepRelaxations<T>&, In<Field, T>, int, const Field<T>&, FusedBy);                     \
  how template void jacobi_steps_on_prolongation<T>(                                               \
      const Cuda&, const Transfer<Scalar<T>>&, In<Field, T>, const FactoredRows<T>&, In<Field, T>, \
      const StepRelaxations<T>&, int, const Field<T>&, FusedBy, OthersRows);                       \
  how template void restrict_residual_of<T>(const Cuda&, const Box&, const Transfer<Scalar<T>>&,   \
                                            const FactoredRows<T>&, In<Field, T>, In<Field, T>,    \
                                            const Field<T>&, FusedBy)
