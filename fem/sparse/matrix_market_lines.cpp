#include "fem/sparse/matrix_market_lines.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <numeric>
#include <optional>
#include <stdexcept>
#include <system_error>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "precision/shortened.hpp"

#include "grids/text_lines.hpp"

#include "fem/sparse/pieces.hpp"

namespace ninefold {
namespace {

constexpr std::size_t piece_size = std::size_t{1} << 20;

enum class Field { real, integer, pattern };

/// What is wrong with a line, by its number within a piece.
struct Complaint {
  std::size_t line;
  std::string what;
};

[[noreturn]] void refuse(const std::string& name, std::size_t line, const std::string& what) {
  throw std::invalid_argument(fmt::format("{}, line {}: {}", shortened(name, 300), line, what));
}

std::string lower_case(std::string_view word) {
  std::string text(word);
  for (char& c : text) {
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  }
  return text;
}

/// A word of the header that is one of those that are taken.
std::string header_word(std::string_view& line, const std::string& name, std::string_view what,
                        const std::vector<std::string>& taken) {
  const std::string word = lower_case(take_word(line));
  if (std::count(taken.begin(), taken.end(), word) > 0) return word;
  refuse(name, 1,
         word.empty() ? fmt::format("the {} is missing: {}", what, fmt::join(taken, ", "))
                      : fmt::format("{} is no {} that is taken: {}", shown(word), what,
                                    fmt::join(taken, ", ")));
}

/// The first line, as far as it decides how the others are read.
Field parse_header(TextLines& lines, const std::string& name, MatrixMarketLines& result) {
  std::string_view line;
  lines.next(line);
  if (lower_case(take_word(line)) != "%%matrixmarket") {
    refuse(name, 1, "a Matrix Market file begins with %%MatrixMarket");
  }
  header_word(line, name, "object", {"matrix"});
  const std::string format = header_word(line, name, "format", {"coordinate", "array"});
  const std::string field = header_word(line, name, "field", {"real", "integer", "pattern"});
  const std::string symmetry = header_word(line, name, "symmetry", {"general", "symmetric"});
  if (const auto more = take_word(line); !more.empty()) {
    refuse(name, 1, fmt::format("{} follows the header's five words", shown(more)));
  }
  if (format == "array" && field == "pattern") {
    refuse(name, 1, "an array without values, \"array pattern\", holds nothing");
  }
  result.header = fmt::format("{} {} {}", format, field, symmetry);
  result.dense = format == "array";
  result.symmetric = symmetry == "symmetric";
  return field == "real" ? Field::real : field == "integer" ? Field::integer : Field::pattern;
}

/// A count of the line of sizes.
std::int64_t take_size(std::string_view& line, const std::string& name, std::size_t number,
                       std::string_view what) {
  const std::string_view word = take_word(line);
  if (word.empty()) refuse(name, number, fmt::format("the number of {} is missing", what));
  std::int64_t size = 0;
  const auto [stop, error] = std::from_chars(word.data(), word.data() + word.size(), size);
  if (error == std::errc::result_out_of_range) {
    refuse(name, number, fmt::format("{} {} are more than can be counted", shown(word), what));
  }
  if (error != std::errc() || stop != word.data() + word.size() || size < 0) {
    refuse(name, number, fmt::format("{} is not a number of {}", shown(word), what));
  }
  return size;
}

void parse_sizes(TextLines& lines, const std::string& name, MatrixMarketLines& result) {
  std::string_view line, rest;
  do {
    if (!lines.next(line)) refuse(name, lines.number() + 1, "the line of sizes is missing");
    rest = line;
  } while (line.starts_with('%') || take_word(rest).empty());
  const std::size_t number = result.sizes_line = lines.number();
  result.n_rows = take_size(line, name, number, "rows");
  result.n_columns = take_size(line, name, number, "columns");
  if (!result.dense) result.stated_entries = take_size(line, name, number, "entries");
  if (const auto more = take_word(line); !more.empty()) {
    refuse(name, number, fmt::format("{} follows the sizes", shown(more)));
  }
  for (const std::int64_t size : {result.n_rows, result.n_columns}) {
    if (size > max_sparse_rows || size == 0) {
      refuse(name, number,
             fmt::format("{} x {}: rows and columns are from 1 to {}", result.n_rows,
                         result.n_columns, max_sparse_rows));
    }
  }
  if (result.symmetric && result.n_rows != result.n_columns) {
    refuse(name, number,
           fmt::format("a symmetric matrix of {} x {}", result.n_rows, result.n_columns));
  }
  if (result.dense) {
    result.stated_entries = result.symmetric ? result.n_rows * (result.n_rows + 1) / 2
                                             : result.n_rows * result.n_columns;
  }
}

/// One piece of the lines behind the sizes, parsed alone.
class Piece {
 public:
  std::vector<SparseEntry> entries{};
  std::size_t lines = 0;                 ///< as far as it was parsed
  std::optional<Complaint> complaint{};  ///< about the line at which it was left
  std::size_t below = 0, above = 0;      ///< the first lines of entries beside the diagonal
  std::int64_t rounded = 0;

