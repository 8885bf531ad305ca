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
#include <memory>
#include <numeric>
#include <optional>
#include <stdexcept>
#include <type_traits>
#include <utility>
#include <vector>

#include "precision/precision.hpp"
#include "precision/require.hpp"

#include "fem/discrete/finite_data.hpp"
#include "fem/discrete/lifting.hpp"
#include "fem/discrete/parallel.hpp"
#include "fem/discrete/restricted_load.hpp"
#include "fem/discrete/zeros.hpp"

#include "gpu/backend/vector.hpp"
#include "gpu/operations/mixed_operations.hpp"
#include "gpu/operations/vector_operations.hpp"

#include "solvers/estimate/error_equations.hpp"
#include "solvers/estimate/found_unknowns.hpp"
#include "solvers/estimate/level_solution.hpp"
#include "solvers/estimate/solver_errors.hpp"
#include "solvers/judgement/accuracy.hpp"
#include "solvers/judgement/ending.hpp"
#include "solvers/refinement/mixed_pairs.hpp"
#include "solvers/solve.hpp"
#include "solvers/system/assembled_system.hpp"
#include "solvers/system/data_on_backend.hpp"
#include "solvers/system/masses_on_backend.hpp"
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

  /// To be called once, when it is made: how long that has taken is set-up of the first solve.
  virtual void is_made() = 0;
  /// The next coarser level's solution, for options that end by the discretisation error; before
  /// solve().
  virtual void aim_by(std::shared_ptr<const LevelSolution> coarser) = 0;
  /// From zero, for the data that the problem has now.
  virtual Solved solve() = 0;
  /// To be called when they have changed.
  virtual void take_data() = 0;
  /// The solution := these values at all nodes; as it was, if that throws.
  virtual void set_solution(const std::vector<double>& values) = 0;
  /// One step from the solution that is there.
  virtual Report step(double rate) = 0;
  /// What is there, zero at first, with this report of it.
  virtual Solved current(const Report& report) = 0;

  /// Its values, for the next finer level.
  virtual std::shared_ptr<const LevelSolution> values() = 0;
  /// DataOnBackend::LevelComparison
  virtual std::optional<Errors> level_errors(const LevelSolution& coarser) = 0;
  /// The l2 norm of the solution, by lumped masses.
  virtual double solution_size() = 0;
  /// What it has found, for a wider solver; its b is as it was for the last solve.
  virtual std::unique_ptr<FoundUnknowns> unknowns() = 0;
  /// The equations of the errors of another solver of the same problem, by one in double or
  /// double-double, of what that has found, which is used up.
  virtual std::unique_ptr<const ErrorEquations> equations_of(FoundUnknowns& found);
  /// Solves them, by a solver in such a format that refines.
  virtual SolverErrors errors_of(const ErrorEquations& equations);
};

inline std::unique_ptr<const ErrorEquations> StandingSolve::equations_of(FoundUnknowns&) {
  throw std::logic_error("equations of errors are made in double or double-double");
}
inline SolverErrors StandingSolve::errors_of(const ErrorEquations&) {
  throw std::logic_error("errors are estimated by a solver that refines");
}

/// What all of them do, in the format T of their own system.
template <Backend B, Number T>
class StandingIn : public StandingSolve {
 public:
  using W = Assembly<T>;

  void aim_by(std::shared_ptr<const LevelSolution> coarser) final { coarser_ = std::move(coarser); }
  void is_made() final {
    construction_ = Clock::now() - system_.began;
    timeline_.mark(part::matrix);
  }

  Solved solve() final {
    begin();
    if (!has_load_) {
      assemble_again();
      set_zero(on_, x());
    } else if (has_solution_) {
      set_zero(on_, x());
    }
    has_step_load_ = false;
    scaled_norm_.reset();
    scaled_for(system_.size);
    take_load();
    drop_load();
    has_solution_ = true;
    timeline_.mark(part::data);
    Report report = from_zero();
    report.memory_bytes = peak();
    timeline_.mark(part::judgement);
    Solved result = solved<B, T>(system_, data(), std::move(report), x());
    timeline_.mark(part::errors);
    result.report.timeline = timeline_.parts();
    return result;
  }

  void take_data() final {
    drop_load();
    has_step_load_ = false;
  }

  void set_solution(const std::vector<double>& values) final {
    const std::size_t nx = static_cast<std::size_t>(system_.finest().nx());
    const auto first = values.begin() + static_cast<std::ptrdiff_t>(nx) * system_.here().first;
    set_values(
        std::vector<W>(first, first + static_cast<std::ptrdiff_t>(nx) * system_.here().count()));
  }

