#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <optional>
#include <unordered_map>
#include <utility>
#include <vector>

#include "gpu/backend/cuda_devices.hpp"
#include "gpu/backend/cuda_reason.hpp"
#include "gpu/backend/device.cuh"
#include "gpu/backend/device_facts.cuh"
#include "gpu/backend/device_memory.cuh"
#include "gpu/backend/page_locked.cuh"
#include "gpu/backend/posted_values.cuh"
#include "gpu/backend/unrecorded.cuh"

namespace ninefold {

namespace {

/// Large transfers go through page-locked memory, in pieces; the runtime has some for others, and
/// to make ours takes milliseconds.
constexpr std::size_t large_transfer = std::size_t{1} << 22, transfer_piece = large_transfer;

/// For tools that look for accesses outside of arrays, and see those of the driver alone.
bool arrays_are_separate() {
  static const bool are_separate = std::getenv("NINEFOLD_SEPARATE_ARRAYS") != nullptr;
  return are_separate;
}

/// What is known of a kernel, or found now.
template <class Find>
int found(std::unordered_map<const void*, int>& known, const void* kernel, const Find& find) {
  const auto entry = known.find(kernel);
  return entry != known.end() ? entry->second : known.emplace(kernel, find()).first->second;
}

/// Before a rank's kernel is asked for: who loads it waits for all work of its device, and holds a
/// lock of the driver meanwhile, which the other ranks' threads may wait for.
void end_before_loading(cudaStream_t stream) {
  (void)end_unless_recorded(stream);
}

}  // namespace

struct Cuda::State {
  State(std::size_t bytes, int which, bool is_urgent = false)
      : device(which), scratch_bytes(bytes) {
    use();
    NINEFOLD_CHECK_CUDA(
        cudaDeviceGetAttribute(&shared_memory, cudaDevAttrMaxSharedMemoryPerBlockOptin, device));
    NINEFOLD_CHECK_CUDA(
        cudaDeviceGetAttribute(&multiprocessors, cudaDevAttrMultiProcessorCount, device));
    sizes = DeviceSizes::of(device, multiprocessors);
    NINEFOLD_CHECK_CUDA(cudaDriverGetVersion(&driver));
    NINEFOLD_CHECK_CUDA(
        cudaDeviceGetAttribute(&reads_host_memory, cudaDevAttrPageableMemoryAccess, device));
    try {
      int least = 0, greatest = 0;
      NINEFOLD_CHECK_CUDA(cudaDeviceGetStreamPriorityRange(&least, &greatest));
      NINEFOLD_CHECK_CUDA(cudaStreamCreateWithPriority(&stream, cudaStreamNonBlocking,
                                                       is_urgent ? greatest : least));
      if (scratch_bytes > 0) NINEFOLD_CHECK_CUDA(cudaMalloc(&scratch, scratch_bytes));
      posted.emplace();
    } catch (...) {
      give_back();
      throw;
    }
    memory.add(scratch_bytes);
  }
  State(const State&) = delete;
  State& operator=(const State&) = delete;
  ~State() { give_back(); }

  /// Must not throw; errors of the device that no call has waited for are lost.
  void give_back() noexcept {
    cudaSetDevice(device);
    if (stream != nullptr) cudaStreamSynchronize(stream);  // a copy may be in flight
    if (scratch != nullptr) cudaFree(scratch);
    for (void* const p : released) cudaFree(p);
    if (stream != nullptr) cudaStreamDestroy(stream);
  }

  void* staging_piece() {
    if (!staging) staging.emplace(transfer_piece);
    return staging->data();
  }

  /// Calls of the runtime go to the device that the thread has chosen last.
  void use() const { NINEFOLD_CHECK_CUDA(cudaSetDevice(device)); }

