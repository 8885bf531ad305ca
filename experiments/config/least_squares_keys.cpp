#include "experiments/config/least_squares_keys.hpp"

#include <algorithm>
#include <limits>
#include <string>
#include <utility>

#include <fmt/format.h>

#include "fem/sparse/matrix_market.hpp"

#include "experiments/config/bad_input.hpp"
#include "experiments/config/key_kinds.hpp"
#include "experiments/config/matrix_keys.hpp"
#include "experiments/config/reading.hpp"

namespace ninefold {
namespace {

constexpr int most_integer = std::numeric_limits<int>::max();

constexpr std::string_view of_images[] = {"least_squares.image_size", "least_squares.angles",
                                          "least_squares.detectors", "least_squares.images"};
constexpr std::string_view of_shapes[] = {"least_squares.rows", "least_squares.columns",
                                          "least_squares.entries"};
constexpr std::string_view of_both[] = {"least_squares.noise", "least_squares.seed"};
/// Of [matrix].
constexpr std::string_view shared[] = {"matrix.file",      "matrix.right_hand_side",
                                       "matrix.seed",      "matrix.storage",
                                       "matrix.reference", "matrix.write_solution"};
constexpr std::string_view of_systems[] = {"operator.form", "solver.preconditioner",
                                           "refinement.cascade", "refinement.inner_form",
                                           "refinement.variant"};

template <std::size_t n>
bool is_one_of(std::string_view key, const std::string_view (&keys)[n]) {
  return std::find(std::begin(keys), std::end(keys), key) != std::end(keys);
}

Key entries_key() {
  constexpr std::int64_t least = 1, most = std::int64_t{1} << 40;
  return {"least_squares.entries",
          "Of \"rows\": entries in all, shared out evenly.",
          "integer",
          fmt::format("from {} to {}", least, most),
          {{IntegerShape{least, most}}},
          "200000",
          [=](const Setting& setting, Configuration& c) {
            const std::int64_t entries = integer_of(setting);
            if (entries < least || entries > most) refuse(setting, "is out of range");
            c.least_squares.shape.entries = entries;
          },
          [](const Configuration& c) { return fmt::format("{}", c.least_squares.shape.entries); }};
}

Key measured_seed_key() {
  return {"least_squares.seed",
          "Of noise, and of what is made at random.",
          "integer",
          "at least 0",
          {{IntegerShape{0, most_integer}}},
          "2",
          [](const Setting& setting, Configuration& c) {
            c.least_squares.image.seed = c.least_squares.shape.seed =
                static_cast<std::uint64_t>(integer_within(IntegerShape{0, most_integer}, setting));
          },
          [](const Configuration& c) { return fmt::format("{}", c.least_squares.image.seed); }};
}

Key noise_key() {
  static constexpr Range range = at_least(0).at_most(1);
  return {"least_squares.noise",
          "Of what is made: the size of noise, as a part of that of the data.",
          "number",
          range.words(),
          {{NumberShape{range}}},
          "0.05",
          [](const Setting& setting, Configuration& c) {
            const double noise = number_of(setting);
            if (!range.contains(noise)) refuse(setting, "is out of range");
            c.least_squares.image.noise = c.least_squares.shape.noise = noise;
          },
          [](const Configuration& c) { return to_toml(c.least_squares.image.noise); }};
}

void check_source(const std::vector<Setting>& settings, const Configuration& c) {
  const LeastSquaresSettings& chosen = c.least_squares;
  const bool makes = chosen.generate.has_value();
  for (const Setting& setting : settings) {
    if (!concerns_least_squares(setting.key) && setting.key != "least_squares"
        && !asks_for_nothing(setting)) {
      refuse(setting, "has no meaning beside [least_squares]");
    }
    const bool of_data = setting.key == "matrix.file" || setting.key == "matrix.right_hand_side"
                         || setting.key == "matrix.seed";
    if (makes && of_data) {
      refuse(setting, "contradicts least_squares.generate, which brings matrix and data");
    }
    const bool of_image = is_one_of(setting.key, of_images);
    const bool of_shape = is_one_of(setting.key, of_shapes);
    if ((of_image && chosen.generate != MeasuredKind::tomography)
        || (of_shape && chosen.generate != MeasuredKind::rows)
        || (!makes && is_one_of(setting.key, of_both))) {
      refuse(setting, fmt::format("is for least_squares.generate = \"{}\"",
                                  of_shape ? "rows" : "tomography"));
    }
    if (setting.key == "least_squares.penalty" && chosen.penalty && !chosen.lower
        && !chosen.upper) {
      refuse(setting, "is for bounds: least_squares.lower, least_squares.upper");
    }
    if (setting.key == "least_squares.upper" && chosen.upper && chosen.lower
        && !(*chosen.lower < *chosen.upper)) {
      refuse(setting, "is not above least_squares.lower");
    }
    if (setting.key == "least_squares.image_width" && chosen.generate == MeasuredKind::tomography) {
      refuse(setting, "has no effect: the image is that of least_squares.image_size");
    }
  }
  if (!makes && c.matrix.file.empty()) {
    const auto first = std::find_if(settings.begin(), settings.end(), [](const Setting& setting) {
      return setting.key.starts_with("least_squares");
    });
    refuse(
        *first, "has no effect: there is no matrix",
        "one is stated by matrix.file, or by least_squares.generate = \"tomography\" or \"rows\"");
  }
}

}  // namespace

std::vector<Key> least_squares_keys() {
  std::vector<Key> keys;
  const auto add = [&](Key key) { keys.push_back(std::move(key)); };
  const auto settings = [](auto& c) -> auto& {
    return c.least_squares;
  };
  add(optional_choice_key(
      "least_squares.generate",
      "In place of matrix.file: parallel-beam tomography of a known image, or random rows; "
      "\"auto\" "
      "is neither.",
      std::vector{MeasuredKind::tomography, MeasuredKind::rows},
      R"("tomography")", [=](auto& c) -> auto& { return settings(c).generate; }));
  add(integer_key(
      "least_squares.image_size", "Of \"tomography\": pixels along a side of the image.", {2, 8192},
      "128", [=](auto& c) -> auto& { return settings(c).image.image_size; }));
  add(integer_key(
      "least_squares.angles", "Of \"tomography\": directions, evenly over 180 degrees.",
      {1, 100'000}, "90", [=](auto& c) -> auto& { return settings(c).image.angles; }));
  add(integer_key(
      "least_squares.detectors",
      "Of \"tomography\": rays in each direction, evenly over the image's diagonal.", {1, 100'000},
      "181", [=](auto& c) -> auto& { return settings(c).image.detectors; }));
  add(integer_key(
      "least_squares.images",
      "Of \"tomography\": images of a series, in which the phantom's dark parts fill, with noise "
      "of their own; all are reconstructed in one solve.",
      {1, most_vectors}, "4", [=](auto& c) -> auto& { return settings(c).images; }));
  add(integer_key(
      "least_squares.rows", "Of \"rows\": no fewer than columns.", {1, most_integer},
      "20000", [=](auto& c) -> auto& { return settings(c).shape.rows; }));
  add(integer_key(
      "least_squares.columns", "Of \"rows\": unknowns.", {1, most_integer},
      "1000", [=](auto& c) -> auto& { return settings(c).shape.columns; }));
  add(entries_key());
  add(noise_key());
  add(measured_seed_key());
  add(number_key(
      "least_squares.regularisation", "lambda of |A x - b|^2 + lambda |L x|^2.", at_least(0),
      "0.5", [=](auto& c) -> auto& { return settings(c).regularisation; }));
  add(matrix_file_key(
      "least_squares.operator",
      "L: the identity, differences of neighbours (of an image in both directions), or a file.",
      {"identity", "difference"}, "\"identity\", \"difference\", or a .mtx file",
      "\"difference\"", [=](auto& c) -> auto& { return settings(c).regularising; }));
  add(integer_key(
      "least_squares.image_width",
      "Of matrix.file: the unknowns are an image of this width, by rows from the upper one on; 0: "
      "a "
      "sequence.",
      {0, most_integer}, "64", [=](auto& c) -> auto& { return settings(c).image_width; }));
  const Range any = at_least(-1e300).at_most(1e300);
  add(optional_number_key(
      "least_squares.lower", "What no unknown should be below, by a penalty; \"auto\": nothing.",
      any, "0.0", [=](auto& c) -> auto& { return settings(c).lower; }));
  add(optional_number_key(
      "least_squares.upper", "What none should be above; \"auto\": nothing.", any,
      "1.0", [=](auto& c) -> auto& { return settings(c).upper; }));
  add(optional_number_key(
      "least_squares.penalty",
      "rho of the squares by which unknowns are out of bounds; \"auto\" is ten times the largest "
      "square of a column.",
      above(0), "100.0", [=](auto& c) -> auto& { return settings(c).penalty; }));
  return keys;
}

bool concerns_least_squares(std::string_view key) {
  if (key.starts_with("least_squares.")) return true;
  if (key.starts_with("matrix.")) return is_one_of(key, shared);
  return concerns_matrices(key) && !is_one_of(key, of_systems);
}

bool states_least_squares(const std::vector<Setting>& settings) {
  return std::any_of(settings.begin(), settings.end(), [](const Setting& setting) {
    return setting.key == "least_squares" || setting.key.starts_with("least_squares.");
  });
}

void take_least_squares(const std::vector<Setting>& settings, Configuration& c) {
  c.least_squares.stated = true;
  check_source(settings, c);
  const SolverOptions defaults = LeastSquaresOptions::default_solver();
  if (find_setting(settings, "solver.method") == nullptr) c.solver.method = defaults.method;
  c.solver.preconditioner = defaults.preconditioner;
  c.solver.norm = defaults.norm;
  c.solver.refinement.variant = defaults.refinement.variant;
  if (find_setting(settings, "refinement.stop_at_tolerance") == nullptr) {
    c.solver.refinement.stop_at_tolerance = defaults.refinement.stop_at_tolerance;
  }
}

}  // namespace ninefold
