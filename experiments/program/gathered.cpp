#include "experiments/program/gathered.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdio>
#include <fstream>
#include <set>
#include <stdexcept>
#include <string>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <nlohmann/json.hpp>

#include "output/document/document_json.hpp"

#include "experiments/program/measured.hpp"
#include "experiments/support/compared_notes.hpp"

namespace ninefold {
namespace {

namespace fs = std::filesystem;

struct Place {
  std::string title;  ///< may be empty
  fs::path path;
};

Place place_of(const std::string& text) {
  const std::size_t equals = text.rfind('=');
  if (equals == std::string::npos || fs::exists(text)) return {"", text};
  return {text.substr(0, equals), text.substr(equals + 1)};
}

std::string name_of(const fs::path& path) {
  if (path.extension() == ".csv") return path.stem().string();
  return path.filename().empty() ? path.parent_path().filename().string()
                                 : path.filename().string();
}

Article read(const fs::path& file) {
  std::ifstream stream(file);
  try {
    return document_of(nlohmann::ordered_json::parse(stream));
  } catch (const std::exception& error) {
    throw std::runtime_error(fmt::format("'{}': {}", file.string(), error.what()));
  }
}

/// Makes the ids of a document its own and its links lead to them, to those of its page if it has
/// one, or nowhere.
class Ids {
 public:
  Ids(const Article& document, std::string name, std::string page)
      : name_(std::move(name)), page_(std::move(page)) {
    for (const Section& section : document.sections) {
      for (const Block& block : section.blocks) {
        if (const auto* table = std::get_if<TableBlock>(&block)) {
          ids_.insert(table->row_ids.begin(), table->row_ids.end());
          ids_.insert(table->id);
        }
      }
    }
    ids_.erase("");
  }

  void change(std::string& id) const {
    if (!id.empty()) id = name_ + "-" + id;
  }
  void lead(std::string& link) const {
    if (!link.starts_with("#")) return;
    if (ids_.contains(link.substr(1))) {
      link = fmt::format("#{}-{}", name_, link.substr(1));
    } else {
      link = page_.empty() ? "" : page_ + link;
    }
  }
  void make_own(Block& block) const {
    if (auto* table = std::get_if<TableBlock>(&block)) {
      change(table->id);
      for (std::string& id : table->row_ids) change(id);
      for (auto& row : table->links) {
        for (std::string& link : row) lead(link);
      }
    }
    if (auto* figure = std::get_if<Figure>(&block)) {
      for (FigureSeries& series : figure->series) {
        for (FigurePoint& point : series.points) lead(point.link);
      }
    }
  }

 private:
  std::string name_, page_;
  std::set<std::string> ids_;
};

/// All sections of a document as one.
Section as_section(Article document, const std::string& name, const std::string& page,
                   const Ids& ids) {
  Section section{identifier(name), document.title};
  if (!document.subtitle.empty()) section.blocks.emplace_back(Paragraph{document.subtitle});
  if (!page.empty()) {
    section.blocks.emplace_back(Link{"Its own page, with every solve and its residuals", page});
  }
  for (Section& part : document.sections) {
    for (Block& block : part.blocks) {
      ids.make_own(block);
      auto* table = std::get_if<TableBlock>(&block);
      if (table != nullptr && table->title.empty()) table->title = part.title;
      section.blocks.push_back(std::move(block));
    }
  }
  return section;
}

/// What is on the page so far.
struct Gathering {
  TableBlock agreement;
  std::vector<Section> sections{};
  std::vector<std::string> origins{};
  std::vector<std::string> answers{}, answer_links{};  // of tables, for the first screenful
  int experiments = 0, finished = 0, measured = 0, agreeing = 0, compared = 0;

