#include "experiments/measure/peers/eigen_matrix.hpp"

#include <cstddef>

#include <Eigen/SparseCore>

namespace ninefold {

template <class T>
struct EigenMatrix<T>::State {
  Eigen::SparseMatrix<T, Eigen::RowMajor, int> matrix;
};

template <class T>
EigenMatrix<T>::EigenMatrix(const SparseMatrix& A) : state_(std::make_shared<State>()) {
  auto& matrix = state_->matrix;
  matrix.resize(A.pattern.n_rows, A.pattern.n_columns);
  matrix.resizeNonZeros(A.pattern.entries());
  for (int i = 0; i <= A.pattern.n_rows; ++i) {
    matrix.outerIndexPtr()[i] = static_cast<int>(A.pattern.start(i));
  }
  for (std::size_t k = 0; k < A.values.size(); ++k) {
    matrix.innerIndexPtr()[k] = A.pattern.columns[k];
    matrix.valuePtr()[k] = static_cast<T>(A.values[k]);
  }
}

template <class T>
void EigenMatrix<T>::product(const T* x, T* y) const {
  using Vector = Eigen::Matrix<T, Eigen::Dynamic, 1>;
  const Eigen::Map<const Vector> from(x, state_->matrix.cols());
  Eigen::Map<Vector> to(y, state_->matrix.rows());
  to.noalias() = state_->matrix * from;
}

template class EigenMatrix<float>;
template class EigenMatrix<double>;

}  // namespace ninefold
