#include "experiments/program/system_files.hpp"

#include <cstddef>
#include <string_view>
#include <vector>

#include "fem/discrete/scaling.hpp"
#include "fem/sparse/matrix_market.hpp"
#include "fem/sparse/nine_band_matrix.hpp"

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
  const Load<double> load = lifted_load<double>(problem, grid, nullptr).load;
  std::vector<double> right;
  right.reserve(static_cast<std::size_t>(unknowns.width())
                * static_cast<std::size_t>(unknowns.height()));
  for (int j = unknowns.j0; j < unknowns.j1; ++j) {
    for (int i = unknowns.i0; i < unknowns.i1; ++i) right.push_back(load.at(i, j));
  }
  const auto path = [&](std::string_view ending) {
    return stem.parent_path() / (stem.filename().string() + std::string(ending));
  };
  write_file_atomically(path("-matrix.mtx"), matrix_market_text(sparse_matrix(matrix.view())));
  write_file_atomically(path("-right-hand-side.mtx"), matrix_market_text(right));
}

}  // namespace ninefold
