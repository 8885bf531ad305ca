#include "fem/sparse/random_rows.hpp"

#include <algorithm>
#include <cstddef>

#include <fmt/format.h>

#include "precision/require.hpp"

#include "grids/counter_random.hpp"

#include "fem/sparse/pieces.hpp"

namespace ninefold {
namespace {

std::size_t at(std::int64_t k) {
  return static_cast<std::size_t>(k);
}

/// Random numbers of one row, one after the other.
class RowRandom {
 public:
  RowRandom(const CounterRandom& random, int row)
      : random_(random), counter_(static_cast<std::uint64_t>(row) << 32) {}
  std::int32_t column(int columns) {
    return static_cast<std::int32_t>(
        random_.below(static_cast<std::uint64_t>(columns), counter_++));
  }
  double value() { return 0.5 + random_.unit(counter_++); }

 private:
  const CounterRandom& random_;
  std::uint64_t counter_;
};

}  // namespace

MeasuredRows random_rows(const RandomRowsOptions& options) {
  const std::int64_t m = options.rows, n = options.columns;
  require(n >= 1, [&] { return fmt::format("columns is {}: at least 1", n); });
  require(m >= n, [&] {
    return fmt::format("rows is {}: at least as many as there are columns, {}", m, n);
  });
  require(options.entries >= m && options.entries <= m * n, [&] {
    return fmt::format("entries is {}: from {}, one a row, to {}", options.entries, m, m * n);
  });
  require(options.noise >= 0 && options.noise <= 1,
          [&] { return fmt::format("noise is {}: from 0 to 1", options.noise); });
  MeasuredRows result;
  SparsePattern& pattern = result.A.pattern;
  pattern.n_rows = options.rows;
  pattern.n_columns = options.columns;
  const std::int64_t least = options.entries / m, more = options.entries % m;
  for (std::int64_t i = 1; i <= m; ++i) {
    pattern.row_starts.push_back(i * least + i * more / m);
  }
  pattern.columns.resize(at(options.entries));
  result.A.values.resize(at(options.entries));
  const CounterRandom random(options.seed);
  constexpr int rows_at_once = 1024;
  for_pieces((options.rows + rows_at_once - 1) / rows_at_once, [&](int piece) {
    const int end = std::min((piece + 1) * rows_at_once, options.rows);
    for (int i = piece * rows_at_once; i < end; ++i) {
      RowRandom next(random, i);
      std::int32_t* const columns = pattern.columns.data() + pattern.start(i);
      const int length = pattern.length(i);
      columns[0] = i % options.columns;
      for (int k = 1; k < length;) {
        const std::int32_t column = next.column(options.columns);
        if (std::find(columns, columns + k, column) == columns + k) columns[k++] = column;
      }
      std::sort(columns, columns + length);
      for (int k = 0; k < length; ++k) result.A.values[at(pattern.start(i) + k)] = next.value();
    }
  });
  result.truth.resize(at(n));
  const CounterRandom of_truth(options.seed + 1);
  for (std::size_t k = 0; k < result.truth.size(); ++k) result.truth[k] = of_truth.unit(k);
  result.b = noisy_product(result.A, result.truth, options.noise, options.seed + 2);
  return result;
}

}  // namespace ninefold
