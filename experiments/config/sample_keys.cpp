#include "experiments/config/sample_keys.hpp"

#include <string>
#include <string_view>
#include <variant>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "experiments/config/bad_input.hpp"
#include "experiments/config/key_kinds.hpp"
#include "experiments/config/reading.hpp"

namespace ninefold {
namespace {

constexpr IntegerShape samples_of_line{2, static_cast<std::int64_t>(most_samples)};
constexpr std::string_view points_example = "[[0.5, 0.5], [0.25, 0.75]]";
constexpr std::string_view lines_example = "[[0.0, 0.5, 1.0, 0.5, 101]]";

Shape coordinate() {
  return {NumberShape{at_least(0)}};
}

double coordinate_of(const Setting& element, std::size_t k) {
  const Setting number = element_of(element, k);
  const double value = number_of(number);
  if (!at_least(0).contains(value)) refuse(element, "is out of range");
  return value;
}

/// Calls read(element) for the elements, each a list of `n`.
template <class Read>
void read_lists(const Setting& setting, std::size_t n, std::string_view example, const Read& read) {
  for (std::size_t k = 0; k < list_of(setting, example).size(); ++k) {
    const Setting element = element_of(setting, k);
    const auto* numbers = std::get_if<List>(&element.value.content);
    if (numbers == nullptr) {
      refuse(setting, "is not a list of lists", fmt::format("for example {}", example));
    }
    if (numbers->size() != n) {
      refuse(element, fmt::format("has {} elements, but {} are expected", numbers->size(), n));
    }
    read(element);
  }
}

std::string show(const Position& p) {
  return fmt::format("{}, {}", to_toml(p.x), to_toml(p.y));
}

}  // namespace

Key points_key() {
  return {"output.points",
          "Write the solution's values at these places [x, y], of each level, to a CSV file.",
          "list of lists of two numbers",
          fmt::format("places of the domain, at most {}", most_samples),
          {{ListShape{.element = {{TupleShape{{{coordinate()}, {coordinate()}}}}},
                      .most = most_samples}}},
          std::string(points_example),
          [](const Setting& setting, Configuration& c) {
            c.output.points.clear();
            if (list_of(setting, points_example).size() > most_samples) {
              refuse(setting, "has too many places");
            }
            read_lists(setting, 2, points_example, [&](const Setting& element) {
              c.output.points.push_back({coordinate_of(element, 0), coordinate_of(element, 1)});
            });
          },
          [](const Configuration& c) {
            std::vector<std::string> places;
            for (const Position& p : c.output.points) places.push_back("[" + show(p) + "]");
            return fmt::format("[{}]", fmt::join(places, ", "));
          }};
}

Key lines_key() {
  return {"output.lines",
          "Write the solution's values along lines [x0, y0, x1, y1, n], at n places from one end "
          "to the "
          "other, of each level, to a CSV file.",
          "list of lists of four numbers and an integer",
          fmt::format("lines in the domain, n at least 2; at most {} places in all", most_samples),
          {{ListShape{{{TupleShape{{{coordinate()},
                                    {coordinate()},
                                    {coordinate()},
                                    {coordinate()},
                                    {{samples_of_line}}}}}}}}},
          std::string(lines_example),
          [](const Setting& setting, Configuration& c) {
            c.output.lines.clear();
            std::size_t all = 0;
            read_lists(setting, 5, lines_example, [&](const Setting& element) {
              const SampledLine line{
                  {coordinate_of(element, 0), coordinate_of(element, 1)},
                  {coordinate_of(element, 2), coordinate_of(element, 3)},
                  static_cast<int>(std::min<std::int64_t>(integer_of(element_of(element, 4)),
                                                          samples_of_line.most + 1))};
              if (line.samples < samples_of_line.least) refuse(element, "has less than 2 places");
              if (line.begin == line.end) refuse(element, "ends where it begins");
              all += static_cast<std::size_t>(line.samples);
              if (all > most_samples) refuse(setting, "has too many places");
              c.output.lines.push_back(line);
            });
          },
          [](const Configuration& c) {
            std::vector<std::string> lines;
            for (const SampledLine& l : c.output.lines) {
              lines.push_back(fmt::format("[{}, {}, {}]", show(l.begin), show(l.end), l.samples));
            }
            return fmt::format("[{}]", fmt::join(lines, ", "));
          }};
}

void check_samples(const std::vector<Setting>& settings, const Configuration& c) {
  const auto check = [&](std::string_view key, std::size_t k, const Position& place) {
    if (is_inside(place, c.width, c.height)) return;
    refuse(element_of(*find_setting(settings, key), k),
           fmt::format("is outside of the domain at ({}, {})", place.x, place.y),
           fmt::format("the domain is [0, {}] x [0, {}]", c.width, c.height));
  };
  for (std::size_t k = 0; k < c.output.points.size(); ++k) {
    check("output.points", k, c.output.points[k]);
  }
  for (std::size_t k = 0; k < c.output.lines.size(); ++k) {
    check("output.lines", k, c.output.lines[k].begin);
    check("output.lines", k, c.output.lines[k].end);
  }
}

}  // namespace ninefold
