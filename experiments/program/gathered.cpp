#include "experiments/program/gathered.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdio>
#include <fstream>
#include <stdexcept>
#include <string>
#include <utility>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "output/document/document_json.hpp"

namespace ninefold {
namespace {

std::string name_of(const std::filesystem::path& folder) {
  const std::filesystem::path name = folder.filename();
  return name.empty() ? folder.parent_path().filename().string() : name.string();
}

Article read(const std::filesystem::path& file) {
  std::ifstream stream(file);
  try {
    return document_of(nlohmann::ordered_json::parse(stream));
  } catch (const std::exception& error) {
    throw std::runtime_error(fmt::format("'{}': {}", file.string(), error.what()));
  }
}

/// All sections of a document as one; ids of rows are made its own.
Section as_section(Article document, const std::string& name) {
  Section section{identifier(name), fmt::format("{}: {}", name, document.title)};
  section.blocks.emplace_back(Paragraph{document.subtitle});
  for (Section& part : document.sections) {
    for (Block& block : part.blocks) {
      if (auto* table = std::get_if<TableBlock>(&block)) {
        table->row_ids.clear();
        table->row_links.clear();
        if (table->title.empty()) table->title = part.title;
      }
      section.blocks.push_back(std::move(block));
    }
  }
  return section;
}

}  // namespace

Article gathered(const std::vector<std::filesystem::path>& folders) {
  Article all{.title = "Goeddeke, Strzodka, Turek 2007: the experiments, and past them"};
  Table agreement({{.key = "experiment", .header = "experiment", .align = Align::left},
                   {.key = "what", .header = "compared", .align = Align::left},
                   {.key = "agreement", .header = "agreement", .align = Align::left}});
  std::size_t finished = 0;
  int agreeing = 0, compared = 0;
  std::vector<Section> sections;
  std::vector<std::string> origins;
  for (const auto& folder : folders) {
    const std::string name = name_of(folder);
    const std::filesystem::path file = folder / "report.json";
    if (!std::filesystem::exists(file)) {
      agreement.add_row({name, std::string(), std::string("has not finished")});
      continue;
    }
    Article document = read(file);
    ++finished;
    for (const std::string& line : document.summary) {
      const std::size_t colon = std::min(line.rfind(": "), line.size());
      const std::string words = line.substr(std::min(colon + 2, line.size()));
      agreement.add_row({name, line.substr(0, colon), words});
      int some = 0, of = 0;
      if (std::sscanf(words.c_str(), "%d of %d values agree", &some, &of) != 2) continue;
      agreeing += some;
      compared += of;
    }
    if (std::find(origins.begin(), origins.end(), document.subtitle) == origins.end()) {
      origins.push_back(document.subtitle);
    }
    sections.push_back(as_section(std::move(document), name));
  }
  if (!origins.empty()) all.subtitle = origins.front();
  all.summary.push_back(
      fmt::format("{} of {} experiments have finished", finished, folders.size()));
  all.summary.push_back(
      agreeing == compared
          ? fmt::format("everything agrees: all {} compared values", compared)
          : fmt::format("NOT everything agrees: {} of {} compared values do", agreeing, compared));
  if (finished < folders.size()) {
    all.progress = Progress::failed;
    all.progress_text =
        fmt::format("Not complete: {} of {} experiments.", finished, folders.size());
  }
  all.sections.push_back(
      {"at-a-glance", "Agreement at a glance", {TableBlock{{}, std::move(agreement)}}});
  for (Section& section : sections) all.sections.push_back(std::move(section));
  return all;
}

}  // namespace ninefold
