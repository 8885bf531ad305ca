#pragma once
// A solver that stays: it is made once, with its matrix and its memory, and solves for one
// right-hand side after the other.  Behind solve() and Solver, for each format and backend.
//
// Mathematics.  A step of implicit Euler's method for u' = div(diag(gx, gy) grad u) - c u + f,
// u = w + v with the lifting w, which stays,
//
//     A v = (b - A w + rate M w) + rate M v_old,      A with the reaction c + rate, rate = 1/dt,
//
// is a solve from v_old for a right-hand side that one pass over v_old makes of the vector in
// brackets: it is the residual of the matrix -rate M.
//
// Tests.  tests/solvers/solver_test.cpp

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <optional>
#include <utility>
#include <vector>

#include "precision/require.hpp"

#include "fem/discrete/lifting.hpp"

#include "gpu/backend/vector.hpp"
#include "gpu/operations/vector_operations.hpp"

#include "solvers/judgement/accuracy.hpp"
#include "solvers/judgement/ending.hpp"
#include "solvers/solve.hpp"
#include "solvers/system/assembled_system.hpp"
#include "solvers/system/data_on_backend.hpp"
#include "solvers/system/residual_norm.hpp"
#include "solvers/system/system.hpp"

namespace ninefold {

/// The PreparedSolve that it was made from must outlive it; its problem's data may change.
class StandingSolve {
 public:
  StandingSolve() = default;
  StandingSolve(const StandingSolve&) = delete;
  StandingSolve& operator=(const StandingSolve&) = delete;
  virtual ~StandingSolve() = default;

  /// From zero, for the data that the problem has now.
  virtual Solved solve() = 0;
  /// To be called when they have changed.
  virtual void take_data() = 0;
  /// The solution := these values at all nodes.
  virtual void set_solution(const std::vector<double>& values) = 0;
  /// One step from the solution that is there.
  virtual Report step(double rate) = 0;
  /// What is there, with an empty report.
  virtual Solved current() const = 0;
};

/// What all of them do, in the format T of their own system.
template <Backend B, Number T>
class StandingIn : public StandingSolve {
 public:
  using W = Assembly<T>;

  Solved solve() final {
    if (has_load_) {
      if (has_solution_) set_zero(on_, x());
    } else {
      assemble_again();
      set_zero(on_, x());
    }
    scaled_for(system_.size);
    data().upload_load(system_, b());
    drop_load();
    has_solution_ = true;
    const double r0 = residual_norm<B, T>(on_, A(), b(), x(), square_.data());
    Report report = r0 == 0 || accuracy().starts_at_the_end(A(), b(), x())
                        ? nothing_to_do<B, T>(on_, system_, accuracy(), A(), b(), x())
                        : run({r0, 1.0, true});
    report.memory_bytes = peak();
    return solved<B, T>(on_, system_, data(), std::move(report), x());
  }

  void take_data() final {
    drop_load();
    has_step_load_ = false;
  }

  void set_solution(const std::vector<double>& values) final {
    if (!has_load_) assemble_again();
    const TensorGrid& grid = system_.finest();
    const Box box = system_.unknowns();
    const std::vector<double> mx = lumped_masses<double>(grid.x),
                              my = lumped_masses<double>(grid.y);
    const auto nx = static_cast<std::size_t>(grid.nx());
    std::vector<W> from_lifting(values.size(), W(0)), sizes(values.size(), W(0));
    for (int j = box.j0; j < box.j1; ++j) {
      for (int i = box.i0; i < box.i1; ++i) {
        const auto m = static_cast<std::size_t>(i), n = static_cast<std::size_t>(j);
        const std::size_t k = n * nx + m;
        from_lifting[k] = W(values[k]) - system_.lifting.value(i, j);
        sizes[k] = W(std::abs(static_cast<double>(system_.load.at(i, j)))
                     + system_.problem().reaction * (mx[m] * my[n]) * std::abs(values[k]));
      }
    }
    // Right-hand sides of steps are about as large.
    system_.size = size_of_load(system_.problem(), grid, Load<W>(box, grid.nx(), std::move(sizes)));
    system_.scaling = scaling_of<W>(system_.prepared, system_.size);
    scaled_for(system_.size);
    upload(on_, from_lifting, -system_.scaling.solution(), x());
    drop_load();
    has_solution_ = true;
    has_step_load_ = false;
  }