  int device, shared_memory = 0, driver = 0, multiprocessors = 0;
  PassSizes sizes;
  int reads_host_memory = 0;  ///< even if not page-locked, so that nobody need copy it first
  cudaStream_t stream = nullptr;
  std::size_t scratch_bytes;
  void* scratch = nullptr;
  std::optional<PageLocked> staging;   ///< for a piece, when it is asked for
  std::optional<PostedValues> posted;  ///< there while the device is
  DeviceMemory arrays;
  /// Until the end where ranks share a device: cudaFree waits for the work of all, and another's
  /// may wait for this one's.
  std::vector<void*> released;
  MemoryCounter memory;
  Work work;
  std::unordered_map<const void*, int> architectures;  ///< of kernels
  std::unordered_map<const void*, int> resident;       ///< blocks of kernels, by resident_blocks()
  std::unordered_map<const void*, int> allowed;        ///< shared memory of kernels that have all
};

int multiprocessors_of(int device) {
  int count = 0;
  NINEFOLD_CHECK_CUDA(cudaDeviceGetAttribute(&count, cudaDevAttrMultiProcessorCount, device));
  return count;
}

void keep_pass_sizes(KeptPassSizes kept) {
  DeviceSizes::keep(std::move(kept));
}

Cuda::Cuda(std::size_t scratch_bytes, int device)
    : state_(std::make_shared<State>(scratch_bytes, device)) {}

Cuda Cuda::urgent_branch() const {
  Cuda one = *this;
  one.state_ = std::make_shared<State>(0, device(), true);
  one.state_->sizes = state_->sizes;
  return one;
}

int Cuda::device() const {
  return state_->device;
}

void Cuda::use() const {
  state_->use();
}

int Cuda::architecture_of(const void* kernel) const {
  use();
  constexpr int architecture = -1;  // beside numbers of threads
  const auto ask = [&] {
    if (peers_ != nullptr) end_before_loading(state_->stream);
    cudaFuncAttributes attributes{};
    NINEFOLD_CHECK_CUDA(cudaFuncGetAttributes(&attributes, kernel));
    return attributes.ptxVersion;
  };
  return found(state_->architectures, kernel,
               [&] { return KernelFacts::of(state_->device, kernel, architecture, ask); });
}

/// Recorded overlap needs a driver of CUDA 12.3.
bool Cuda::may_overlap(const void* kernel) const {
  // Asked of any driver: what must be loaded is loaded here.
  const bool may = architecture_of(kernel) >= 90;
  return may && state_->driver >= 12030;
}

int Cuda::resident_blocks(const void* kernel, int threads) const {
  use();
  const auto ask = [&] {
    if (peers_ != nullptr) end_before_loading(state_->stream);
    int blocks = 0;
    NINEFOLD_CHECK_CUDA(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, kernel, threads, 0));
    return blocks * state_->multiprocessors;
  };
  return found(state_->resident, kernel,
               [&] { return KernelFacts::of(state_->device, kernel, threads, ask); });
}

int Cuda::multiprocessors() const {
  return state_->multiprocessors;
}

const PassSizes& Cuda::pass_sizes() const {
  return state_->sizes;
}

void Cuda::use_pass_sizes(const PassSizes& sizes) const {
  state_->sizes = sizes;
}

int Cuda::shared_memory() const {
  return state_->shared_memory;
}

int Cuda::allow_shared_memory(const void* kernel) const {
  return found(state_->allowed, kernel, [&] {
    use();
    if (peers_ != nullptr) end_before_loading(state_->stream);
    const int bytes = state_->shared_memory;
    NINEFOLD_CHECK_CUDA(
        cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, bytes));
    return bytes;
  });
}

void Cuda::reserve(std::size_t bytes) const {
  use();
  if (arrays_are_separate() || bytes <= state_->memory.held()) return;
  std::size_t available = 0, total = 0;
  NINEFOLD_CHECK_CUDA(cudaMemGetInfo(&available, &total));
  // Ends of ranges that do not fit each other.  What is more than half has its arrays one by one:
  // it might fit in no other way.
  constexpr std::size_t ends = std::size_t{1} << 21;
  const std::size_t block = bytes - state_->memory.held() + ends;
  if (block <= available / 2) state_->arrays.reserve(block, state_->stream);
}

void* Cuda::allocate(std::size_t bytes) const {
  use();
  void* p = nullptr;
  const cudaError_t status = arrays_are_separate() || is_apart_
                                 ? DeviceMemory::take_alone(&p, bytes, state_->stream)
                                 : state_->arrays.take(&p, bytes, state_->stream);
  if (status != cudaSuccess) {
    const std::string words = "the CUDA device has no " + std::to_string(bytes)
                              + " bytes of memory left: " + cudaGetErrorString(status);
    if (status == cudaErrorMemoryAllocation) throw OutOfMemory(words);
    throw std::runtime_error(words);
  }
  state_->memory.add(bytes);
  return p;
}

