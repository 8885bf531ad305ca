#pragma once
// What partitioned elimination of a tridiagonal system may lose: its filled pattern and the bound.
//
// Mathematics.  Let L D L^T be the computed factors in the order of elimination, R the number of
// reductions, u the unit roundoff.  T is diagonally dominant, and so is what elimination leaves of
// it: no coupling is above sqrt(T_jj T_kk) or T_jj, no row sum above 2 T_jj.  Counting the
// operations of gpu/operations/line_systems.hpp, to first order,
//
//   - a pivot is two subtractions of row sum and couplings: 2 u;
//   - a multiplier times its pivot is off by 2 u (the inverse and a product);
//   - an entry of the fill-in is one product, 1 u, and 2 u for each of its two multipliers: 5 u;
//   - a row sum takes one fused step (2 u of T_jj) for each node that is eliminated from it, and
//   the
//     diagonal entry that it stands for is off by as much again for the multiplier (2 u) and the
//     fill-in (1 u): 5 u, at most 15 times in the first and 7 times in each further reduction,
//     which is (35 R + 40) u; in each reduction one more for the node before it in its segment,
//     whose multiplier counts twice if it is near -1 (9 u), and the subtraction of what the nodes
//     behind it have left (2 u): 11 R u;
//   - the right-hand side: (2 R + 15) u on a row of L;
//   - the value that is kept: 2 u on D; two fused steps of the substitution: 2 u on a row of L^T.
//
// |L| D |L|^T has the filled pattern, and by Cauchy and Schwarz entries of at most
// sqrt(T_jj T_kk).  So (T + E) x = r holds exactly for an E with that pattern and
// |E_jk| <= c u sqrt(T_jj T_kk); with one roundoff more for the terms of second order
// c = 46 R + 62 on the diagonal and 2 R + 25 beside it.
//
// Reference.  Higham, Accuracy and Stability of Numerical Algorithms, 2nd ed., theorem 10.3.

#include <cmath>
#include <map>
#include <set>
#include <vector>

namespace ninefold::testing {

/// The neighbours of each of n nodes in the filled pattern, the node itself left out.
inline const std::vector<std::set<int>>& filled_pattern(int n) {
  static std::map<int, std::vector<std::set<int>>> known;
  auto& pattern = known[n];
  if (!pattern.empty()) return pattern;
  pattern.resize(std::size_t(n));
  for (int k = 0; k + 1 < n; ++k) {
    pattern[std::size_t(k)].insert(k + 1);
    pattern[std::size_t(k + 1)].insert(k);
  }
  std::vector<bool> eliminated(std::size_t(n), false);
  std::vector<int> nodes, separators;
  for (int k = 0; k < n; ++k) nodes.push_back(k);
  for (std::size_t segment = 16; nodes.size() > 1; segment = 8) {
    separators.clear();
    for (std::size_t p = 0; p < nodes.size(); ++p) {
      if (p % segment == segment - 1 || p + 1 == nodes.size()) {
        separators.push_back(nodes[p]);
        continue;
      }
      eliminated[std::size_t(nodes[p])] = true;
      std::vector<int> left;
      for (const int j : pattern[std::size_t(nodes[p])]) {
        if (!eliminated[std::size_t(j)]) left.push_back(j);
      }
      for (const int a : left) {
        for (const int b : left) {
          if (a != b) pattern[std::size_t(a)].insert(b);
        }
      }
    }
    nodes = separators;
  }
  return pattern;
}

/// R of n unknowns.
inline int reductions(int n) {
  int count = 1;
  for (n = (n + 15) / 16; n > 1; n = (n + 7) / 8) ++count;
  return count;
}

/// (|E| |x|)_k in unit roundoffs, from the diagonal of T and the sizes of x.
inline double elimination_error(int n, int k, const std::vector<double>& diagonal,
                                const std::vector<double>& size) {
  const double r = reductions(n);
  const auto root = [&](int j) { return std::sqrt(diagonal[std::size_t(j)]); };
  double sum = 0;
  for (const int j : filled_pattern(n)[std::size_t(k)]) sum += root(j) * size[std::size_t(j)];
  return (46 * r + 62) * diagonal[std::size_t(k)] * size[std::size_t(k)]
         + (2 * r + 25) * root(k) * sum;
}

}  // namespace ninefold::testing
