#pragma once
// The values that a part of a matrix meets: its rank's own and others'.
//
// Tests.  tests/solvers/matrix_parts_test.cpp, tests/gpu/device/matrix_parts_test.cpp

#include <cstddef>
#include <cstdint>
#include <stdexcept>
#include <vector>

#include "gpu/backend/backend.hpp"
#include "gpu/meaning/checks.hpp"
#include "gpu/operations/halo.hpp"

namespace ninefold {

template <class T>
struct PackHalo {
  const T* x;
  const std::int32_t* sent;
  T* packed;
  HOST_DEVICE void operator()(int k) const { packed[k] = x[sent[k]]; }
};

/// Of a part, also of a matrix that is not square.
template <class T, Backend B>
void exchange_values(const B& on, const SparseRows<T>& A, const T* x) {
  const Halo<T>& halo = *A.halo;
  for_each(on, halo.count, PackHalo<T>{x, halo.sent, halo.packed});
  // The margins of x are no part of what an operation is given to read.
  T* const met = const_cast<T*>(x) - A.own_column;
  std::vector<Message> messages;
  for (const HaloShare& share : *halo.shares) {
    const auto bytes = [](int values) { return static_cast<std::size_t>(values) * sizeof(T); };
    messages.push_back({share.other, halo.packed + share.sent_first, bytes(share.sent),
                        met + share.met_first, bytes(share.met)});
  }
  on.trade(messages);
}

/// Where columns count from in the values x of a vector, whose neighbours' values are made those of
/// others where the matrix is a part of one that has to ask for them.
template <class T, Backend B>
const T* met_values(const B& on, const SparseRows<T>& A, const T* x) {
  if (A.halo != nullptr) exchange_values(on, A, x);
  return x - A.own_column;
}

template <Backend B, Number T>
void exchange_halo(const B& on, const SparseRows<T>& A, In<Field, T> x) {
  if (A.halo == nullptr) throw std::invalid_argument("exchange_halo: the matrix is no part");
  require_shape("exchange_halo", A, x);
  exchange_values<T>(on, A, x.data);
}

}  // namespace ninefold
