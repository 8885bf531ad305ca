#include "fem/sparse/matrix_part.hpp"

#include <algorithm>
#include <cstddef>

#include "fem/sparse/pieces.hpp"

namespace ninefold {
namespace {

std::size_t at(std::int64_t k) {
  return static_cast<std::size_t>(k);
}

/// Which of all columns the rows first <= i < last have entries in, or their nodes have.
std::vector<bool> met_columns(const SparsePattern& pattern, int first, int last, int c) {
  std::vector<bool> met(at(pattern.n_columns), false);
  for (int i = first; i < last; ++i) {
    for (const std::int32_t j : pattern.row(i)) {
      const std::int32_t node = j - j % c;
      for (std::int32_t k = node; k < std::min(node + c, pattern.n_columns); ++k) met[at(k)] = true;
    }
  }
  return met;
}

}  // namespace

std::vector<int> divided_rows(const SparsePattern& pattern, int ranks, int multiple) {
  const int pieces = pattern.n_rows / multiple + (pattern.n_rows % multiple != 0 ? 1 : 0);
  if (pieces < ranks) return {};
  std::vector<int> begins{0};
  const auto& starts = pattern.row_starts;
  const auto row_of = [&](int piece) {
    return std::min<std::int64_t>(std::int64_t{piece} * multiple, pattern.n_rows);
  };
  int piece = 0;
  for (int r = 1; r < ranks; ++r) {
    // In floating point, since entries times ranks may be beyond 64 bits.
    const auto goal = static_cast<std::int64_t>(static_cast<double>(pattern.entries()) * r / ranks);
    const int fewest = piece + 1, most = pieces - (ranks - r);
    piece = fewest;
    const auto off = [&](int p) { return std::abs(starts[at(row_of(p))] - goal); };
    while (piece < most && off(piece + 1) <= off(piece)) ++piece;
    begins.push_back(static_cast<int>(row_of(piece)));
  }
  begins.push_back(pattern.n_rows);
  return begins;
}

MatrixPart cut_rows(const SparseMatrix& A, const std::vector<int>& row_begins,
                    const std::vector<int>& column_begins, int rank, int c) {
  const int ranks = static_cast<int>(row_begins.size()) - 1;
  const auto begin_of = [](const std::vector<int>& begins, int r) { return begins[at(r)]; };
  const int first = begin_of(row_begins, rank), last = begin_of(row_begins, rank + 1);
  const int own_first = begin_of(column_begins, rank), own_last = begin_of(column_begins, rank + 1);
  MatrixPart part;
  part.first_row = first;
  part.own = own_last - own_first;
  const std::vector<bool> met = met_columns(A.pattern, first, last, c);

  // Columns of the whole as those of the part.
  std::vector<std::int32_t> number(met.size(), -1);
  std::int32_t columns = 0;
  std::vector<HaloShare> shares(at(ranks));
  for (int r = 0; r < ranks; ++r) {
    HaloShare& share = shares[at(r)];
    share = {r, 0, 0, columns, 0};
    for (int j = begin_of(column_begins, r); j < begin_of(column_begins, r + 1); ++j) {
      if (r == rank || met[at(j)]) number[at(j)] = columns++;
    }
    if (r != rank) share.met = columns - share.met_first;
    if (r < rank) part.below = columns;
  }
  part.above = columns - part.below - part.own;

  part.A.pattern.n_rows = last - first;
  part.A.pattern.n_columns = columns;
  const std::int64_t begin = A.pattern.start(first), end = A.pattern.start(last);
  part.A.pattern.row_starts.clear();
  for (int i = first; i <= last; ++i) {
    part.A.pattern.row_starts.push_back(A.pattern.start(i) - begin);
  }
  part.A.pattern.columns.reserve(at(end - begin));
  for (std::int64_t k = begin; k < end; ++k) {
    part.A.pattern.columns.push_back(number[at(A.pattern.columns[at(k)])]);
  }
  part.A.values.assign(A.values.begin() + begin, A.values.begin() + end);

  // What others meet of this rank's values.
  std::vector<std::vector<std::int32_t>> needed(at(ranks));
  for_pieces(ranks, [&](int r) {
    if (r == rank) return;
    const std::vector<bool> theirs =
        met_columns(A.pattern, begin_of(row_begins, r), begin_of(row_begins, r + 1), c);
    for (int j = own_first; j < own_last; ++j) {
      if (theirs[at(j)]) needed[at(r)].push_back(j - own_first);
    }
  });
  for (int r = 0; r < ranks; ++r) {
    HaloShare& share = shares[at(r)];
    share.sent_first = static_cast<int>(part.sent.size());
    share.sent = static_cast<int>(needed[at(r)].size());
    part.sent.insert(part.sent.end(), needed[at(r)].begin(), needed[at(r)].end());
    if (share.sent > 0 || share.met > 0) part.shares.push_back(share);
  }
  return part;
}

OwnRange longest_kept(const MatrixPart& part, int multiple) {
  std::vector<std::int32_t> sent = part.sent;  // of several others, each in order
  std::sort(sent.begin(), sent.end());
  sent.push_back(part.own);
  OwnRange longest;
  int after = 0;  // behind the last one that is sent
  for (const std::int32_t next : sent) {
    const int first = (after + multiple - 1) / multiple * multiple;
    const int last = next == part.own ? next : next / multiple * multiple;
    if (last - first > longest.last - longest.first) longest = {first, last};
    after = next + 1;
  }
  return longest;
}

}  // namespace ninefold