  Report step(double rate) final {
    system_.began = Clock::now();
    if (!has_solution_) {
      if (!has_load_) assemble_again();
      scaled_for(system_.size);
      has_solution_ = true;
    }
    if (!has_step_load_ || mass_rate_ != rate) prepare_steps(rate);
    residual(on_, mass_->view(), Field<const T>(step_load_->view()), Field<const T>(x()), b());
    dot<B, T>(on_, A().unknowns, b(), b(), square_.data());
    const double r0 = std::sqrt(static_cast<double>(read_value(on_, square_.data())));
    Report report;
    if (r0 == 0) {
      set_zero(on_, x());
      report = nothing_to_do<B, T>(on_, system_, accuracy(), A(), b(), x());
    } else {
      const double start = residual_norm<B, T>(on_, A(), b(), x(), square_.data());
      report = run({r0, start / r0, false});
    }
    report.memory_bytes = peak();
    return report;
  }

  Solved current() const final { return solved<B, T>(on_, system_, data(), Report{}, x()); }

 protected:
  /// How an iteration begins.
  struct Beginning {
    double r0;         ///< what residuals are compared with: |b|, that of zero
    double reduction;  ///< |b - A x| / r0
    bool from_zero;
  };

  StandingIn(const B& on, System<W> system) : on_(on), system_(std::move(system)), square_(on, 1) {}

  /// Takes the memory that data and judgement need: to be called once, when the matrix is made.
  void hold_data() {
    data_.emplace(on_, system_.prepared);
    accuracy_.emplace(on_, system_, *data_);
  }
  const DataOnBackend<B, T>& data() const { return *data_; }
  const Accuracy<B, T>& accuracy() const { return *accuracy_; }
  /// Before the time of an iteration begins.
  void prepare_judgement() { accuracy_->prepare(A(), b(), x()); }

  virtual const Operator<T>& A() const = 0;
  virtual Field<T> b() const = 0;
  virtual Field<T> x() const = 0;
  /// Told when the system's scaling has been chosen, for a load of this size.
  virtual void scaled_for(const LoadSize&) {}
  /// Iterates from the x that is there, and judges; b may then be used up.
  virtual Report run(const Beginning& beginning) = 0;
  /// Bytes, where the matrix is.
  virtual std::size_t peak() const { return on_.peak(); }

  B on_;
  System<W> system_;
  Array<B, Arithmetic<T>> square_;

 private:
  /// System, lifting and scaling for the data that the problem has now.
  void assemble_again() {
    const Scaling before = system_.scaling;
    const Clock::time_point began = Clock::now();
    LiftedLoad<W> now = lifted_load<W>(system_.problem(), system_.finest());
    system_.size = size_of_load(system_.problem(), system_.finest(), now.load);
    system_.scaling = scaling_of<W>(system_.prepared, system_.size);
    require(system_.scaling.matrix == before.matrix,
            "a matrix whose scaling follows from the load");
    system_.load = std::move(now.load);
    system_.lifting = std::move(now.lifting);
    system_.began = began;
    has_load_ = true;
  }

  void drop_load() {
    system_.load = {};
    has_load_ = false;
  }

  /// The vector of the steps, and their matrix.
  void prepare_steps(double rate) {
    const TensorGrid& grid = system_.finest();
    require(system_.lifting.sides() == side_values<W>(system_.problem(), grid),
            "boundary values that change between two steps, without a solution to begin with");
    system_.load = load_of<W>(system_.problem(), grid);
    system_.lifting.subtract_image(system_.load);
    system_.lifting.add_mass_image(rate, grid, system_.load);
    if (!step_load_) step_load_.emplace(on_, grid.nx(), grid.ny());
    data().upload_load(system_, step_load_->view());
    drop_load();
    has_step_load_ = true;
    if (mass_rate_ == rate) return;
    const W negative(-std::ldexp(rate, -system_.scaling.matrix));
    mass_.emplace(on_, grid, system_.unknowns(), Coefficients<W>{W(0), W(0), negative},
                  system_.prepared.form(), storage_of(system_.options()));
    mass_rate_ = rate;
  }

  std::optional<DataOnBackend<B, T>> data_;
  std::optional<Accuracy<B, T>> accuracy_;
  bool has_load_ = true, has_solution_ = false;

  // Of steps.
  std::optional<NodeVector<B, T>> step_load_;
  bool has_step_load_ = false;  ///< of the data and the rate
  std::optional<Matrix<B, T>> mass_;
  std::optional<double> mass_rate_;
};

}  // namespace ninefold
