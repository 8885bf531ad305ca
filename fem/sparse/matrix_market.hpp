#pragma once
// Matrices and vectors in files of the Matrix Market format, plain or compressed by gzip.
//
// Shape.  `%%MatrixMarket matrix FORMAT FIELD SYMMETRY`, comments that begin with %, the sizes, one
// entry per line.  Taken are coordinate and array; real, integer and pattern (whose entries are 1);
// general and symmetric.  Of a symmetric file one triangle is stored, and the other one is added
// here.  Zeros that are given stay entries; those given more than once are added in the order of
// the file.
//
// What is refused, with file, line and value: other formats; indices that are 0 or beyond the
// sizes; entries on both sides of the diagonal of a symmetric file; values that are no numbers, not
// finite or beyond the range of a double, also those that are sums; anything behind an entry; fewer
// or more entries than stated; more than 2^31 - 1 rows; a shape almost all of whose rows are empty.
// No bytes do harm.
//
// Cost.  Parsed by all threads in pieces of a megabyte, whose number does not depend on them, nor
// does the result.  Text and entries are held at once: about the size of the file and 28 bytes per
// entry.
//
// Rounding.  A decimal number becomes the nearest double, an integer beyond 2^53, too, which is
// remarked; written numbers read back as the same.
//
// Reference.  Boisvert, Pozo, Remington, The Matrix Market exchange formats, NISTIR 5935, 1996.
// Tests.  tests/fem/sparse/matrix_market_test.cpp, tests/fem/sparse/matrix_market_fuzz_test.cpp

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "fem/sparse/sparse_matrix.hpp"

namespace ninefold {

/// What a file says.
struct MatrixFile {
  SparseMatrix matrix{};
  std::string header{};                ///< "coordinate real symmetric"
  bool symmetric = false;              ///< as its header says
  std::int64_t stated_entries = 0;     ///< as its sizes say
  std::vector<std::string> remarks{};  ///< what a reader may not expect of it
};

/// The matrix in a file.  Throws std::invalid_argument, with what is refused above.
MatrixFile read_matrix_market(const std::filesystem::path& file);

/// The same of a text; `name` stands for the file in messages.
MatrixFile parse_matrix_market(std::string_view text, const std::string& name);

/// The n_rows values of a vector, a matrix of one column; those that a coordinate file does not
/// give are 0.  Throws std::invalid_argument likewise, and for another length.
std::vector<double> read_vector(const std::filesystem::path& file, int n_rows);
std::vector<double> parse_vector(std::string_view text, const std::string& name, int n_rows);

/// The same of a matrix of up to so many columns, one vector each.
inline constexpr int most_vectors = 64;
std::vector<std::vector<double>> read_vectors(const std::filesystem::path& file, int n_rows);
std::vector<std::vector<double>> parse_vectors(std::string_view text, const std::string& name,
                                               int n_rows);

/// The text of a coordinate file: of one triangle, and "symmetric", if the matrix is that; entries
/// by rows.
std::string matrix_market_text(const SparseMatrix& A);

/// The text of an array file with one column.
std::string matrix_market_text(const std::vector<double>& vector);

}  // namespace ninefold
