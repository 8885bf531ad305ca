#pragma once
// The meaning of the operations of gpu/operations/measure_operations.hpp; see
// gpu/meaning/generic_row_operations.hpp.

#include "gpu/meaning/generic_row_operations.hpp"
#include "gpu/operations/measure_operations.hpp"

namespace ninefold {

template <class Functor>
struct WeightedSquare {
  static constexpr int batch = 1;
  Functor rows;
  NodeWeights weights;
  HOST_DEVICE double read(int i, int j) const { return static_cast<double>(rows.read(i, j)); }
  HOST_DEVICE double write(int i, int j, double r) const { return r / weights.at(i, j) * r; }
};

/// `Functor` is that of an operation with rows: its read() is what is squared.
template <template <class, class, class> class Functor, Number T, Backend B, RowsOf<T> Rows>
void sum_weighted_squares(const char* name, const B& on, const Traffic& vectors, const Rows& A,
                          const Field<const T>& b, const Field<const T>& x,
                          const NodeWeights& weights, double* result) {
  require_shape(name, x, A, b);
  require_inside_and_some(name, A.unknowns, A);
  count(on, with_rows<Rows>(vectors), A.unknowns, sizeof(T));
  share_borders(on, x);
  with_form(A, [&]<class Form>(Form) {
    using Squared = Functor<Form, T, Indexed<Rows>>;
    sum_own(on, A.ny, A.unknowns, WeightedSquare<Squared>{Squared{indexed(A), b, x}, weights},
            result);
  });
}

template <Backend B, Number T, RowsOf<T> Rows>
void weighted_residual_square(const B& on, const Rows& A, In<Field, T> b, In<Field, T> x,
                              const NodeWeights& weights, double* result) {
  sum_weighted_squares<ResidualSquare, T>("weighted_residual_square", on, residual_square_traffic,
                                          A, b, x, weights, result);
}

template <Backend B, Number T, RowsOf<T> Rows>
void weighted_rounding_square(const B& on, const Rows& A, In<Field, T> b, In<Field, T> x,
                              const NodeWeights& weights, double* result) {
  sum_weighted_squares<RoundingOfRow, T>("weighted_rounding_square", on, rounding_scale_traffic, A,
                                         b, x, weights, result);
}

template <class T>
struct MassSquare {
  static constexpr int batch = 4;
  Field<const T> x;
  NodeWeights weights;
  HOST_DEVICE double read(int i, int j) const {
    return static_cast<double>(static_cast<Arithmetic<T>>(x(i, j)));
  }
  HOST_DEVICE double write(int i, int j, double v) const { return v * weights.mass(i, j) * v; }
};

template <Backend B, Number T>
void mass_square(const B& on, const Box& box, In<Field, T> x, const NodeWeights& weights,
                 double* result) {
  require_inside_and_some("mass_square", box, x);
  count(on, mass_square_traffic, box, sizeof(T));
  sum_own(on, x.ny, box, MassSquare<T>{x, weights}, result);
}

}  // namespace ninefold