  Report step(double rate) final {
    begin();
    if (!has_solution_) set_values(zeros_at(system_.here()));
    double norm = make_right_hand_side(rate);
    if (!scaling_suits(norm)) {
      set_values(data().on_host(system_, Field<const T>(x())));
      norm = make_right_hand_side(rate);
    }
    Report report;
    if (norm == 0) {
      set_zero(on_, x());
      report = nothing_to_do<B, T>(on_, system_, accuracy(), A(), b(), x());
      if (report.outcome == Outcome::converged) {
        report.remark = "the load and the solution before are zero, and so is the solution";
      }
    } else {
      const double start = residual_norm<B, T>(on_, A(), b(), x(), square_.data());
      if (start <= norm) {
        report = run({norm, start / norm, false, *scaled_norm_});
      } else {  // a worse start than zero
        set_zero(on_, x());
        report = from_zero();
      }
    }
    report.memory_bytes = peak();
    return report;
  }

  Solved current(const Report& report) final {
    if (!has_solution_) set_values(zeros_at(system_.here()));
    return solved<B, T>(system_, data(), report, x());
  }

  std::shared_ptr<const LevelSolution> values() final {
    return data().values(system_, Field<const T>(x()));
  }
  std::optional<Errors> level_errors(const LevelSolution& coarser) final {
    return compared_with(coarser).errors();
  }
  double solution_size() final {
    const MassesOnBackend<B> masses(on_, system_.finest());
    return data().size(system_, Field<const T>(x()), masses.weights()).l2;
  }
  std::unique_ptr<FoundUnknowns> unknowns() final {
    if (is_b_used_up_) {
      assemble_again();
      take_load();
      drop_load();
    }
    auto found = std::make_unique<FoundUnknownsOn<B>>(on_, system_.finest(), system_.scaling);
    const Operator<T>& rows = A();
    const Field<const T> right = b(), solution = x();
    set_zero(on_, found->x.view());
    set_zero(on_, found->r.view());
    if constexpr (is_mixed_pair<B, double, T>) {
      found->has_x = true;
      {
        const Array<B, RefinementState<double>> one(on_, {RefinementState<double>{0, 1, 1}});
        NodeVector<B, T> r(on_, rows.nx, rows.ny);
        set_zero(on_, r.view());
        residual(on_, rows, right, solution, r.view());
        add_correction<B, double, T>(on_, rows.unknowns, one.data(), r.view(), found->r.view());
        add_correction<B, double, T>(on_, rows.unknowns, one.data(), solution, found->x.view());
        on_.wait();  // both are freed here
      }
      const bool is_moved =
          !system_.lifting.products().empty() || has_free_constant(system_.problem());
      if constexpr (std::is_same_v<T, double>) {
        if (is_moved) found->u = data().values(system_, solution);  // in the place of r
        found->sides = system_.lifting.sides();
      }
    } else {
      using C = Arithmetic<T>;
      const Array<B, RefinementState<C>> one(on_, {RefinementState<C>{C(0), C(1), C(1)}});
      residual_rounded<B, T, double>(on_, rows, right, solution, found->r.view(), one.data());
      on_.wait();
    }
    return found;
  }

  std::unique_ptr<const ErrorEquations> equations_of(FoundUnknowns& found) final {
    if constexpr (is_mixed_pair<B, T, double>) {
      auto* const from = dynamic_cast<FoundUnknownsOn<B>*>(&found);
      require(from != nullptr, "a solution that lies on another backend");
      return error_equations<B, T>(on_, system_, data(), {A(), b(), x()}, *from,
                                   [this] { take_load(); });
    } else {
      return StandingSolve::equations_of(found);
    }
  }

 protected:
  /// How an iteration begins.
  struct Beginning {
    double r0;         ///< what residuals are compared with: |b|, that of zero
    double reduction;  ///< |b - A x| / r0
    bool from_zero;
    double scaled_norm;  ///< the |b| that the scaling was chosen for
  };

  StandingIn(const B& on, System<W> system) : on_(on), system_(std::move(system)), square_(on, 1) {
    timeline_.resume(system_.began);
    timeline_.mark(part::data);
  }

  /// Takes the memory that data and judgement need: to be called once, when the matrix is made.
  void hold_data() {
    data_.emplace(on_, system_.prepared);
    accuracy_.emplace(on_, system_, *data_);
  }
  /// True if the discretisation error ends the iteration, which coarser() tells.
  bool aims() const { return system_.options().to_discretisation && coarser_ != nullptr; }
  const std::shared_ptr<const LevelSolution>& coarser() const { return coarser_; }
  typename DataOnBackend<B, T>::LevelComparison compared_with(const LevelSolution& coarser) const {
    return {data(), system_, Field<const T>(x()), coarser};
  }

