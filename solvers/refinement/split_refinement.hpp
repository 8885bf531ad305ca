#pragma once
// Iterative refinement with the outer solver on the host and the inner one on a CUDA device, as a
// co-processor.
//
// Mathematics.  That of solvers/refinement/refinement.hpp, with the same bits.
//
// Cost.  Per step two vectors in Low cross the bus, in blocks of rows: the host corrects one block
// while the next comes in, and computes residuals in one while that before goes out.  The two
// directions follow each other on one stream.
//
// Reference.  Goeddeke, Strzodka, Turek 2007, section 6.1.
// Tests.      tests/gpu/device/split_test.cpp

#include <algorithm>
#include <cmath>
#include <memory>
#include <vector>

#include "solvers/refinement/refinement.hpp"

namespace ninefold {

template <Number High, Number Low>
class SplitRefinement {
 public:
  using C = Arithmetic<High>;
  static constexpr int most_blocks = 16;

  /// As IterativeRefinement; `inner` is on the device `cuda`, all else on the host.
  SplitRefinement(const Host& on, const Cuda& cuda, const Operator<High>& A, Field<const High> b,
                  Field<High> x, InnerSolver<Cuda, Low>& inner, RefinementScaling scaling,
                  int exponent, double change)
      : on_(on),
        cuda_(cuda),
        A_(A),
        b_(b),
        x_(x),
        inner_(inner),
        scaling_(scaling),
        exponent_(exponent),
        widest_change_(change),
        blocks_(std::min(most_blocks, A.unknowns.height())),
        r_storage_(cuda.page_locked(buffer_bytes(A.nx, A.ny))),
        c_storage_(cuda.page_locked(buffer_bytes(A.nx, A.ny))),
        r_{static_cast<Low*>(r_storage_.get()), A.nx, A.ny},
        c_{static_cast<Low*>(c_storage_.get()), A.nx, A.ny} {
    if (inner_.is_recordable()) {
      inner_step_.emplace(cuda, [this] { recorded_iterations_ = inner_.solve({}); });
    }
  }
  /// What is on its way must have arrived before its memory goes.
  ~SplitRefinement() {
    try {
      cuda_.wait();
    } catch (...) {  // reported by the calls before
    }
  }
  SplitRefinement(const SplitRefinement&) = delete;
  SplitRefinement& operator=(const SplitRefinement&) = delete;

  void begin() {
    residual_square<Host, High>(on_, A_, b_, x_, &state_.square);
    set_scale(on_, scaling_, exponent_, &state_);
    store_residual();
  }

  double norm() const { return std::sqrt(static_cast<double>(state_.square)); }

  RefinementStep step(double before, const InnerDemand& demand) {
    RefinementStep done{0, 0};
    if (inner_step_ && !demand.full_multigrid) {
      inner_step_->replay();
      done.inner_iterations = recorded_iterations_;
    } else {
      done.inner_iterations = inner_.solve(demand);
    }
    correct();
    done.norm = norm();
    const double change = done.norm / before;
    if (leaves_range(change, widest_change_)) {
      cuda_.wait();  // the residual that is on its way would be overwritten
      set_scale(on_, scaling_, exponent_, &state_);
      store_residual();
    }
    return done;
  }

  std::size_t transferred_bytes() const { return transferred_; }
  Work outer_work() const { return outer_work_; }

 private:
  /// Page-locked bytes of one vector; there are two.
  static std::size_t buffer_bytes(int nx, int ny) {
    return static_cast<std::size_t>(nx) * ny * sizeof(Low);
  }

  /// The rows of a block of the unknowns, counted from their first.
  int first_row(int block) const {
    return static_cast<int>(static_cast<long>(A_.unknowns.height()) * block / blocks_);
  }
  /// The values of the rows of a block, from side to side.
  Low* start_of(const Field<Low>& v, int block) const {
    return v.data + static_cast<std::size_t>(A_.unknowns.j0 + first_row(block)) * v.nx;
  }
  std::size_t bytes_of(int block) const {
    return static_cast<std::size_t>(first_row(block + 1) - first_row(block)) * A_.nx * sizeof(Low);
  }

  void store_residual() {
    for (int k = 0; k < blocks_; ++k) store_block(k);
    finish_sum(on_, A_.unknowns, &state_.square);
  }

  void store_block(int k) {
    residual_rounded_rows<High, Low>(on_, A_, b_, x_, r_, &state_, first_row(k), first_row(k + 1));
    const Low* from = start_of(r_, k);
    cuda_.begin_copy_in(start_of(inner_.right_hand_side(), k), from, bytes_of(k));
    transferred_ += bytes_of(k);
  }

  void correct() {
    const Work before = on_.work();
    const Field<const Low> c = inner_.correction();
    std::vector<std::shared_ptr<void>> arrived;
    for (int k = 0; k < blocks_; ++k) {
      Low* const to = start_of(c_, k);
      cuda_.begin_read(to, c.data + (to - c_.data), bytes_of(k));
      transferred_ += bytes_of(k);
      arrived.push_back(cuda_.mark());
    }
    // A residual needs the rows above and below: a block is stored when the next is corrected.
    const RefinementState<C> corrections = state_;
    set_scale(on_, scaling_, exponent_, &state_);  // for the residuals
    for (int k = 0; k <= blocks_; ++k) {
      if (k < blocks_) {
        cuda_.wait_for(arrived[static_cast<std::size_t>(k)]);
        Box rows = A_.unknowns;
        rows.j1 = rows.j0 + first_row(k + 1);
        rows.j0 += first_row(k);
        add_correction<Host, High, Low>(on_, rows, &corrections, c_, x_);
      }
      if (k > 0) store_block(k - 1);
    }
    finish_sum(on_, A_.unknowns, &state_.square);
    outer_work_ = on_.work() - before;
  }

  Host on_;
  Cuda cuda_;
  Operator<High> A_;
  Field<const High> b_;
  Field<High> x_;
  InnerSolver<Cuda, Low>& inner_;
  RefinementScaling scaling_;
  int exponent_;
  double widest_change_;
  int blocks_;  ///< each of one row at least
  std::shared_ptr<void> r_storage_, c_storage_;
  Field<Low> r_, c_;
  RefinementState<C> state_{};
  std::optional<Recording<Cuda>> inner_step_;
  int recorded_iterations_ = 0;
  std::size_t transferred_ = 0;
  Work outer_work_;
};

}  // namespace ninefold
