#pragma once
// Corrections for an outer solver on the host by one on a CUDA device, as a co-processor.
//
// Mathematics.  That of solvers/refinement/correction.hpp, with the same bits.
//
// Cost.  Per step two vectors in Low cross the bus, in blocks of rows: the host corrects one block
// while the next comes in, and computes residuals in one while that before goes out.  The two
// directions follow each other on one stream.
//
// Reference.  Goeddeke, Strzodka, Turek 2007, section 6.1.
// Tests.      tests/gpu/device/split_test.cpp

#include <algorithm>
#include <memory>
#include <optional>
#include <stdexcept>
#include <utility>
#include <vector>

#include "solvers/refinement/correction.hpp"

namespace ninefold {

template <Number High, Number Low>
class SplitCorrection final : public Correction<Host, High> {
 public:
  using typename Correction<Host, High>::C;
  static constexpr int most_blocks = 16;

  /// `inner` is on the device `cuda`.
  SplitCorrection(const Host& on, const Cuda& cuda, const ResidualStorage& storage,
                  const Box& unknowns, std::unique_ptr<InnerSolver<Cuda, Low>> inner)
      : Correction<Host, High>(storage),
        on_(on),
        cuda_(cuda),
        inner_(std::move(inner)),
        unknowns_(unknowns),
        blocks_(std::min(most_blocks, unknowns.height())),
        r_storage_(cuda.page_locked(buffer_bytes())),
        c_storage_(cuda.page_locked(buffer_bytes())),
        r_(buffer(r_storage_)),
        c_(buffer(c_storage_)) {
    if (inner_->is_recordable()) {
      solve_.emplace(cuda, [this] { recorded_iterations_ = inner_->solve({}); });
    }
  }
  /// What is on its way must have arrived before its memory goes.
  ~SplitCorrection() override {
    try {
      cuda_.wait();
    } catch (...) {  // reported by the calls before
    }
  }

  int solve(const InnerDemand& demand) override {
    if (!solve_ || demand.full_multigrid) return inner_->solve(demand);
    solve_->replay();
    return recorded_iterations_;
  }
  bool is_recordable() const override { return false; }  // on the host
  bool remembers() const override { return false; }
  void rescaled(double) override {}
  void begin_anew() override { inner_->begin_anew(); }

  void store_residual(const Operator<High>& A, const Field<const High>& b,
                      const Field<const High>& x, RefinementState<C>* state) override {
    cuda_.wait();  // a residual that is on its way would be overwritten
    scale(state);
    for (int k = 0; k < blocks_; ++k) store_block(k, A, b, x, state);
    finish_sum(on_, unknowns_, &state->square);
  }

  void correct(const Operator<High>& A, const Field<const High>& b, const Field<High>& x,
               RefinementState<C>* state) override {
    const Field<const Low> c = inner_->correction();
    std::vector<std::shared_ptr<void>> arrived;
    for (int k = 0; k < blocks_; ++k) {
      Low* const to = start_of(c_, k);
      cuda_.begin_read(to, c.data + (to - c_.data), bytes_of(k));
      transferred_ += bytes_of(k);
      arrived.push_back(cuda_.mark());
    }
    // A residual needs the rows above and below: a block is stored when the next is corrected.
    const RefinementState<C> corrections = *state;
    scale(state);  // for the residuals
    for (int k = 0; k <= blocks_; ++k) {
      if (k < blocks_) {
        cuda_.wait_for(arrived[static_cast<std::size_t>(k)]);
        Box rows = unknowns_;
        rows.j1 = rows.j0 + first_row(k + 1);
        rows.j0 += first_row(k);
        add_correction<Host, High, Low>(on_, rows, &corrections, c_, x);
      }
      if (k > 0) store_block(k - 1, A, b, x, state);
    }
    finish_sum(on_, unknowns_, &state->square);
  }

  void mass_square(const Box&, const NodeWeights&, double*) override { refuse(); }
  void dot(const Box&, const Field<const High>&, const RefinementState<C>*, C*) override {
    refuse();
  }
  void direct(const Box&, const C*, const RefinementState<C>*, const Field<High>&) override {
    refuse();
  }
  void update(const Box&, const CgVectors<High>&, RefinementState<C>*, CgState<C>*) override {
    refuse();
  }

  std::size_t transferred_bytes() const override { return transferred_; }

 private:
  [[noreturn]] static void refuse() {
    throw std::logic_error("validate() has let a variant pass that cannot be split");
  }

  /// Page-locked bytes of one vector; there are two, of the shape that the inner ones have.
  std::size_t buffer_bytes() const {
    const Field<const Low> c = inner_->correction();
    return static_cast<std::size_t>(c.pitch) * c.ny * sizeof(Low);
  }
  Field<Low> buffer(const std::shared_ptr<void>& memory) const {
    const Field<const Low> c = inner_->correction();
    return {static_cast<Low*>(memory.get()), c.nx, c.ny, c.pitch};
  }

  /// The rows of a block of the unknowns, counted from their first.
  int first_row(int block) const {
    return static_cast<int>(static_cast<long>(unknowns_.height()) * block / blocks_);
  }
  /// The values of the rows of a block, from side to side.
  Low* start_of(const Field<Low>& v, int block) const {
    return v.data + static_cast<std::size_t>(unknowns_.j0 + first_row(block)) * v.pitch;
  }
  std::size_t bytes_of(int block) const {
    return static_cast<std::size_t>(first_row(block + 1) - first_row(block)) * r_.pitch
           * sizeof(Low);
  }

  void scale(RefinementState<C>* state) const {
    set_scale(on_, this->storage().scaling, this->storage().exponent, state, this->storage().over);
  }

  void store_block(int k, const Operator<High>& A, const Field<const High>& b,
                   const Field<const High>& x, const RefinementState<C>* state) {
    residual_rounded_rows<High, Low>(on_, A, b, x, r_, state, first_row(k), first_row(k + 1));
    const Low* from = start_of(r_, k);
    cuda_.begin_copy_in(start_of(inner_->right_hand_side(), k), from, bytes_of(k));
    transferred_ += bytes_of(k);
  }

  Host on_;
  Cuda cuda_;
  std::unique_ptr<InnerSolver<Cuda, Low>> inner_;
  Box unknowns_;
  int blocks_;  ///< each of one row at least
  std::shared_ptr<void> r_storage_, c_storage_;
  Field<Low> r_, c_;
  std::optional<Recording<Cuda>> solve_;
  int recorded_iterations_ = 0;
  std::size_t transferred_ = 0;
};

}  // namespace ninefold
