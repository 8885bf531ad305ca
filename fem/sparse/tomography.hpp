#pragma once
// Parallel-beam tomography of a known image: a least squares problem whose solution can be looked
// at.
//
// Mathematics.  The image has N x N square pixels of side 1, the upper row first.  Of each of
// `angles` directions k 180 / angles degrees, `detectors` parallel rays at equal distances span
// the diagonal of the image.  Entry (ray, pixel) is the length of the ray within the pixel
// (Siddon); rays that miss the image are left out, and of pixels' corners what is shorter than
// 1/256.  The image is the head phantom of Shepp and Logan with the contrasts of Toft; data are its
// line integrals, and noise: each value moved by noise |b| / sqrt(m) times a number of mean 0 and
// variance 1, the sum of twelve uniform ones.
//
// Rounding.  The data are A times the image in double-double, rounded.  Directions are the
// machine's sines and cosines, so that other machines may differ in last digits.
//
// Reference.  Siddon, Med. Phys. 12 (1985); Shepp, Logan, IEEE Trans. Nucl. Sci. 21 (1974); Toft,
// The Radon Transform, 1996.
// Tests.      tests/fem/sparse/rectangular_test.cpp

#include <cstdint>
#include <vector>

#include "fem/sparse/sparse_matrix.hpp"

namespace ninefold {

struct TomographyOptions {
  int image_size = 64;  ///< N
  int angles = 60, detectors = 91;
  double noise = 0.01;
  std::uint64_t seed = 1;
};

/// A x = b, as far as noise allows, for x = truth.
struct MeasuredRows {
  SparseMatrix A{};
  std::vector<double> b{}, truth{};
};

/// Throws std::invalid_argument for options out of their ranges.
MeasuredRows tomography(const TomographyOptions& options);

/// b = A truth, moved by noise of this part of it.
std::vector<double> noisy_product(const SparseMatrix& A, const std::vector<double>& truth,
                                  double noise, std::uint64_t seed);

/// The image alone, by rows from the upper one on; `filled`, from 0 to 1, is the part by which the
/// two dark ellipses in it have come to what surrounds them.
std::vector<double> head_phantom(int image_size, double filled = 0);

/// An image and its data.
struct MeasuredImage {
  std::vector<double> b{}, truth{};
};
/// A series of these for A of tomography(options), while the dark ellipses fill: image k of
/// `images` by k / images, with noise of its own, by the seed that is k further.  The first one is
/// that of tomography().
std::vector<MeasuredImage> image_series(const SparseMatrix& A, const TomographyOptions& options,
                                        int images);

}  // namespace ninefold
