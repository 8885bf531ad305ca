#include "experiments/paper/paper.hpp"

#include <cmath>
#include <numbers>
#include <vector>

#include "experiments/support/comparison.hpp"
#include "tests/support/catch.hpp"

using namespace ninefold;
using Catch::Approx;

namespace {

/// The exact discrete solution on a uniform grid and its errors, from the eigenvectors of the 1D
/// matrices: nothing here comes from grids/, fem/ or solvers/.
class SineSolution {
 public:
  SineSolution(long double width, int level)
      : n_(1 << level), hx_(width / n_), hy_(1.0L / n_), width_(width) {
    // b = 2 (integral of y (1-y) phi_j)(integral of phi_i) + 2 (the same with x and y exchanged)
    std::vector<long double> gx, gy;
    for (int i = 1; i < n_; ++i) {
      gx.push_back(hx_ * (i * hx_ * (width_ - i * hx_) - hx_ * hx_ / 6));
      gy.push_back(hy_ * (i * hy_ * (1 - i * hy_) - hy_ * hy_ / 6));
    }
    const std::vector<long double> ones(gx.size(), 1.0L);
    const auto gx_hat = transform(gx), gy_hat = transform(gy), one_hat = transform(ones);
    std::vector<long double> u_hat(gx.size() * gx.size());
    for (int l = 1; l < n_; ++l) {
      for (int k = 1; k < n_; ++k) {
        const long double b =
            2 * hx_ * one_hat[at(k)] * gy_hat[at(l)] + 2 * gx_hat[at(k)] * hy_ * one_hat[at(l)];
        u_hat[at(k, l)] =
            b / (stiffness(k) / hx_ * mass(l) * hy_ + stiffness(l) / hy_ * mass(k) * hx_) * 4
            / (static_cast<long double>(n_) * n_);
      }
    }
    u_ = transform_both(u_hat);
  }

  double rms() const {
    long double sum = 0;
    for (int j = 1; j < n_; ++j) {
      for (int i = 1; i < n_; ++i) {
        sum += std::pow(nodal(i, j) - exact(i * hx_, j * hy_), 2.0L);
      }
    }
    return static_cast<double>(std::sqrt(sum) / (n_ + 1));
  }

  double l2() const {
    const long double point[] = {0.5L - std::sqrt(0.15L), 0.5L, 0.5L + std::sqrt(0.15L)};
    const long double weight[] = {5 / 18.0L, 4 / 9.0L, 5 / 18.0L};
    long double sum = 0;
    for (int j = 0; j < n_; ++j) {
      for (int i = 0; i < n_; ++i) {
        for (int q = 0; q < 9; ++q) {
          const long double s = point[q % 3], t = point[q / 3];
          const long double u = (1 - t) * ((1 - s) * nodal(i, j) + s * nodal(i + 1, j))
                                + t * ((1 - s) * nodal(i, j + 1) + s * nodal(i + 1, j + 1));
          sum += weight[q % 3] * weight[q / 3]
                 * std::pow(u - exact((i + s) * hx_, (j + t) * hy_), 2.0L);
        }
      }
    }
    return static_cast<double>(std::sqrt(sum * hx_ * hy_));
  }

 private:
  std::size_t at(int k) const { return static_cast<std::size_t>(k - 1); }
  std::size_t at(int k, int l) const { return at(l) * static_cast<std::size_t>(n_ - 1) + at(k); }

  long double sine(int i, int k) const {
    return std::sin(std::numbers::pi_v<long double> * static_cast<long double>(i * k % (2 * n_))
                    / n_);
  }
  long double square(int k) const {
    return std::pow(std::sin(std::numbers::pi_v<long double> * k / (2 * n_)), 2.0L);
  }
  long double stiffness(int k) const { return 4 * square(k); }     // times 1/h
  long double mass(int k) const { return 1 - 2 * square(k) / 3; }  // times h

