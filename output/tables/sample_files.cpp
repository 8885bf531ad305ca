#include "output/tables/sample_files.hpp"

#include <fstream>
#include <iterator>
#include <optional>
#include <stdexcept>
#include <system_error>
#include <vector>

#include <fmt/format.h>

#include "precision/require.hpp"

#include "output/tables/files.hpp"
#include "output/tables/table.hpp"

namespace ninefold {
namespace {

std::string number_or_nothing(const std::optional<double>& value) {
  return value ? exact_number(*value) : "";
}

/// "x,y,u,exact,error,change"
std::string row_of(const Position& place, const PointValue& value) {
  return fmt::format("{},{},{},{},{},{}\n", exact_number(place.x), exact_number(place.y),
                     exact_number(value.u), number_or_nothing(value.exact),
                     number_or_nothing(value.error), number_or_nothing(value.change));
}

}  // namespace

void GrowingFile::add(std::string_view piece) {
  if (is_empty_) {
    write_file_atomically(file_, piece);
    is_empty_ = false;
    return;
  }
  PendingFile pending(file_);
  std::error_code error;
  std::filesystem::copy_file(file_, pending.temporary_path(),
                             std::filesystem::copy_options::overwrite_existing, error);
  if (error) {
    throw std::runtime_error(
        fmt::format("cannot copy file '{}': {}", file_.string(), error.message()));
  }
  std::ofstream stream(pending.temporary_path(), std::ios::app | std::ios::binary);
  stream.write(piece.data(), static_cast<std::streamsize>(piece.size()));
  stream.close();
  if (!stream) throw std::runtime_error(fmt::format("cannot write file '{}'", file_.string()));
  pending.commit();
}

std::string point_rows(int level, std::span<const Position> places,
                       std::span<const PointValue> values) {
  require(places.size() == values.size(), "places without values, or values without places");
  std::string text;
  for (std::size_t k = 0; k < places.size(); ++k) {
    fmt::format_to(std::back_inserter(text), "{},{},{}", level, k + 1,
                   row_of(places[k], values[k]));
  }
  return text;
}

std::string line_rows(int level, std::size_t number, const SampledLine& line,
                      std::span<const PointValue> values) {
  const std::vector<Position> places = samples_of(line);
  require(places.size() == values.size(), "a line's samples and as many values");
  std::string text;
  for (std::size_t k = 0; k < places.size(); ++k) {
    fmt::format_to(std::back_inserter(text), "{},{},{},{},{}", level, number, k,
                   exact_number(distance_of(line, static_cast<int>(k))),
                   row_of(places[k], values[k]));
  }
  return text;
}

}  // namespace ninefold
