#include "gpu/direct/dense_product.hpp"

#include <algorithm>
#include <vector>

#include "precision/fused.hpp"

namespace ninefold {

namespace {

constexpr int rows = 8, columns = 6;  // of C in registers: twelve of sixteen, in double
constexpr int block_rows = 96, block_columns = 96, block_terms = 256;

/// The value at (i, j), its transpose taken.
template <class T>
const T& at(const Dense<const T>& A, std::ptrdiff_t i, std::ptrdiff_t j) {
  return A.turned == Turned::no ? A.data[j * A.stride + i] : A.data[i * A.stride + j];
}

/// The block of A or B of a product as strips of `width` rows or columns, term after term, zeros
/// beyond the end.
template <int width, class T, class At>
void pack(int count, int terms, const At& value, T* packed) {
  for (int strip = 0; strip < count; strip += width) {
    for (int t = 0; t < terms; ++t) {
      for (int r = 0; r < width; ++r) {
        *packed++ = strip + r < count ? value(strip + r, t) : T(0);
      }
    }
  }
}

/// C += A B of packed strips; the part of C that there is.
template <class T>
void add_strip(int terms, const T* a, const T* b, int m, int n, T* C, std::ptrdiff_t stride) {
  T sum[columns][rows] = {};
  for (int t = 0; t < terms; ++t, a += rows, b += columns) {
#pragma GCC unroll 6
    for (int c = 0; c < columns; ++c) {
#pragma GCC unroll 8
      for (int r = 0; r < rows; ++r) sum[c][r] = fused(a[r], b[c], sum[c][r]);
    }
  }
  for (int c = 0; c < n; ++c) {
    for (int r = 0; r < m; ++r) C[c * stride + r] += sum[c][r];
  }
}

template <class T>
class BlockProduct {
 public:
  BlockProduct(int k, const Dense<const T>& A, const Dense<const T>& B, const Dense<T>& C)
      : k_(k), A_(A), B_(B), C_(C), a_(block_rows * block_terms), b_(block_columns * block_terms) {}

  /// The block of C at (i0, j0).
  void run(int i0, int j0, int m, int n) {
    T* const C = C_.data + std::ptrdiff_t{j0} * C_.stride + i0;
    for (int c = 0; c < n; ++c) std::fill_n(C + c * C_.stride, m, T(0));
    for (int first = 0; first < k_; first += block_terms) {
      const int terms = std::min(block_terms, k_ - first);
      pack<rows>(
          m, terms, [&](int r, int t) { return at(A_, i0 + r, first + t); }, a_.data());
      pack<columns>(
          n, terms, [&](int c, int t) { return at(B_, first + t, j0 + c); }, b_.data());
      for (int c = 0; c < n; c += columns) {
        for (int r = 0; r < m; r += rows) {
          add_strip(terms, a_.data() + std::ptrdiff_t{r} * terms,
                    b_.data() + std::ptrdiff_t{c} * terms, std::min(rows, m - r),
                    std::min(columns, n - c), C + c * C_.stride + r, C_.stride);
        }
      }
    }
  }

 private:
  int k_;
  const Dense<const T>&A_, &B_;
  const Dense<T>& C_;
  std::vector<T> a_, b_;
};

}  // namespace

template <Number T>
void DenseProducts<Host, T>::multiply(int m, int n, int k, const Dense<const T>& A,
                                      const Dense<const T>& B, const Dense<T>& C) const {
  if (on_.only_counts()) return;
  const int tall = (m + block_rows - 1) / block_rows,
            wide = (n + block_columns - 1) / block_columns;
#pragma omp parallel
  {
    BlockProduct<T> block(k, A, B, C);
#pragma omp for schedule(dynamic)
    for (int which = 0; which < tall * wide; ++which) {
      const int i0 = which % tall * block_rows, j0 = which / tall * block_columns;
      block.run(i0, j0, std::min(block_rows, m - i0), std::min(block_columns, n - j0));
    }
  }
}

template class DenseProducts<Host, float>;
template class DenseProducts<Host, double>;

}  // namespace ninefold