  std::vector<long double> transform(const std::vector<long double>& v) const {
    std::vector<long double> result(v.size());
    for (int k = 1; k < n_; ++k) {
      for (int i = 1; i < n_; ++i) result[at(k)] += sine(i, k) * v[at(i)];
    }
    return result;
  }
  std::vector<long double> transform_both(const std::vector<long double>& v) const {
    std::vector<long double> rows(v.size()), both(v.size());
    for (int l = 1; l < n_; ++l) {
      for (int i = 1; i < n_; ++i) {
        for (int k = 1; k < n_; ++k) rows[at(i, l)] += sine(i, k) * v[at(k, l)];
      }
    }
    for (int j = 1; j < n_; ++j) {
      for (int l = 1; l < n_; ++l) {
        for (int i = 1; i < n_; ++i) both[at(i, j)] += sine(j, l) * rows[at(i, l)];
      }
    }
    return both;
  }

  long double nodal(int i, int j) const {
    return i == 0 || j == 0 || i == n_ || j == n_ ? 0.0L : u_[at(i, j)];
  }
  long double exact(long double x, long double y) const { return x * (width_ - x) * y * (1 - y); }

  int n_;
  long double hx_, hy_, width_;
  std::vector<long double> u_;
};

}  // namespace

TEST_CASE("the exact errors are those of a solution by sine series", "[experiments][paper]") {
  const char test = GENERATE('A', 'B', 'C', 'D');
  const int level = GENERATE(2, 3, 4, 5, 6);
  CAPTURE(test, level);
  const SineSolution solution(static_cast<long double>(grid_of_test(test).width), level);
  const ExactErrors* const errors = find_exact_errors(test, level);
  REQUIRE(errors != nullptr);
  REQUIRE(std::abs(solution.rms() - errors->rms) <= 1.001 * half_unit(errors->rms, 10));
  REQUIRE(std::abs(solution.l2() - errors->l2) <= 1.001 * half_unit(errors->l2, 10));
}

TEST_CASE("the exact errors fall by four with every level", "[experiments][paper]") {
  for (const ExactErrors& fine : all_exact_errors()) {
    const ExactErrors* const coarse = find_exact_errors(fine.test, fine.level - 1);
    if (fine.level == 2) {
      REQUIRE(coarse == nullptr);
      continue;
    }
    CAPTURE(fine.test, fine.level);
    REQUIRE(coarse != nullptr);
    REQUIRE(coarse->rms / fine.rms == Approx(4).epsilon(fine.level > 5 ? 0.02 : 0.1));
    REQUIRE(coarse->l2 / fine.l2 == Approx(4).epsilon(fine.level > 5 ? 0.005 : 0.05));
  }
  REQUIRE(find_exact_errors('A', 15) != nullptr);
  REQUIRE(find_exact_errors('A', 16) == nullptr);
  REQUIRE(find_exact_errors('B', 11) == nullptr);
}

TEST_CASE("table 2 has the reductions that its errors give", "[experiments][paper]") {
  REQUIRE(paper_table_2().size() == 9);
  for (const SolverPrecisionRow& fine : paper_table_2()) {
    const SolverPrecisionRow* const coarse = find_solver_precision(fine.level - 1);
    CAPTURE(fine.level);
    REQUIRE((coarse == nullptr) == (fine.level == 2));
    REQUIRE(fine.double_reduction.has_value() == (coarse != nullptr));
    REQUIRE(fine.single_reduction.has_value() == (coarse != nullptr));
    if (coarse == nullptr) continue;
    // Half a unit of the reduction's last digit, and of the last digits of both errors.
    const double in_double = coarse->double_error / fine.double_error;
    const double in_single = coarse->single_error / fine.single_error;
    REQUIRE(std::abs(*fine.double_reduction - in_double) <= 0.005 + 0.001 * in_double);
    REQUIRE(std::abs(*fine.single_reduction - in_single) <= 0.005 + 0.001 * in_single);
  }
}

