#include "experiments/measure/peers/petsc_matrix.hpp"

#include <cstdlib>
#include <stdexcept>
#include <string>
#include <vector>

#include <petscmat.h>

namespace ninefold {
namespace {

void check(PetscErrorCode status, const char* call) {
  if (status != 0) throw std::runtime_error(std::string(call) + " failed");
}

/// PETSc, from the first matrix to the program's end.
struct Session {
  Session() {
    // Alone, without the processes and files that Open MPI begins with.
    setenv("OMPI_MCA_ess_singleton_isolated", "1", 0);
    check(PetscInitializeNoArguments(), "PetscInitializeNoArguments");
    PetscPopSignalHandler();  // signals are the program's
    PetscPushErrorHandler(PetscReturnErrorHandler, nullptr);
  }
  ~Session() { PetscFinalize(); }
  Session(const Session&) = delete;
  Session& operator=(const Session&) = delete;
};

void begin() {
  static const Session session;
}

}  // namespace

struct PetscMatrix::State {
  std::vector<PetscInt> starts, columns;
  std::vector<double> values;
  Mat matrix{};
  Vec x{}, y{};

  explicit State(const SparseMatrix& A)
      : starts(A.pattern.row_starts.begin(), A.pattern.row_starts.end()),
        columns(A.pattern.columns.begin(), A.pattern.columns.end()),
        values(A.values) {
    const PetscInt rows = A.pattern.n_rows, n = A.pattern.n_columns;
    begin();
    check(MatCreateSeqAIJWithArrays(PETSC_COMM_SELF, rows, n, starts.data(), columns.data(),
                                    values.data(), &matrix),
          "MatCreateSeqAIJWithArrays");
    check(VecCreateSeqWithArray(PETSC_COMM_SELF, 1, n, nullptr, &x), "VecCreateSeqWithArray");
    check(VecCreateSeqWithArray(PETSC_COMM_SELF, 1, rows, nullptr, &y), "VecCreateSeqWithArray");
  }
  ~State() {
    VecDestroy(&y);
    VecDestroy(&x);
    MatDestroy(&matrix);
  }
  State(const State&) = delete;
  State& operator=(const State&) = delete;
};

PetscMatrix::PetscMatrix(const SparseMatrix& A) : state_(std::make_shared<State>(A)) {}

void PetscMatrix::product(const double* x, double* y) const {
  const State& s = *state_;
  check(VecPlaceArray(s.x, x), "VecPlaceArray");
  check(VecPlaceArray(s.y, y), "VecPlaceArray");
  check(MatMult(s.matrix, s.x, s.y), "MatMult");
  check(VecResetArray(s.x), "VecResetArray");
  check(VecResetArray(s.y), "VecResetArray");
}

}  // namespace ninefold
