#pragma once
// What a CUDA device does in other pieces than the host, with the same bits: the list of tuned
// kernels, what each stands for and what it won.
//
// line_step is declared in gpu/operations/line_operations.hpp for both: its meaning is the loop
// over lines of gpu/meaning/host_line_operations.hpp, its kernels are those of
// gpu/kernels/line_step.cuh.  A thread for each line, as the loop has it, would leave a device
// idle.
//
// visit_coarse stands for the steps of a cycle (solvers/multigrid/multigrid.hpp) from a small level
// down.  A kernel of its own for each of them would do next to nothing in the time that a launch
// takes; here one block of threads runs all of them, matrix and vectors in the shared memory of one
// multiprocessor.
//
// Shape.  A cycle is a list of steps (solvers/multigrid/schedule.hpp), so that V-, F- and W-cycles
// are one kernel.  Lists and views are passed by value: nothing is allocated, and a recorded graph
// holds them.
//
// Cost.  The matrices of the levels and x, t and b of the finest are read once, x of that is
// written once.
//
// It won, together with overlapping launches (gpu/launch/launch.cuh): an F-cycle with 2+2 steps on
// an H200 takes 0.162 ms instead of 0.248 on level 8 in single, 0.367 instead of 0.496 on level 10;
// in double 0.188 instead of 0.286, 0.505 instead of 0.638
// (results/reference/h200_small_levels.csv).
//
// Rounding.  The functors of gpu/meaning/generic_row_operations.hpp run on views of shared memory,
// in the order of the steps, and lines are solved as gpu/operations/line_systems.hpp says: the same
// bits.
//
// Tests.  tests/gpu/operations/coarse_cycle_test.cpp (host), tests/gpu/device/coarse_cycle_test.cpp
// (device)

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <stdexcept>
#include <type_traits>

#include "precision/host_device.hpp"
#include "precision/number.hpp"

#include "grids/field.hpp"
#include "grids/transfer.hpp"

#include "fem/matrix/factored_rows.hpp"
#include "fem/matrix/nine_band.hpp"

#include "gpu/backend/backend.hpp"
#include "gpu/operations/coarse_lines.hpp"
#include "gpu/operations/line_operations.hpp"
#include "gpu/operations/line_systems.hpp"
#include "gpu/operations/lines.hpp"
#include "gpu/operations/row_operations.hpp"

namespace ninefold {

/// Levels that one kernel takes over are at most this wide: 31 x 31 unknowns keep 1024 threads
/// busy, and more would wait for one multiprocessor while all others idle.  With 17 F-cycles take
/// as long within 3 %, with 9 they take longer.
inline constexpr int max_coarse_width = 33;
static_assert(max_coarse_width <= Slabs::most_undivided);
inline constexpr int max_coarse_levels = 5;  ///< 3, 5, 9, 17 and 33 nodes wide

/// Two W-cycles of five levels, one from zero, take 181.
inline constexpr int max_coarse_steps = 256;

enum class CycleOperation : std::uint8_t {
  set_zero,             ///< x = 0
  jacobi_start,         ///< x = omega D^-1 b, step 0 of a visit
  jacobi_steps,         ///< steps `first`, first + 1, ... of a visit, `count` in all: t = x + omega
                        ///< D^-1 (b - A x), then x and t change names
  line_steps,           ///< the same with all lines of step `first`, first + 1, ... of a LineSweep
  line_steps_in_place,  ///< a LineSweep's steps with x = x + omega T^-1 (b - A x)
  residual,             ///< t = b - A x
  restrict_down,        ///< b of the next coarser level = P^T t
  restrict_right,       ///< b of the next coarser level = P^T b
  solve_coarsest,       ///< A x = b
  solve_small,          ///< A x = b by eigenvectors, never in a list of coarse levels
  prolong_up            ///< x = x + P x of the next coarser level
};

/// True if an odd number of such steps ends in the vector that was t.
constexpr bool takes_turns(CycleOperation operation) {
  return operation == CycleOperation::jacobi_steps || operation == CycleOperation::line_steps;
}

/// Of the steps of a visit, in order; behind them those that take their place where a visit ends
/// for an interpolated solution.
template <class T>
using CycleRelaxations = std::type_identity_t<Relaxations<Leading<T>, cycle_relaxations>>;

struct CoarseStep {
  CycleOperation operation;
  std::uint8_t level;     ///< counted from the coarsest, 0
  std::uint8_t x;         ///< which of the level's two vectors, 0 or 1, is x; the other one is t
  std::uint8_t coarse_x;  ///< the same for the next coarser level
  std::int16_t count, first;
};

/// The steps of one or more visits, in order.
struct CoarseSchedule {
  int size = 0;
  CoarseStep step[max_coarse_steps] = {};
  std::uint8_t x[max_coarse_levels] = {};  ///< which vector is x after the last step

