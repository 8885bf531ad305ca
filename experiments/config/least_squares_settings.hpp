#pragma once
// What [least_squares] of a config file says.

#include <optional>
#include <string>
#include <string_view>

#include "fem/sparse/random_rows.hpp"
#include "fem/sparse/tomography.hpp"

namespace ninefold {

enum class MeasuredKind { tomography, rows };

constexpr std::string_view to_string(MeasuredKind kind) {
  return kind == MeasuredKind::tomography ? "tomography" : "rows";
}

struct LeastSquaresSettings {
  bool stated = false;                   ///< the table is there
  std::optional<MeasuredKind> generate;  ///< else matrix.file
  TomographyOptions image;               ///< its noise and seed are those of rows, too
  int images = 1;                        ///< of a series, all of them of one solve
  RandomRowsOptions shape;
  double regularisation = 0;
  std::string regularising = "identity";  ///< or "difference", or a file
  int image_width = 0;                    ///< of the unknowns as an image; 0: a sequence
  std::optional<double> lower, upper, penalty;

  bool is_used() const { return stated; }
};

}  // namespace ninefold
