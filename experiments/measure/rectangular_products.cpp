#include "experiments/measure/rectangular_products.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstddef>
#include <functional>
#include <memory>
#include <stdexcept>
#include <type_traits>

#include "fem/sparse/rectangular.hpp"

#include "gpu/operations/any_least_squares_rows.hpp"

#include "solvers/sparse/matrix_on_backend.hpp"
#include "solvers/with_backend.hpp"

#include "experiments/paper/plain_rows.hpp"
#include "experiments/support/measuring.hpp"

#ifdef NINEFOLD_HAS_CUDA
#include "experiments/measure/peers/naive_rows.hpp"
#endif
#ifdef NINEFOLD_HAS_SPARSE_PEERS
#include "experiments/measure/peers/cusparse_matrix.hpp"
#endif

namespace ninefold {
namespace {

using Product = std::function<void(const float* x, float* y)>;

struct Peer {
  std::string whose, storage;
  Product product;
};

std::vector<Peer> peers_on(const Host&, const SparseMatrix& A) {
  return {{"plain loops", "crs",
           [rows = PlainRows(A)](const float* x, float* y) { rows.product(x, y); }}};
}

#ifdef NINEFOLD_HAS_CUDA
std::vector<Peer> peers_on(const Cuda& on, const SparseMatrix& A) {
  std::vector<Peer> peers;
  peers.push_back({"naive", "crs",
                   [matrix = NaiveMatrix<float>(on, A, NaiveFormat::compressed)](
                       const float* x, float* y) { matrix.product(x, y); }});
#ifdef NINEFOLD_HAS_SPARSE_PEERS
  for (const CusparseFormat format :
       {CusparseFormat::csr, CusparseFormat::csr_1, CusparseFormat::csr_2, CusparseFormat::coo_1,
        CusparseFormat::coo_2, CusparseFormat::sell}) {
    peers.push_back({"cuSPARSE", std::string(to_string(format)),
                     [matrix = CusparseMatrix<float>(on, A, format)](const float* x, float* y) {
                       matrix.product(x, y);
                     }});
  }
#endif
  return peers;
}
#endif

/// Times all with one matrix.
template <Backend B>
class Timing {
 public:
  Timing(const B& on, const SparseMatrix& A)
      : on_(on), A_(A), x_(on, values_of_x()), y_(on, size(A.pattern.n_rows) + 4) {
    std::vector<double> sizes;
    for (const float x : values_of_x()) sizes.push_back(std::abs(static_cast<double>(x)));
    sizes_ = size_product(A, sizes);
  }

  void take_ours(SparseStorage storage) {
    const auto layout =
        std::make_shared<const LayoutOnBackend<B>>(on_, row_layout(A_.pattern, storage));
    const SparseMatrixOn<B, float> matrix(on_, layout, A_.pattern, A_.values, OperatorForm::plain);
    TimedProduct& one = found.emplace_back();
    one.whose = "ninefold";
    one.storage = to_string(storage);
    one.is_ours = true;
    matrix.view().visit([&](const auto& rows) {
      one.bytes = static_cast<double>(rows.moved_bytes)
                  + 4.0 * (A_.pattern.n_rows + static_cast<double>(A_.pattern.n_columns));
    });
    const Field<float> y{y_.data(), A_.pattern.n_rows, 1};
    const Field<const float> x{x_.data(), A_.pattern.n_columns, 1};
    one.seconds = shortest_seconds(on_, [&] { multiply<B, float>(on_, matrix.view(), x, y); });
    compare(one);
  }

  void take(const Peer& peer) {
    TimedProduct& one = found.emplace_back();
    one.whose = peer.whose;
    one.storage = peer.storage;
    one.seconds = shortest_seconds(on_, [&] { peer.product(x_.data(), y_.data()); });
    compare(one);
  }

  std::vector<TimedProduct> found;

 private:
  static std::size_t size(int n) { return static_cast<std::size_t>(n); }

  /// With four values to spare.
  std::vector<float> values_of_x() const {
    std::vector<float> x(size(A_.pattern.n_columns) + 4, 0.0F);
    for (std::size_t k = 0; k + 4 < x.size(); ++k) {
      x[k] = static_cast<float>(1 + 0.5 * std::sin(static_cast<double>(k)));
    }
    return x;
  }

  void compare(TimedProduct& one) {
    std::vector<float> y(size(A_.pattern.n_rows));
    on_.read(y.data(), y_.data(), y.size() * sizeof(float));
    if (first_.empty()) first_ = y;
    for (std::size_t k = 0; k < y.size(); ++k) {
      one.differing +=
          std::bit_cast<std::uint32_t>(y[k]) != std::bit_cast<std::uint32_t>(first_[k]);
      const double bound = 0x1p-24 * sizes_[k];
      const double difference =
          std::abs(static_cast<double>(y[k]) - static_cast<double>(first_[k]));
      one.difference = std::max(one.difference, bound > 0 ? difference / bound : difference);
    }
  }

  B on_;
  const SparseMatrix& A_;
  Array<B, float> x_, y_;
  std::vector<double> sizes_;
  std::vector<float> first_;
};

}  // namespace

std::vector<TimedProduct> timed_products(BackendKind where, const SparseMatrix& A, bool peers) {
  return with_backend(where, [&](const auto& on) {
    Timing timing(on, A);
    timing.take_ours(SparseStorage::sliced);
    if (peers) {
      timing.take_ours(SparseStorage::compressed);
      timing.take_ours(SparseStorage::jagged);
      for (const Peer& peer : peers_on(on, A)) timing.take(peer);
    }
    return timing.found;
  });
}

}  // namespace ninefold
