#include "fem/sparse/tomography.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <iterator>
#include <limits>
#include <numbers>
#include <utility>

#include <fmt/format.h>

#include "precision/require.hpp"

#include "grids/counter_random.hpp"

#include "fem/sparse/pieces.hpp"
#include "fem/sparse/sparse_residual.hpp"

namespace ninefold {
namespace {

std::size_t at(std::int64_t k) {
  return static_cast<std::size_t>(k);
}

/// In the square [-1, 1]^2: centre, half axes, degrees by which it is turned, and what it adds.
struct Ellipse {
  double x, y, a, b, degrees, value;
};
constexpr Ellipse head[] = {
    {0, 0, 0.69, 0.92, 0, 1},          {0, -0.0184, 0.6624, 0.874, 0, -0.8},
    {0.22, 0, 0.11, 0.31, -18, -0.2},  {-0.22, 0, 0.16, 0.41, 18, -0.2},
    {0, 0.35, 0.21, 0.25, 0, 0.1},     {0, 0.1, 0.046, 0.046, 0, 0.1},
    {0, -0.1, 0.046, 0.046, 0, 0.1},   {-0.08, -0.605, 0.046, 0.023, 0, 0.1},
    {0, -0.605, 0.023, 0.023, 0, 0.1}, {0.06, -0.605, 0.023, 0.046, 0, 0.1}};

double radians(double degrees) {
  return degrees * std::numbers::pi / 180;
}

/// Where a ray, at distance t from the middle in a direction, meets pixels.
class Ray {
 public:
  Ray(int image_size, double cosine, double sine, double t)
      : n_(image_size), c_(cosine), s_(sine), t_(t) {}

  /// Entries of its row.
  void add_to(std::vector<SparseEntry>& entries, std::int32_t row) {
    const double half = 0.5 * n_;
    double first = -2.0 * n_, last = 2.0 * n_;
    clip(-s_ * t_, c_, half, first, last);
    clip(c_ * t_, s_, half, first, last);
    if (!(first < last)) return;
    cuts_.assign({first, last});
    add_cuts(-s_ * t_, c_, first, last);
    add_cuts(c_ * t_, s_, first, last);
    std::sort(cuts_.begin(), cuts_.end());
    constexpr double least = 1.0 / 256;
    for (std::size_t k = 0; k + 1 < cuts_.size(); ++k) {
      const double length = cuts_[k + 1] - cuts_[k];
      if (length < least) continue;
      const double middle = 0.5 * (cuts_[k] + cuts_[k + 1]);
      const int i = pixel(middle * c_ - s_ * t_ + half), j = pixel(half - (middle * s_ + c_ * t_));
      entries.push_back({row, j * n_ + i, length});
    }
  }

 private:
  int pixel(double place) const { return std::clamp(static_cast<int>(place), 0, n_ - 1); }

  /// To where |offset + tau slope| <= half.
  static void clip(double offset, double slope, double half, double& first, double& last) {
    if (std::abs(slope) < 1e-12) {
      if (std::abs(offset) >= half) last = first;
      return;
    }
    const double one = (-half - offset) / slope, other = (half - offset) / slope;
    first = std::max(first, std::min(one, other));
    last = std::min(last, std::max(one, other));
  }

  void add_cuts(double offset, double slope, double first, double last) {
    if (std::abs(slope) < 1e-12) return;
    for (int k = 0; k <= n_; ++k) {
      const double tau = (k - 0.5 * n_ - offset) / slope;
      if (tau > first && tau < last) cuts_.push_back(tau);
    }
  }