  void add_row(const std::string& what, const std::string& result, const std::string& origin,
               const std::string& link) {
    agreement.table.add_row({what, result, origin});
    agreement.links.push_back({link});
  }
  void add_experiment(const Place& place, const fs::path& output);
  void add_table(const Place& place);
};

void Gathering::add_experiment(const Place& place, const fs::path& output) {
  ++experiments;
  const std::string name = name_of(place.path);
  const fs::path file = place.path / "report.json";
  if (!fs::exists(file)) return add_row(name, "has not finished", "", "");
  ++finished;
  Article document = read(file);
  note_what_is_compared(document);
  if (!place.title.empty()) document.title = place.title;
  const fs::path own = place.path / "report.html";
  const std::string page = fs::exists(own) ? fs::proximate(own, output).generic_string() : "";
  const Ids ids(document, identifier(name), page);
  for (std::size_t k = 0; k < document.summary.size(); ++k) {
    const std::string& line = document.summary[k];
    const std::size_t colon = line.rfind(": ");
    const std::string words = colon == std::string::npos ? "" : line.substr(colon + 2);
    std::string link = k < document.summary_links.size() ? document.summary_links[k] : "";
    ids.lead(link);
    add_row(line.substr(0, colon), words, document.subtitle,
            link.empty() ? "#" + identifier(name) : link);
    int some = 0, of = 0;
    if (std::sscanf(words.c_str(), "%d of %d values agree", &some, &of) != 2) continue;
    agreeing += some;
    compared += of;
  }
  const std::string where = document.subtitle.substr(0, document.subtitle.rfind(", "));  // no date
  if (std::find(origins.begin(), origins.end(), where) == origins.end()) origins.push_back(where);
  sections.push_back(as_section(std::move(document), name, page, ids));
}

void Gathering::add_table(const Place& place) {
  ++measured;
  Article document = ninefold::measured(place.path);
  if (!place.title.empty()) document.title = place.title;
  const std::string name = name_of(place.path);
  const Ids ids(document, identifier(name), "");
  const std::string words = fmt::format("{}", fmt::join(document.summary, "; "));
  add_row(document.title, words, document.subtitle, "#" + identifier(name));
  if (document.summary.size() > 1) {
    answers.push_back(fmt::format("{}: {}", document.title, words));
    answer_links.push_back("#" + identifier(name));
  }
  sections.push_back(as_section(std::move(document), name, "", ids));
}

}  // namespace

Article gathered(const std::vector<std::string>& places, const std::string& title,
                 const fs::path& output) {
  Gathering all{
      .agreement = {{},
                    Table({{.key = "what", .header = "what", .align = Align::left},
                           {.key = "result", .header = "result", .align = Align::left},
                           {.key = "origin", .header = "where and when", .align = Align::left}})},
      .sections = {},
      .origins = {}};
  for (const std::string& text : places) {
    const Place place = place_of(text);
    if (place.path.extension() == ".csv") {
      all.add_table(place);
    } else {
      all.add_experiment(place, output);
    }
  }
  Article document{.title = title};
  document.subtitle = fmt::format("{}", fmt::join(all.origins, "; and "));
  if (all.experiments > 0) {
    document.summary.push_back(
        fmt::format("{} of {} experiments have finished", all.finished, all.experiments));
    document.summary.push_back(
        all.agreeing == all.compared
            ? fmt::format(
                "all {} values that are compared agree; what is not compared is said below "
                "each table",
                all.compared)
            : fmt::format("NOT everything agrees: {} of {} compared values do", all.agreeing,
                          all.compared));
  }
  if (all.finished < all.experiments) {
    document.progress = Progress::failed;
    document.progress_text =
        fmt::format("Not complete: {} of {} experiments.", all.finished, all.experiments);
  }
  if (all.measured > 0) {
    document.summary.push_back(
        fmt::format("{} table{} of measurements", all.measured, all.measured == 1 ? "" : "s"));
  }
  document.summary_links.resize(document.summary.size());
  document.summary.insert(document.summary.end(), all.answers.begin(), all.answers.end());
  document.summary_links.insert(document.summary_links.end(), all.answer_links.begin(),
                                all.answer_links.end());
  document.sections.push_back({"at-a-glance", "All at a glance", {std::move(all.agreement)}});
  for (Section& section : all.sections) document.sections.push_back(std::move(section));
  return document;
}

}  // namespace ninefold
