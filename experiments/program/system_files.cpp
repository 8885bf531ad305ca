#include "experiments/program/system_files.hpp"

#include <cstddef>
#include <string_view>
#include <vector>

#include "fem/discrete/scaling.hpp"
#include "fem/sparse/matrix_market.hpp"
#include "fem/sparse/nine_band_matrix.hpp"
#include "fem/sparse/sparse_residual.hpp"

#include "solvers/system/assembled_system.hpp"
#include "solvers/system/system.hpp"

#include "output/tables/files.hpp"

namespace ninefold {

void write_system_files(const PreparedSolve& prepared, const std::filesystem::path& stem) {
  const Problem& problem = prepared.problem;
  const TensorGrid& grid = prepared.finest();
  const Box unknowns = unknown_nodes(grid, problem.boundary);
  const StoredMatrix<Host, double> matrix(
      Host(), grid, unknowns, scaled_coefficients<double>(problem, {}), OperatorForm::plain);
  const LiftedLoad<double> lifted = lifted_load<double>(problem, grid, nullptr);
  std::vector<double> right, lifting;
  for (int j = unknowns.j0; j < unknowns.j1; ++j) {
    for (int i = unknowns.i0; i < unknowns.i1; ++i) {
      right.push_back(lifted.load.at(i, j));
      lifting.push_back(lifted.lifting.value(i, j));
    }
  }
  // Ours is what the lifting leaves: others have only that at the nodes of the sides.
  const SparseMatrix A = sparse_matrix(matrix.view());
  const WideVector of_lifting = sparse_product(A, lifting);
  for (std::size_t k = 0; k < right.size(); ++k) {
    right[k] = static_cast<double>(DoubleDouble(right[k]) + of_lifting[k]);
  }
  const auto path = [&](std::string_view ending) {
    return stem.parent_path() / (stem.filename().string() + std::string(ending));
  };
  write_file_atomically(path("-matrix.mtx"), matrix_market_text(A));
  write_file_atomically(path("-right-hand-side.mtx"), matrix_market_text(right));
}

}  // namespace ninefold
