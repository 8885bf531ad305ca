#pragma once
// A peer to measure line relaxation against: the same zebra steps with cuSPARSE's batched
// tridiagonal solvers.  Nothing but measurements uses it; built if the CUDA toolkit has cuSPARSE.
//
// Mathematics.  x_l += T_l^-1 (b - A x)_l for the even lines, then for the odd ones, as
// gpu/operations/line_operations.hpp says it with omega = 1.
//
// Shape.  cuSPARSE wants the equations of a batch in arrays of its own, one line after the other
// (gtsv2StridedBatch) or the nodes k of all lines side by side (gtsvInterleavedBatch).  One kernel
// computes the residual of a colour's lines and gathers them there, in the order of memory on both
// sides: where the orders differ, 32 x 32 nodes at a time are transposed in shared memory.  Then
// cuSPARSE is called, with memory that was allocated before, and one kernel adds the corrections to
// x.  Everything is asynchronous and may be recorded.
//
// Cost.  Beside the 13 values per node of a step: 4 written, and what cuSPARSE reads and writes.
// gtsv2StridedBatch leaves the matrix as it was: it can be gathered once and be kept, for 3 values
// of memory per node.
//
// Reference.  cuSPARSE Library, NVIDIA: cusparse<t>gtsv2StridedBatch (cyclic and parallel cyclic
// reduction, best for powers of two), cusparse<t>gtsvInterleavedBatch (cuThomas, LU, QR).
// Tests.      experiments/line_smoothing compares each with line_step.

#include <memory>
#include <string>
#include <vector>

#include "fem/matrix/nine_band.hpp"

#include "gpu/backend/backend.hpp"
#include "gpu/operations/lines.hpp"

namespace ninefold {

enum class CusparseSolver { cyclic_reduction, thomas, lu, qr };

/// A solver and how it is fed.
struct CusparseWay {
  CusparseSolver solver;
  bool padded = false;  ///< with trivial equations to a power of two; cyclic reduction only
  bool kept = false;    ///< the matrix is gathered once; cyclic reduction only
};

/// "gtsv2StridedBatch, padded", ...
std::string to_string(const CusparseWay& way);

/// All that make sense.
const std::vector<CusparseWay>& cusparse_ways();

/// "12.6.3"
std::string cusparse_version();

/// The shortest lines that it solves.
inline constexpr int shortest_cusparse_line = 3;

/// Zebra steps along one direction with the matrix A, in plain form; T is float or double.
template <class T>
class CusparseLines {
 public:
  /// Throws std::runtime_error if cuSPARSE refuses or memory does not suffice;
  /// std::invalid_argument unless A is in plain form and has two lines or more, none too short.
  CusparseLines(const Cuda& on, const NineBand<const T>& A, LineDirection direction,
                const CusparseWay& way);

  /// One step; the matrix must live still.
  void step(const Field<const T>& b, const Field<T>& x) const;

 private:
  struct State;
  std::shared_ptr<const State> state_;
};

}  // namespace ninefold