TEST_CASE("table 2 in double follows the exact errors to one percent", "[experiments][paper]") {
  for (const SolverPrecisionRow& row : paper_table_2()) {
    CAPTURE(row.level);
    REQUIRE(row.double_error == Approx(find_exact_errors('A', row.level)->l2).epsilon(0.01));
  }
}

TEST_CASE("tables A1 to A3 hold levels 5 to 10 and the exact errors to three digits",
          "[experiments][paper]") {
  REQUIRE(paper_tables_a().size() == 18);
  for (const char* table : {"A1", "A2", "A3"}) {
    for (int level = 5; level <= 10; ++level) {
      CAPTURE(table, level);
      const EmulationRow* const row = find_emulation(table, level);
      REQUIRE(row != nullptr);
      const double exact = find_exact_errors('A', level)->rms;
      REQUIRE(std::abs(row->cpu_error - exact) <= half_unit(exact, level < 10 ? 5 : 4));
    }
    REQUIRE(find_emulation(table, 4) == nullptr);
  }
  REQUIRE(find_emulation("A4", 5) == nullptr);
  for (const ConvergenceRow& row : paper_tables_7_and_8()) {
    if (row.test == 'A') {
      REQUIRE(find_emulation("A1", row.level)->cpu_iterations == row.cg_iterations);
    }
  }
}

TEST_CASE("tables A1 to A3 have the speedups that their times give, and stop where they say max",
          "[experiments][paper]") {
  for (const EmulationRow& row : paper_tables_a()) {
    CAPTURE(row.table, row.level);
    const bool stalls = row.table != "A1" && row.level >= 9;
    REQUIRE(row.gpu_iterations.has_value() != stalls);
    REQUIRE(row.gpu_seconds.has_value() != stalls);
    REQUIRE(row.speedup.has_value() != stalls);
    const double exact = find_exact_errors('A', row.level)->rms;
    if (stalls) {
      REQUIRE(row.gpu_error > 5 * exact);
      continue;
    }
    REQUIRE(*row.gpu_iterations == row.cpu_iterations);
    REQUIRE(row.gpu_error == Approx(exact).epsilon(2e-4));
    // Half a unit of the last digit of both times and of the speedup.
    REQUIRE(*row.speedup
            == Approx(row.cpu_seconds / *row.gpu_seconds)
                   .margin(0.0051 + 0.0051 / *row.gpu_seconds * (1 + *row.speedup)));
  }
}

TEST_CASE("tables 3 to 5 count inner iterations as their rules say", "[experiments][paper]") {
  REQUIRE(paper_tables_3_to_5().size() == 9);
  for (const StoppingRow& row : paper_tables_3_to_5()) {
    CAPTURE(row.table, row.level);
    REQUIRE(find_stopping(row.table, row.level) == &row);
    const int iterations[] = {row.table == 3 ? 1 : 100, row.table == 3 ? 2 : 250,
                              row.table == 3 ? 3 : 500};
    for (std::size_t k = 0; k < 3; ++k) {
      const RefinementCounts& counts = row.counts[k];
      if (row.table == 5) {  // the last step ends early
        REQUIRE(counts.inner <= counts.outer * iterations[k]);
        REQUIRE(counts.inner > (counts.outer - 1) * iterations[k]);
      } else {
        REQUIRE(counts.inner == counts.outer * iterations[k]);
      }
    }
    // Fewer digits take more steps; a step takes at least one iteration.
    REQUIRE(row.counts[3].outer > row.counts[4].outer);
    REQUIRE(row.counts[4].outer >= row.counts[5].outer);
    for (const RefinementCounts& counts : row.counts) REQUIRE(counts.inner >= counts.outer);
    REQUIRE(row.double_iterations
            == find_emulation(row.table == 3 ? "A2" : "A1", row.level)->cpu_iterations);
    const RefinementRow* const timed = find_refinement(row.table == 3 ? "A5" : "A4", row.level);
    if (row.table == 5) {
      for (std::size_t k = 0; k < stopping_rules; ++k) {
        REQUIRE(row.counts[k].inner < find_stopping(4, row.level)->counts[k].inner);
      }
    } else {
      REQUIRE(row.counts[4].outer == timed->counts.outer);
      REQUIRE(std::abs(row.counts[4].inner - timed->counts.inner) <= 1);
    }
  }
  REQUIRE(find_stopping(3, 7) == nullptr);
}