  void parse(std::string_view text, const MatrixMarketLines& shape, Field field) {
    TextLines all(text);
    for (std::string_view line; !complaint && all.next(line);) {
      lines = all.number();
      std::string_view word = take_word(line);
      if (word.empty()) continue;
      if (word.front() == '%') {
        complain("a comment stands before the sizes");
        return;
      }
      SparseEntry entry{0, 0, 1.0};
      if (!shape.dense) {
        if (!take_index(word, shape.n_rows, "row", entry.row)) return;
        if (!take_index(take_word(line), shape.n_columns, "column", entry.column)) return;
        std::size_t& side = entry.row > entry.column ? below : above;
        if (side == 0 && entry.row != entry.column) side = lines;
        if (field != Field::pattern) word = take_word(line);
      }
      if (field == Field::real && !take_real(word, entry.value)) return;
      if (field == Field::integer && !take_integer(word, entry.value)) return;
      if (const auto more = take_word(line); !more.empty()) {
        complain(fmt::format("{} follows the entry", shown(more)));
        return;
      }
      entries.push_back(entry);
    }
  }

 private:
  void complain(const std::string& what) { complaint = Complaint{lines, what}; }

  bool take_index(std::string_view word, std::int64_t size, std::string_view what,
                  std::int32_t& index) {
    std::int64_t number = 0;
    const auto [stop, error] = std::from_chars(word.data(), word.data() + word.size(), number);
    if (error == std::errc() && stop == word.data() + word.size() && number >= 1
        && number <= size) {
      index = static_cast<std::int32_t>(number - 1);
      return true;
    }
    if (word.empty()) {
      complain(fmt::format("the {} is missing", what));
    } else if (error == std::errc::invalid_argument || stop != word.data() + word.size()) {
      complain(fmt::format("{} is not the number of a {}", shown(word), what));
    } else {
      complain(fmt::format("{} {}: they are from 1 to {}", what, word.substr(0, 40), size));
    }
    return false;
  }

  bool take_real(std::string_view word, double& value) {
    const auto [stop, error] = std::from_chars(word.data() + (begins_with_plus(word) ? 1 : 0),
                                               word.data() + word.size(), value);
    if (error == std::errc() && stop == word.data() + word.size() && std::isfinite(value)) {
      return true;
    }
    if (word.empty()) {
      complain("the value is missing");
    } else if (error == std::errc::result_out_of_range) {
      complain(fmt::format("{} is beyond the range of a double", shown(word)));
    } else if (error != std::errc() || stop != word.data() + word.size()) {
      complain(fmt::format("{} is not a number", shown(word)));
    } else {
      complain(fmt::format("{} is not finite", shown(word)));
    }
    return false;
  }

  bool take_integer(std::string_view word, double& value) {
    std::int64_t number = 0;
    const auto [stop, error] = std::from_chars(word.data() + (begins_with_plus(word) ? 1 : 0),
                                               word.data() + word.size(), number);
    if (error == std::errc() && stop == word.data() + word.size()) {
      value = static_cast<double>(number);
      // 2^63 is the one double that no std::int64_t is.
      if (value == 0x1p63 || static_cast<std::int64_t>(value) != number) ++rounded;
      return true;
    }
    if (word.empty()) {
      complain("the value is missing");
    } else if (error == std::errc::result_out_of_range) {
      complain(fmt::format("{} has more than 63 bits", shown(word)));
    } else {
      complain(fmt::format("{} is not an integer, which the header promises", shown(word)));
    }
    return false;
  }

