#include <stdexcept>
#include <string>
#include <type_traits>
#include <vector>

#include "gpu/direct/libraries.cuh"
#include "gpu/direct/wave_transforms.hpp"
#include "gpu/kernels/wave_transforms.cuh"

namespace ninefold {

namespace {

template <class T>
constexpr cufftType type_of(bool real_to_complex) {
  if constexpr (std::is_same_v<T, double>) {
    return real_to_complex ? CUFFT_D2Z : CUFFT_Z2D;
  } else {
    return real_to_complex ? CUFFT_R2C : CUFFT_C2R;
  }
}

void run_plan(cufftHandle plan, bool real_to_complex, double* data) {
  auto* const bins = reinterpret_cast<cufftDoubleComplex*>(data);
  check_library(real_to_complex ? NINEFOLD_CUFFT(cufftExecD2Z)(plan, data, bins)
                                : NINEFOLD_CUFFT(cufftExecZ2D)(plan, bins, data),
                "cuFFT's transform");
}
void run_plan(cufftHandle plan, bool real_to_complex, float* data) {
  auto* const bins = reinterpret_cast<cufftComplex*>(data);
  check_library(real_to_complex ? NINEFOLD_CUFFT(cufftExecR2C)(plan, data, bins)
                                : NINEFOLD_CUFFT(cufftExecC2R)(plan, bins, data),
                "cuFFT's transform");
}

}  // namespace

template <class T>
struct WaveTransform<T>::State {
  State(const Cuda& backend, const WaveRows<T>& rows) : on(backend), waves(rows) {}
  State(const State&) = delete;
  State& operator=(const State&) = delete;
  ~State() {
    for (const Piece& piece : pieces) (void)NINEFOLD_CUFFT(cufftDestroy)(piece.plan);
    if (beside != nullptr) (void)cudaStreamDestroy(beside);
    for (cudaEvent_t event : {begun, done}) {
      if (event != nullptr) (void)cudaEventDestroy(event);
    }
  }

  /// Part of a batch, from this value on.
  struct Piece {
    cufftHandle plan;
    std::ptrdiff_t start;
    std::size_t needed;  ///< bytes to work with
  };

  /// Each batch in one piece, or in halves where cuFFT needs more to work with than there is.  Two
  /// pieces whose areas fit beside each other run at the same time: on small grids neither fills
  /// the device.
  void add_all(char* area, std::size_t area_bytes) {
    for (const WaveBatch& batch : waves.batches()) add(batch, area, area_bytes);
    if (pieces.size() != 2) return;
    const std::size_t of_first = (pieces[0].needed + 255) / 256 * 256;
    if (of_first + pieces[1].needed > area_bytes) return;
    NINEFOLD_CHECK_CUDA(cudaStreamCreateWithFlags(&beside, cudaStreamNonBlocking));
    for (cudaEvent_t* event : {&begun, &done}) {
      NINEFOLD_CHECK_CUDA(cudaEventCreateWithFlags(event, cudaEventDisableTiming));
    }
    const cufftHandle plan = pieces[1].plan;
    check_library(NINEFOLD_CUFFT(cufftSetWorkArea)(plan, area + of_first), "cufftSetWorkArea");
    check_library(NINEFOLD_CUFFT(cufftSetStream)(plan, beside), "cufftSetStream");
  }

  void add(const WaveBatch& batch, char* area, std::size_t area_bytes) {
    cufftHandle plan{};
    check_library(NINEFOLD_CUFFT(cufftCreate)(&plan), "cufftCreate");
    pieces.push_back({plan, batch.start, 0});
    const std::size_t needed = make(plan, batch);
    if (needed <= area_bytes) {
      pieces.back().needed = needed;
      check_library(NINEFOLD_CUFFT(cufftSetWorkArea)(plan, area), "cufftSetWorkArea");
      return;
    }
    if (batch.count == 1) {
      throw std::runtime_error("cuFFT asks for " + std::to_string(needed)
                               + " bytes to work with, and has " + std::to_string(area_bytes));
    }
    pieces.pop_back();
    check_library(NINEFOLD_CUFFT(cufftDestroy)(plan), "cufftDestroy");
    WaveBatch first = batch, second = batch;
    first.count = batch.count / 2;
    second.count = batch.count - first.count;
    second.start += static_cast<std::ptrdiff_t>(first.count) * batch.stride;
    add(first, area, area_bytes);
    add(second, area, area_bytes);
  }

  void run(const Piece& piece) const {
    run_plan(piece.plan, waves.is_real_to_complex(), waves.work + piece.start);
  }

