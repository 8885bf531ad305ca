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

/// Where, of what commit and when something ran.
struct Origin {
  std::string place, commit, date;
};

/// Of an experiment: "a device; driver 1; ninefold 0.1.0 (abc), today".
Origin origin_of_experiment(const std::string& subtitle) {
  const std::size_t comma = subtitle.rfind(", ");
  const std::string before = subtitle.substr(0, comma);
  Origin origin{before, "", comma == std::string::npos ? "" : subtitle.substr(comma + 2)};
  const std::size_t program = before.rfind("; ninefold "), open = before.rfind('(');
  if (program == std::string::npos || open == std::string::npos || open < program) return origin;
  return {before.substr(0, program), before.substr(open + 1, before.size() - open - 2),
          origin.date};
}

/// Of a table: "device: a; driver: 1; commit: abc; date: today".
Origin origin_of_table(std::string subtitle) {
  Origin origin;
  const auto take = [&](const std::string& key) {
    const std::size_t at = subtitle.find(key);
    if (at == std::string::npos) return std::string();
    const std::size_t begin = at + key.size(),
                      end = std::min(subtitle.find("; ", at), subtitle.size());
    const std::string value = subtitle.substr(begin, end - begin);
    subtitle.erase(at, end - at);
    while (subtitle.ends_with("; ")) subtitle.erase(subtitle.size() - 2);
    return value;
  };
  origin.date = take("date: ");
  origin.commit = take("commit: ");
  origin.place = subtitle.starts_with("device: ") ? subtitle.substr(8) : subtitle;
  return origin;
}

/// What ran where: a row for each machine and commit, and how that is to be read.
class Origins {
 public:
  void add(const Origin& origin, const std::string& what) {
    auto row = std::find_if(rows_.begin(), rows_.end(), [&](const Row& one) {
      return one.origin.place == origin.place && one.origin.commit == origin.commit;
    });
    if (row == rows_.end()) row = rows_.insert(rows_.end(), {origin, "", ""});
    row->last = std::max(row->last.empty() ? origin.date : row->last, origin.date);
    row->origin.date = std::min(row->origin.date, origin.date);
    row->what += (row->what.empty() ? "" : "; ") + what;
  }

  /// "a device; another", without what is said of them.
  std::string places() const {
    std::vector<std::string> names;
    for (const Row& row : rows_) {
      std::string rest = row.origin.place;
      while (!rest.empty()) {
        const std::size_t end = std::min(rest.find("; "), rest.size());
        const std::string part = rest.substr(0, end);
        rest.erase(0, std::min(rest.size(), end + 2));
        const std::string name = part.substr(0, part.find(','));
        if (name.empty() || name.starts_with("driver")) continue;
        if (std::find(names.begin(), names.end(), name) == names.end()) names.push_back(name);
      }
    }
    return fmt::format("{}", fmt::join(names, "; "));
  }

  Section section() const {
    Table table({{.key = "place", .header = "machine and driver", .align = Align::left},
                 {.key = "commit", .header = "commit", .align = Align::left},
                 {.key = "first", .header = "from", .align = Align::left},
                 {.key = "last", .header = "to", .align = Align::left},
                 {.key = "what", .header = "what", .align = Align::left}});
    std::set<std::string> commits;
    bool is_changed = false;
    for (const Row& row : rows_) {
      table.add_row({row.origin.place, row.origin.commit, row.origin.date, row.last, row.what});
      if (!row.origin.commit.empty()) commits.insert(row.origin.commit);
      is_changed = is_changed || row.origin.commit.find("-dirty") != std::string::npos;
    }
    Section made{"provenance", "What ran where", {TableBlock{{}, std::move(table)}}};
    std::string note;
    if (commits.size() > 1) note = "Not all of this is of one commit.";
    if (is_changed) {
      note += note.empty() ? "" : "  ";
      note += "\"-dirty\": built from files that differed from the commit.";
    }
    if (!note.empty()) made.blocks.emplace_back(Paragraph{note});
    return made;
  }

 private:
  struct Row {
    Origin origin;  ///< with the first date
    std::string last, what;
  };
  std::vector<Row> rows_;
};

/// The words of the tables.
Section glossary() {
  return {
      "words",
      "Words",
      {Facts{{{"level", "the square has 2^level cells along each side"},
              {"plain form", "a row of the matrix times the values of its nodes"},
              {"difference form", "the same by differences to the middle node, with less rounding"},
              {"double:single, outer:inner",
               "the solution and its residual in double, corrections in single; of counts: steps "
               "of the one, iterations of the other"},
              {"l2, rms", "errors: the integral's norm; the root mean square of the nodes"},
              {"i1, d1", "the inner solver stops after one iteration; after one digit"},
              {"MG_JAC, MG_ADITRIGS",
               "multigrid smoothed by Jacobi steps; by lines along x and y in turn"},
              {"s23e11", "a format of software, with 23 bits of mantissa and 11 of exponent"},
              {"stagnated", "the residual no longer fell before the tolerance was met"}}}}};
}

/// What is on the page so far.
struct Gathering {
  TableBlock agreement;
  std::vector<Section> sections{};
  Origins origins{};
  std::vector<std::string> answers{}, answer_links{};  // of tables, for the first screenful
  int experiments = 0, finished = 0, measured = 0, agreeing = 0, compared = 0;

  void add_row(const std::string& of, const std::string& what, const std::string& result,
               const std::string& link) {
    agreement.table.add_row({of, what, result});
    agreement.links.push_back({what.empty() ? link : "", what.empty() ? "" : link});
  }
  void add_experiment(const Place& place, const fs::path& output);
  void add_table(const Place& place);
};

void Gathering::add_experiment(const Place& place, const fs::path& output) {
  ++experiments;
  const std::string name = name_of(place.path);
  const fs::path file = place.path / "report.json";
  if (!fs::exists(file)) return add_row(name, "", "has not finished", "");
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
    std::string part = line.substr(0, colon);
    if (part.starts_with(name + ", ")) part.erase(0, name.size() + 2);
    add_row(k == 0 ? name : "", part, words, link.empty() ? "#" + identifier(name) : link);
    int some = 0, of = 0;
    if (std::sscanf(words.c_str(), "%d of %d values agree", &some, &of) != 2) continue;
    agreeing += some;
    compared += of;
  }
  origins.add(origin_of_experiment(document.subtitle), name);
  sections.push_back(as_section(std::move(document), name, page, ids));
}

void Gathering::add_table(const Place& place) {
  ++measured;
  Article document = ninefold::measured(place.path);
  if (!place.title.empty()) document.title = place.title;
  const std::string name = name_of(place.path);
  const Ids ids(document, identifier(name), "");
  const std::string words = fmt::format("{}", fmt::join(document.summary, "; "));
  add_row(document.title, "", words, "#" + identifier(name));
  origins.add(origin_of_table(document.subtitle), document.title);
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
                    Table({{.key = "of", .header = "experiment or table", .align = Align::left},
                           {.key = "what", .header = "part", .align = Align::left},
                           {.key = "result", .header = "result", .align = Align::left}})},
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
  document.subtitle = all.origins.places();
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
  if (all.experiments > 0) {
    document.sections.back().blocks.emplace_back(
        Paragraph{"Of each solve norms of the error are kept here.  Where on the grid it lies is "
                  "pictured on the pages that ninefold solve and ninefold study write."});
  }
  document.sections.push_back(all.origins.section());
  for (Section& section : all.sections) document.sections.push_back(std::move(section));
  document.sections.push_back(glossary());
  return document;
}

}  // namespace ninefold
