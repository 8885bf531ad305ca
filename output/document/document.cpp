#include "output/document/document.hpp"

#include <cctype>

#include <fmt/format.h>

namespace ninefold {
namespace {

template <class... Cases>
struct Overloaded : Cases... {
  using Cases::operator()...;
};

std::string markdown_of(const Block& block) {
  return std::visit(Overloaded{
                        [](const Paragraph& p) { return "\n" + p.text + "\n"; },
                        [](const Preformatted& p) { return "\n```\n" + p.text + "```\n"; },
                        [](const Link&) { return std::string(); },
                        [](const Items& items) {
                          std::string text = "\n";
                          for (const std::string& item : items.texts) text += "- " + item + "\n";
                          return text;
                        },
                        [](const Facts& facts) {
                          std::string text = "\n";
                          for (const auto& [name, value] : facts.entries) {
                            if (!value.empty()) text += fmt::format("- {}: {}\n", name, value);
                          }
                          return text;
                        },
                        [](const TableBlock& block_of) {
                          const std::string& title = block_of.title;
                          return (title.empty() ? "\n" : fmt::format("\n## {}\n\n", title))
                                 + block_of.table.to_markdown();
                        },
                        [](const Figure&) { return std::string(); },
                        [](const Image& image) {
                          return image.file.empty() ? ""
                                                    : fmt::format("\n![{0}]({0})\n", image.file);
                        },
                        [](const Gallery&) { return std::string(); },
                    },
                    block);
}

std::string text_of(const Block& block) {
  return std::visit(Overloaded{
                        [](const Paragraph& p) { return "\n" + p.text + "\n"; },
                        [](const Preformatted& p) { return "\n" + p.text; },
                        [](const Link&) { return std::string(); },
                        [](const Items& items) {
                          std::string text = "\n";
                          for (const std::string& item : items.texts) text += item + "\n";
                          return text;
                        },
                        [](const Facts& facts) {
                          std::string text = "\n";
                          for (const auto& [name, value] : facts.entries) {
                            if (!value.empty()) text += fmt::format("{}: {}\n", name, value);
                          }
                          return text;
                        },
                        [](const TableBlock& block_of) {
                          const std::string& title = block_of.title;
                          return (title.empty() ? "\n" : fmt::format("\n{}\n\n", title))
                                 + block_of.table.to_text();
                        },
                        [](const Figure&) { return std::string(); },
                        [](const Image& image) {
                          return image.file.empty() ? ""
                                                    : fmt::format("\nPicture: {}\n", image.file);
                        },
                        [](const Gallery&) { return std::string(); },
                    },
                    block);
}

}  // namespace

std::string to_markdown(const Article& document) {
  std::string text = fmt::format("# {}\n", document.title);
  if (!document.subtitle.empty()) text += "\n" + document.subtitle + "\n";
  if (!document.progress_text.empty()) text += "\n" + document.progress_text + "\n";
  for (const Section& section : document.sections) {
    if (section.of_page) continue;
    if (!section.title.empty()) text += fmt::format("\n## {}\n", section.title);
    for (const Block& block : section.blocks) text += markdown_of(block);
  }
  return text;
}

std::string to_text(const Article& document) {
  std::string text = document.title + "\n";
  if (!document.subtitle.empty()) text += document.subtitle + "\n";
  if (!document.progress_text.empty()) text += "\n" + document.progress_text + "\n";
  for (const Section& section : document.sections) {
    if (section.of_page) continue;
    if (!section.title.empty()) text += fmt::format("\n{}\n", section.title);
    for (const Block& block : section.blocks) text += text_of(block);
  }
  return text;
}

std::string identifier(const std::string& text) {
  std::string id;
  const auto is_plain = [](char c) {
    return std::isalnum(static_cast<unsigned char>(c)) || c == '.' || c == '_' || c == '-';
  };
  for (std::size_t k = 0; k < text.size(); ++k) {
    // double:single is not double-single.
    const bool is_pair = text[k] == ':' && k + 1 < text.size() && is_plain(text[k + 1]);
    id += is_pair ? "-over-" : is_plain(text[k]) ? std::string(1, text[k]) : "-";
  }
  return id;
}

}  // namespace ninefold
