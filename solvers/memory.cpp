// The part of solvers/solve.hpp that counts bytes.

#include <algorithm>
#include <cstdio>
#include <stdexcept>
#include <string>

#include <fmt/format.h>

#include "precision/parameter_format.hpp"

#include "gpu/backend/backend.hpp"

#include "solvers/judgement/accuracy.hpp"
#include "solvers/judgement/change_watch.hpp"
#include "solvers/krylov/conjugate_gradients.hpp"
#include "solvers/krylov/guided_cg.hpp"
#include "solvers/multigrid/multigrid.hpp"
#include "solvers/multigrid/smoothing.hpp"
#include "solvers/solve.hpp"

namespace ninefold {

namespace {

/// What depends on the problem and its grid.
struct Extras {
  bool lines = false;    ///< a device smooths by lines
  bool watches = false;  ///< changes are watched beside the residual
  bool singular = false;
  bool judges = false;         ///< a multigrid is made at the end ...
  bool judging_lines = false;  ///< ... which smooths by lines on a device
};

/// What the judgement of the solution holds.
template <Number T>
std::size_t judging_bytes(int n, const SolverOptions& options) {
  return options.norm == StoppingNorm::error ? Accuracy<Host, T>::bytes(n, n) : 0;
}

/// Of the multigrid that judges at the end.
template <Number T>
std::size_t cycle_bytes(int level, OperatorStorage storage, const Extras& extras) {
  if (!extras.judges) return 0;
  return std::max(Multigrid<Host, T>::bytes(level, storage, extras.judging_lines)
                      + (extras.singular ? sizeof(Arithmetic<T>) : 0),
                  Multigrid<Host, T>::bytes_of_assembly(level, storage));
}

/// The most that is held at once: at the end, or (on the smallest grids) while the finest matrix is
/// assembled from its couplings.
template <Number T>
std::size_t backend_bytes(int level, const SolverOptions& options, const Extras& extras) {
  const int n = (1 << level) + 1;
  const bool lines = extras.lines;
  const std::size_t scratch = sum_scratch_bytes(n, n);
  const std::size_t vector = NodeVector<Host, T>::storage(n, n) * sizeof(T);
  const OperatorStorage storage = storage_of(options);
  const std::size_t matrix = Matrix<Host, T>::bytes(n, n, storage);
  const std::size_t couplings = Matrix<Host, T>::bytes_of_couplings(n, n, storage);
  const std::size_t judging = judging_bytes<T>(n, options);
  const std::size_t mean = extras.singular ? sizeof(Arithmetic<T>) : 0;
  const std::size_t scalars =
      sizeof(CgState<Arithmetic<T>>) + sizeof(Arithmetic<T>) + judging + mean;
  const auto multigrid_after = [&](std::size_t before, std::size_t after) {
    return before
           + std::max(Multigrid<Host, T>::bytes(level, storage, lines) + after,
                      Multigrid<Host, T>::bytes_of_assembly(level, storage));
  };
  const auto matrix_after = [&](std::size_t before, std::size_t after) {
    return before + matrix + std::max(couplings, after);
  };
  const std::size_t cycle = cycle_bytes<T>(level, judging_storage(options), extras);
  if (options.method == Method::multigrid) {
    const std::size_t watch = extras.watches ? ChangeWatch<Host, T>::bytes(n, n) : 0;
    return multigrid_after(scratch, sizeof(Arithmetic<T>) + judging + mean + watch + cycle);
  }
  switch (options.preconditioner) {
    case Preconditioning::none:
      return matrix_after(scratch + 4 * vector, vector + scalars + cycle);
    case Preconditioning::jacobi:
      return matrix_after(scratch + 4 * vector, 2 * vector + scalars + cycle);
    case Preconditioning::multigrid:
      return multigrid_after(scratch + 4 * vector, scalars + cycle);
  }
  throw std::logic_error("a preconditioner without a memory forecast");
}

/// What one stage of refinement holds, the vectors and scalars of High's own work included.
template <Number High>
std::size_t stage_bytes(int n, OperatorStorage storage, int vectors) {
  using C = Arithmetic<High>;
  return Matrix<Host, High>::bytes(n, n, storage)
         + static_cast<std::size_t>(vectors) * NodeVector<Host, High>::storage(n, n) * sizeof(High)
         + sizeof(C);
}

/// The same for mixed precision: `outer` bytes and `inner` ones, which are apart if the outer
/// solver runs on the host.
struct MixedBytes {
  std::size_t outer, inner;
};

template <Number High, Number Low>
MixedBytes mixed_bytes(int level, const SolverOptions& options, bool split, const Extras& extras) {
  const int n = (1 << level) + 1;
  const bool lines = extras.lines;
  using C = Arithmetic<High>;
  const RefinementOptions& refinement = options.refinement;
  const bool watches = extras.watches && refinement.variant == RefinementVariant::refinement;
  const std::size_t watch = watches ? ChangeWatch<Host, High>::bytes(n, n) : 0;
  const std::size_t judging = judging_bytes<High>(n, options)
                              + cycle_bytes<High>(level, judging_storage(options), extras) + watch;
  const std::size_t low = NodeVector<Host, Low>::storage(n, n) * sizeof(Low);
  const OperatorStorage storage = storage_of(options);
  const OperatorStorage last = storage_of_stage(options, refinement.inner.size() - 1);
  const std::size_t matrix = Matrix<Host, Low>::bytes(n, n, last);
  const std::size_t couplings = Matrix<Host, Low>::bytes_of_couplings(n, n, last);

  std::size_t stages = 0;  // between the outermost and the last, made after the latter
  for (std::size_t k = 0; k + 1 < refinement.inner.size(); ++k) {
    with_type(refinement.inner[k], [&]<class T>() {
      stages += stage_bytes<T>(n, storage_of_stage(options, k), 2)
                + sizeof(RefinementState<Arithmetic<T>>);
    });
  }
  const std::size_t mean = extras.singular ? sizeof(Arithmetic<Low>) : 0;
  if (refinement.variant == RefinementVariant::residual_guided_cg) {
    const std::size_t after = 4 * low + sizeof(RefinementState<C>)
                              + sizeof(CgState<Arithmetic<Low>>) + sizeof(Arithmetic<Low>) + mean;
    return {stage_bytes<High>(n, storage, 2) + judging, matrix + std::max(couplings, after)};
  }
  const bool flexible = refinement.variant == RefinementVariant::flexible_cg;
  const std::size_t outer_scalars = split      ? 0
                                    : flexible ? 2 * sizeof(RefinementState<C>) + sizeof(CgState<C>)
                                               : sizeof(RefinementState<C>);
  const std::size_t after = stages + outer_scalars;
  const auto multigrid = [&](std::size_t before, std::size_t scalars) {
    return before
           + std::max(Multigrid<Host, Low>::bytes(level, last, lines) + scalars + after,
                      Multigrid<Host, Low>::bytes_of_assembly(level, last));
  };
  const MixedBytes none{stage_bytes<High>(n, storage, flexible ? 5 : 2) + judging, 0};
  const auto with = [&](std::size_t inner) { return MixedBytes{none.outer, inner}; };
  const std::size_t square = sizeof(Arithmetic<Low>), cg = sizeof(CgState<Arithmetic<Low>>) + mean;
  if (options.method == Method::multigrid) return with(multigrid(0, square + mean));
  switch (options.preconditioner) {
    case Preconditioning::none:
      return with(square + 5 * low + matrix + std::max(couplings, cg + after));
    case Preconditioning::jacobi:
      return with(square + 5 * low + matrix + std::max(couplings, low + cg + after));
    case Preconditioning::multigrid:
      return with(multigrid(square + 4 * low, cg));
  }
  throw std::logic_error("a preconditioner without a memory forecast");
}

MixedBytes mixed_bytes(int level, const SolverOptions& options, bool split, const Extras& extras) {
  return with_type(options.precision, [&]<class High>() {
    return with_type(options.refinement.inner.back(), [&]<class Low>() {
      return mixed_bytes<High, Low>(level, options, split, extras);
    });
  });
}

std::string in_gibibytes(std::size_t bytes) {
  char text[32];
  std::snprintf(text, sizeof text, "%.2f GiB", static_cast<double>(bytes) / (1 << 30));
  return text;
}

void require_fit(std::size_t needed, std::size_t available, const char* where) {
  if (needed <= available) return;
  throw std::runtime_error(fmt::format(
      "the run needs {} of memory on the {}, but only {} are free: use fewer levels ({}) or a "
      "smaller format ({}; in mixed precision {})",
      in_gibibytes(needed), where, in_gibibytes(available), Parameter::levels, Parameter::precision,
      Parameter::inner_precision));
}

MemoryForecast forecast(int level, const SolverOptions& options, BackendKind where,
                        const Extras& extras) {
  require(level >= 1 && level <= max_level, "level " + std::to_string(level)
                                                + " is out of range: 1 to "
                                                + std::to_string(max_level) + " are possible");
  const std::size_t n = (std::size_t{1} << level) + 1;
  MemoryForecast forecast;
  with_type(options.precision, [&]<class T>() {
    if (!options.refinement.used()) forecast.backend = backend_bytes<T>(level, options, extras);
    forecast.host =
        3 * n * n * sizeof(Assembly<T>);  // load and start, or solution, exact and error
  });
  if (options.refinement.used()) {
    const bool split =
        where == BackendKind::cuda && options.refinement.outer_backend == OuterBackend::host;
    const MixedBytes bytes = mixed_bytes(level, options, split, extras);
    const std::size_t scratch = sum_scratch_bytes(static_cast<int>(n), static_cast<int>(n));
    forecast.backend = scratch + bytes.inner + (split ? 0 : bytes.outer);
    if (split) {
      with_type(options.refinement.inner.front(), [&]<class Low>() {
        // Two vectors pass through page-locked memory.
        forecast.host += scratch + bytes.outer + 2 * n * n * sizeof(Low);
      });
    }
  }
  return forecast;
}

}  // namespace

MemoryForecast forecast_memory(int level, const SolverOptions& options, BackendKind where) {
  const bool lines = where == BackendKind::cuda && options.multigrid.smoother != Smoother::jacobi;
  return forecast(level, options, where, {.lines = lines});
}

MemoryForecast forecast_memory(const Problem& problem, const std::vector<TensorGrid>& grids,
                               const SolverOptions& stated, BackendKind where) {
  const TensorGrid& finest = grids.back();
  const SolverOptions options = settled(stated, problem, finest);
  const bool lines =
      where == BackendKind::cuda
      && choose_smoothing(options.multigrid, finest, problem.gx, problem.gy).by_lines();
  const bool outer_on_device =
      where == BackendKind::cuda
      && !(options.refinement.used() && options.refinement.outer_backend == OuterBackend::host);
  return forecast(
      static_cast<int>(grids.size()) - 1, options, where,
      {.lines = lines,
       .watches = watches_changes(options, problem, finest),
       .singular = has_free_constant(problem),
       .judges = judges_by_a_cycle(options, problem, finest),
       .judging_lines =
           outer_on_device && choose_smoothing({}, finest, problem.gx, problem.gy).by_lines()});
}

void require_memory(const MemoryForecast& forecast, BackendKind where) {
  const std::size_t host = describe_host().memory_available;
  if (where == BackendKind::host) {
    require_fit(forecast.backend + forecast.host, host, "host");
  } else {
    require_fit(forecast.backend, describe_cuda().memory_available, "CUDA device");
    require_fit(forecast.host, host, "host");
  }
}

}  // namespace ninefold