TEST_CASE("tables A4 to A6 have the exact errors and the speedups that their times give",
          "[experiments][paper]") {
  REQUIRE(paper_tables_a4_to_a6().size() == 18);
  for (const RefinementRow& row : paper_tables_a4_to_a6()) {
    CAPTURE(row.table, row.level);
    REQUIRE(find_refinement(row.table, row.level) == &row);
    REQUIRE(row.error == Approx(find_exact_errors('A', row.level)->rms).epsilon(2e-4));
    const char* const on_cpu = row.table == "A4" ? "A1" : row.table == "A5" ? "A2" : "A3";
    const EmulationRow& cpu = *find_emulation(on_cpu, row.level);
    // Half a unit of the last digit of both times and of the speedup.
    REQUIRE(row.speedup
            == Approx(cpu.cpu_seconds / row.seconds)
                   .margin(0.0051 + 0.0051 / row.seconds * (1 + row.speedup)));
    if (row.table == "A6") {
      REQUIRE(row.error == find_refinement("A5", row.level)->error);
    }
  }
  REQUIRE(find_refinement("A1", 5) == nullptr);
}

TEST_CASE("rounding the right-hand side less costs less in table 1", "[experiments][paper]") {
  REQUIRE(paper_table_1().size() == 2);
  for (const InputPrecisionRow& row : paper_table_1()) {
    REQUIRE(find_input_precision(row.level) == &row);
    // Three digits from double to single and from single to half, says the text.
    REQUIRE(std::log10(row.half_error / row.single_error) == Approx(3).margin(0.6));
    REQUIRE(std::log10(row.single_error / row.double_error) == Approx(3).margin(0.6));
  }
  REQUIRE(find_input_precision(10) == nullptr);
}

TEST_CASE("area grows and frequency falls with the mantissa in table 6", "[experiments][paper]") {
  REQUIRE(paper_table_6().size() == 14);
  for (const AreaRow& row : paper_table_6()) {
    CAPTURE(row.multiplier, row.mantissa);
    REQUIRE(find_area(row.multiplier, row.mantissa) == &row);
    REQUIRE(row.pins == 498 + 17 * (row.mantissa - 17));  // 17 for each bit
    const bool logic = row.multiplier == "PipeLUT";
    REQUIRE((row.blocks == 0) == logic);
    const AreaRow& finest = *find_area(row.multiplier, 52);
    REQUIRE(row.slices <= finest.slices);
    REQUIRE(row.blocks <= finest.blocks);
    REQUIRE(row.megahertz >= finest.megahertz);
    // Both tables are of the same core: hardwired multipliers save logic.
    REQUIRE(find_area("MUL18x18", row.mantissa)->slices
            < find_area("PipeLUT", row.mantissa)->slices);
    REQUIRE(find_area("MUL18x18", row.mantissa)->pins == find_area("PipeLUT", row.mantissa)->pins);
  }
  REQUIRE(find_area("PipeLUT", 24) == nullptr);
}

TEST_CASE("fewer smoothing steps need more cycles in section 8.3", "[experiments][paper]") {
  REQUIRE(paper_section_8_3().size() == 4);
  int steps = 64, cycles = find_convergence('B', 9)->multigrid_cycles.value();
  for (const SmoothingRow& row : paper_section_8_3()) {
    REQUIRE(row.steps == steps / 2);
    REQUIRE(row.cycles == Approx(2 * cycles).margin(1));
    REQUIRE(-std::log10(row.rate) * row.cycles == Approx(10).margin(0.35));
    steps = row.steps;
    cycles = row.cycles;
  }
}
