#pragma once
// Corrections on every level of a hierarchy, in whatever format: what full multigrid in High
// (solvers/refinement/nested_iteration.hpp) asks of multigrid in Low.
//
// Mathematics.  For a level's A x = b, with the residual r = down (b - A x), rounded to Low,
//
//     A e = r          by one visit of multigrid from zero, in Low
//     x = x + up e     in High
//
// or the same with I c, the interpolated solution of the next coarser level, in place of the old x.
// Then e is most of what the level's solution differs by from the coarser one's, and its rounding
// most of what is left of the residual on fine grids: where two Jacobi steps end a visit, what the
// last one adds is not rounded with the rest but, in formats that are not pairs of words nor of 16
// bits, added by itself,
//
//     x = (I c + up e) + up d,     d = omega D^-1 (r - A e).
//
// Tests.  tests/solvers/refinement/nested_iteration_test.cpp

#include <type_traits>

#include "precision/require.hpp"

#include "gpu/operations/any_rows.hpp"
#include "gpu/operations/fused_operations.hpp"
#include "gpu/operations/nested_operations.hpp"

#include "solvers/multigrid/multigrid.hpp"

namespace ninefold {

/// True if what begins a visit on B, and what ends it, is one pass with a solution in High that is
/// interpolated ...
template <class B, class High, class Low>
inline constexpr bool has_passes_on =
    std::is_same_v<B, Cuda> ? has_nested_passes<High, Low> : false;
/// ... and true if what ends it is one with a solution that is there.
template <class B, class High, class Low>
inline constexpr bool corrects_in_passes_on =
    std::is_same_v<B, Cuda> ? has_correction_passes<High, Low> : false;

/// A level's system and its solution, in High.
template <Number High>
struct LevelSystem {
  const Operator<High>& A;
  Field<const High> b;
  Field<High> x;  ///< zero at Dirichlet nodes
};

/// For a solver in High on B.  Levels are counted from the coarsest, 0.
template <Backend B, Number High>
class LevelCorrections {
 public:
  using State = RefinementState<Arithmetic<High>>;

  LevelCorrections() = default;
  LevelCorrections(const LevelCorrections&) = delete;
  LevelCorrections& operator=(const LevelCorrections&) = delete;
  virtual ~LevelCorrections() = default;

  virtual int levels() const = 0;
  /// The coarsest level that a solution may begin on: one that begin() solves well.
  virtual int base_level() const = 0;
  /// True if eigenvectors solve the base level.
  virtual bool solves_base() const = 0;
  /// True if corrections have 20 bits or more: of named formats, all but half and bfloat16.
  virtual bool has_twenty_bits() const = 0;
  /// True if they are in the solution's own format.
  virtual bool are_in_its_format() const = 0;
  /// The cycle and the steps of a visit.
  virtual const Smoothing& smoothing() const = 0;
  /// How many corrections begin() leaves to be made.
  virtual int first_corrections() const = 0;
  /// x := what full multigrid in Low finds.
  virtual void begin(int level, const LevelSystem<High>& system, const State* state) = 0;
  /// x := x + up e.
  virtual void correct(int level, const LevelSystem<High>& system, const State* state) = 0;
  /// x := I c + up e, or (I c + up e) + up d.
  virtual void correct_interpolated(int level, const LevelSystem<High>& system,
                                    const CubicTransfer<Arithmetic<High>>& cubic,
                                    const Field<const High>& c, const State* state) = 0;
};

template <Backend B, Number High, Number Low>
class LevelCorrectionsIn final : public LevelCorrections<B, High> {
 public:
  using typename LevelCorrections<B, High>::State;

  /// `multigrid` must outlive this.
  LevelCorrectionsIn(const B& on, Multigrid<B, Low>& multigrid) : on_(on), multigrid_(multigrid) {
    require(multigrid.base_level() >= 0, "corrections by multigrid that solves no level well");
    multigrid.prepare_visits();
  }

  int levels() const override { return multigrid_.levels(); }
  int base_level() const override { return multigrid_.base_level(); }
  bool solves_base() const override { return multigrid_.solves_base(); }
  bool has_twenty_bits() const override { return unit_roundoff<Low>() < 0x1p-20; }
  bool are_in_its_format() const override { return std::is_same_v<High, Low>; }
  const Smoothing& smoothing() const override { return multigrid_.smoothing(); }
  int first_corrections() const override {
    // Rounding to 16 bits takes digits that are missed.
    return multigrid_.solves_base() && has_twenty_bits() ? 0 : 2;
  }

