#pragma once
// The choices of a solve, by the names that config files use.

#include <memory>
#include <optional>
#include <string_view>
#include <vector>

#include "precision/parameter.hpp"
#include "precision/precision.hpp"

#include "grids/tensor_grid.hpp"

#include "fem/discrete/scaling.hpp"
#include "fem/matrix/nine_band.hpp"
#include "fem/matrix/row_source.hpp"
#include "fem/problem/problems.hpp"

#include "gpu/backend/ranks.hpp"
#include "gpu/operations/lines.hpp"
#include "gpu/operations/refinement_state.hpp"

namespace ninefold {

enum class Method { cg, multigrid, full_multigrid, fast_diagonalisation };
enum class Preconditioning { none, jacobi, block_jacobi, multigrid };
enum class Cycle { v, f, w };
enum class Smoother { automatic, jacobi, chebyshev, tridi, trigs, adi_tridi, adi_trigs };
enum class LineOrder { zebra, sequential };

enum class Start { zero, full_multigrid };
enum class StoppingNorm { error, residual, energy, l2, largest };
enum class RefinementVariant { refinement, residual_guided_cg, flexible_cg };
enum class OuterBackend { same, host };

std::string_view to_string(Method method);
std::string_view to_string(Preconditioning preconditioning);
std::string_view to_string(Cycle cycle);
std::string_view to_string(std::optional<Cycle> cycle);  ///< "auto" where it is open
std::string_view to_string(Smoother smoother);
std::string_view to_string(LineOrder order);
std::string_view to_string(LineDirection direction);
std::string_view to_string(Start start);
std::string_view to_string(StoppingNorm norm);
std::string_view to_string(std::optional<OperatorForm> form);  ///< "auto" where it is open
std::string_view to_string(RefinementVariant variant);
std::string_view to_string(RefinementScaling scaling);
std::string_view to_string(OuterBackend backend);

struct MultigridOptions {
  std::optional<Cycle> cycle;  ///< else what suits the smoother: see choose_smoothing(), of full
                               ///< multigrid with_nested_cycle()
  Smoother smoother = Smoother::automatic;
  LineOrder line_order = LineOrder::zebra;      ///< of trigs and adi-trigs
  std::optional<LineDirection> line_direction;  ///< of tridi and trigs; else that of the grid
  std::optional<double> damping;     ///< omega, 0 < omega < 2; else what suits the smoother; not of
                                     ///< chebyshev
  std::optional<int> pre_smoothing;  ///< steps before the coarse correction, >= 0; else 2, of full
                                     ///< multigrid as with_nested_cycle() says
  std::optional<int> post_smoothing;  ///< steps after it, >= 0; else likewise; not both may be zero
  int cycles_per_level = 1;           ///< of full multigrid, >= 1
  /// Not for users: the largest ratio of couplings up to which a smoother that is left open takes
  /// points: isotropic_ratio, unless with_nested_cycle() of full multigrid says more.
  std::optional<double> point_coupling;
};

/// The smoothing steps of a visit to a level.
struct SmoothingSteps {
  int pre, post;
};
/// Those of the options, and of what they leave open (of full multigrid with_nested_cycle() has
/// decided before where cells are long or jump).
inline SmoothingSteps smoothing_steps(const MultigridOptions& options, bool full_multigrid) {
  return {options.pre_smoothing.value_or(full_multigrid ? 0 : 2),
          options.post_smoothing.value_or(2)};
}

/// When the solves of one stage end: at whichever comes first.
struct InnerStop {
  std::optional<int> iterations;  ///< after so many, >= 1
  std::optional<double> digits;   ///< when the stage's residual has fallen by 10^-digits
  friend bool operator==(const InnerStop&, const InnerStop&) = default;
};

/// Mixed precision: solver.precision keeps the solution and its residual, the formats named here
/// solve for the corrections (Goeddeke, Strzodka, Turek 2007, section 3.2).
struct RefinementOptions {
  std::vector<Precision> inner;  ///< of each stage, none more precise than the one before
  std::vector<InnerStop> stop;   ///< of each stage, or one for all, or none: see inner_stop()
  std::optional<OperatorForm> inner_form;      ///< of the matrix in all stages; else difference, of
                                               ///< sparse rows what suits their sums
  std::vector<OperatorStorage> inner_storage;  ///< of each stage, or one for all, or none: see
                                               ///< storage_of_stage()
  RefinementScaling scaling = RefinementScaling::power_of_two;
  RefinementVariant variant = RefinementVariant::refinement;
  OuterBackend outer_backend = OuterBackend::same;
  /// Inner solves also end when their own residual says that solver.tolerance is met.
  bool stop_at_tolerance = false;

