#include "experiments/paper/reconstruction_loops.hpp"

#include <cmath>
#include <cstddef>

#include "fem/sparse/rectangular.hpp"

namespace ninefold {
namespace {

std::vector<double> product_of(const SparseMatrix& A, const std::vector<double>& x) {
  std::vector<double> y(static_cast<std::size_t>(A.pattern.n_rows), 0.0);
  for (int i = 0; i < A.pattern.n_rows; ++i) {
    const auto columns = A.pattern.row(i);
    const auto values = A.row_values(i);
    double& sum = y[static_cast<std::size_t>(i)];
    for (std::size_t k = 0; k < values.size(); ++k) {
      sum += values[k] * x[static_cast<std::size_t>(columns[k])];
    }
  }
  return y;
}

double dot_of(const std::vector<double>& a, const std::vector<double>& b) {
  double sum = 0;
  for (std::size_t k = 0; k < a.size(); ++k) sum += a[k] * b[k];
  return sum;
}

}  // namespace

std::vector<double> paper_loop(const MeasuredRows& data, bool as_printed, int iterations,
                               double most) {
  const SparseMatrix transpose = transposed(data.A);
  std::vector<double> x(data.truth.size(), 0.0);
  const auto gradient = [&] {
    std::vector<double> r = product_of(data.A, x);
    for (std::size_t i = 0; i < r.size(); ++i) r[i] -= data.b[i];
    return product_of(transpose, r);
  };
  std::vector<double> g = gradient(), d = g;
  for (double& value : d) value = -value;
  double square = dot_of(g, g);
  const double first = square;
  std::vector<double> history{1.0};
  while (static_cast<int>(history.size()) <= iterations && history.back() < most) {
    const std::vector<double> e = product_of(transpose, product_of(data.A, d));
    const double alpha = -dot_of(g, as_printed ? e : d) / dot_of(d, e);
    for (std::size_t k = 0; k < x.size(); ++k) x[k] += alpha * d[k];
    g = gradient();
    const double next = dot_of(g, g), beta = next / square;
    for (std::size_t k = 0; k < d.size(); ++k) d[k] = beta * d[k] - g[k];
    square = next;
    history.push_back(std::sqrt(square / first));
  }
  return history;
}

}  // namespace ninefold