  const DataOnBackend<B, T>& data() const { return *data_; }
  const Accuracy<B, T>& accuracy() const { return *accuracy_; }
  /// b := the load that is there.
  void take_load() {
    data().upload_load(system_.load, system_.scaling, b());
    is_b_used_up_ = false;
    b_is_any_vector();
    if (system_.options().method == Method::full_multigrid) {
      right_hand_ = {system_.load.products(), -system_.scaling.load};
    }
  }
  /// What b is, as far as full multigrid makes use of it.
  const ScaledLoad<W>& right_hand() const { return right_hand_; }
  void b_is_any_vector() { right_hand_ = {}; }
  /// To be called where a judgement has needed its memory.
  void b_is_used_up() {
    is_b_used_up_ = true;
    b_is_any_vector();
  }
  /// Before the time of an iteration begins.
  void prepare_judgement() { accuracy_->prepare(A(), b(), x()); }
  /// The set-up ends, and then the iteration: each as the report has it.
  void set_up(Report& report) {
    // Of several ranks none begins before all have come.
    if (const Ranks* const all = on_.ranks()) (void)all->any(false);
    report.setup_seconds = seconds_since(system_.began);
    timeline_.mark(part::solver);
  }
  void iterated(Report& report, Clock::time_point began) {
    report.solve_seconds = seconds_since(began);
    timeline_.mark(part::iteration);
  }

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
  /// The set-up of a first solve is that of the solver, too.
  void begin() {
    if (construction_ == Clock::duration{}) timeline_ = {};
    timeline_.resume();
    system_.began = Clock::now() - std::exchange(construction_, {});
  }

  Report from_zero() {
    const double r0 = residual_norm<B, T>(on_, A(), b(), x(), square_.data());
    if (!scaled_norm_) scaled_norm_ = r0;
    return r0 == 0 || accuracy().starts_at_the_end(A(), b(), x())
               ? nothing_to_do<B, T>(on_, system_, accuracy(), A(), b(), x())
               : run({r0, 1.0, true, *scaled_norm_});
  }

  /// Load, lifting and scaling for the data that the problem has now.
  void assemble_again() {
    LiftedLoad<W> now = lifted_load<W>(system_.problem(), system_.finest(), system_.share);
    const LoadSize size = size_of_load(system_.problem(), system_.finest(), now.load);
    rescale(size, scaling_of<W>(system_.prepared, size));
    system_.load = std::move(now.load);
    system_.lifting = std::move(now.lifting);
    has_load_ = true;
  }

  /// The matrix stays: its scaling follows from coefficients and grid alone.
  void rescale(const LoadSize& size, const Scaling& scaling) {
    if (scaling.matrix != system_.scaling.matrix) {
      throw std::logic_error("a matrix whose scaling follows from the load");
    }
    system_.size = size;
    system_.scaling = scaling;
    has_step_load_ = false;
  }

  void drop_load() {
    system_.load = {};
    has_load_ = false;
  }

  std::vector<W> zeros_at(const RowRange& rows) const {
    return zeros<W>(static_cast<std::size_t>(system_.finest().nx())
                    * static_cast<std::size_t>(rows.count()));
  }

  /// u := values at the unknowns, of the rows that are here, and the scaling that steps from it
  /// need.
  void set_values(const std::vector<W>& values) {
    LiftedLoad<W> now = lifted_load<W>(system_.problem(), system_.finest(), system_.share);
    const TensorGrid& grid = system_.finest();
    const Box box = system_.unknowns();
    const std::vector<double> mx = lumped_masses<double>(grid.x),
                              my = lumped_masses<double>(grid.y);
    const auto nx = static_cast<std::size_t>(grid.nx());
    std::vector<W> from_lifting = zeros_at(system_.own()), sizes = zeros_at(system_.own());
    const RowRange rows = now.load.own_rows();
    for_rows(rows.count(), [&](int row) {
      const int j = rows.first + row;
      for (int i = box.i0; i < box.i1; ++i) {
        const auto m = static_cast<std::size_t>(i), n = static_cast<std::size_t>(j);
        const std::size_t k = static_cast<std::size_t>(j - system_.own().first) * nx + m;
        const W& value = values[static_cast<std::size_t>(j - system_.here().first) * nx + m];
        const double size = std::abs(static_cast<double>(value));
        from_lifting[k] = value - now.lifting.value(i, j);
        // As large as right-hand sides of steps.
        sizes[k] = W(std::abs(static_cast<double>(now.load.at(i, j)))
                     + system_.problem().reaction * (mx[m] * my[n]) * size);
      }
    });
    const Load<W> expected(box, grid.nx(), std::move(sizes), system_.share);
    const LoadSize size = size_of_load(system_.problem(), grid, expected);
    if (!std::isfinite(size.largest)) {
      require_finite_load<W>(system_.problem(), grid);
      throw std::invalid_argument(
          "a solution to step from whose values are not finite, or so large that the right-hand "
          "side is not");
    }
    rescale(size, scaling_of<W>(system_.prepared, size));
    system_.lifting = std::move(now.lifting);
    scaled_for(system_.size);
    upload(on_, from_lifting, -system_.scaling.solution(), x(), system_.own().first);
    drop_load();
    has_solution_ = true;
    scaled_norm_ = norm_of(expected);
  }