  void begin(int level, const LevelSystem<High>& system, const State* state) override {
    if constexpr (passes) {
      const auto* const solver = multigrid_.solves_at_once(level);
      if (solver != nullptr && system.A.template as<FactoredRows<High>>() != nullptr)
        return solver->template solve_narrowed<High>(on_, system.b, state, system.x);
    }
    set_zero(on_, system.x);
    store_residual(level, system, state);
    multigrid_.full_visit(level);
    add(level, system, state);
  }
  void correct(int level, const LevelSystem<High>& system, const State* state) override {
    store_residual(level, system, state);
    visit_and_add_to_solution(level, Visit::correction, system, state);
  }
  void correct_interpolated(int level, const LevelSystem<High>& system,
                            const CubicTransfer<Arithmetic<High>>& cubic,
                            const Field<const High>& c, const State* state) override {
    const bool restricted = restrict_in_one_pass(level, system, cubic, c, state);
    if (!restricted) {
      interpolate<B, High>(on_, system.A.unknowns, cubic, c, system.x);
      store_residual(level, system, state);
    }
    visit_and_add(level, restricted ? Visit::restricted : Visit::interpolated, system, cubic, c,
                  state);
  }

 private:
  using Visit = typename Multigrid<B, Low>::Visit;
  static constexpr bool passes = has_passes_on<B, High, Low>;
  /// Where a device does it in the same pass (elsewhere it would be two passes more), and residuals
  /// between steps are stored as they are computed: those of 16 bits leave the range.
  static constexpr bool adds_last_step_apart =
      has_nested_passes<High, Low> && std::is_same_v<Low, Arithmetic<Low>>;

  void store_residual(int level, const LevelSystem<High>& system, const State* state) const {
    residual_narrowed<B, High, Low>(on_, system.A, system.b, system.x, state, multigrid_.b(level));
  }
  void add(int level, const LevelSystem<High>& system, const State* state) const {
    add_correction<B, High, Low>(on_, system.A.unknowns, state, multigrid_.x(level), system.x);
  }

  /// The restricted residual of I c, if that is one pass here.
  bool restrict_in_one_pass([[maybe_unused]] int level,
                            [[maybe_unused]] const LevelSystem<High>& system,
                            [[maybe_unused]] const CubicTransfer<Arithmetic<High>>& cubic,
                            [[maybe_unused]] const Field<const High>& c,
                            [[maybe_unused]] const State* state) {
    if constexpr (passes) {
      const auto* rows = system.A.template as<FactoredRows<High>>();
      if (rows == nullptr || !multigrid_.takes_restricted(level)) return false;
      nested_residual<High, Low>(on_, *rows, system.b, cubic, c, state, multigrid_.b(level),
                                 multigrid_.unknowns(level - 1), multigrid_.transfer(level),
                                 multigrid_.b(level - 1));
      return true;
    }
    return false;
  }

  /// x + up e for the x that is there, e by a visit for its residual, which is stored.
  void visit_and_add_to_solution(int level, Visit kind, const LevelSystem<High>& system,
                                 const State* state) {
    if constexpr (corrects_in_passes_on<B, High, Low>) {
      if (multigrid_.ends_in_steps(level, kind)) {
        const auto last = multigrid_.visit_without_last_steps(level, kind);
        return add_correction_after_steps<High, Low>(on_, last.transfer, last.coarse, last.A,
                                                     last.b, last.relaxations, state, system.x,
                                                     FusedBy::size, last.others);
      }
    }
    multigrid_.visit(level, kind);
    add(level, system, state);
  }

  /// I c + up e, e by a visit for the residual that is there.
  void visit_and_add(int level, Visit kind, const LevelSystem<High>& system,
                     const CubicTransfer<Arithmetic<High>>& cubic, const Field<const High>& c,
                     const State* state) {
    if constexpr (passes && adds_last_step_apart) {
      if (multigrid_.ends_in_two_steps(level) && multigrid_.ends_in_steps(level, kind)) {
        const auto last = multigrid_.visit_without_last_steps(level, kind);
        return nested_correction<High, Low>(on_, last.transfer, last.coarse, last.A, last.b,
                                            last.relaxations, cubic, c, state, system.x,
                                            FusedBy::size, last.others);
      }
    }
    if constexpr (adds_last_step_apart) {
      if (multigrid_.ends_in_two_steps(level)) {
        const auto last = multigrid_.visit_without_last_step(level, kind);
        add_interpolated<B, High, Low>(on_, system.A.unknowns, cubic, c, state, last.x, system.x);
        residual<B, Low>(on_, last.A, last.b, last.x, last.free);
        jacobi_start<B, Low>(on_, last.A, last.free, last.relaxation, last.free);
        return add_correction<B, High, Low>(on_, system.A.unknowns, state, last.free, system.x);
      }
    }
    // Then x holds I c: to compute that again takes longer than to read it, in pairs of words.
    if (is_double_word<Arithmetic<High>> && kind != Visit::restricted)
      return visit_and_add_to_solution(level, kind, system, state);
    multigrid_.visit(level, kind);
    add_interpolated<B, High, Low>(on_, system.A.unknowns, cubic, c, state, multigrid_.x(level),
                                   system.x);
  }

  B on_;
  Multigrid<B, Low>& multigrid_;
};

}  // namespace ninefold
