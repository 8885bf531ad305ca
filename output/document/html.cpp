#include "output/document/html.hpp"

#include <algorithm>
#include <cctype>
#include <cstdlib>
#include <set>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "output/document/escape.hpp"
#include "output/document/figure.hpp"
#include "output/document/raster.hpp"
#include "output/document/web_libraries.hpp"

namespace ninefold {
namespace {

constexpr std::size_t progress_length = 240;  // room for another sentence
constexpr std::string_view progress_begin = "<p id=\"progress\" class=\"";

/// With a blank in place of each line feed.
std::string on_one_line(std::string text) {
  std::replace(text.begin(), text.end(), '\n', ' ');
  return text;
}

/// The value itself, which sorts and is compared.
std::string exact(const Cell& cell) {
  if (const auto* text = std::get_if<std::string>(&cell)) return *text;
  if (const auto* number = std::get_if<double>(&cell)) return exact_number(*number);
  if (const auto* count = std::get_if<std::int64_t>(&cell)) return std::to_string(*count);
  return {};
}

std::string cell_of(const Column& column, const Cell& cell, const std::string& link) {
  const std::string value = exact(cell), text = shown(column, cell);
  std::string content = escaped(text);
  if (!link.empty()) content = fmt::format("<a href=\"{}\">{}</a>", escaped(link), content);
  const bool is_text = std::holds_alternative<std::string>(cell);
  constexpr std::size_t long_text = 32;  // which is broken into lines
  const char* kind = column.align == Align::right ? " class=\"number\""
                     : text.size() > long_text    ? " class=\"long\""
                                                  : "";
  const std::string data =
      is_text || value == text ? "" : fmt::format(" data-value=\"{}\"", escaped(value));
  return fmt::format("<td{}{}>{}</td>", kind, data, content);
}

std::string html_of(const Paragraph& paragraph) {
  return fmt::format("<p class=\"lines\">{}</p>\n", escaped(paragraph.text));
}

std::string html_of(const Preformatted& lines) {
  return fmt::format("<pre tabindex=\"0\">{}</pre>\n", escaped(lines.text));
}

std::string html_of(const Link& link) {
  return fmt::format("<p><a href=\"{}\">{}</a></p>\n", escaped(link.target), escaped(link.text));
}

std::string html_of(const Items& items) {
  std::string text = "<ul>\n";
  for (const std::string& item : items.texts) text += fmt::format("<li>{}</li>\n", escaped(item));
  return text + "</ul>\n";
}

std::string html_of(const Facts& facts) {
  std::string text = "<dl>\n";
  for (const auto& [name, value] : facts.entries) {
    if (value.empty()) continue;
    text += fmt::format("<div><dt>{}</dt><dd>{}</dd></div>\n", escaped(name), escaped(value));
  }
  return text + "</dl>\n";
}

std::string html_of(const TableBlock& block) {
  const Table& table = block.table;
  std::string text;
  if (!block.title.empty()) {
    const std::string id = block.id.empty() ? "" : fmt::format(" id=\"{}\"", escaped(block.id));
    text = fmt::format("<h3{}>{}</h3>\n", id, escaped(block.title));
  }
  text +=
      "<div class=\"table\"><button type=\"button\" class=\"copy\" hidden>Copy the table</button>\n"
      "<div class=\"wide";
  constexpr std::size_t most_rows = 25;  // that are shown without a bar
  if (table.rows().size() > most_rows) text += " long";
  text += "\" tabindex=\"0\" role=\"region\" aria-label=\"table\"><table>\n<thead><tr>";
  for (const Column& column : table.columns()) {
    if (column.data_only) continue;
    text +=
        fmt::format("<th scope=\"col\" data-key=\"{}\" class=\"{}\">{}</th>", escaped(column.key),
                    column.align == Align::right ? "number sorter-digit" : "sorter-text",
                    escaped(on_one_line(column.unit.empty()
                                            ? column.header
                                            : fmt::format("{} [{}]", column.header, column.unit))));
  }
  text += "</tr></thead>\n<tbody>\n";
  for (std::size_t r = 0; r < table.rows().size(); ++r) {
    const bool has_id = r < block.row_ids.size() && !block.row_ids[r].empty();
    text += has_id ? fmt::format("<tr id=\"{}\">", escaped(block.row_ids[r])) : "<tr>";
    for (std::size_t c = 0; c < table.columns().size(); ++c) {
      if (table.columns()[c].data_only) continue;
      if (table.columns()[c].key == "curve" && r < block.curves.size()) {
        text += fmt::format("<td>{}</td>",
                            spark_line(block.curves[r], "the residual over the iterations"));
        continue;
      }
      const bool has_link = r < block.links.size() && c < block.links[r].size();
      text += cell_of(table.columns()[c], table.rows()[r][c], has_link ? block.links[r][c] : "");
    }
    text += "</tr>\n";
  }
  return text + "</tbody>\n</table></div></div>\n";
}

std::string html_of(const Figure& figure) {
  const std::string still = to_svg(figure);
  if (still.empty()) return "";
  std::string text = fmt::format(
      "<figure class=\"chart\"><figcaption>{}</figcaption>\n<div class=\"still\">{}</div>\n",
      escaped(figure.title), still);
  if (has_web_libraries()) {
    std::string json =
        to_vega(figure).dump(-1, ' ', false, nlohmann::ordered_json::error_handler_t::replace);
    for (std::size_t at = 0; (at = json.find('<', at)) != std::string::npos;) {
      json.replace(at, 1, "\\u003c");  // no tag ends the script
    }
    text += fmt::format(
        "<div class=\"live\"></div>\n<p class=\"said\" aria-live=\"polite\"></p>\n"
        "<script type=\"application/json\">{}</script>\n",
        json);
  }
  return text + key_of(figure) + "</figure>\n";
}

/// Beside the picture and below it, what its sides are.
std::string with_sides(const Image& image, const std::string& picture) {
  const auto& [left, right, below, above] = image.sides;
  if (right.empty()) return picture;
  return fmt::format(
      "<div class=\"plot\"><span class=\"y\"><span>{}</span><i>y</i>"
      "<span>{}</span></span>{}<span class=\"x\"><span>{}</span><i>x</i><span>{}</span></span>"
      "</div>",
      escaped(above), escaped(below), picture, escaped(left), escaped(right));
}

std::string html_of(const Image& image) {
  if (image.png.empty()) return fmt::format("<p>{}</p>\n", escaped(image.description));
  const std::string picture =
      fmt::format("<img alt=\"{0}\" title=\"{0}\" src=\"data:image/png;base64,{1}\">",
                  escaped(image.description), base64(image.png));
  std::string scale, place;
  if (!image.least.empty() || !image.largest.empty()) {
    scale = fmt::format("<span class=\"scale\"><b>{}</b><i></i><b>{}</b></span>",
                        escaped(image.least), escaped(image.largest));
  }
  if (!image.place.empty()) place = fmt::format("<span>{}</span>", escaped(image.place));
  return fmt::format(
      "<figure class=\"image\">{}<figcaption>{}<strong>{}</strong>{}</figcaption></figure>\n",
      with_sides(image, picture), scale, escaped(image.title), place);
}

/// Of pictures of one quantity, whose titles end alike: that colours which are alike are no values
/// that are alike.
std::string note_on_scales(const Gallery& gallery) {
  std::vector<double> ends;
  std::set<std::string> quantities;
  for (const Image& image : gallery.images) {
    const std::size_t colon = image.title.rfind(": ");
    quantities.insert(image.title.substr(colon == std::string::npos ? 0 : colon));
    const double end = std::strtod(image.largest.c_str(), nullptr);
    if (end > 0) ends.push_back(end);
  }
  if (ends.size() < 2 || quantities.size() > 1) return "";
  const auto [least, largest] = std::minmax_element(ends.begin(), ends.end());
  if (*least == *largest) return "";
  return fmt::format(
      "<p>Each picture has a scale of its own, from its least value to its largest, and these "
      "largest values differ by a factor of {:.3g}.</p>\n",
      *largest / *least);
}

std::string html_of(const Gallery& gallery) {
  std::string text = gallery.id.empty()
                         ? "<div class=\"gallery\">\n"
                         : fmt::format("<div class=\"gallery\" id=\"{}\">\n", escaped(gallery.id));
  for (const Image& image : gallery.images) text += html_of(image);
  return text + "</div>\n" + note_on_scales(gallery);
}

std::string html_of(const Section& section) {
  std::string text = section.id.empty() ? "<section>\n"
                                        : fmt::format("<section id=\"{}\">\n", escaped(section.id));
  if (!section.title.empty()) text += fmt::format("<h2>{}</h2>\n", escaped(section.title));
  for (const Block& block : section.blocks) {
    text += std::visit([](const auto& one) { return html_of(one); }, block);
  }
  return text + "</section>\n";
}

std::string progress_of(const Article& document) {
  const char* kind = document.progress == Progress::complete  ? "complete"
                     : document.progress == Progress::running ? "running"
                                                              : "failed";
  std::string text = escaped(on_one_line(document.progress_text));
  if (text.empty()) text = "Complete.";
  if (document.progress == Progress::running && text.size() < progress_length) {
    text.resize(progress_length, ' ');
  }
  return fmt::format("{}{}\">{}</p>\n", progress_begin, kind, text);
}

std::string navigation_of(const Article& document) {
  std::string text;
  for (const bool aside : {false, true}) {
    for (const Section& section : document.sections) {
      if (section.aside != aside || section.id.empty() || section.title.empty()) continue;
      text += fmt::format("<a href=\"#{}\">{}</a>\n", escaped(section.id), escaped(section.title));
    }
  }
  return text.empty() ? text : fmt::format("<nav aria-label=\"sections\">\n{}</nav>\n", text);
}

}  // namespace

std::string to_html(const Article& document) {
  std::string text = fmt::format(
      "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
      "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
      "<meta name=\"color-scheme\" content=\"light dark\">\n"
      "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src "
      "'unsafe-inline'; script-src 'unsafe-inline' 'unsafe-eval'; img-src data:\">\n"
      "<title>{}</title>\n<link rel=\"icon\" href=\"data:,\">\n<style>\n{}</style>\n</head>\n"
      "<body>\n<header>\n<h1>{}</h1>\n",
      escaped(document.title), page_style(), escaped(document.title));
  if (!document.subtitle.empty()) {
    const Link& more = document.origin;
    text += fmt::format("<p class=\"origin\">{}{}</p>\n", escaped(document.subtitle),
                        more.text.empty() ? ""
                                          : fmt::format("; <a href=\"{}\">{}</a>",
                                                        escaped(more.target), escaped(more.text)));
  }
  text += progress_of(document);
  if (!document.summary.empty()) {
    text += "<ul class=\"summary\">\n";
    for (std::size_t k = 0; k < document.summary.size(); ++k) {
      std::string line = escaped(document.summary[k]);
      if (k < document.summary_links.size() && !document.summary_links[k].empty()) {
        line = fmt::format("<a href=\"{}\">{}</a>", escaped(document.summary_links[k]), line);
      }
      text += fmt::format("<li>{}</li>\n", line);
    }
    text += "</ul>\n";
  }
  text += "</header>\n" + navigation_of(document) + "<main>\n";
  for (const bool aside : {false, true}) {
    for (const Section& section : document.sections) {
      if (section.aside == aside) text += html_of(section);
    }
  }
  text += "</main>\n";
  if (!has_web_libraries()) {
    return text
           + "<footer><p>This ninefold was built without the libraries that make tables sort and "
             "figures answer the pointer: scripts/prepare.sh programs fetches them, then "
             "configure again.</p></footer>\n</body>\n</html>\n";
  }
  for (const std::string_view script : page_scripts()) {
    text.append("<script>\n").append(script).append("\n</script>\n");
  }
  return text + "</body>\n</html>\n";
}

ProgressPlace progress_place(const std::string& page) {
  const std::size_t begin = page.find(progress_begin);
  if (begin == std::string::npos) return {};
  const std::size_t at = page.find('>', begin) + 1;
  return {at, page.find("</p>", at) - at};
}

}  // namespace ninefold
