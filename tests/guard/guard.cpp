// A standing guard: random solves against a direct solution.
//
// What is claimed.  A result that is called converged lies within 1000 tolerances, and what
// rounding excuses, of the exact discrete solution, in the integral norm and at every node; and a
// result within 10 tolerances is not called stagnated, diverged or not finite.  Where the tolerance
// is one of the error in one norm, a result that is called converged lies within it, rounding and
// all.
//
// Usage.  NINEFOLD_SAMPLES=n for n samples, NINEFOLD_SEED=s for those from seed s on,
// NINEFOLD_GUARD_PART=k/n for every n-th of them, NINEFOLD_SAMPLE=s for the one of seed s alone;
// NINEFOLD_GUARD_SHOW=1 shows all samples, not only those that fail.
//
// Status.  1 if anything is not as claimed, or if fewer than half of the samples converged: they
// would guard nothing.

#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <map>
#include <stdexcept>
#include <string>

#include <fmt/format.h>

#include "tests/guard/judge.hpp"
#include "tests/guard/sample.hpp"

namespace {

using namespace ninefold;
using namespace ninefold::guard;

/// Where more than this is allowed, little is claimed.
constexpr double much = 0.1;

const char* setting(const char* name) {
  const char* text = std::getenv(name);
  return text != nullptr && *text != '\0' ? text : nullptr;
}

std::uint64_t number(const char* name, std::uint64_t otherwise) {
  const char* text = setting(name);
  return text != nullptr ? std::stoull(text) : otherwise;
}

struct Part {
  std::uint64_t number = 1, of = 1;
};

Part part() {
  const char* text = setting("NINEFOLD_GUARD_PART");
  Part p;
  unsigned long long k = 1, n = 1;
  if (text != nullptr && (std::sscanf(text, "%llu/%llu", &k, &n) != 2 || k < 1 || k > n)) {
    throw std::invalid_argument(fmt::format("NINEFOLD_GUARD_PART is {}, must be like 1/4", text));
  }
  p.number = k;
  p.of = n;
  return p;
}

void print(std::uint64_t seed, const Configuration& c, const Verdict& v) {
  fmt::print("seed {}: {}\n", seed, to_string(v.finding));
  fmt::print("  {} after {} iterations, true residual {:.2e}, {:.2f} s\n", v.outcome, v.iterations,
             v.true_residual_reduction, v.seconds);
  fmt::print("  error    l2 {:.2e}, largest {:.2e}\n", v.error.l2, v.error.max);
  if (measures_error(c.solver)) {
    fmt::print("  in norm     {:.2e}, rounding {:.2e}\n", v.in_norm, v.rounding_in_norm);
  }
  fmt::print("  promised    {:.2e}, of tolerance {:.0e}\n", promise_of(c.solver),
             c.solver.tolerance);
  fmt::print("  rounding l2 {:.2e}, largest {:.2e}\n", v.rounding.l2, v.rounding.max);
  fmt::print("{}\n", config_file(c));
  std::fflush(stdout);
}

class Tally {
 public:
  void add(const Verdict& v, double allowed) {
    ++samples_;
    ++counts_[v.finding == Finding::refused ? "refused" : v.outcome];
    if (v.finding != Finding::refused) seconds_ += v.seconds;
    if (v.finding == Finding::not_judged) ++not_judged_;
    if (v.finding == Finding::out_of_reach) ++out_of_reach_;
    if (v.outcome == "converged" && allowed > much) ++excused_;
  }
  void add_failure(std::uint64_t seed, const std::string& kind) {
    failures_[kind] += fmt::format(" {}", seed);
  }

  void print(double seconds) const {
    fmt::print("\n{:<50}{:>6}\n", "samples", samples_);
    for (const auto& [outcome, count] : counts_) fmt::print("  {:<48}{:>6}\n", outcome, count);
    fmt::print("{:<50}{:>6}\n", "not judged: 113 bits are too few", not_judged_);
    fmt::print("{:<50}{:>6}\n", "converged, and more than 10 % allowed", excused_);
    fmt::print("{:<50}{:>6}\n", "right, called lost beyond the format's reach", out_of_reach_);
    fmt::print("{:<50}{:>6.1f} s, solves {:.1f} s\n", "time", seconds, seconds_);
    for (const auto& [kind, seeds] : failures_) fmt::print("{}:{}\n", kind, seeds);
  }

  bool failed() const { return !failures_.empty(); }
  bool guards_something() const {
    const auto converged = counts_.find("converged");
    return converged != counts_.end() && 2 * converged->second >= samples_;
  }

 private:
  int samples_ = 0, not_judged_ = 0, out_of_reach_ = 0, excused_ = 0;
  double seconds_ = 0;
  std::map<std::string, int> counts_;
  std::map<std::string, std::string> failures_;
};

void run(std::uint64_t seed, bool show, Tally& tally) {
  const Configuration c = draw_configuration(seed);
  try {
    const Verdict v = judge(c);
    tally.add(v, promise_of(c.solver) + v.rounding.max);
    const bool failure = v.finding == Finding::wrong || v.finding == Finding::lost
                         || v.finding == Finding::contradicted;
    if (failure) tally.add_failure(seed, std::string(to_string(v.finding)));
    if (failure || show) print(seed, c, v);
  } catch (const std::exception& error) {
    fmt::print("seed {}: threw {}\n{}\n", seed, error.what(), config_file(c));
    tally.add_failure(seed, "THREW");
  }
}

int guard_samples() {
  const auto start = std::chrono::steady_clock::now();
  Tally tally;
  if (setting("NINEFOLD_SAMPLE") != nullptr) {
    run(number("NINEFOLD_SAMPLE", 1), true, tally);
    return tally.failed() ? 1 : 0;
  }
  const std::uint64_t first = number("NINEFOLD_SEED", 1), count = number("NINEFOLD_SAMPLES", 800);
  const bool show = setting("NINEFOLD_GUARD_SHOW") != nullptr;
  const Part mine = part();
  for (std::uint64_t k = mine.number - 1; k < count; k += mine.of) run(first + k, show, tally);
  tally.print(std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count());
  if (!tally.guards_something()) fmt::print("fewer than half of the samples converged\n");
  return tally.failed() || !tally.guards_something() ? 1 : 0;
}

}  // namespace

int main() {
  try {
    return guard_samples();
  } catch (const std::exception& error) {
    fmt::print(stderr, "guard_tests: {}\n", error.what());
    return 2;
  }
}
