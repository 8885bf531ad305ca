#include "experiments/measure/peers/mkl_matrix.hpp"

#include <stdexcept>
#include <string>
#include <type_traits>
#include <vector>

#include <dlfcn.h>

namespace ninefold {
namespace {

/// MKL's declarations (mkl_spblas.h, mkl_service.h), of those that are called.
using Handle = void*;
struct Description {
  int type, mode, diagonal;
};
constexpr int success = 0, from_zero = 0, not_transposed = 10, gnu_threads = 3;
constexpr Description general{.type = 20, .mode = 40, .diagonal = 50};
constexpr int many = 1000;  // products that it shall prepare for

void* load() {
  for (const char* name : {"libmkl_rt.so.3", "libmkl_rt.so.2", "libmkl_rt.so"}) {
    if (void* const library = dlopen(name, RTLD_NOW | RTLD_LOCAL)) return library;
  }
  return nullptr;
}

/// libmkl_rt, which stays loaded, or nullptr.
void* library() {
  static void* const loaded = load();
  return loaded;
}

template <class F>
F find(const std::string& name) {
  void* const function = library() == nullptr ? nullptr : dlsym(library(), name.c_str());
  if (function == nullptr) throw std::runtime_error("MKL has no " + name);
  return reinterpret_cast<F>(function);
}

/// Calls one of its functions, whose status must be success.
template <class F, class... Arguments>
void call(const std::string& name, Arguments... arguments) {
  const int status = find<F>(name)(arguments...);
  if (status != success) throw std::runtime_error(name + ": status " + std::to_string(status));
}

/// Its name for values of T.
template <class T>
std::string named(const char* function) {
  return std::string("mkl_sparse_") + (std::is_same_v<T, double> ? "d_" : "s_") + function;
}

void set_threads(int threads) {
  static const int layer = find<int (*)(int)>("MKL_Set_Threading_Layer")(gnu_threads);
  if (layer != gnu_threads) throw std::runtime_error("MKL has no threads of g++'s OpenMP");
  find<void (*)(int)>("MKL_Set_Dynamic")(0);  // or it may take fewer
  find<void (*)(int)>("MKL_Set_Num_Threads")(threads);
}

}  // namespace

bool has_mkl() {
  return library() != nullptr;
}

template <class T>
struct MklMatrix<T>::State {
  using Multiply = int (*)(int, T, Handle, Description, const T*, T, T*);

  std::vector<int> starts, columns;
  std::vector<T> values;
  Handle matrix = nullptr;
  Multiply multiply = nullptr;

  State(const SparseMatrix& A, int threads)
      : starts(A.pattern.row_starts.begin(), A.pattern.row_starts.end()),
        columns(A.pattern.columns.begin(), A.pattern.columns.end()),
        values(A.values.begin(), A.values.end()) {
    set_threads(threads);
    multiply = find<Multiply>(named<T>("mv"));
    call<int (*)(Handle*, int, int, int, int*, int*, int*, T*)>(
        named<T>("create_csr"), &matrix, from_zero, A.pattern.n_rows, A.pattern.n_columns,
        starts.data(), starts.data() + 1, columns.data(), values.data());
    call<int (*)(Handle, int, Description, int)>("mkl_sparse_set_mv_hint", matrix, not_transposed,
                                                 general, many);
    call<int (*)(Handle)>("mkl_sparse_optimize", matrix);
  }
  ~State() {
    if (matrix != nullptr) find<int (*)(Handle)>("mkl_sparse_destroy")(matrix);
  }
  State(const State&) = delete;
  State& operator=(const State&) = delete;
};

template <class T>
MklMatrix<T>::MklMatrix(const SparseMatrix& A, int threads)
    : state_(std::make_shared<State>(A, threads)) {}

template <class T>
void MklMatrix<T>::product(const T* x, T* y) const {
  const State& s = *state_;
  const int status = s.multiply(not_transposed, T(1), s.matrix, general, x, T(0), y);
  if (status != success)
    throw std::runtime_error("MKL's product: status " + std::to_string(status));
}

template class MklMatrix<float>;
template class MklMatrix<double>;

}  // namespace ninefold
