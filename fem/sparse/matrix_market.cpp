#include "fem/sparse/matrix_market.hpp"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <limits>
#include <stdexcept>
#include <utility>

#include <fmt/format.h>

#include "grids/text_file.hpp"

#include "fem/sparse/compressed_text.hpp"
#include "fem/sparse/matrix_market_lines.hpp"
#include "fem/sparse/symmetry.hpp"

namespace ninefold {
namespace {

/// Of this many rows, fewer than one in 16 with an entry are no system that anybody solves, but
/// would take memory that no byte of the file asks for.
constexpr std::int64_t many_rows = std::int64_t{1} << 20, rows_per_entry = 16;

std::string text_of(const std::filesystem::path& file) {
  std::string bytes =
      read_text_file(file, "Matrix Market file", std::numeric_limits<std::size_t>::max() / 4);
  if (!is_compressed(bytes)) return bytes;
  return decompressed(bytes, file.string());
}

void remark_on_numbers(const MatrixMarketLines& lines, std::vector<std::string>& remarks) {
  if (lines.rounded > 0) {
    remarks.push_back(fmt::format("{} integer{} beyond 2^53 {} rounded to double", lines.rounded,
                                  lines.rounded == 1 ? "" : "s",
                                  lines.rounded == 1 ? "was" : "were"));
  }
}

void remark_on_repeated(const SummedEntries& summed, std::vector<std::string>& remarks) {
  if (summed.repeated == 0) return;
  remarks.push_back(fmt::format(
      "{} {} given more than once and {} added up; the first is that of row {}, column {}",
      summed.repeated == 1 ? "one entry" : fmt::format("{} entries", summed.repeated),
      summed.repeated == 1 ? "is" : "are", summed.repeated == 1 ? "was" : "were", summed.row + 1,
      summed.column + 1));
}

/// Finite numbers may have a sum that is not.
void require_finite(double sum, std::int64_t row, std::int64_t column, const std::string& name) {
  if (std::isfinite(sum)) return;
  throw std::invalid_argument(
      fmt::format("{}: what is given for row {}, column {} adds up beyond the range of a double",
                  name, row + 1, column + 1));
}

void require_finite(const SparseMatrix& A, const std::string& name) {
  for (int i = 0; i < A.pattern.n_rows; ++i) {
    const auto columns = A.pattern.row(i);
    const auto values = A.row_values(i);
    for (std::size_t k = 0; k < values.size(); ++k) require_finite(values[k], i, columns[k], name);
  }
}

MatrixFile matrix_of(const MatrixMarketLines& lines, const std::string& name) {
  const std::int64_t larger = std::max(lines.n_rows, lines.n_columns);
  if (larger > many_rows && larger > rows_per_entry * lines.entries()) {
    throw std::invalid_argument(
        fmt::format("{}, line {}: {} x {} with {} entries: almost all rows or columns are empty",
                    name, lines.sizes_line, lines.n_rows, lines.n_columns, lines.entries()));
  }
  MatrixFile file;
  SummedEntries summed;
  file.matrix = assemble_sparse(static_cast<int>(lines.n_rows), static_cast<int>(lines.n_columns),
                                lines.pieces, lines.symmetric, &summed);
  if (summed.repeated > 0) require_finite(file.matrix, name);
  file.header = lines.header;
  file.symmetric = lines.symmetric;
  file.stated_entries = lines.stated_entries;
  if (lines.dense)
    file.remarks.emplace_back("an array file: all of its numbers are entries, zeros, too");
  if (lines.upper)
    file.remarks.emplace_back(
        "the upper triangle is given, where the format asks for the lower one");
  remark_on_numbers(lines, file.remarks);
  remark_on_repeated(summed, file.remarks);
  return file;
}

std::vector<std::vector<double>> vectors_of(const MatrixMarketLines& lines, const std::string& name,
                                            int n_rows) {
  if (lines.n_columns < 1 || lines.n_columns > most_vectors || lines.n_rows != n_rows
      || (lines.symmetric && n_rows > 1)) {
    throw std::invalid_argument(
        fmt::format("{}, line {}: {}{} x {}, where 1 to {} vectors of {} values are needed", name,
                    lines.sizes_line, lines.symmetric ? "symmetric, " : "", lines.n_rows,
                    lines.n_columns, most_vectors, n_rows));
  }
  std::vector<std::vector<double>> all(static_cast<std::size_t>(lines.n_columns),
                                       std::vector<double>(static_cast<std::size_t>(n_rows), 0.0));
  for (const std::vector<SparseEntry>& piece : lines.pieces) {
    for (const SparseEntry& entry : piece) {
      double& value =
          all[static_cast<std::size_t>(entry.column)][static_cast<std::size_t>(entry.row)];
      value += entry.value;
      require_finite(value, entry.row, entry.column, name);
    }
  }
  return all;
}

std::vector<double> vector_of(const MatrixMarketLines& lines, const std::string& name, int n_rows) {
  if (lines.n_columns != 1 || lines.n_rows != n_rows) {
    throw std::invalid_argument(
        fmt::format("{}, line {}: {} x {}, where a vector of {} x 1 is needed", name,
                    lines.sizes_line, lines.n_rows, lines.n_columns, n_rows));
  }
  return std::move(vectors_of(lines, name, n_rows).front());
}

bool is_symmetric(const SparseMatrix& A) {
  if (!A.pattern.is_square()) return false;
  const SymmetryFacts facts = symmetry_facts(A);
  return facts.pattern() && facts.values();
}

}  // namespace

MatrixFile parse_matrix_market(std::string_view text, const std::string& name) {
  return matrix_of(parse_matrix_market_lines(text, name), name);
}

MatrixFile read_matrix_market(const std::filesystem::path& file) {
  const std::string name = file.string();
  return matrix_of(parse_matrix_market_lines(text_of(file), name), name);
}

std::vector<double> parse_vector(std::string_view text, const std::string& name, int n_rows) {
  return vector_of(parse_matrix_market_lines(text, name), name, n_rows);
}

std::vector<std::vector<double>> parse_vectors(std::string_view text, const std::string& name,
                                               int n_rows) {
  return vectors_of(parse_matrix_market_lines(text, name), name, n_rows);
}

std::vector<std::vector<double>> read_vectors(const std::filesystem::path& file, int n_rows) {
  return parse_vectors(text_of(file), file.string(), n_rows);
}

std::vector<double> read_vector(const std::filesystem::path& file, int n_rows) {
  return parse_vector(text_of(file), file.string(), n_rows);
}

std::string matrix_market_text(const SparseMatrix& A) {
  const bool symmetric = is_symmetric(A);
  std::int64_t entries = A.pattern.entries();
  if (symmetric) {
    for (int i = 0; i < A.pattern.n_rows; ++i) {
      for (const std::int32_t j : A.pattern.row(i)) entries -= j > i ? 1 : 0;
    }
  }
  fmt::memory_buffer text;
  const auto out = std::back_inserter(text);
  fmt::format_to(out, "%%MatrixMarket matrix coordinate real {}\n{} {} {}\n",
                 symmetric ? "symmetric" : "general", A.pattern.n_rows, A.pattern.n_columns,
                 entries);
  for (int i = 0; i < A.pattern.n_rows; ++i) {
    const auto columns = A.pattern.row(i);
    for (std::size_t k = 0; k < columns.size(); ++k) {
      if (symmetric && columns[k] > i) break;
      fmt::format_to(out, "{} {} {}\n", i + 1, columns[k] + 1, A.row_values(i)[k]);
    }
  }
  return fmt::to_string(text);
}

std::string matrix_market_text(const std::vector<double>& vector) {
  fmt::memory_buffer text;
  const auto out = std::back_inserter(text);
  fmt::format_to(out, "%%MatrixMarket matrix array real general\n{} 1\n", vector.size());
  for (const double value : vector) fmt::format_to(out, "{}\n", value);
  return fmt::to_string(text);
}

}  // namespace ninefold
