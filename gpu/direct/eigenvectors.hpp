#pragma once
// Eigenvectors of dense symmetric matrices: LAPACK's on the host, cuSOLVER's on a device where
// matrices are large.
//
// Rounding.  In double: those of C + E, |E| a few u |C|.  Host and device do not agree in bits.
//
// Memory.  The matrix is the caller's, on the host; beside it LAPACK takes two of its size and a
// device five.
//
// Tests.  tests/solvers/direct, tests/gpu/device/direct_test.cpp

#include <cstddef>
#include <limits>
#include <string>

#include "gpu/backend/backend.hpp"

namespace ninefold {

/// Whether this build has LAPACK.
bool has_lapack();

/// The file that LAPACK's functions are in, such as "libopenblasp-r0.3.21.so": a system has several
/// that take each other's place, with other bits.  Empty for a build without.
std::string lapack_library();

/// Whether a device finds the eigenvectors of an n x n matrix by itself.  Smaller ones, where there
/// is LAPACK, take less time than cuSOLVER needs to be loaded.
inline bool is_diagonalised_on_device(int n) {
  return n >= 4000 || !has_lapack();
}

/// What LAPACK's dsyevd works with, beside the matrix.
constexpr std::size_t host_eigenvector_values(std::size_t n) {
  return 1 + 6 * n + 2 * n * n;
}
/// What cuSOLVER's may ask for, beside the matrix.  Measured, since it states no formula: 67629122
/// values for n about 4095 on an H200, 4 n^2 and a little.
constexpr std::size_t device_eigenvector_values(std::size_t n) {
  return 4 * n * n + 512 * n + (std::size_t{1} << 20);
}

/// Whether the library that finds the eigenvectors of an n x n matrix counts what it works with:
/// both do in int.
inline bool is_diagonalisable(int n, bool on_device) {
  const std::size_t rows = static_cast<std::size_t>(n);
  const std::size_t values = on_device && is_diagonalised_on_device(n)
                                 ? device_eigenvector_values(rows)
                                 : host_eigenvector_values(rows);
  return values <= static_cast<std::size_t>(std::numeric_limits<int>::max());
}

/// The n x n values of a symmetric matrix become its orthonormal eigenvectors, column after column,
/// by ascending eigenvalues.  On a host that only counts nothing but memory is.  Throws
/// std::runtime_error where the library fails, std::logic_error on the host without LAPACK.
void diagonalise(const Host& on, int n, double* matrix);
/// Throws BadValue where cuSOLVER is missing.
void diagonalise(const Cuda& on, int n, double* matrix);

}  // namespace ninefold
