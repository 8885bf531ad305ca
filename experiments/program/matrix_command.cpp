#include "experiments/program/matrix_command.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstdint>
#include <filesystem>
#include <system_error>
#include <type_traits>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "precision/shortened.hpp"

#include "fem/sparse/compressed_text.hpp"
#include "fem/sparse/matrix_facts.hpp"
#include "fem/sparse/matrix_market.hpp"

#include "output/plots/pattern_picture.hpp"
#include "output/tables/files.hpp"

#include "experiments/config/bad_input.hpp"
#include "experiments/program/matrix_report.hpp"

namespace ninefold {
namespace {

/// A matrix with what is said of where it is from.
struct Source {
  std::string name{}, header{};
  SparseMatrix matrix{};
  std::vector<std::string> remarks{};
};

[[noreturn]] void refuse_feature(const std::string& feature, const std::string& what) {
  throw ConfigurationError(fmt::format("--with {}: {}", shortened(feature), what));
}

/// The whole of `text` as a number.
template <class Number>
Number number_in(const std::string& feature, const std::string& text) {
  Number number{};
  const char* const end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, number);
  if (error == std::errc::result_out_of_range) refuse_feature(feature, "the number is too large");
  bool is_number = error == std::errc() && stop == end;
  if constexpr (std::is_floating_point_v<Number>) is_number = is_number && std::isfinite(number);
  if (!is_number) {
    refuse_feature(feature, std::is_floating_point_v<Number> ? "a number is expected"
                                                             : "a whole number is expected");
  }
  return number;
}

Source source_of(const MatrixArguments& arguments) {
  if (arguments.file.empty() == arguments.generate.empty()) {
    throw ConfigurationError(
        arguments.file.empty()
            ? "a matrix is needed: ninefold matrix FILE.mtx, or --generate NAME --size N"
            : "a file or --generate: there is one matrix");
  }
  if (!arguments.generate.empty()) {
    const GeneratorOptions options = generator_options(arguments);
    return {.name = fmt::format("{} of size {}", options.name, options.size),
            .matrix = generate_sparse(options)};
  }
  if (arguments.size != 0 || !arguments.features.empty()) {
    throw ConfigurationError("--size and --with are for --generate, not for a file");
  }
  MatrixFile file = read_matrix_market(arguments.file);
  return {arguments.file, file.header, std::move(file.matrix), std::move(file.remarks)};
}

void write_text(const std::filesystem::path& file, const std::string& text) {
  if (file.has_parent_path()) ensure_writable_directory(file.parent_path());
  write_file_atomically(file, file.extension() == ".gz" ? compressed(text) : text);
}

}  // namespace

const std::vector<std::string>& feature_names() {
  static const std::vector<std::string> names{"seed", "mean", "spread", "blocks", "bandwidth"};
  return names;
}

GeneratorOptions generator_options(const MatrixArguments& arguments) {
  GeneratorOptions options{.name = arguments.generate, .size = arguments.size};
  const std::vector<std::string>& names = generator_names();
  if (std::count(names.begin(), names.end(), options.name) == 0) {
    const std::string meant = suggestion(options.name, names);
    throw ConfigurationError(fmt::format("--generate {}: there are {}{}{}", shortened(options.name),
                                         fmt::join(names, ", "), meant.empty() ? "" : "\n  ",
                                         meant));
  }
  if (options.size < 1) {
    throw ConfigurationError(
        arguments.size == 0 ? fmt::format("--generate {} needs its size: --size N", options.name)
                            : fmt::format("--size {}: it is at least 1", arguments.size));
  }
  for (const std::string& feature : arguments.features) {
    const std::size_t end = feature.find('=');
    const std::string name = feature.substr(0, end);
    const std::string text = end == feature.npos ? "" : feature.substr(end + 1);
    if (end == feature.npos
        || std::count(feature_names().begin(), feature_names().end(), name) == 0) {
      refuse_feature(feature, fmt::format("NAME=NUMBER is expected, where the names are {}",
                                          fmt::join(feature_names(), ", ")));
    }
    if (name != "seed" && options.name != "rows") {
      refuse_feature(feature, "this is for --generate rows");
    }
    if (name == "seed") options.seed = number_in<std::uint64_t>(feature, text);
    if (name == "mean") options.mean = number_in<double>(feature, text);
    if (name == "spread") options.spread = number_in<double>(feature, text);
    if (name == "blocks") options.blocks = number_in<int>(feature, text);
    if (name == "bandwidth") options.bandwidth = number_in<int>(feature, text);
  }
  return options;
}

std::string matrix_command(const MatrixArguments& arguments) {
  if (arguments.parts < 0) {
    throw ConfigurationError(fmt::format("--parts {}: it is at least 1", arguments.parts));
  }
  const Source source = source_of(arguments);
  const MatrixFacts facts = matrix_facts(source.matrix, arguments.parts);
  std::string text = matrix_report(facts, source.name, source.header, source.remarks);
  std::vector<std::string> written;
  if (!arguments.write.empty()) {
    write_text(arguments.write, matrix_market_text(source.matrix));
    written.push_back(arguments.write);
  }
  if (!arguments.json.empty()) {
    write_text(arguments.json,
               matrix_json(facts, source.name, source.header, source.remarks).dump(2) + "\n");
    written.push_back(arguments.json);
  }
  if (!arguments.picture.empty()) {
    const std::filesystem::path image = arguments.picture;
    if (image.has_parent_path()) ensure_writable_directory(image.parent_path());
    const Picture picture = write_pattern_picture(
        source.matrix.pattern, facts.square ? facts.square->order : std::vector<std::int32_t>{},
        "reverse Cuthill-McKee", image, source.name);
    if (picture.drawn) {
      written.push_back(arguments.picture);
    } else {
      text += "note: " + picture.remark + "\n";
    }
  }
  if (!written.empty()) text += fmt::format("written: {}\n", fmt::join(written, ", "));
  return text;
}

}  // namespace ninefold