void Cuda::release(void* p, std::size_t bytes) const noexcept {
  cudaSetDevice(state_->device);
  if (!state_->arrays.put_back(p, !shares_device())) {
    if (shares_device()) {
      state_->released.push_back(p);
    } else {
      cudaFree(p);  // waits for the work that uses p
    }
  }
  state_->memory.remove(bytes);
}

void Cuda::copy_in(void* to, const void* from, std::size_t bytes) const {
  use();
  if (bytes < large_transfer) {
    NINEFOLD_CHECK_CUDA(cudaMemcpyAsync(to, from, bytes, cudaMemcpyHostToDevice, state_->stream));
    if (state_->reads_host_memory != 0) wait();
    return;
  }
  void* const staging = state_->staging_piece();
  for (std::size_t done = 0; done < bytes; done += transfer_piece) {
    const std::size_t part = std::min(bytes - done, transfer_piece);
    wait();  // what was copied last may still be on its way
    std::memcpy(staging, static_cast<const char*>(from) + done, part);
    NINEFOLD_CHECK_CUDA(cudaMemcpyAsync(static_cast<char*>(to) + done, staging, part,
                                        cudaMemcpyHostToDevice, state_->stream));
  }
}

void Cuda::copy_within(void* to, const void* from, std::size_t bytes) const {
  use();
  NINEFOLD_CHECK_CUDA(cudaMemcpyAsync(to, from, bytes, cudaMemcpyDeviceToDevice, state_->stream));
}

void Cuda::read(void* to, const void* from, std::size_t bytes) const {
  use();
  if (bytes <= PostedValues::most_bytes)
    return state_->posted->read(state_->stream, to, from, bytes);
  if (bytes < large_transfer) {
    NINEFOLD_CHECK_CUDA(cudaMemcpyAsync(to, from, bytes, cudaMemcpyDeviceToHost, state_->stream));
    wait();
    return;
  }
  void* const staging = state_->staging_piece();
  for (std::size_t done = 0; done < bytes; done += transfer_piece) {
    const std::size_t part = std::min(bytes - done, transfer_piece);
    NINEFOLD_CHECK_CUDA(cudaMemcpyAsync(staging, static_cast<const char*>(from) + done, part,
                                        cudaMemcpyDeviceToHost, state_->stream));
    wait();
    std::memcpy(static_cast<char*>(to) + done, staging, part);
  }
}

void Cuda::wait() const {
  use();
  NINEFOLD_CHECK_CUDA(cudaStreamSynchronize(state_->stream));
}

std::size_t Cuda::allocated() const {
  return state_->memory.held();
}
std::size_t Cuda::peak() const {
  return state_->memory.peak();
}
Work Cuda::work() const {
  return state_->work;
}
void Cuda::count(const Work& work) const {
  state_->work += work;
}
void* Cuda::scratch() const {
  return state_->scratch;
}
std::size_t Cuda::scratch_bytes() const {
  return state_->scratch_bytes;
}
void* Cuda::stream() const {
  return state_->stream;
}

std::shared_ptr<void> Cuda::page_locked(std::size_t bytes) const {
  use();
  void* p = nullptr;
  NINEFOLD_CHECK_CUDA(cudaMallocHost(&p, bytes));
  std::memset(p, 0, bytes);
  return {p, [](void* q) { cudaFreeHost(q); }};
}

void Cuda::begin_copy_in(void* to, const void* from, std::size_t bytes) const {
  use();
  NINEFOLD_CHECK_CUDA(cudaMemcpyAsync(to, from, bytes, cudaMemcpyHostToDevice, state_->stream));
}

void Cuda::begin_read(void* to, const void* from, std::size_t bytes) const {
  use();
  NINEFOLD_CHECK_CUDA(cudaMemcpyAsync(to, from, bytes, cudaMemcpyDeviceToHost, state_->stream));
}

std::shared_ptr<void> Cuda::mark() const {
  use();
  cudaEvent_t event = nullptr;
  NINEFOLD_CHECK_CUDA(cudaEventCreateWithFlags(&event, cudaEventDisableTiming));
  std::shared_ptr<void> mark(event, [](void* p) { cudaEventDestroy(static_cast<cudaEvent_t>(p)); });
  NINEFOLD_CHECK_CUDA(cudaEventRecord(event, state_->stream));
  return mark;
}