  int n_;
  double c_, s_, t_;
  std::vector<double> cuts_;
};

}  // namespace

std::vector<double> head_phantom(int image_size, double filled) {
  std::vector<double> image(at(image_size) * at(image_size));
  for (int j = 0; j < image_size; ++j) {
    for (int i = 0; i < image_size; ++i) {
      const double x = (2 * i + 1.0) / image_size - 1, y = 1 - (2 * j + 1.0) / image_size;
      double& value = image[at(j) * at(image_size) + at(i)];
      for (std::size_t k = 0; k < std::size(head); ++k) {
        const Ellipse& e = head[k];
        const double c = std::cos(radians(e.degrees)), s = std::sin(radians(e.degrees));
        const double u = (c * (x - e.x) + s * (y - e.y)) / e.a;
        const double v = (c * (y - e.y) - s * (x - e.x)) / e.b;
        const bool fills = k == 2 || k == 3;
        if (u * u + v * v <= 1) value += fills ? (1 - filled) * e.value : e.value;
      }
    }
  }
  return image;
}

std::vector<double> noisy_product(const SparseMatrix& A, const std::vector<double>& truth,
                                  double noise, std::uint64_t seed) {
  std::vector<double> b = sparse_product(A, truth).high;
  double square = 0;
  for (const double value : b) square += value * value;
  const double size = b.empty() ? 0 : noise * std::sqrt(square / static_cast<double>(b.size()));
  const CounterRandom random(seed);
  for (std::size_t i = 0; i < b.size(); ++i) {
    double sum = -6;
    for (std::uint64_t k = 0; k < 12; ++k) sum += random.unit(12 * i + k);
    b[i] += size * sum;
  }
  return b;
}

std::vector<MeasuredImage> image_series(const SparseMatrix& A, const TomographyOptions& options,
                                        int images) {
  std::vector<MeasuredImage> series;
  for (int k = 0; k < images; ++k) {
    MeasuredImage one;
    one.truth = head_phantom(options.image_size, static_cast<double>(k) / images);
    one.b =
        noisy_product(A, one.truth, options.noise, options.seed + static_cast<std::uint64_t>(k));
    series.push_back(std::move(one));
  }
  return series;
}

MeasuredRows tomography(const TomographyOptions& options) {
  const auto require_from = [](const char* what, int value, int least, int most) {
    require(value >= least && value <= most,
            [&] { return fmt::format("{} is {}: from {} to {}", what, value, least, most); });
  };
  require_from("image_size", options.image_size, 2, 8192);
  require_from("angles", options.angles, 1, 100'000);
  require_from("detectors", options.detectors, 1, 100'000);
  require(options.noise >= 0 && options.noise <= 1,
          [&] { return fmt::format("noise is {}: from 0 to 1", options.noise); });
  const std::int64_t rays = std::int64_t{options.angles} * options.detectors;
  require(rays < max_sparse_rows / 2, [&] {
    return fmt::format("{} angles of {} detectors are {} rays: fewer than {}", options.angles,
                       options.detectors, rays, max_sparse_rows / 2);
  });
  const int N = options.image_size;
  const double span = std::numbers::sqrt2 * N;
  std::vector<std::vector<SparseEntry>> pieces(at(options.angles));
  std::vector<int> met(at(options.angles), 0);
  for_pieces(options.angles, [&](int a) {
    const double angle = std::numbers::pi * a / options.angles;
    for (int d = 0; d < options.detectors; ++d) {
      const double t = ((d + 0.5) / options.detectors - 0.5) * span;
      const std::size_t before = pieces[at(a)].size();
      Ray(N, std::cos(angle), std::sin(angle), t).add_to(pieces[at(a)], met[at(a)]);
      if (pieces[at(a)].size() > before) ++met[at(a)];
    }
  });
  int rows = 0;
  for (int a = 0; a < options.angles; ++a) {
    for (SparseEntry& entry : pieces[at(a)]) entry.row += rows;
    rows += met[at(a)];
  }
  MeasuredRows result;
  result.A = assemble_sparse(rows, N * N, pieces);
  result.truth = head_phantom(N);
  result.b = noisy_product(result.A, result.truth, options.noise, options.seed);
  return result;
}

}  // namespace ninefold
