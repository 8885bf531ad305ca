#include <stdexcept>

#include "precision/half.hpp"

#include "tests/support/conversions.hpp"

namespace ninefold::testing {
namespace {

constexpr unsigned threads = 256;

__global__ void narrow(unsigned n, const float* values, std::uint16_t* half,
                       std::uint16_t* bfloat16) {
  const unsigned k = blockIdx.x * threads + threadIdx.x;
  if (k >= n) return;
  half[k] = Half(values[k]).bits;
  bfloat16[k] = BFloat16(values[k]).bits;
}

__global__ void widen(std::uint32_t* half, std::uint32_t* bfloat16) {
  const unsigned k = blockIdx.x * threads + threadIdx.x;
  Half h;
  BFloat16 b;
  h.bits = b.bits = static_cast<std::uint16_t>(k);
  half[k] = __float_as_uint(static_cast<float>(h));
  bfloat16[k] = __float_as_uint(static_cast<float>(b));
}

void check(cudaError_t status) {
  if (status != cudaSuccess) throw std::runtime_error(cudaGetErrorString(status));
}

/// On the device, as long as it is there.
template <class T>
class Values {
 public:
  explicit Values(std::size_t n) : n_(n) { check(cudaMalloc(&data_, n * sizeof(T))); }
  Values(const Values&) = delete;
  Values& operator=(const Values&) = delete;
  ~Values() { cudaFree(data_); }
  T* data() const { return data_; }
  std::vector<T> read() const {
    std::vector<T> all(n_);
    check(cudaMemcpy(all.data(), data_, n_ * sizeof(T), cudaMemcpyDeviceToHost));
    return all;
  }

 private:
  std::size_t n_;
  T* data_ = nullptr;
};

}  // namespace

NarrowedBits narrowed_on_device(const std::vector<float>& values) {
  const Values<float> from(values.size());
  const Values<std::uint16_t> half(values.size()), bfloat16(values.size());
  check(cudaMemcpy(from.data(), values.data(), values.size() * sizeof(float),
                   cudaMemcpyHostToDevice));
  const auto n = static_cast<unsigned>(values.size());
  narrow<<<(n + threads - 1) / threads, threads>>>(n, from.data(), half.data(), bfloat16.data());
  check(cudaGetLastError());
  return {half.read(), bfloat16.read()};
}

WidenedBits widened_on_device() {
  constexpr unsigned n = 1U << 16;
  const Values<std::uint32_t> half(n), bfloat16(n);
  widen<<<n / threads, threads>>>(half.data(), bfloat16.data());
  check(cudaGetLastError());
  return {half.read(), bfloat16.read()};
}

}  // namespace ninefold::testing
