#pragma once
// Sparse symmetric positive definite matrices that need no file.
//
// Shape.  N is the size.  Unless it says otherwise, unknowns are numbered along x first, then y,
// then z, the components of a node one after the other.
//
//     laplace-3d-7        N^3 unknowns, 6 and -1 to the six neighbours; outside of it u = 0
//     laplace-3d-27       N^3 unknowns, 26 and -1 to all neighbours
//     triangles           linear elements for -Laplace on the unit square: N x N inner nodes, moved
//                         by up to 0.15 of their distance, each cell cut along one diagonal or the
//                         other, at random
//     triangles-shuffled  the same, numbered at random
//     elasticity-2d       plane strain (E = 1, nu = 0.3), N x N bilinear elements, held at the
//                         left: blocks of 2, 2 N (N + 1) unknowns
//     elasticity-3d       the same in space, N^3 trilinear elements: blocks of 3, 3 N (N + 1)^2
//     shell               N x N nodes of 6 unknowns, coupled to 8 neighbours by dense blocks, three
//                         components 2^12 times softer than the others: s3dkq4m2's kind
//     rows                N rows with about `mean` entries at random places within `bandwidth`, in
//                         dense blocks of `blocks` rows; one row in 64 has `spread` times as many,
//                         the others fewer; diagonally dominant
//
// Rounding.  Values are made by +, -, *, / of doubles in a fixed order, randomness is a function of
// the seed (counter_random.hpp): the same bits everywhere, and exactly symmetric.
//
// Tests.  tests/fem/sparse/generators_test.cpp

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "fem/sparse/sparse_matrix.hpp"

namespace ninefold {

struct GeneratorOptions {
  std::string name{};
  int size = 0;
  std::uint64_t seed = 1;  ///< of triangles, shell and rows
  // Of rows alone:
  double mean = 20, spread = 1;
  int blocks = 1;
  int bandwidth = 0;  ///< 0: anywhere
};

/// The names above, in that order.
const std::vector<std::string>& generator_names();

/// What it is, in half a sentence; empty for a name that is not there.
std::string_view generator_description(std::string_view name);

/// Throws std::invalid_argument for a name that is not there, a size that is not positive or too
/// large, and options out of their ranges.
SparseMatrix generate_sparse(const GeneratorOptions& options);

}  // namespace ninefold
