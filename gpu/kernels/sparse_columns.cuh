#pragma once
// Sliced rows times several vectors on a CUDA device, without long rows; gpu/launch/
// sparse_rows_host.hpp on hosts.
//
// Blocks of the same rows, one for each vector, follow each other: all but the first meet the
// matrix in the cache.  Each computes its rows as for a vector alone.

#include "gpu/kernels/sparse_rows.cuh"
#include "gpu/operations/sparse_operations.hpp"

namespace ninefold {

namespace kernels {

/// Rows that meet the same x, for each column.
template <class Sum, int rows, class T, class Of>
__global__ void __launch_bounds__(near_threads<rows>)
    near_columns_kernel(const SlicedRows<T> A, const Columns<T> columns) {
  begin_kernel();
  const int block = static_cast<int>(blockIdx.x), column = block % columns.count;
  near_rows<Sum, rows>(A, columns.x[column], block / columns.count, Of{columns.y[column]});
}

/// A thread a row for each column.
template <class Sum, class T, class Of>
__global__ void __launch_bounds__(slice_threads)
    sliced_columns_kernel(const SlicedRows<T> A, const Columns<T> columns) {
  begin_kernel();
  const int block = static_cast<int>(blockIdx.x), column = block % columns.count;
  const int k = block / columns.count * slice_threads + static_cast<int>(threadIdx.x);
  const int s = k / slice_rows;
  if (s * slice_rows >= A.nx) return;
  const int i = k / sorted_rows * sorted_rows + A.places[k];
  if (i >= A.nx) return;
  const Of of{columns.y[column]};
  of(i, row_of_slice<Sum>(A, columns.x[column], s, k % slice_rows, i));
}

}  // namespace kernels

/// Of{y}(i, row i of A x) for each column of x and y; there are no long rows.
template <class Sum, class Of, class T>
void for_columns_of(const Cuda& on, const SlicedRows<T>& A, const Columns<T>& columns) {
  const auto of_all = [&](int blocks) { return static_cast<unsigned>(blocks * columns.count); };
  if constexpr (sizeof(T) <= 8) {
    if (has_near_rows(A)) {
      return with_rows_of_thread(A, [&](auto rows) {
        kernels::launch<kernels::near_columns_kernel<Sum, rows(), T, Of>>(
            on, of_all(near_blocks<rows()>(A.nx)), kernels::near_threads<rows()>, 0, A, columns);
      });
    }
  }
  kernels::launch<kernels::sliced_columns_kernel<Sum, T, Of>>(
      on, of_all(blocks_of(A.nx, kernels::slice_threads)), kernels::slice_threads, 0, A, columns);
}

}  // namespace ninefold