  /// The bytes that the plan needs.
  std::size_t make(cufftHandle plan, const WaveBatch& batch) const {
    check_library(NINEFOLD_CUFFT(cufftSetAutoAllocation)(plan, 0), "cufftSetAutoAllocation");
    check_library(NINEFOLD_CUFFT(cufftSetStream)(plan, stream_of(on)), "cufftSetStream");
    long long length = batch.length, values = batch.stride, bins = batch.stride / 2;
    const bool forth = waves.is_real_to_complex();
    long long *in = forth ? &values : &bins, *out = forth ? &bins : &values;
    std::size_t needed = 0;
    check_library(NINEFOLD_CUFFT(cufftMakePlanMany64)(plan, 1, &length, in, 1, *in, out, 1, *out,
                                                      type_of<T>(forth), batch.count, &needed),
                  "cufftMakePlanMany64");
    return needed;
  }

  Cuda on;
  WaveRows<T> waves;
  std::vector<Piece> pieces;
  // Of a second piece that runs beside the first one, if it does.
  cudaStream_t beside = nullptr;
  cudaEvent_t begun = nullptr, done = nullptr;
};

template <class T>
WaveTransform<T>::WaveTransform(const Cuda& on, const WaveRows<T>& waves, void* area,
                                std::size_t area_bytes) {
  on.use();
  const auto state = std::make_shared<State>(on, waves);
  state->add_all(static_cast<char*>(area), area_bytes);
  state_ = state;
}

template <class T>
void WaveTransform<T>::run() const {
  const State& state = *state_;
  state.on.use();
  if (state.beside == nullptr) {
    for (const auto& piece : state.pieces) state.run(piece);
    return;
  }
  const cudaStream_t stream = stream_of(state.on);
  NINEFOLD_CHECK_CUDA(cudaEventRecord(state.begun, stream));
  NINEFOLD_CHECK_CUDA(cudaStreamWaitEvent(state.beside, state.begun));
  state.run(state.pieces[1]);
  state.run(state.pieces[0]);
  NINEFOLD_CHECK_CUDA(cudaEventRecord(state.done, state.beside));
  NINEFOLD_CHECK_CUDA(cudaStreamWaitEvent(stream, state.done));
}

template <class T>
void load_rows(const Cuda& on, const Plane<const T>& from, const WaveRows<T>& to) {
  kernels::load_rows_of(on, kernels::PlaneValue<T>{from}, to);
}
template <class T>
void load_columns(const Cuda& on, const Plane<const T>& from, const WaveRows<T>& to) {
  kernels::load_columns_of(on, kernels::PlaneValue<T>{from}, to);
}
template <class T>
void load_columns(const Cuda& on, const WaveRows<T>& from, const WaveRows<T>& to) {
  kernels::load_columns_of(on, kernels::WaveValue<T>{from}, to);
}
template <class T>
void load_divided(const Cuda& on, const WaveRows<T>& from, const SpectralSums<T>& sums,
                  const WaveRows<T>& to) {
  kernels::load_rows_of(on, kernels::DividedValue<T>{from, sums}, to);
}

template <class T>
void store_rows(const Cuda& on, const WaveRows<T>& from, int columns, const Plane<T>& to) {
  using namespace kernels;
  const int blocks = static_cast<int>(blocks_for(columns, wave_threads));
  launch<store_rows_kernel<T>>(on, grid_of_rows(blocks, from.rows), wave_threads, 0, from, columns,
                               to);
}
template <class T>
void store_columns(const Cuda& on, const WaveRows<T>& from, int columns, const Plane<T>& to) {
  using namespace kernels;
  const dim3 blocks(blocks_for(columns, wave_tile), blocks_for(from.rows, wave_tile));
  launch<store_columns_kernel<T>>(on, blocks, wave_threads, 0, from, columns, to);
}

#define NINEFOLD_WAVES(T)                                                             \
  template class WaveTransform<T>;                                                    \
  template void load_rows(const Cuda&, const Plane<const T>&, const WaveRows<T>&);    \
  template void load_columns(const Cuda&, const Plane<const T>&, const WaveRows<T>&); \
  template void load_columns(const Cuda&, const WaveRows<T>&, const WaveRows<T>&);    \
  template void load_divided(const Cuda&, const WaveRows<T>&, const SpectralSums<T>&, \
                             const WaveRows<T>&);                                     \
  template void store_rows(const Cuda&, const WaveRows<T>&, int, const Plane<T>&);    \
  template void store_columns(const Cuda&, const WaveRows<T>&, int, const Plane<T>&)
NINEFOLD_WAVES(float);
NINEFOLD_WAVES(double);
#undef NINEFOLD_WAVES

}  // namespace ninefold
