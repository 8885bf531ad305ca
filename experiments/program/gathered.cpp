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

#include "experiments/program/level_costs.hpp"
#include "experiments/program/measured.hpp"
#include "experiments/program/origins.hpp"
#include "experiments/support/compared_notes.hpp"
#include "experiments/support/words.hpp"

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
        if (const auto* gallery = std::get_if<Gallery>(&block)) ids_.insert(gallery->id);
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
    if (auto* gallery = std::get_if<Gallery>(&block)) change(gallery->id);
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

/// Tables of experiments with times, which are of whole solves or to targets of their own.
std::vector<Link> links_to_times(const std::vector<Section>& sections) {
  std::vector<Link> links;
  for (const Section& section : sections) {
    for (const Block& block : section.blocks) {
      const auto* table = std::get_if<TableBlock>(&block);
      if (table == nullptr || table->id.empty() || !table->title.starts_with("Seconds")) continue;
      links.push_back({section.title + ": " + table->title, "#" + table->id});
    }
  }
  return links;
}

/// What is on the page so far.
struct Gathering {
  TableBlock agreement;
  std::vector<Section> sections{};
  Origins origins{};
  LevelTable level{first_told_level};
  std::vector<std::size_t> with_level{};    // sections
  std::vector<Link> answers{}, pictures{};  // for the first screenful
  std::vector<std::string> names{};         // of experiments
  int experiments = 0, finished = 0, measured = 0, agreeing = 0, compared = 0;
  AgreeingValues by_source{};

  void add_row(const std::string& of, const std::string& what, const std::string& result,
               const std::string& link) {
    agreement.table.add_row({of, what, result});
    agreement.links.push_back({what.empty() ? link : "", what.empty() ? "" : link});
  }
  void add_experiment(const Place& place, const fs::path& output);
  void add_table(const Place& place);
  void add_pictures(Article& document, const std::string& name);
  void lead_to_level();
};

/// ": largest in the middle, near (0.50, 0.50)" if that is so in all pictures.
std::string common_place(const Gallery& gallery) {
  std::set<std::string> places;
  for (const Image& image : gallery.images) {
    places.insert(image.place.substr(0, image.place.find(';')));
  }
  return places.size() == 1 && !places.begin()->empty() ? ", each " + *places.begin() : "";
}

/// "size of the error on the grid, pictured for a; b, each largest in the middle"
std::string words_of(const Gallery& gallery) {
  std::vector<std::string> titles, subjects;
  std::set<std::string> quantities;
  for (const Image& image : gallery.images) {
    const std::size_t colon = std::min(image.title.rfind(": "), image.title.size());
    titles.push_back(image.title);
    subjects.push_back(image.title.substr(0, colon));
    quantities.insert(image.title.substr(std::min(colon + 2, image.title.size())));
  }
  const bool is_one = quantities.size() == 1 && !quantities.begin()->empty();
  return is_one ? fmt::format("{} on the grid, pictured for {}{}", *quantities.begin(),
                              fmt::join(subjects, "; "), common_place(gallery))
                : fmt::format("pictured on the grid: {}", fmt::join(titles, "; "));
}

/// Leads to the first pictures of fields of a document, which get a place for that.
void Gathering::add_pictures(Article& document, const std::string& name) {
  for (Section& section : document.sections) {
    for (Block& block : section.blocks) {
      auto* gallery = std::get_if<Gallery>(&block);
      if (gallery == nullptr || gallery->images.empty()) continue;
      if (gallery->id.empty()) gallery->id = "pictures";
      pictures.push_back({words_of(*gallery), "#" + identifier(name) + "-" + gallery->id});
      return;
    }
  }
}

void Gathering::add_experiment(const Place& place, const fs::path& output) {
  ++experiments;
  const std::string name = name_of(place.path);
  names.push_back(name);
  const fs::path file = place.path / "report.json";
  if (!fs::exists(file)) return add_row(name, "", "has not finished", "");
  ++finished;
  Article document = read(file);
  note_what_is_compared(document);
  for (const auto& [source, count] : agreeing_values(document)) by_source[source] += count;
  add_pictures(document, name);
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
  origins.add(origin_of_experiment(document.subtitle), document.title, "#" + identifier(name));
  sections.push_back(as_section(std::move(document), name, page, ids));
}

