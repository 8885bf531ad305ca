#pragma once
// Where work runs: a backend is a small value that stands for memory and an order of work; it knows
// no mathematics.
//
// `Host` is the OpenMP threads of this machine.  `Cuda` is one graphics card and one stream; this
// header needs no CUDA headers, so that algorithms and tests are compiled by the host compiler
// alone.  Copies of a backend share its memory counter (and stream).
//
// Contract.  Work given to a backend runs in the order in which it was given.  `read` and `wait`
// return when it is done, `copy_in` when the caller's memory may change; all else may return
// before.  What `release` gives back is used by later work of the same backend alone.  A backend
// and its copies serve one thread at a time.
//
// Counting.  A Host may be one that only counts: memory asked of it is counted and not taken, and
// work is not done.  What an owner of memory will hold is then known by making it there.
//
// Tests.  tests/gpu/backend/backend_test.cpp

#include <concepts>
#include <cstddef>
#include <memory>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "grids/field.hpp"

#include "gpu/backend/pass_sizes.hpp"
#include "gpu/backend/ranks.hpp"
#include "gpu/backend/summation.hpp"
#include "gpu/backend/vector_part.hpp"
#include "gpu/backend/work.hpp"

namespace ninefold {

template <class B>
concept Backend = requires(const B& on, void* p, const void* q, std::size_t bytes,
                           const Work& work) {
  { on.apart() } -> std::same_as<B>;
  on.reserve(bytes);
  { on.allocate(bytes) } -> std::same_as<void*>;
  on.release(p, bytes);
  on.copy_in(p, q, bytes);
  on.copy_within(p, q, bytes);
  on.read(p, q, bytes);
  on.wait();
  { on.allocated() } -> std::same_as<std::size_t>;
  { on.peak() } -> std::same_as<std::size_t>;
  { on.work() } -> std::same_as<Work>;
  on.count(work);
  { on.scratch() } -> std::same_as<void*>;
  { on.scratch_bytes() } -> std::same_as<std::size_t>;
  { on.has_device_memory() } -> std::same_as<bool>;
  { on.ranks() } -> std::same_as<const Ranks*>;
  { on.part() } -> std::same_as<const VectorPart*>;
};

/// The rows that a backend holds of a grid of ny rows: all, or its own as one of several ranks.
template <Backend B>
RowRange own_rows(const B& on, int ny) {
  return on.ranks() == nullptr ? RowRange{0, ny} : on.ranks()->own_rows(ny);
}

/// Scratch for sums over nx x ny nodes of anything up to 32 bytes: any format, or all that errors
/// are computed from.
constexpr std::size_t sum_scratch_bytes(int nx, int ny) {
  return 32 * sum_partials(nx, ny);
}

/// The default: enough for level 16.
inline constexpr std::size_t largest_scratch_bytes = sum_scratch_bytes(65537, 65537);

/// There is no memory left for what was asked for.
struct OutOfMemory : std::runtime_error {
  using std::runtime_error::runtime_error;
};

/// Bytes held now and at most, shared by all copies of a backend.
class MemoryCounter {
 public:
  void add(std::size_t bytes) {
    held_ += bytes;
    if (held_ > peak_) peak_ = held_;
  }
  void remove(std::size_t bytes) { held_ -= bytes; }
  std::size_t held() const { return held_; }
  std::size_t peak() const { return peak_; }

