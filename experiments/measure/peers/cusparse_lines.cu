#include <algorithm>
#include <stdexcept>
#include <utility>

#include <cusparse.h>

#include "gpu/backend/device.cuh"
#include "gpu/backend/vector.hpp"

#include "experiments/measure/peers/cusparse_lines.hpp"
#include "experiments/measure/peers/cusparse_status.cuh"
#include "experiments/measure/peers/line_batch.cuh"

namespace ninefold {
namespace {

using namespace peers;

/// The functions of cuSPARSE for values of T.
template <class T>
struct Functions;
template <>
struct Functions<float> {
  static constexpr auto strided_bytes = cusparseSgtsv2StridedBatch_bufferSizeExt;
  static constexpr auto strided = cusparseSgtsv2StridedBatch;
  static constexpr auto interleaved_bytes = cusparseSgtsvInterleavedBatch_bufferSizeExt;
  static constexpr auto interleaved = cusparseSgtsvInterleavedBatch;
};
template <>
struct Functions<double> {
  static constexpr auto strided_bytes = cusparseDgtsv2StridedBatch_bufferSizeExt;
  static constexpr auto strided = cusparseDgtsv2StridedBatch;
  static constexpr auto interleaved_bytes = cusparseDgtsvInterleavedBatch_bufferSizeExt;
  static constexpr auto interleaved = cusparseDgtsvInterleavedBatch;
};

/// Calls run.template operator()<direction, by line>().
template <class Run>
void with_order(LineDirection direction, bool by_line, const Run& run) {
  if (direction == LineDirection::x) {
    by_line ? run.template operator()<LineDirection::x, true>()
            : run.template operator()<LineDirection::x, false>();
  } else {
    by_line ? run.template operator()<LineDirection::y, true>()
            : run.template operator()<LineDirection::y, false>();
  }
}

int power_of_two_from(int n) {
  int power = 1;
  while (power < n) power *= 2;
  return power;
}

int algorithm_of(CusparseSolver solver) {
  return static_cast<int>(solver) - static_cast<int>(CusparseSolver::thomas);
}

}  // namespace

std::string to_string(const CusparseWay& way) {
  if (way.solver == CusparseSolver::cyclic_reduction) {
    return std::string("gtsv2StridedBatch") + (way.padded ? ", padded" : "")
           + (way.kept ? ", matrix kept" : "");
  }
  constexpr const char* names[] = {"cuThomas", "LU", "QR"};
  return std::string("gtsvInterleavedBatch, ") + names[algorithm_of(way.solver)];
}

const std::vector<CusparseWay>& cusparse_ways() {
  using enum CusparseSolver;
  static const std::vector<CusparseWay> all{{cyclic_reduction, false, false},
                                            {cyclic_reduction, true, false},
                                            {cyclic_reduction, false, true},
                                            {cyclic_reduction, true, true},
                                            {thomas},
                                            {lu},
                                            {qr}};
  return all;
}

std::string cusparse_version() {
  int number[3] = {};
  check(cusparseGetProperty(MAJOR_VERSION, &number[0]), "cusparseGetProperty");
  check(cusparseGetProperty(MINOR_VERSION, &number[1]), "cusparseGetProperty");
  check(cusparseGetProperty(PATCH_LEVEL, &number[2]), "cusparseGetProperty");
  return std::to_string(number[0]) + "." + std::to_string(number[1]) + "."
         + std::to_string(number[2]);
}

template <class T>
struct CusparseLines<T>::State {
  Cuda on;
  NineBand<const T> A;
  LineDirection direction;
  CusparseWay way;
  std::shared_ptr<cusparseContext> handle;
  std::vector<Array<Cuda, T>> memory;
  Batch<T> batch[2];  // of the even and of the odd lines; they share memory unless it is kept
  Array<Cuda, char> buffer;

  State(const Cuda& on_, const NineBand<const T>& A_, LineDirection direction_,
        const CusparseWay& way_)
      : on(on_), A(A_), direction(direction_), way(way_), batch{shape(0), shape(1)} {
    if (A.form != OperatorForm::plain || batch[1].lines < 1
        || batch[0].n < shortest_cusparse_line) {
      throw std::invalid_argument(
          "cuSPARSE takes two or more lines of 3 or more unknowns, in plain form");
    }
    cusparseHandle_t created = nullptr;
    check(cusparseCreate(&created), "cusparseCreate");
    handle = {created, [](cusparseHandle_t h) { cusparseDestroy(h); }};
    check(cusparseSetStream(created, stream_of(on)), "cusparseSetStream");
    std::size_t bytes = 0;
    for (int colour = 0; colour < 2; ++colour) {
      Batch<T>& own = batch[colour];
      if (colour == 0 || way.kept) allocate(own);
      if (colour == 1 && !way.kept) {
        own = {batch[0].lower, batch[0].diagonal, batch[0].upper, batch[0].right, own.lines, own.n,
               own.m,          own.pitch};
      }
      bytes = std::max(bytes, buffer_bytes(own));
      if (way.kept) gather<Gather::matrix>(colour, {}, {});
    }
    buffer = Array<Cuda, char>(on, std::max<std::size_t>(bytes, 1));
    on.wait();
  }

