#pragma once
// Fused passes where rows are divided among ranks: each takes its own rows, and those beside them
// that it has copies of, for a grid of their own.
//
// A pass visits its own rows and some below and above: it computes what it begins with there, and
// the first step of the next ones, for itself, as the neighbour does.  What the last step leaves
// there is of no use, and is replaced when it is asked for (share_borders), unless the pass knows
// rows enough beside its own (OthersRows::known): then it visits four below and five above, and
// what the last of two steps leaves two below and three above is right, too.  Rows at the window's
// ends are read for nobody.

#include <algorithm>

#include "grids/cubic.hpp"
#include "grids/transfer.hpp"

#include "fem/matrix/factored_rows.hpp"

#include "gpu/meaning/divided.hpp"
#include "gpu/operations/fused_operations.hpp"

namespace ninefold {

class DividedWindow {
 public:
  /// Of a grid of ny = 2 m + 1 rows; those of the next coarser grid are divided, too, or whole.
  DividedWindow(const Ranks& ranks, int ny) {
    own_ = ranks.own_rows(ny);
    own_coarse_ = ranks.own_coarse_rows(ny);
    coarse_ = {std::max(0, own_coarse_.first - coarse_beside),
               std::min((ny + 1) / 2, own_coarse_.last + coarse_beside)};
    fine_ = {2 * coarse_.first, 2 * coarse_.last - 1};
  }

  template <class T>
  Field<T> fine(const Field<T>& x) const {
    return part(x, fine_);
  }
  template <class T>
  Field<T> coarse(const Field<T>& x) const {
    return part(x, coarse_);
  }
  /// With its own unknowns and those of some rows beside.
  template <class T>
  FactoredRows<T> fine(const FactoredRows<T>& A, OthersRows others = OthersRows::asked_for) const {
    FactoredRows<T> rows = A;
    rows.y.stiffness += fine_.first;
    rows.y.mass += fine_.first;
    rows.ny = fine_.count();
    const bool is_known = others == OthersRows::known;
    const RowRange visited{own_.first - (is_known ? known_below : steps),
                           own_.last + (is_known ? known_above : steps)};
    rows.unknowns = moved(rows_of_box(A.unknowns, visited), fine_.first);
    return rows;
  }
  Box own_coarse(const Box& box) const {
    return moved(rows_of_box(box, own_coarse_), coarse_.first);
  }
  template <class T>
  Transfer<T> fine(const Transfer<T>& transfer) const {
    return {transfer.x, transfer.y + fine_.first};
  }
  template <class C>
  CubicTransfer<C> coarse(const CubicTransfer<C>& cubic) const {
    return {cubic.x, cubic.y + coarse_.first};
  }

 private:
  /// With twice as many fine rows there are copies of all.
  static constexpr int coarse_beside = Slabs::ghost_rows / 2;
  /// Rows that are visited beside a rank's own: those of a pass's steps, of which the last leaves
  /// nothing of use; or what the next finer level's pass reads, two below and three above, and
  /// those.
  static constexpr int steps = most_fused_steps, known_below = 2 + steps, known_above = 3 + steps;
  static_assert(known_below <= 2 * coarse_beside && known_above <= 2 * coarse_beside - 1);
  static_assert(shared_rows >= known_above - 1,
                "the first step's, of which the last reads one more");

  template <class T>
  static Field<T> part(const Field<T>& x, const RowRange& rows) {
    return {x.data == nullptr ? nullptr : x.row(rows.first), x.nx, rows.count(), x.pitch};
  }
  static Box moved(const Box& box, int first) {
    return {box.i0, box.i1, box.j0 - first, box.j1 - first};
  }

  RowRange own_, own_coarse_, fine_, coarse_;
};

}  // namespace ninefold