 private:
  std::size_t held_ = 0, peak_ = 0;
};

/// Whose memory a Host counts.
enum class CountedMemory { host, device };

/// The threads of this machine.
class Host {
 public:
  explicit Host(std::size_t scratch_bytes = largest_scratch_bytes);
  /// One that only counts: allocate() returns an address that is no memory, copies and operations
  /// do nothing, read() gives zeros.
  Host(CountedMemory whose, std::size_t scratch_bytes);
  bool only_counts() const { return only_counts_; }
  /// True where the memory that it counts is a device's.
  bool has_device_memory() const { return has_device_memory_; }
  /// The same one of several ranks, among whom the rows of large grids are divided, and vectors
  /// without a grid where divided() says so; null for none.
  Host among(std::shared_ptr<const Ranks> ranks) const {
    Host one = *this;
    one.ranks_ = std::move(ranks);
    return one;
  }
  const Ranks* ranks() const { return ranks_.get(); }
  /// The same for vectors without a grid that are divided among the ranks as this says: sums are
  /// those of all parts.  Null for whole ones.
  Host divided(std::shared_ptr<const VectorPart> part) const {
    Host one = *this;
    one.part_ = std::move(part);
    return one;
  }
  const VectorPart* part() const { return part_.get(); }
  Host apart() const { return *this; }
  // With the other ranks: see Ranks.
  void exchange(const std::vector<BorderRows>& vectors) const;
  /// Of several arrays with the same parts, `apart` bytes from one to the next.
  void gather(void* values, const std::vector<std::size_t>& begin, int arrays = 1,
              std::size_t apart = 0) const;
  void trade(const std::vector<Message>& messages) const;
  void reserve(std::size_t) const {}
  void* allocate(std::size_t bytes) const;  ///< zeros; throws std::runtime_error with the size
  void release(void* p, std::size_t bytes) const noexcept;
  void copy_in(void* to, const void* from, std::size_t bytes) const;  ///< caller's memory to ours
  void copy_within(void* to, const void* from, std::size_t bytes) const;  ///< ours to ours
  void read(void* to, const void* from, std::size_t bytes) const;         ///< ours to the caller's
  void wait() const {}
  std::size_t allocated() const;
  std::size_t peak() const;
  Work work() const;                   ///< all that was counted so far
  void count(const Work& work) const;  ///< called by the operations
  void* scratch() const;               ///< for partial sums
  std::size_t scratch_bytes() const;

 private:
  struct State;
  std::shared_ptr<State> state_;
  std::shared_ptr<const Ranks> ranks_;
  std::shared_ptr<const VectorPart> part_;
  bool only_counts_ = false, has_device_memory_ = false;
};

/// One CUDA device and one stream on it.  Every member throws std::runtime_error, with the call and
/// CUDA's message, if CUDA reports an error.  Declared in every build, defined in CUDA builds only.
class Cuda {
 public:
  /// One of the visible devices, counted from 0.
  explicit Cuda(std::size_t scratch_bytes = largest_scratch_bytes, int device = 0);
  static constexpr bool has_device_memory() { return true; }
  int device() const;
  void use() const;  ///< makes it the device of the calling thread; all other members do so
  /// To be called before memory is taken of which it is known how much it will be: the device is
  /// asked for all of it at once, if it has twice as much.
  void reserve(std::size_t bytes) const;
  void* allocate(std::size_t bytes) const;  ///< zeros; throws OutOfMemory with the size
  void release(void* p, std::size_t bytes) const noexcept;
  void copy_in(void* to, const void* from, std::size_t bytes) const;  ///< not page-locked memory
  void copy_within(void* to, const void* from, std::size_t bytes) const;
  void read(void* to, const void* from, std::size_t bytes) const;
  void wait() const;
  std::size_t allocated() const;
  std::size_t peak() const;
  Work work() const;
  void count(const Work& work) const;
  void* scratch() const;
  std::size_t scratch_bytes() const;
  void* stream() const;  ///< the cudaStream_t

  /// As Host::among(), each rank with a device, or one for several, whose memory the others' can
  /// read, unless they go by way of the hosts (ranks_by_host.hpp).  All ranks call it.
  Cuda among(const std::shared_ptr<const Ranks>& ranks) const;
  const Ranks* ranks() const;
  /// As Host::divided().
  Cuda divided(std::shared_ptr<const VectorPart> part) const {
    Cuda one = *this;
    one.part_ = std::move(part);
    return one;
  }
  const VectorPart* part() const { return part_.get(); }
  /// One with the same ranks, without scratch for sums, with an order of work of its own that comes
  /// before others' (gpu/backend/branches.hpp).
  Cuda urgent_branch() const;
  /// The same one, whose arrays lie in nothing that is reserved: for what outlives its other
  /// arrays.
  Cuda apart() const {
    Cuda one = *this;
    one.is_apart_ = true;
    return one;
  }
  // In the devices' memory, by work that is given and may be recorded; what all ranks call.  Where
  // ranks of one process share a device these, and replay(), wait for it, unless it is recorded.
  void exchange(const std::vector<BorderRows>& vectors) const;
  void gather(void* values, const std::vector<std::size_t>& begin, int arrays = 1,
              std::size_t apart = 0) const;
  void trade(const std::vector<Message>& messages) const;