void Cuda::wait_for(const std::shared_ptr<void>& mark) const {
  use();
  NINEFOLD_CHECK_CUDA(cudaEventSynchronize(static_cast<cudaEvent_t>(mark.get())));
}

void Cuda::begin_recording() const {
  use();
  // Now, since a recording waits for nothing.
  if (peers_ != nullptr) end_before_loading(state_->stream);
  NINEFOLD_CHECK_CUDA(cudaStreamBeginCapture(state_->stream, cudaStreamCaptureModeThreadLocal));
}

void Cuda::abort_recording() const noexcept {
  cudaSetDevice(state_->device);
  cudaGraph_t graph = nullptr;
  cudaStreamEndCapture(state_->stream, &graph);
  if (graph != nullptr) cudaGraphDestroy(graph);
  cudaGetLastError();
}

std::shared_ptr<void> Cuda::end_recording(std::int64_t* kernels) const {
  use();
  cudaGraph_t graph = nullptr;
  NINEFOLD_CHECK_CUDA(cudaStreamEndCapture(state_->stream, &graph));
  std::size_t nodes = 0;
  const cudaError_t counted = cudaGraphGetNodes(graph, nullptr, &nodes);
  *kernels = static_cast<std::int64_t>(nodes);
  cudaGraphExec_t executable = nullptr;
  const cudaError_t status = cudaGraphInstantiate(&executable, graph, 0);
  cudaGraphDestroy(graph);
  check_cuda(counted, "cudaGraphGetNodes");
  check_cuda(status, "cudaGraphInstantiate");
  std::shared_ptr<void> recording(
      executable, [](void* p) { cudaGraphExecDestroy(static_cast<cudaGraphExec_t>(p)); });
  NINEFOLD_CHECK_CUDA(cudaGraphUpload(executable, state_->stream));
  return recording;
}

namespace {

__global__ void probe_kernel() {}

CudaProblem problem_of(cudaError_t status) {
  switch (status) {
    case cudaErrorNoDevice:
      return CudaProblem::no_device;
    case cudaErrorInsufficientDriver:
    case cudaErrorUnsupportedPtxVersion:
      return CudaProblem::old_driver;
    case cudaErrorNoKernelImageForDevice:
    case cudaErrorInvalidDeviceFunction:
      return CudaProblem::no_code;
    default:
      return CudaProblem::other;
  }
}

}  // namespace

int count_cuda_devices() {
  int count = 0;
  if (cudaGetDeviceCount(&count) != cudaSuccess) {
    cudaGetLastError();
    return 0;
  }
  return count;
}

CudaDescription describe_cuda(int device) {
  CudaDescription found;
  CudaFacts facts;
  facts.architectures = {__CUDA_ARCH_LIST__};
  const auto failed = [&](cudaError_t status) {
    if (status == cudaSuccess) return false;
    cudaGetLastError();
    facts.message = cudaGetErrorString(status);
    found.reason = cuda_reason(problem_of(status), facts);
    return true;
  };
  int count = 0;
  cudaDeviceProp properties{};
  cudaFuncAttributes attributes{};
  // The first two need neither device nor driver.
  if (failed(cudaDriverGetVersion(&facts.driver)) || failed(cudaRuntimeGetVersion(&facts.runtime))
      || failed(cudaGetDeviceCount(&count))) {
    return found;
  }
  if (count <= device) {
    found.reason = count == 0 ? cuda_reason(CudaProblem::no_device, facts)
                              : "there is no CUDA device " + std::to_string(device) + ", only "
                                    + std::to_string(count);
    return found;
  }
  if (failed(cudaGetDeviceProperties(&properties, device))) return found;
  facts.name = properties.name;
  facts.capability = 10 * properties.major + properties.minor;
  if (failed(cudaSetDevice(device)) || failed(cudaFuncGetAttributes(&attributes, probe_kernel))
      || failed(cudaMemGetInfo(&found.memory_available, &found.memory_total))) {
    return found;
  }
  found.present = true;
  found.name = properties.name;
  found.detail = "compute capability " + std::to_string(properties.major) + "."
                 + std::to_string(properties.minor) + ", "
                 + std::to_string(properties.multiProcessorCount) + " multiprocessors";
  found.driver = "CUDA " + cuda_version(facts.driver);
  return found;
}

}  // namespace ninefold
