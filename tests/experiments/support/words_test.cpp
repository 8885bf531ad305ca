#include "experiments/support/words.hpp"

#include <string>

#include "tests/support/catch.hpp"

using namespace ninefold;

namespace {

bool has(const Facts& facts, const std::string& name) {
  for (const auto& entry : facts.entries) {
    if (entry.first == name) return true;
  }
  return false;
}

}  // namespace

TEST_CASE("a table has the words of its headings and cells, and no others",
          "[experiments][words]") {
  Table table({{.key = "program", .header = "program", .align = Align::left},
               {.key = "kernels", .header = "kernels"},
               {.key = "double_", .header = "double\nsingle"}});
  table.add_row({std::string("now"), std::int64_t{3}, 1.0});
  table.add_row({std::string("knows, before that"), std::int64_t{3}, 1.0});
  const Facts facts = words_in({"A double:single run", table});
  CHECK(has(facts, "kernels"));
  CHECK(has(facts, "before, now, points"));
  CHECK(has(facts, "double:single, outer:inner"));
  CHECK_FALSE(has(facts, "stagnated"));
  CHECK_FALSE(has(facts, "level"));
  Table other({{.key = "what", .header = "what", .align = Align::left}});
  other.add_row({std::string("now and before")});  // a sentence
  CHECK(words_in({"", other}).entries.empty());
}

TEST_CASE("a document without known words has no section of words", "[experiments][words]") {
  Article article{.title = "A title"};
  CHECK(words_section(article).blocks.empty());
  article.sections.push_back({"one", "One", {Paragraph{"It has stagnated."}}});
  const Section words = words_section(article);
  CHECK(words.id == "words");
  CHECK(words.of_page);
  CHECK(has(std::get<Facts>(words.blocks.at(0)), "stagnated"));
}