  // Facts of the device, for launches.
  int multiprocessors() const;
  const PassSizes& pass_sizes() const;                ///< those kept for the device, or by rule
  void use_pass_sizes(const PassSizes& sizes) const;  ///< of this backend and its copies, from now
  int shared_memory() const;                          ///< bytes that a block can have
  int allow_shared_memory(const void* kernel) const;  ///< lets its blocks use all of them
  /// The blocks of a kernel, of so many threads and without dynamic shared memory, that the device
  /// holds at once.
  int resident_blocks(const void* kernel, int threads) const;
  /// The architecture for which the code of a kernel was compiled that the device runs: 90 for
  /// sm_90.
  int architecture_of(const void* kernel) const;
  /// True if the kernel may start before the one before it ends: if the device runs code of it that
  /// waits by itself (gpu/launch/launch.cuh).
  bool may_overlap(const void* kernel) const;

  // Transfers beside which the host works: the host's memory must be page-locked.
  std::shared_ptr<void> page_locked(std::size_t bytes) const;  ///< zeros
  void begin_copy_in(void* to, const void* from, std::size_t bytes) const;
  void begin_read(void* to, const void* from, std::size_t bytes) const;
  std::shared_ptr<void> mark() const;                      ///< all work given before
  void wait_for(const std::shared_ptr<void>& mark) const;  ///< until that is done

  void begin_recording() const;  ///< work given from here on is recorded, not run
  std::shared_ptr<void> end_recording(std::int64_t* kernels) const;  ///< and how many nodes it has
  void abort_recording() const noexcept;  ///< forgets it; errors are those that led here
  void replay(const std::shared_ptr<void>& recording) const;

  struct State;

 private:
  struct Peers;
  bool shares_device() const;  ///< with another rank

  std::shared_ptr<State> state_;
  std::shared_ptr<const Peers> peers_;
  std::shared_ptr<const VectorPart> part_;
  bool is_apart_ = false;
};

/// The number of chunk sums of an extent that is not empty; an int up to level 16 and for fewer
/// than 2^41 values without a grid.
inline int chunk_sums(const Extent& extent) {
  return sum_chunks(extent.box.width()) * (extent.box.height() - 1) + sum_chunks(extent.last_row);
}

/// What a sum over an extent is over: of a vector that is divided, all of it.
template <Backend B>
Extent summed_extent(const B& on, const Extent& extent) {
  return on.part() == nullptr ? extent : Extent(Box{0, on.part()->total(), 0, 1});
}

/// Where the chunk sums of a sum have their places: of a vector that is divided, those of the
/// backend's rank among all.
template <class T, Backend B>
T* own_chunk_sums(const B& on) {
  T* const all = static_cast<T*>(on.scratch());
  return on.part() == nullptr ? all : all + on.part()->first() / sum_chunk;
}

/// Makes the chunk sums of a vector that is divided everybody's.
template <class T, Backend B>
void gather_chunk_sums(const B& on) {
  if (on.part() == nullptr) return;
  std::vector<std::size_t> begin;
  for (const int first : on.part()->begins()) {
    begin.push_back(static_cast<std::size_t>((first + sum_chunk - 1) / sum_chunk) * sizeof(T));
  }
  on.gather(on.scratch(), begin);
}

/// Throws std::invalid_argument unless the backend's scratch suffices for the partial sums of
/// values of `value_bytes` bytes over an extent.
template <Backend B>
void require_scratch(const B& on, const Extent& extent, std::size_t value_bytes) {
  const Box all = summed_extent(on, extent).box;
  const std::size_t needed = value_bytes * sum_partials(all.width(), all.height());
  if (needed > on.scratch_bytes()) {
    throw std::invalid_argument("a sum needs " + std::to_string(needed) + " bytes of scratch, the "
                                + "backend has " + std::to_string(on.scratch_bytes()));
  }
}

/// What the CUDA runtime says of a device; `present` is false, and `reason` says why, if none can
/// be used.
struct CudaDescription {
  bool present = false;
  std::string reason;
  std::string name, detail, driver;
  std::size_t memory_total = 0, memory_available = 0;
};
CudaDescription describe_cuda(int device = 0);
/// How many there are that can be used.
int count_cuda_devices();

/// The vector instructions that the host's operations are compiled for, "AVX2", or "AVX-512" where
/// the second library is loaded (cmake/avx512.cmake); empty for others.  The bits are the same.
std::string_view host_instructions();

/// The same for the host: processor name, threads, memory.
struct HostDescription {
  std::string name, detail;  ///< detail: threads and instructions
  int threads = 1;
  std::size_t memory_total = 0, memory_available = 0;
};
HostDescription describe_host();

}  // namespace ninefold