  bool by_line() const { return way.solver == CusparseSolver::cyclic_reduction; }

  Batch<T> shape(int colour) const {
    const Lines lines{direction, colour, 2};
    const int n = lines.length(A.unknowns), count = lines.count(A.unknowns);
    const int m = way.padded ? power_of_two_from(n) : n;
    const int pitch = (by_line() ? m : count) + tile - 1;
    return {nullptr, nullptr, nullptr, nullptr,
            count,   n,       m,       by_line() ? pitch / tile * tile : count};
  }

  void allocate(Batch<T>& own) {
    const std::size_t values =
        static_cast<std::size_t>(own.pitch) * (by_line() ? own.lines : own.m);
    for (T** numbers : {&own.lower, &own.diagonal, &own.upper, &own.right}) {
      memory.emplace_back(on, values);
      *numbers = memory.back().data();
    }
  }

  std::size_t buffer_bytes(const Batch<T>& own) const {
    std::size_t bytes = 0;
    if (by_line()) {
      check(Functions<T>::strided_bytes(handle.get(), own.m, own.lower, own.diagonal, own.upper,
                                        own.right, own.lines, own.pitch, &bytes),
            "gtsv2StridedBatch_bufferSizeExt");
    } else {
      check(
          Functions<T>::interleaved_bytes(handle.get(), algorithm_of(way.solver), own.m, own.lower,
                                          own.diagonal, own.upper, own.right, own.lines, &bytes),
          "gtsvInterleavedBatch_bufferSizeExt");
    }
    return bytes;
  }

  /// Tiles of k < nodes for all lines.
  dim3 tiles(const Batch<T>& own, int nodes) const {
    const auto along = [](int n) { return static_cast<unsigned>((n + tile - 1) / tile); };
    return direction == LineDirection::x ? dim3(along(nodes), along(own.lines))
                                         : dim3(along(own.lines), along(nodes));
  }

  template <Gather what>
  void gather(int colour, const Field<const T>& b, const Field<const T>& x) const {
    const Batch<T>& own = batch[colour];
    with_order(direction, by_line(), [&]<LineDirection along, bool line_by_line>() {
      gather_kernel<along, line_by_line, what, T>
          <<<tiles(own, own.m), threads, 0, stream_of(on)>>>({A, colour}, b, x, own);
    });
    NINEFOLD_CHECK_CUDA(cudaGetLastError());
  }

  void solve(const Batch<T>& own) const {
    if (by_line()) {
      check(Functions<T>::strided(handle.get(), own.m, own.lower, own.diagonal, own.upper,
                                  own.right, own.lines, own.pitch, buffer.data()),
            "gtsv2StridedBatch");
    } else {
      check(Functions<T>::interleaved(handle.get(), algorithm_of(way.solver), own.m, own.lower,
                                      own.diagonal, own.upper, own.right, own.lines, buffer.data()),
            "gtsvInterleavedBatch");
    }
  }

  void add(int colour, const Field<T>& x) const {
    const Batch<T>& own = batch[colour];
    with_order(direction, by_line(), [&]<LineDirection along, bool line_by_line>() {
      add_kernel<along, line_by_line, T>
          <<<tiles(own, own.n), threads, 0, stream_of(on)>>>({A, colour}, own, x);
    });
    NINEFOLD_CHECK_CUDA(cudaGetLastError());
  }
};

template <class T>
CusparseLines<T>::CusparseLines(const Cuda& on, const NineBand<const T>& A, LineDirection direction,
                                const CusparseWay& way)
    : state_(std::make_shared<const State>(on, A, direction, way)) {}

template <class T>
void CusparseLines<T>::step(const Field<const T>& b, const Field<T>& x) const {
  for (int colour = 0; colour < 2; ++colour) {
    if (state_->way.kept) {
      state_->template gather<Gather::right>(colour, b, x);
    } else {
      state_->template gather<Gather::both>(colour, b, x);
    }
    state_->solve(state_->batch[colour]);
    state_->add(colour, x);
  }
}

template class CusparseLines<float>;
template class CusparseLines<double>;

}  // namespace ninefold
