#include "experiments/paper/sparse_models.hpp"

#include <algorithm>
#include <cmath>
#include <stdexcept>

#include "fem/sparse/reordering.hpp"
#include "fem/sparse/row_layouts.hpp"
#include "fem/sparse/storage_size.hpp"
#include "fem/sparse/symmetry.hpp"

#include "experiments/paper/sparse_papers.hpp"
#include "tests/support/catch.hpp"

using namespace ninefold;

namespace {

std::size_t at(int k) {
  return static_cast<std::size_t>(k);
}

/// The least pivot of elimination over the diagonal entry.
long double least_pivot(const SparseMatrix& A) {
  const int n = A.pattern.n_rows;
  std::vector<std::vector<long double>> a(at(n), std::vector<long double>(at(n), 0));
  for (int i = 0; i < n; ++i) {
    for (int j = 0; j < n; ++j) a[at(i)][at(j)] = A(i, j);
  }
  long double least = 1;
  for (int k = 0; k < n; ++k) {
    least = std::min(least, a[at(k)][at(k)] / static_cast<long double>(A(k, k)));
    for (int i = k + 1; i < n; ++i) {
      const long double factor = a[at(i)][at(k)] / a[at(k)][at(k)];
      for (int j = k; j < n; ++j) a[at(i)][at(j)] -= factor * a[at(k)][at(j)];
    }
  }
  return least;
}

}  // namespace

TEST_CASE("models of the papers on sparse systems are symmetric and positive definite",
          "[paper][sparse]") {
  for (const std::string& name : sparse_model_names()) {
    INFO(name);
    const SparseModel model = sparse_model(name, 2);
    CHECK(symmetry_facts(model.A).values());
    CHECK(model.A.pattern.n_rows % model.components == 0);
    CHECK(model.solution.size() == at(model.A.pattern.n_rows));
    CHECK(least_pivot(model.A) > 1e-6L);
    CHECK_FALSE(stands_for(name).empty());
  }
  CHECK_THROWS_AS(sparse_model("bunny", 2), std::invalid_argument);
}

TEST_CASE("a flat patch is its own conformal map", "[paper][sparse]") {
  // Of a free vertex away from the held ones the row times the coordinates is zero, since the patch
  // satisfies each triangle's equation: in both components, so every coefficient counts.
  const int level = 4, n = 1 << level;
  const SparseModel model = sparse_model("parameterisation", level);
  CHECK(model.A.pattern.n_rows == 2 * (n * n - 2));
  CHECK(model.solution[at(2 * n - 2)] == Catch::Approx(0).margin(0.3 / (n - 1)));
  CHECK(model.solution[at(2 * n - 4)] == Catch::Approx(1).margin(0.3 / (n - 1)));
  int rows = 0;
  for (int i = 0; i < model.A.pattern.n_rows; ++i) {
    const int vertex = i / 2 + 1, x = vertex % n, y = vertex / n;
    if (x + y <= 2 || 2 * (n - 1) - x - y <= 2) continue;  // a held vertex is near
    double sum = 0, size = 0;
    for (std::size_t k = 0; k < model.A.pattern.row(i).size(); ++k) {
      const double term = model.A.row_values(i)[k] * model.solution[at(model.A.pattern.row(i)[k])];
      sum += term;
      size += std::abs(term);
    }
    CHECK(std::abs(sum) <= 1e-14 * size);
    ++rows;
  }
  CHECK(rows == 2 * (n * n - 12));
}

TEST_CASE("rows of a smoothing matrix add up to its fidelity, within one component",
          "[paper][sparse]") {
  const SparseModel model = sparse_model("smoothing", 3);
  for (int i = 0; i < model.A.pattern.n_rows; ++i) {
    double sum = 0;
    for (std::size_t k = 0; k < model.A.pattern.row(i).size(); ++k) {
      CHECK(model.A.pattern.row(i)[k] % 3 == i % 3);
      sum += model.A.row_values(i)[k];
    }
    CHECK(sum == 1.0 / 64);  // whole numbers and 1/64 are exact
  }
}

TEST_CASE("what is counted by hand is what there is", "[paper][sparse]") {
  for (const std::string& name : sparse_model_names()) {
    for (const int level : {2, 3, 4}) {
      INFO(name << ", level " << level);
      const SparsePattern pattern = sparse_model(name, level).A.pattern;
      const auto counted = counted_entries(name, level);
      CHECK(counted.has_value() == (name != "smoothing"));
      if (!counted) continue;
      CHECK(counted->entries == pattern.entries());
      if (counted->stored_in_2) {
        CHECK(*counted->stored_in_2 == 4 * count_blocks(pattern, 2));
        CHECK(*counted->stored_in_2
              == row_layout(pattern, SparseStorage::blocks_2).stored_values());
      }
      if (counted->stored_in_4) {
        CHECK(*counted->stored_in_4 == 16 * count_blocks(pattern, 4));
        CHECK(*counted->stored_in_4
              == row_layout(pattern, SparseStorage::blocks_4).stored_values());
      }
    }
  }
}

TEST_CASE("another order of nodes keeps a model's system", "[paper][sparse]") {
  for (const std::string name : {"parameterisation", "smoothing", "triangles"}) {
    INFO(name);
    const SparseModel model = sparse_model(name, 4);
    const SparseModel random = reordered(model, NodeOrder::random);
    const SparseModel rcm = reordered(model, NodeOrder::rcm);
    for (const SparseModel* other : {&random, &rcm}) {
      CHECK(other->A.pattern.entries() == model.A.pattern.entries());
      CHECK(other->A != model.A);
      // Components stay in their places, and diagonal and solution go together.
      std::vector<std::vector<double>> rows, given;
      for (int i = 0; i < model.A.pattern.n_rows; i += model.components) {
        given.push_back({model.A(i, i), model.solution[at(i)]});
        rows.push_back({other->A(i, i), other->solution[at(i)]});
        if (model.components > 1) {
          given.back().push_back(model.solution[at(i + 1)]);
          rows.back().push_back(other->solution[at(i + 1)]);
        }
      }
      std::sort(rows.begin(), rows.end());
      std::sort(given.begin(), given.end());
      CHECK(rows == given);
    }
    const auto bandwidth = [](const SparseModel& one) {
      return band_facts(one.A.pattern).bandwidth;
    };
    CHECK(2 * bandwidth(rcm) < bandwidth(random));
    CHECK(reordered(model, NodeOrder::rows).A == model.A);
  }
  // The pattern of nodes is that of whole blocks.
  const SparsePattern nodes = node_pattern(sparse_model("elasticity-3d", 2).A.pattern, 3);
  CHECK(9 * nodes.entries() == sparse_model("elasticity-3d", 2).A.pattern.entries());
}

TEST_CASE("table 3 of Buatois, Caumon, Levy has two and three unknowns a vertex", "[paper]") {
  for (const cnc::MeshRow& row : cnc::table_3) {
    CHECK(row.smoothing_unknowns / row.parameterisation_unknowns
          == Catch::Approx(1.5).margin(0.04));
    CHECK(row.parameterisation_entries > 14 * row.parameterisation_unknowns);
  }
}
