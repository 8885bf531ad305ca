#pragma once
// Copies from a device's memory to a block's shared memory that no thread waits for or passes
// through its registers, from sm_90 on: cp.async.bulk, and barriers that know how many bytes are to
// come.  (The CUDA toolkit's <cuda/barrier> has both since 12.2; this program builds with 12.0.)
//
// Reference.  PTX ISA, "cp.async.bulk", "mbarrier".

#include <cstdint>

namespace ninefold::kernels {

/// What bulk copies need: addresses and sizes are multiples of this.
inline constexpr int bulk_bytes = 16;

#if __CUDA_ARCH__ >= 900

/// Lies in shared memory; its phases are counted from 0.
class BulkBarrier {
 public:
  /// By one thread, before all threads of the block synchronise.
  __device__ void init() {
    asm volatile("mbarrier.init.shared::cta.b64 [%0], 1;" ::"r"(address(&state_)) : "memory");
    asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");
  }
  /// By that thread: this phase ends when so many bytes have come.
  __device__ void expect(std::uint32_t bytes) {
    asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" ::"r"(address(&state_)),
                 "r"(bytes)
                 : "memory");
  }
  /// Begins to copy some of them.
  __device__ void copy(void* shared, const void* from, std::uint32_t bytes) {
    asm volatile(
        "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1], %2, [%3];" ::
            "r"(address(shared)),
        "l"(__cvta_generic_to_global(from)), "r"(bytes), "r"(address(&state_))
        : "memory");
  }
  /// Until the phase has ended, and what was copied can be read; by any thread.
  __device__ void wait(int phase) const {
    std::uint32_t has_ended = 0;
    while (!has_ended) {
      asm volatile(
          "{\n.reg .pred ended;\n"
          "mbarrier.try_wait.parity.shared::cta.b64 ended, [%1], %2;\n"
          "selp.u32 %0, 1, 0, ended;\n}\n"
          : "=r"(has_ended)
          : "r"(address(&state_)), "r"(phase & 1)
          : "memory");
    }
  }

 private:
  __device__ static std::uint32_t address(const void* shared) {
    return static_cast<std::uint32_t>(__cvta_generic_to_shared(shared));
  }
  std::uint64_t state_;
};

#endif

}  // namespace ninefold::kernels