  void add(CycleOperation operation, int level, int count = 1, int first = 0) {
    if (size == max_coarse_steps || level >= max_coarse_levels) {
      throw std::logic_error("a schedule of coarse levels is too long");
    }
    if (operation == CycleOperation::solve_small) {
      throw std::logic_error("a level is solved by eigenvectors and taken over");
    }
    // All lines at once: here a step has read what it needs of x before it writes the first value.
    if (operation == CycleOperation::line_steps) operation = CycleOperation::line_steps_in_place;
    step[size++] = {operation,
                    static_cast<std::uint8_t>(level),
                    x[level],
                    level > 0 ? x[level - 1] : std::uint8_t{0},
                    static_cast<std::int16_t>(count),
                    static_cast<std::int16_t>(first)};
    if (takes_turns(operation)) x[level] ^= count & 1;
  }
};

/// What was kept of a level's lines in one direction; without values it is computed in each step.
template <class D>
struct KeptCoarseLines {
  const D* values = nullptr;
  int lines = 0;
  int memory = 0;  ///< where they are copied to, in bytes
  CoarseLines<D> place{};
  unsigned reciprocal = 0;  ///< of a line's segments, see coarse_row
};

/// The levels of one hierarchy from the coarsest up, and the vectors of the finest of them. Coarser
/// levels start from zero: their Dirichlet values are zeros, as those of corrections are.
template <Number T, class Rows = NineBand<const T>>
struct CoarseProblem {
  using C = Arithmetic<T>;

  struct Level {
    Rows A;
    Transfer<C> transfer;  ///< from the next coarser level
    /// Where the level's weights, its matrix and its first vector begin, and from a vector to the
    /// next, in bytes.
    int weights, entries, vectors, vector_bytes;
    unsigned reciprocal;                        ///< of the width of A.unknowns, see coarse_row
    KeptCoarseLines<Leading<T>> lines[2] = {};  ///< along x, along y
  };

  int levels = 0;
  int memory_bytes = 0;
  Level level[max_coarse_levels] = {};
  Field<T> x{}, t{};
  Field<const T> b{};
  unsigned row_reciprocal = 0;  ///< of their nodes in a row, see coarse_row
  LineSweep sweep{};            ///< of steps by lines
  int line_memory = 0;          ///< where their systems begin, in bytes

  static bool can_take(int nx, int ny) { return nx <= max_coarse_width && ny <= max_coarse_width; }

