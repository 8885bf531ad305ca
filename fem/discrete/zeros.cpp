#include "fem/discrete/zeros.hpp"

#include <algorithm>
#include <cstdint>

#include <sys/mman.h>

namespace ninefold {

void prepare_pages(void* memory, std::size_t bytes) {
  constexpr std::size_t few = std::size_t{8} << 20;  // hardly a millisecond
  constexpr std::size_t page = 4096, huge_page = std::size_t{2} << 20;
  if (bytes < few) return;
  const auto start = reinterpret_cast<std::uintptr_t>(memory);
  const std::uintptr_t first = (start + page - 1) / page * page;
  // Where it is refused, pages are small.
  (void)madvise(reinterpret_cast<void*>(first), (start + bytes - first) / page * page,
                MADV_HUGEPAGE);
  // Pieces that no two threads share a huge page of.
  const std::uintptr_t end = start + bytes, aligned = start / huge_page * huge_page;
  const auto pieces = static_cast<std::int64_t>((end - aligned + huge_page - 1) / huge_page);
#pragma omp parallel for schedule(dynamic, 1)
  for (std::int64_t piece = 0; piece < pieces; ++piece) {
    const std::uintptr_t begin = aligned + static_cast<std::uintptr_t>(piece) * huge_page;
    for (std::uintptr_t k = std::max(begin, start); k < std::min(begin + huge_page, end);
         k += page) {
      *reinterpret_cast<volatile char*>(k) = 0;
    }
  }
}

}  // namespace ninefold