  /// |b| for this load, scaled.
  double norm_of(const Load<W>& load) const {
    const Box box = load.unknowns();
    const RowRange rows = load.own_rows();
    std::vector<double> squares(static_cast<std::size_t>(box.j1), 0.0);
    for_rows(rows.count(), [&](int row) {
      const int j = rows.first + row;
      for (int i = box.i0; i < box.i1; ++i) {
        const double b = std::ldexp(static_cast<double>(load.at(i, j)), -system_.scaling.load);
        squares[static_cast<std::size_t>(j)] += b * b;
      }
    });
    if (load.share() != nullptr) load.share()->tell(squares);
    return std::sqrt(std::accumulate(squares.begin(), squares.end(), 0.0));
  }

  /// b := that of a step; returns its norm.
  double make_right_hand_side(double rate) {
    if (!has_step_load_ || mass_rate_ != rate) prepare_steps(rate);
    b_is_any_vector();
    residual(on_, mass_->view(), Field<const T>(step_load_->view()), Field<const T>(x()), b());
    dot<B, T>(on_, A().unknowns, b(), b(), square_.data());
    return std::sqrt(static_cast<double>(read_value(on_, square_.data())));
  }

  /// False if the norm has left the range that the scaling was chosen for: squares and residuals
  /// would soon leave the format's.
  bool scaling_suits(double norm) const {
    const FormatFacts format = facts(system_.options().precision);
    const double most = std::ldexp(1.0, (format.max_exponent - format.min_exponent) / 8);
    return norm > 0 && std::isfinite(norm) && norm <= most * *scaled_norm_
           && *scaled_norm_ <= most * norm;
  }

  /// The vector of the steps, and their matrix.
  void prepare_steps(double rate) {
    const TensorGrid& grid = system_.finest();
    require(system_.lifting.sides() == side_values<W>(system_.problem(), grid),
            "boundary values that have changed since the last step: set_solution() must follow "
            "them");
    Load<W> load = load_of<W>(system_.problem(), grid, system_.share);
    system_.lifting.subtract_image(load);
    system_.lifting.add_mass_image(rate, grid, load);
    require_step_memory();
    if (mass_rate_ != rate) {
      mass_rate_.reset();
      const W negative(-std::ldexp(rate, -system_.scaling.matrix));
      mass_.emplace(on_, grid, system_.unknowns(), Coefficients<W>{W(0), W(0), negative},
                    system_.prepared.form(), storage_of(system_.options()));
      mass_rate_ = rate;
    }
    if (!step_load_) step_load_.emplace(on_, grid.nx(), grid.ny());
    data().upload_load(load, system_.scaling, step_load_->view());
    has_step_load_ = true;
  }

  /// Of what a solver without steps does not hold.
  void require_step_memory() const {
    if (step_load_) return;
    const TensorGrid& grid = system_.finest();
    const std::size_t vectors = storage_of(system_.options()) == OperatorStorage::stored ? 10 : 1;
    require_memory({vectors * NodeVector<B, T>::storage(grid.nx(), grid.ny()) * sizeof(T), 0},
                   std::is_same_v<B, Host> ? BackendKind::host : BackendKind::cuda);
  }

  std::shared_ptr<const LevelSolution> coarser_;
  std::optional<DataOnBackend<B, T>> data_;
  std::optional<Accuracy<B, T>> accuracy_;
  Clock::duration construction_{};
  Timeline timeline_;  ///< of the construction, and of the solve that is under way
  bool has_load_ = true, has_solution_ = false;
  bool is_b_used_up_ = false;
  ScaledLoad<W> right_hand_;

  // Of steps.
  std::optional<NodeVector<B, T>> step_load_;
  bool has_step_load_ = false;  ///< of the data and the rate
  std::optional<Matrix<B, T>> mass_;
  std::optional<double> mass_rate_;
  std::optional<double> scaled_norm_;  ///< Beginning::scaled_norm
};

}  // namespace ninefold