  void add(const Rows& A, const Transfer<C>& transfer);
  /// Takes over what has been kept of a level's lines along x and y, each of them null if nothing
  /// was; after add_lines.
  void keep_lines(int of_level, const Leading<T>* along_x, const Leading<T>* along_y);
  /// Makes room for steps by lines, when all levels are there.
  void add_lines(const LineSweep& of_all_steps);
};

/// k / width for k < width * height, with the width's `coarse_reciprocal`; right if the width times
/// k is below 2^20, since the reciprocal is too large by at most 2^-20.
HOST_DEVICE constexpr int coarse_row(int k, unsigned reciprocal) {
  return static_cast<int>(static_cast<unsigned>(k) * reciprocal >> 20);
}
constexpr unsigned coarse_reciprocal(int width) {
  return (1U << 20) / static_cast<unsigned>(width) + 1;
}

/// What a level's matrix takes: nine bands, or the factors of both directions.
template <class T>
HOST_DEVICE constexpr int coarse_matrix_bytes(const NineBand<const T>& A) {
  return 9 * A.nx * A.ny * static_cast<int>(sizeof(T));
}
template <class T>
HOST_DEVICE constexpr int coarse_matrix_bytes(const FactoredRows<T>& A) {
  return 2 * (A.nx + 1 + A.ny + 1) * static_cast<int>(sizeof(Arithmetic<T>));
}

template <Number T, class Rows>
void CoarseProblem<T, Rows>::add(const Rows& A, const Transfer<C>& transfer) {
  if (levels == max_coarse_levels || !can_take(A.nx, A.ny)) {
    throw std::logic_error("a level is too fine for the kernel of coarse levels");
  }
  // Its weights in both directions, its matrix and three vectors with margins.
  const int weights = (A.nx + A.ny) * static_cast<int>(sizeof(TransferWeights<C>));
  const int entries = memory_bytes + weights, vectors = entries + coarse_matrix_bytes(A);
  const int vector_bytes = (A.nx * A.ny + 2 * (A.nx + 1)) * static_cast<int>(sizeof(T));
  row_reciprocal = coarse_reciprocal(A.nx);
  level[levels++] = {A,
                     transfer,
                     memory_bytes,
                     entries,
                     vectors,
                     vector_bytes,
                     coarse_reciprocal(A.unknowns.width())};
  memory_bytes = (vectors + 3 * vector_bytes + 15) / 16 * 16;
}

template <Number T, class Rows>
void CoarseProblem<T, Rows>::keep_lines(int of_level, const Leading<T>* along_x,
                                        const Leading<T>* along_y) {
  for (const auto direction : {LineDirection::x, LineDirection::y}) {
    const bool is_y = direction == LineDirection::y;
    const Leading<T>* const values = is_y ? along_y : along_x;
    if (values == nullptr) continue;
    const Box& unknowns = level[of_level].A.unknowns;
    const int count = Lines{direction}.count(unknowns), n = Lines{direction}.length(unknowns);
    const int stride = sweep.stride_of(count);
    const auto place = CoarseLines<Leading<T>>::of(n, (count + stride - 1) / stride);
    level[of_level].lines[is_y] = {values, count, memory_bytes, place,
                                   coarse_reciprocal(place.segments)};
    memory_bytes += count * place.kept_of_line * static_cast<int>(sizeof(Leading<T>));
  }
}

template <Number T, class Rows>
void CoarseProblem<T, Rows>::add_lines(const LineSweep& of_all_steps) {
  const Box& unknowns = level[levels - 1].A.unknowns;
  const int n = std::max(unknowns.width(), unknowns.height());
  const int stride = of_all_steps.stride_of(n), lines = (n + stride - 1) / stride;
  sweep = of_all_steps;
  line_memory = memory_bytes;
  const auto kept = static_cast<std::size_t>(CoarseLines<Leading<T>>::of(n, lines).rights_of_line);
  const std::size_t values = std::max(line_values(n), kept) * lines;
  memory_bytes += static_cast<int>((values * sizeof(Leading<T>) + 15) / 16 * 16);
}

inline constexpr Traffic coarse_finest_traffic{3, 1};  // per node; matrices come on top of it

/// x of the finest level of the problem, in place: the steps of a schedule that ends there.  Needs
/// problem.memory_bytes <= on.shared_memory(); t holds the Dirichlet values of x, zeros where the
/// schedule begins with x = 0, and no more can be said of it afterwards.
template <Number T, class Rows>
void visit_coarse(const Cuda& on, const CoarseProblem<T, Rows>& problem,
                  const CoarseSchedule& schedule, const CycleRelaxations<T>& relaxations);

}  // namespace ninefold
