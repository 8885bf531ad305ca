#include <chrono>
#include <cmath>
#include <iostream>
#include <optional>
#include <stdexcept>

#include <fmt/format.h>

#include "fem/discrete/q1_element.hpp"

#include "solvers/solve.hpp"

#include "experiments/measure/line_smoothing.hpp"

#ifdef NINEFOLD_HAS_CUSPARSE
#include "experiments/measure/peers/cusparse_lines.hpp"
#endif

namespace ninefold {

Table make_peer_table() {
  return Table(with_context(
      {{.key = "level", .header = "level"},
       {.key = "precision", .header = "precision", .align = Align::left},
       {.key = "step", .header = "step", .align = Align::left},
       {.key = "solver", .header = "solver", .align = Align::left},
       {.key = "seconds", .header = "time", .unit = "ms", .style = significant(4), .scale = 1e-3},
       {.key = "recorded", .header = "recorded", .align = Align::left},
       {.key = "our_seconds",
        .header = "ours",
        .unit = "ms",
        .style = significant(4),
        .scale = 1e-3},
       {.key = "over_ours", .header = "over\nours", .style = fixed(2)},
       {.key = "difference", .header = "difference", .style = scientific(2)},
       {.key = "bound", .header = "bound", .style = scientific(2)},
       {.key = "remark", .header = "remark", .align = Align::left}}));
}

#ifdef NINEFOLD_HAS_CUSPARSE

namespace {

using Couplings = std::vector<NodeCouplings<double>>;

std::string name_of(LineDirection direction) {
  return direction == LineDirection::x ? "along x" : "along y";
}

/// Seconds of one call, given afresh each time: for what cannot be recorded.
template <class Work>
double seconds_of_calls(const Cuda& on, int stretches, const Work& work) {
  using Clock = std::chrono::steady_clock;
  constexpr int calls = 8;
  std::vector<double> times;
  for (int stretch = 0; stretch <= stretches; ++stretch) {  // the first one does not count
    const auto start = Clock::now();
    for (int k = 0; k < calls; ++k) work();
    on.wait();
    const double seconds = std::chrono::duration<double>(Clock::now() - start).count() / calls;
    if (stretch > 0) times.push_back(seconds);
  }
  return median_of(std::move(times));
}

struct Time {
  double seconds;
  bool recorded;
};

template <class Work>
Time time_of(const Cuda& on, int stretches, const Work& work) {
  constexpr int calls = 4;
  try {
    return {seconds_of(on, stretches, calls, work), true};
  } catch (const std::runtime_error& error) {
    std::cerr << "not recorded: " << error.what() << "\n";
    on.abort_recording();  // forgets the error
  }
  return {seconds_of_calls(on, stretches, work), false};
}

/// The smallest eigenvalue of D^-1/2 T D^-1/2 over the lines of one direction, D being T's
/// diagonal: T/k = r K + M with the stiffness K and mass M along the line and r = m/k, mass over
/// stiffness across it.  M's is 1/2 or more, and a vector whose quotient for K is below that for M
/// has a quotient that falls as r grows: the line with the largest r has it, or it is above 1/2.
/// By bisection with Sturm sequences.
double smallest_eigenvalue(const Couplings& along, const Couplings& across) {
  double r = 0;
  for (std::size_t j = 1; j + 1 < across.size(); ++j) {
    r = std::max(r, across[j].mass[1] / across[j].stiffness[1]);
  }
  const auto entry = [&](std::size_t i, int m) {
    return r * along[i].stiffness[m] + along[i].mass[m];
  };
  const auto none_below = [&](double sigma) {
    double pivot = 1 - sigma;
    for (std::size_t i = 2; i + 1 < along.size() && pivot > 0; ++i) {
      const double c = entry(i, 0);
      pivot = 1 - sigma - c * c / (entry(i, 1) * entry(i - 1, 1)) / pivot;
    }
    return pivot > 0;
  };
  double low = 1e-13, high = 0.5;
  if (none_below(high)) return high;
  while (high > 1.01 * low) {
    const double middle = std::sqrt(low * high);
    (none_below(middle) ? low : high) = middle;
  }
  return low;
}

/// Our step along a direction, and by how much another x may differ from it.
///
/// Norms: |v|_A by the energy, |v|_D with the diagonal D of A and of all T.  Let S = |x0|_D + |x|_D
/// for the start x0 and the result x.  In each half of a step
///   - the residual is off by 11 u (|A||x| + |b|), in the norm of D^-1 by 11 u (9 S + 18 |x0|_D):
///     a row has nine entries |a_jk| <= sqrt(a_jj a_kk), and b = A (2 x0);
///   - the solution z solves a system off by c u sqrt(T_jj T_kk) in up to four entries per row;
///     c = 8 (1 + log2 n): each of at most 1 + log2 n rounds of elimination, be it Gaussian or
///     cyclic, rounds an entry at most eight times;
///   - adding z to x rounds by u |x|.
/// In |.|_A, which is T's norm on lines that do not meet, this is u S (297 + 4 c) / sqrt(lambda) +
/// 2 u S, lambda being the smallest eigenvalue of the scaled T.  The exact half step is a
/// projection in the energy and lets no difference grow.  Two halves by two programs: four times.
template <class T>
struct Reference {
  LineDirection direction;
  std::vector<double> x;
  double size;   ///< S
  double bound;  ///< of |x - other x|_A / S
};

template <class T>
Reference<T> make_reference(const LineProblem<Cuda, T>& problem, const TensorGrid& grid,
                            LineDirection direction) {
  const Couplings in_x = node_couplings<double>(grid.x), in_y = node_couplings<double>(grid.y);
  const double scale = std::ldexp(1.0, matrix_exponent(grid));
  const auto norm = [&](const std::vector<double>& v) {
    double sum = 0;
#pragma omp parallel for reduction(+ : sum)
    for (std::size_t j = 0; j < in_y.size(); ++j) {
      for (std::size_t i = 0; i < in_x.size(); ++i) {
        const double value = v[j * in_x.size() + i];
        sum += value * value * diffusion<double>({scale, scale, 0.0}, in_x[i], in_y[j], 0, 0);
      }
    }
    return std::sqrt(sum);
  };
  problem.restart();
  problem.step(direction);
  Reference<T> reference{direction, download<Cuda, T>(problem.on(), problem.x(), 0), 0, 0};
  reference.size = 0.5 * norm(problem.start()) + norm(reference.x);
  const bool along_x = direction == LineDirection::x;
  const double lambda = smallest_eigenvalue(along_x ? in_x : in_y, along_x ? in_y : in_x);
  const double c = 8 * (1 + std::log2(static_cast<double>(along_x ? in_x.size() : in_y.size())));
  reference.bound = 4 * Format<T>::unit_roundoff * ((297 + 4 * c) / std::sqrt(lambda) + 2);
  return reference;
}

/// |problem.x() - reference.x|_A / S
template <class T>
double difference(const LineProblem<Cuda, T>& problem, const Reference<T>& reference) {
  std::vector<double> x = download<Cuda, T>(problem.on(), problem.x(), 0);
  for (std::size_t k = 0; k < x.size(); ++k) x[k] -= reference.x[k];
  const Array<Cuda, Arithmetic<T>> square(problem.on(), 1);
  upload(problem.on(), x, 0, problem.x());
  product_dot<Cuda, T>(problem.on(), problem.A(), problem.x(), problem.other(), square.data());
  // The energy of what is lost in rounding may come out negative.
  const double energy = static_cast<double>(read_value(problem.on(), square.data()));
  return std::sqrt(std::abs(energy)) / reference.size;
}

template <class T>
bool measure(const LineSmoothingSettings& settings, int level, const LineSeconds& ours,
             Table& table, const Context& context) {
  const Cuda on;
  const TensorGrid grid = stretched_grid(level);
  const LineProblem<Cuda, T> problem(on, grid, OperatorForm::plain);
  bool same = true;
  const auto row = [&](const std::string& step, const std::string& solver,
                       const std::optional<Time>& time, double our_seconds, Cell deviation,
                       Cell bound, const std::string& remark) {
    const bool there = time.has_value();
    table.add_row(with_context({std::int64_t{level}, std::string(Format<T>::name), step, solver,
                                there ? Cell(time->seconds) : Cell(),
                                there ? Cell(std::string(time->recorded ? "yes" : "no")) : Cell(),
                                our_seconds, there ? Cell(time->seconds / our_seconds) : Cell(),
                                std::move(deviation), std::move(bound), remark},
                               context));
    std::cerr << "." << std::flush;
  };

  // The fastest way along x and along y, among those that gather the matrix in every step and among
  // all.
  std::optional<CusparseWay> gathering[2], any[2];
  for (const LineDirection direction : {LineDirection::x, LineDirection::y}) {
    const int d = direction == LineDirection::x ? 0 : 1;
    const double our_seconds = d == 0 ? ours.along_x : ours.along_y;
    const Reference<T> reference = make_reference(problem, grid, direction);
    double least_gathering = 0, least = 0;
    const auto compete = [](std::optional<CusparseWay>& fastest, double& least_seconds,
                            const CusparseWay& way, double seconds) {
      if (fastest && seconds >= least_seconds) return;
      fastest = way;
      least_seconds = seconds;
    };
    for (const CusparseWay& way : cusparse_ways()) {
      try {
        const CusparseLines<T> peer(on, problem.A(), direction, way);
        problem.restart();
        peer.step(problem.b(), problem.x());
        const double deviation = difference(problem, reference);
        const bool agrees = deviation <= reference.bound;  // false for NaN
        problem.restart();
        const Time time =
            time_of(on, settings.stretches, [&] { peer.step(problem.b(), problem.x()); });
        row(name_of(direction), to_string(way), time, our_seconds, deviation, reference.bound,
            agrees ? "" : "not our x");
        same = same && agrees;
        if (!agrees) continue;
        compete(any[d], least, way, time.seconds);
        if (!way.kept) compete(gathering[d], least_gathering, way, time.seconds);
      } catch (const std::runtime_error& error) {
        row(name_of(direction), to_string(way), {}, our_seconds, {}, {}, error.what());
      }
    }
  }
  const auto alternate = [&](const std::optional<CusparseWay>(&ways)[2], const char* remark) {
    if (!ways[0] || !ways[1]) return;
    const std::string names = fmt::format("{}; {}", to_string(*ways[0]), to_string(*ways[1]));
    try {
      const CusparseLines<T> along_x(on, problem.A(), LineDirection::x, *ways[0]);
      const CusparseLines<T> along_y(on, problem.A(), LineDirection::y, *ways[1]);
      problem.restart();
      const Time time = time_of(on, settings.stretches, [&] {
        along_x.step(problem.b(), problem.x());
        along_y.step(problem.b(), problem.x());
      });
      row("alternating", names, time, ours.alternating, {}, {}, remark);
    } catch (const std::runtime_error& error) {
      row("alternating", names, {}, ours.alternating, {}, {}, error.what());
    }
  };
  alternate(gathering, "fastest without a kept matrix");
  alternate(any, "fastest of all");
  return same;
}

}  // namespace

std::string why_no_peer(bool on_device) {
  return on_device ? "" : "it runs on a CUDA device, the steps ran on the host";
}

std::string peer_name() {
  return "cuSPARSE " + cusparse_version();
}

bool measure_peer(const LineSmoothingSettings& settings, int level, Precision precision,
                  const LineSeconds& ours, Table& table, const Context& context) {
  return precision == Precision::single_ ? measure<float>(settings, level, ours, table, context)
                                         : measure<double>(settings, level, ours, table, context);
}

#else

std::string why_no_peer(bool) {
  return built_with_cuda() ? "this build's CUDA toolkit had no cuSPARSE" : "this build has no CUDA";
}

std::string peer_name() {
  return "cuSPARSE";
}

bool measure_peer(const LineSmoothingSettings&, int, Precision, const LineSeconds&, Table&,
                  const Context&) {
  throw std::logic_error("this build has no cuSPARSE");
}

#endif

}  // namespace ninefold