  static bool begins_with_plus(std::string_view word) {
    return word.size() > 1 && word[0] == '+' && word[1] != '-';
  }
};

/// The places at which the pieces of a text begin, behind ends of lines, and its end.
std::vector<std::size_t> piece_starts(std::string_view text) {
  std::vector<std::size_t> starts{0};
  while (text.size() - starts.back() > piece_size) {
    const std::size_t end = text.find('\n', starts.back() + piece_size);
    if (end == text.npos) break;
    starts.push_back(end + 1);
  }
  starts.push_back(text.size());
  return starts;
}

/// The line of a piece's text that holds its k-th entry, from 0 on.
std::size_t line_of_entry(std::string_view text, std::size_t k) {
  TextLines all(text);
  for (std::string_view line; all.next(line);) {
    if (!take_word(line).empty() && k-- == 0) return all.number();
  }
  return all.number();
}

/// Numbers of an array by columns, of a symmetric one from the diagonal down, are given their
/// places.
void place_array(MatrixMarketLines& result) {
  std::int64_t i = 0, j = 0;
  for (std::vector<SparseEntry>& piece : result.pieces) {
    for (SparseEntry& entry : piece) {
      entry.row = static_cast<std::int32_t>(i);
      entry.column = static_cast<std::int32_t>(j);
      if (++i == result.n_rows) i = result.symmetric ? ++j : (++j, 0);
    }
  }
}

}  // namespace

std::int64_t MatrixMarketLines::entries() const {
  return std::accumulate(pieces.begin(), pieces.end(), std::int64_t{0},
                         [](std::int64_t sum, const std::vector<SparseEntry>& piece) {
                           return sum + static_cast<std::int64_t>(piece.size());
                         });
}

MatrixMarketLines parse_matrix_market_lines(std::string_view text, const std::string& name) {
  MatrixMarketLines result;
  TextLines head(text);
  const Field field = parse_header(head, name, result);
  parse_sizes(head, name, result);

  const std::string_view body = head.rest();
  const std::vector<std::size_t> starts = piece_starts(body);
  const auto text_of = [&](std::size_t p) {
    return body.substr(starts[p], starts[p + 1] - starts[p]);
  };
  std::vector<Piece> pieces(starts.size() - 1);
  for_pieces(static_cast<int>(pieces.size()), [&](int p) {
    const auto k = static_cast<std::size_t>(p);
    pieces[k].parse(text_of(k), result, field);
  });

  // What is wrong first, as if the lines had been read one after the other.
  std::size_t line = result.sizes_line, below = 0, above = 0;
  std::int64_t found = 0;
  for (std::size_t p = 0; p < pieces.size(); ++p) {
    Piece& piece = pieces[p];
    const auto n = static_cast<std::int64_t>(piece.entries.size());
    if (found + n > result.stated_entries) {
      const auto k = static_cast<std::size_t>(result.stated_entries - found);
      refuse(name, line + line_of_entry(text_of(p), k),
             fmt::format("more entries than the {} that line {} states", result.stated_entries,
                         result.sizes_line));
    }
    if (piece.below > 0 && below == 0) below = line + piece.below;
    if (piece.above > 0 && above == 0) above = line + piece.above;
    found += n;
    if (result.symmetric && !result.dense && below > 0 && above > 0) {
      refuse(name, std::max(below, above),
             fmt::format("an entry {} the diagonal, while that of line {} is {} it: a symmetric "
                         "file holds one triangle",
                         below > above ? "below" : "above", std::min(below, above),
                         below > above ? "above" : "below"));
    }
    if (piece.complaint) refuse(name, line + piece.complaint->line, piece.complaint->what);
    line += piece.lines;
    result.rounded += piece.rounded;
    result.pieces.push_back(std::move(piece.entries));
  }
  if (found < result.stated_entries) {
    refuse(name, line,
           fmt::format("the file ends after {} of the {} entries that line {} states", found,
                       result.stated_entries, result.sizes_line));
  }
  result.upper = result.symmetric && above > 0;
  if (result.dense) place_array(result);
  return result;
}

}  // namespace ninefold
