#include <cmath>
#include <stdexcept>
#include <string>

#include <cublas_v2.h>

#include "gpu/backend/device.cuh"
#include "gpu/backend/vector.hpp"

#include "experiments/measure/peers/cusparse_cg.hpp"
#include "experiments/measure/peers/cusparse_matrix.hpp"

namespace ninefold {
namespace {

void check(cublasStatus_t status, const char* call) {
  if (status == CUBLAS_STATUS_SUCCESS) return;
  cudaGetLastError();  // or a later call would report it again
  throw std::runtime_error(std::string(call) + ": " + cublasGetStatusString(status));
}

/// The functions of cuBLAS for values of T.
template <class T>
struct Functions;
template <>
struct Functions<float> {
  static constexpr auto dot = cublasSdot;
  static constexpr auto axpy = cublasSaxpy;
  static constexpr auto scal = cublasSscal;
};
template <>
struct Functions<double> {
  static constexpr auto dot = cublasDdot;
  static constexpr auto axpy = cublasDaxpy;
  static constexpr auto scal = cublasDscal;
};

template <class T>
struct Scalars {
  T rz, rz_new, pq, rr, alpha, minus_alpha, beta, one;
};

template <class T>
__global__ void set_alpha(Scalars<T>* s) {
  s->alpha = s->rz / s->pq;
  s->minus_alpha = -s->alpha;
}
template <class T>
__global__ void set_beta(Scalars<T>* s) {
  s->beta = s->rz_new / s->rz;
  s->rz = s->rz_new;
}
template <class T>
__global__ void divide_by(int n, const T* r, const T* d, T* z) {
  const int k = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
  if (k < n) z[k] = r[k] / d[k];
}

}  // namespace

template <class T>
struct CusparseCg<T>::State {
  Cuda on;
  int n;
  CusparseMatrix<T> matrix;
  Array<Cuda, T> b, d, x, r, z, p, q;
  Array<Cuda, Scalars<T>> scalars;
  Array<Cuda, char> workspace;
  cublasHandle_t handle{};

  State(const Cuda& backend, const SparseMatrix& A, const std::vector<double>& right,
        CusparseFormat format)
      : on(backend),
        n(A.pattern.n_rows),
        matrix(backend, A, format),
        b(backend, std::vector<T>(right.begin(), right.end())),
        d(backend, diagonal(A)),
        x(backend, size()),
        r(backend, size()),
        z(backend, size()),
        p(backend, size()),
        q(backend, size()),
        scalars(backend, std::vector<Scalars<T>>{{0, 0, 0, 0, 0, 0, 0, 1}}),
        workspace(backend, workspace_bytes) {
    check(cublasCreate(&handle), "cublasCreate");
    check(cublasSetStream(handle, stream_of(on)), "cublasSetStream");
    check(cublasSetWorkspace(handle, workspace.data(), workspace_bytes), "cublasSetWorkspace");
    check(cublasSetPointerMode(handle, CUBLAS_POINTER_MODE_DEVICE), "cublasSetPointerMode");
  }
  ~State() {
    if (handle != nullptr) cublasDestroy(handle);
  }
  State(const State&) = delete;
  State& operator=(const State&) = delete;

  static constexpr std::size_t workspace_bytes = std::size_t{32} << 20;
  std::size_t size() const { return static_cast<std::size_t>(n); }
  static std::vector<T> diagonal(const SparseMatrix& A) {
    std::vector<T> values;
    for (int i = 0; i < A.pattern.n_rows; ++i) values.push_back(static_cast<T>(A(i, i)));
    return values;
  }

  void dot(const T* u, const T* v, T* result) const {
    check(Functions<T>::dot(handle, n, u, 1, v, 1, result), "cublasDot");
  }
  void axpy(const T* alpha, const T* u, T* v) const {
    check(Functions<T>::axpy(handle, n, alpha, u, 1, v, 1), "cublasAxpy");
  }
  void precondition() const {
    constexpr int threads = 256;
    divide_by<<<(n + threads - 1) / threads, threads, 0, stream_of(on)>>>(n, r.data(), d.data(),
                                                                          z.data());
  }
};

template <class T>
CusparseCg<T>::CusparseCg(const Cuda& on, const SparseMatrix& A, const std::vector<double>& b,
                          CusparseFormat format)
    : state_(std::make_shared<State>(on, A, b, format)) {}

template <class T>
void CusparseCg<T>::start() const {
  const State& s = *state_;
  s.on.copy_within(s.r.data(), s.b.data(), s.size() * sizeof(T));
  s.precondition();
  s.on.copy_within(s.p.data(), s.z.data(), s.size() * sizeof(T));
  s.dot(s.r.data(), s.z.data(), &s.scalars.data()->rz);
}

template <class T>
void CusparseCg<T>::iterate() const {
  const State& s = *state_;
  Scalars<T>* const scalars = s.scalars.data();
  s.matrix.product(s.p.data(), s.q.data());
  s.dot(s.p.data(), s.q.data(), &scalars->pq);
  set_alpha<<<1, 1, 0, stream_of(s.on)>>>(scalars);
  s.axpy(&scalars->alpha, s.p.data(), s.x.data());
  s.axpy(&scalars->minus_alpha, s.q.data(), s.r.data());
  s.dot(s.r.data(), s.r.data(), &scalars->rr);
  s.precondition();
  s.dot(s.r.data(), s.z.data(), &scalars->rz_new);
  set_beta<<<1, 1, 0, stream_of(s.on)>>>(scalars);
  check(Functions<T>::scal(s.handle, s.n, &scalars->beta, s.p.data(), 1), "cublasScal");
  s.axpy(&scalars->one, s.z.data(), s.p.data());
}

template <class T>
double CusparseCg<T>::residual_norm() const {
  const State& s = *state_;
  s.dot(s.r.data(), s.r.data(), &s.scalars.data()->rr);
  return std::sqrt(static_cast<double>(read_value(s.on, &s.scalars.data()->rr)));
}

template class CusparseCg<float>;
template class CusparseCg<double>;

}  // namespace ninefold
