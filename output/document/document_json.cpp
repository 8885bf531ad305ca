#include "output/document/document_json.hpp"

#include <cmath>
#include <cstdlib>
#include <stdexcept>

#include <nlohmann/json.hpp>

#include "output/document/raster.hpp"

namespace ninefold {
namespace {

using Json = nlohmann::ordered_json;

/// A number, or a text as which JSON can hold it.
Json number_of(double value) {
  if (std::isfinite(value)) return value;
  return {{"number", exact_number(value)}};
}

Json cell_of(const Cell& cell) {
  if (const auto* text = std::get_if<std::string>(&cell)) return *text;
  if (const auto* count = std::get_if<std::int64_t>(&cell)) return *count;
  if (const auto* number = std::get_if<double>(&cell)) return number_of(*number);
  return nullptr;
}

Cell to_cell(const Json& json) {
  if (json.is_string()) return json.get<std::string>();
  if (json.is_number_integer()) return json.get<std::int64_t>();
  if (json.is_number()) return json.get<double>();
  if (json.is_object()) return std::strtod(json.at("number").get<std::string>().c_str(), nullptr);
  return {};
}

Json json_of(const Paragraph& block) {
  return {{"paragraph", block.text}};
}
Json json_of(const Preformatted& block) {
  return {{"preformatted", block.text}};
}
Json json_of(const Link& block) {
  return {{"link", block.text}, {"target", block.target}};
}
Json json_of(const Items& block) {
  return {{"items", block.texts}};
}
Json json_of(const Facts& block) {
  return {{"facts", block.entries}};
}

Json json_of(const TableBlock& block) {
  Json columns = Json::array(), rows = Json::array();
  for (const Column& column : block.table.columns()) {
    columns.push_back({{"key", column.key},
                       {"header", column.header},
                       {"unit", column.unit},
                       {"right", column.align == Align::right},
                       {"style", static_cast<int>(column.style.kind)},
                       {"digits", column.style.digits},
                       {"scale", column.scale},
                       {"data_only", column.data_only}});
  }
  for (const auto& cells : block.table.rows()) {
    Json row = Json::array();
    for (const Cell& cell : cells) row.push_back(cell_of(cell));
    rows.push_back(std::move(row));
  }
  return {{"table", block.title}, {"columns", std::move(columns)}, {"rows", std::move(rows)},
          {"ids", block.row_ids}, {"links", block.links},          {"curves", block.curves},
          {"id", block.id}};
}

Json json_of(const Figure& block) {
  Json all = Json::array();
  for (const FigureSeries& series : block.series) {
    Json points = Json::array();
    for (const FigurePoint& point : series.points) {
      points.push_back(Json::array({number_of(point.x), number_of(point.y), point.link}));
      if (!point.label.empty()) points.back().push_back(point.label);
    }
    all.push_back(
        {{"name", series.name}, {"reference", series.is_reference}, {"points", std::move(points)}});
  }
  return {{"figure", block.title},    {"description", block.description},
          {"x", block.x_label},       {"y", block.y_label},
          {"series", std::move(all)}, {"logarithmic_x", block.logarithmic_x}};
}

Json json_of(const Image& block) {
  return {{"image", block.title},     {"description", block.description},
          {"png", base64(block.png)}, {"least", block.least},
          {"largest", block.largest}, {"file", block.file},
          {"place", block.place},     {"sides", block.sides}};
}

Json json_of(const Gallery& block) {
  Json images = Json::array();
  for (const Image& image : block.images) images.push_back(json_of(image));
  return {{"gallery", std::move(images)}};
}

Image image_of(const Json& json) {
  // Reports that have been kept from earlier have neither of the last two.
  return {json.at("image"),
          json.at("description"),
          bytes_of_base64(json.at("png").get<std::string>()),
          json.at("least"),
          json.at("largest"),
          json.at("file"),
          json.value("place", std::string()),
          json.value("sides", std::array<std::string, 4>())};
}

TableBlock table_of(const Json& json) {
  std::vector<Column> columns;
  for (const Json& column : json.at("columns")) {
    columns.push_back({.key = column.at("key"),
                       .header = column.at("header"),
                       .unit = column.at("unit"),
                       .align = column.at("right").get<bool>() ? Align::right : Align::left,
                       .style = {static_cast<NumberStyle::Kind>(column.at("style").get<int>()),
                                 column.at("digits")},
                       .scale = column.at("scale"),
                       .data_only = column.at("data_only")});
  }
  TableBlock block{json.at("table"), Table(std::move(columns)), json.at("ids"),
                   json.at("links"), json.at("curves"),         json.at("id")};
  for (const Json& row : json.at("rows")) {
    std::vector<Cell> cells;
    for (const Json& cell : row) cells.push_back(to_cell(cell));
    block.table.add_row(std::move(cells));
  }
  return block;
}

double number_in(const Json& json) {
  return json.is_object() ? std::strtod(json.at("number").get<std::string>().c_str(), nullptr)
                          : json.get<double>();
}

Figure figure_of(const Json& json) {
  Figure figure{json.at("figure"), json.at("description"), json.at("x"), json.at("y")};
  figure.logarithmic_x = json.at("logarithmic_x");
  for (const Json& one : json.at("series")) {
    FigureSeries series{one.at("name"), {}, one.at("reference")};
    for (const Json& point : one.at("points")) {
      series.points.push_back({number_in(point.at(0)), number_in(point.at(1)), point.at(2)});
      if (point.size() > 3) series.points.back().label = point.at(3);
    }
    figure.series.push_back(std::move(series));
  }
  return figure;
}

Block block_of(const Json& json) {
  if (json.contains("paragraph")) return Paragraph{json["paragraph"]};
  if (json.contains("preformatted")) return Preformatted{json["preformatted"]};
  if (json.contains("target")) return Link{json.at("link"), json["target"]};
  if (json.contains("items")) return Items{json["items"]};
  if (json.contains("facts")) return Facts{json["facts"]};
  if (json.contains("table")) return table_of(json);
  if (json.contains("figure")) return figure_of(json);
  if (json.contains("image")) return image_of(json);
  Gallery gallery;
  for (const Json& image : json.at("gallery")) gallery.images.push_back(image_of(image));
  return gallery;
}

}  // namespace

nlohmann::ordered_json document_json(const Article& document) {
  Json sections = Json::array();
  for (const Section& section : document.sections) {
    Json blocks = Json::array();
    for (const Block& block : section.blocks) {
      blocks.push_back(std::visit([](const auto& one) { return json_of(one); }, block));
    }
    sections.push_back({{"id", section.id},
                        {"title", section.title},
                        {"blocks", std::move(blocks)},
                        {"of_page", section.of_page},
                        {"aside", section.aside}});
  }
  return {{"title", document.title},
          {"subtitle", document.subtitle},
          {"progress", static_cast<int>(document.progress)},
          {"progress_text", document.progress_text},
          {"summary", document.summary},
          {"summary_links", document.summary_links},
          {"sections", std::move(sections)}};
}

Article document_of(const nlohmann::ordered_json& json) {
  try {
    Article document{.title = json.at("title"),
                     .subtitle = json.at("subtitle"),
                     .progress = static_cast<Progress>(json.at("progress").get<int>()),
                     .progress_text = json.at("progress_text"),
                     .summary = json.at("summary"),
                     .summary_links = json.at("summary_links"),
                     .sections = {}};
    for (const Json& one : json.at("sections")) {
      Section section{one.at("id"), one.at("title"), {}, one.at("of_page"), one.at("aside")};
      for (const Json& block : one.at("blocks")) section.blocks.push_back(block_of(block));
      document.sections.push_back(std::move(section));
    }
    return document;
  } catch (const Json::exception& error) {
    throw std::runtime_error(std::string("this is no document: ") + error.what());
  }
}

}  // namespace ninefold