void Gathering::add_table(const Place& place) {
  ++measured;
  Article document = ninefold::measured(place.path);
  if (!place.title.empty()) document.title = place.title;
  const std::string name = identifier(name_of(place.path));
  const Ids ids(document, name, "");
  const std::string words = fmt::format("{}", fmt::join(document.summary, "; "));
  add_row(document.title, "", words, "#" + name);
  origins.add(origin_of_table(document.subtitle), document.title, "#" + name);
  // What is best here is so of this table's method alone.
  const std::string method = document.title.substr(0, document.title.find(": "));
  if (document.summary.size() > 1) answers.push_back({method + ", " + words, "#" + name});
  if (level.add(measured_table(document), method, name)) {
    with_level.push_back(sections.size());
  }
  sections.push_back(as_section(std::move(document), name, "", ids));
}

/// From the tables whose times are in that of the level to it.
void Gathering::lead_to_level() {
  for (const std::size_t one : with_level) {
    std::vector<Block>& blocks = sections[one].blocks;
    blocks.insert(blocks.begin(),
                  Link{fmt::format("These times on level {}, beside those to other targets",
                                   first_told_level),
                       "#" + level.id()});
  }
}

void add_line(Article& document, const std::string& text, const std::string& link = "") {
  document.summary.push_back(text);
  document.summary_links.push_back(link);
}

/// The answers first, then what is on the page.
void add_summary(Article& document, const Gathering& all, const Section& level) {
  for (const Link& answer : all.answers) add_line(document, answer.text, answer.target);
  if (!level.blocks.empty()) add_line(document, level.title, "#" + level.id);
  for (const Link& picture : all.pictures) add_line(document, picture.text, picture.target);
  if (all.experiments > 0) {
    add_line(document,
             fmt::format("{} of {} experiments have finished", all.finished, all.experiments));
    add_line(
        document,
        all.agreeing == all.compared
            ? fmt::format("all {} compared values agree{}; what is not compared is said below each "
                          "table",
                          all.compared, in_words(all.by_source))
            : fmt::format("NOT everything agrees: {} of {} compared values do", all.agreeing,
                          all.compared),
        "#at-a-glance");
  }
  if (all.measured > 0) {
    add_line(document,
             fmt::format("{} table{} of measurements", all.measured, all.measured == 1 ? "" : "s"));
  }
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
  document.origin = all.origins.commits();
  if (all.finished < all.experiments) {
    document.progress = Progress::failed;
    document.progress_text =
        fmt::format("Not complete: {} of {} experiments.", all.finished, all.experiments);
  }
  Section level = all.level.section();
  add_summary(document, all, level);
  if (!level.blocks.empty()) {
    all.lead_to_level();
    const std::vector<Link> times = links_to_times(all.sections);
    if (!times.empty()) {
      level.blocks.emplace_back(Paragraph{"Further times on this page are of experiments:"});
    }
    level.blocks.insert(level.blocks.end(), times.begin(), times.end());
    document.sections.push_back(std::move(level));
  }
  if (all.experiments > 0) document.sections.push_back(problem_section(all.names));
  document.sections.push_back({"at-a-glance", "All at a glance", {std::move(all.agreement)}});
  std::vector<Block>& glance = document.sections.back().blocks;
  for (const Link& picture : all.pictures) {
    glance.emplace_back(Link{picture.text, picture.target});
  }
  if (all.experiments > 0 && all.pictures.empty()) {
    glance.emplace_back(
        Paragraph{"Of each solve norms of the error are kept here, and no picture of "
                  "where it lies: ninefold solve and ninefold study draw some."});
  }
  document.sections.push_back(all.origins.section());
  const std::size_t front = document.sections.size();
  for (Section& section : all.sections) document.sections.push_back(std::move(section));
  if (Section words = words_section(document); !words.blocks.empty()) {
    document.sections.insert(document.sections.begin() + static_cast<std::ptrdiff_t>(front),
                             std::move(words));
  }
  return document;
}

}  // namespace ninefold