  bool used() const { return !inner.empty(); }
};

struct SolverOptions {
  Method method = Method::multigrid;
  Precision precision = Precision::double_;
  std::optional<OperatorForm> form;        ///< else what suits the grid: see settled()
  std::optional<OperatorStorage> storage;  ///< the same
  /// Of |b - A x| / |r0| or, as `norm` and `relative` say, of the error: 0 < tolerance, and < 1
  /// where it is relative.
  double tolerance = 1e-10;
  /// Full multigrid ends when what its iteration leaves is `fraction` of the discretisation error
  /// that the next coarser level tells (solvers/drivers/discretisation_aim.hpp); a level that has
  /// none before it, at `tolerance`.
  bool to_discretisation = false;
  double fraction = 0.05;  ///< 0 < fraction <= 1
  /// What the tolerance must have done: with `error` the solution lies within promise() of
  /// the exact discrete one (solvers/judgement/accuracy.hpp), with `residual` |b - A x| has fallen,
  /// no more.  With `energy`, `l2` and `largest` the tolerance is one of the error in that norm,
  /// whatever the residual: see measures_error().
  StoppingNorm norm = StoppingNorm::error;
  /// Of these three: the tolerance is a part of the solution in the same norm, boundary values
  /// included; else it is in the units of the problem.
  bool relative = true;
  int max_iterations = 10000;
  Preconditioning preconditioner = Preconditioning::none;  ///< of method cg
  Start start = Start::zero;
  MultigridOptions multigrid;
  RefinementOptions refinement;
  /// With whom the rows of large grids are divided, this process or thread being one of them; null
  /// for a solve by one.  All solve the same problem with the same options, and get the same report
  /// and the same solution, whose bits do not depend on how many they are.
  std::shared_ptr<const Ranks> ranks;
};

inline bool has_several_ranks(const SolverOptions& options) {
  return options.ranks != nullptr && options.ranks->size() > 1;
}

/// True if the tolerance is one of the error in one norm, against the exact solution of the
/// discrete system:
///
///     energy   a(e, e)^(1/2), a(u, v) = integral gx u_x v_x + gy u_y v_y + c u v
///     l2       (integral e^2)^(1/2)
///     largest  the largest |e| at a node
inline bool measures_error(const SolverOptions& options) {
  return options.norm != StoppingNorm::error && options.norm != StoppingNorm::residual;
}

/// What `converged` promises with StoppingNorm::error: an error of no more tolerances than this, in
/// l2 and in the largest node, relative to the solution's size in the same norm.
inline constexpr double promised_factor = 1000;

/// The largest error, relative to the solution, that is promised: with large tolerances less than
/// that, so that the solution has anything to do with the exact one.
constexpr double promise(double tolerance) {
  constexpr double most = 0.5;
  return promised_factor * tolerance < most ? promised_factor * tolerance : most;
}

/// Where the bound of rounding in the solution's format is above this many times the solution, the
/// matrix that the format holds may be another one: nothing is promised.
inline constexpr double hopeless_rounding = 30;

/// Where the residual stays above the tolerance, an error that is surely below this many tolerances
/// is success all the same.
inline constexpr double sure_factor = 10;

/// True if the system is solved, or the last stage of refinement, by eigenvectors.
inline bool is_direct(const SolverOptions& options) {
  return options.method == Method::fast_diagonalisation;
}

/// True if multigrid solves or preconditions.
inline bool uses_multigrid(const SolverOptions& options) {
  return options.method == Method::multigrid || options.method == Method::full_multigrid
         || options.preconditioner == Preconditioning::multigrid;
}

/// The options with what they leave open of form and storage decided for a problem and its grid.
/// Where both are open rows are factored (least memory, and as accurate as differences of stored
/// entries or more), in each format whose range holds the factors; pairs of words have stored or
/// computed rows in difference form, unless cells are thin and far from Dirichlet sides
/// (has_detached_thin_cells), where rounded entries turn into errors, the smoother, "chebyshev",
/// asks for factors, or the matrix is that of full multigrid's solution.  Where one of the two is
/// given, form is plain (on such grids difference, but for storage formats, whose rows are computed
/// in single anyway), and storage is as storage_of() and storage_of_stage() say.  Full multigrid
/// refines in its own format where no other is named; its cycles: with_nested_cycle().
SolverOptions settled(const SolverOptions& options, const Problem& problem,
                      const TensorGrid& finest);

/// The range of a format that this parameter states.
FormatRange range_of(Precision precision, Parameter parameter);
/// Throws BadValue unless the format, which this parameter states, holds the rows of a matrix that
/// is held so.
void require_rows(const Problem& problem, const TensorGrid& grid, const Scaling& scaling,
                  Precision precision, Parameter parameter, OperatorStorage storage,
                  OperatorForm form);

/// The form of inner stages' rows.
inline OperatorForm inner_form_of(const SolverOptions& options) {
  return options.refinement.inner_form.value_or(OperatorForm::difference);
}

/// How multigrid's matrices are held: those of the last stage.
OperatorStorage multigrid_storage(const SolverOptions& options);
/// How the solver's own matrix is held, of mixed precision the outer one: as settled options say,
/// else where it is used least, there and by direct solvers, it is computed.
OperatorStorage storage_of(const SolverOptions& options);
/// The same of an inner stage; where settled() has left it open, the last one's matrix is stored,
/// all others' are computed.
OperatorStorage storage_of_stage(const SolverOptions& options, std::size_t stage);

/// The same of the multigrid that judges a solution at its end.
OperatorStorage judging_storage(const SolverOptions& options);

/// What ends the solves of a stage (0 is the outermost inner one): what the options say, or what
/// suits most problems where they say nothing.  The last stage then takes two multigrid cycles (one
/// in a storage format), gains two digits by conjugate gradients or solves once by eigenvectors,
/// the others gain about half of their format's digits.
InnerStop inner_stop(const SolverOptions& options, std::size_t stage);

/// The parameter that states the inner formats.
inline Parameter inner_parameter(const RefinementOptions& refinement) {
  return refinement.inner.size() > 1 ? Parameter::cascade : Parameter::inner_precision;
}

/// The software format among solver.precision and the inner ones, if there is one.
std::optional<Precision> software_format(const SolverOptions& options);

/// Throws BadValue for a value out of range, and for values that contradict each other.
void validate(const SolverOptions& options);

}  // namespace ninefold
