#include "output/document/document.hpp"

#include <limits>

#include <nlohmann/json.hpp>

#include "output/document/document_json.hpp"
#include "output/document/escape.hpp"
#include "output/document/figure.hpp"
#include "output/document/html.hpp"
#include "output/document/web_libraries.hpp"

#include "tests/support/catch.hpp"

using namespace ninefold;
using Catch::Matchers::ContainsSubstring;

namespace {

Article small_article() {
  Table table({{.key = "name", .header = "name", .align = Align::left},
               {.key = "error", .header = "the\nerror", .style = scientific(3)},
               {.key = "secret", .header = "secret", .data_only = true}});
  table.add_row({std::string("a <b> & \"c\""), 0.1 + 0.2, std::int64_t{7}});
  table.add_row({std::string("d"), std::numeric_limits<double>::infinity(), std::monostate{}});
  Figure figure{"A figure", "what it shows", "level", "error"};
  figure.series = {{"one", {{3, 0.25, "#row-1"}, {4, 0.0625, ""}, {5, 0, ""}}},
                   {"as h^2", {{3, 0.1, ""}, {4, 0.025, ""}}, true}};
  Article article{.title = "Title </title><script>",
                  .subtitle = "where",
                  .progress = Progress::running,
                  .progress_text = "goes on",
                  .summary = {"first of all"},
                  .summary_links = {"#a-table"}};
  article.sections = {
      {"origin", "", {Facts{{{"device", "a device"}, {"driver", ""}}}}, false, true},
      {"levels",
       "Levels",
       {TableBlock{"A table", table, {"row-1", ""}, {{"", "#h"}, {}}, {}, "a-table"}}},
      {"figures", "Figures", {figure}, true},
      {"pictures",
       "",
       {Image{.title = "t", .description = "d", .png = "PNG", .least = "0", .largest = "1"},
        Gallery{{Image{"g", "h", "\xFF\x00", "", ""}}}},
       true},
      {"rest",
       "Rest",
       {Paragraph{"some text"}, Link{"elsewhere", "other.html"}, Preformatted{"as it is\n"},
        Items{{"i", "j"}}}}};
  return article;
}

}  // namespace

TEST_CASE("one document is text and Markdown, without what is of the page alone",
          "[output][document]") {
  const Article article = small_article();
  const std::string markdown = to_markdown(article);
  for (const char* part :
       {"# Title </title>", "\nwhere\n", "\n- device: a device\n", "\n## A table\n\n| name",
        "3.00e-01", "\nsome text\n", "\n```\nas it is\n```\n", "\n- i\n- j\n"}) {
    CHECK_THAT(markdown, ContainsSubstring(part));
  }
  const std::string text = to_text(article);
  for (const char* part :
       {"Title </title>", "\ndevice: a device\n", "\nA table\n\n", "\nas it is\n", "\ni\nj\n"}) {
    CHECK_THAT(text, ContainsSubstring(part));
  }
  for (const std::string& all : {markdown, text}) {
    CHECK_THAT(all, !ContainsSubstring("Figure"));
    CHECK_THAT(all, !ContainsSubstring("driver"));
    CHECK_THAT(all, !ContainsSubstring("secret"));
  }
}

TEST_CASE("a page escapes all text and keeps exact values", "[output][document]") {
  const std::string page = to_html(small_article());
  CHECK_THAT(page, ContainsSubstring("<title>Title &lt;/title&gt;&lt;script&gt;</title>"));
  CHECK_THAT(page, ContainsSubstring("a &lt;b&gt; &amp; &quot;c&quot;"));
  CHECK_THAT(page, ContainsSubstring("<td class=\"number\" data-value=\"0.30000000000000004\"><a "
                                     "href=\"#h\">3.00e-01</a></td>"));
  CHECK_THAT(page, ContainsSubstring("<tr id=\"row-1\"><td>a &lt;b&gt;"));
  CHECK_THAT(page, ContainsSubstring("<a href=\"#h\">3.00e-01</a></td></tr>\n<tr><td>d</td>"));
  CHECK_THAT(page, ContainsSubstring("<h3 id=\"a-table\">A table</h3>"));
  CHECK_THAT(page, ContainsSubstring("<li><a href=\"#a-table\">first of all</a></li>"));
  CHECK_THAT(page, ContainsSubstring("<p><a href=\"other.html\">elsewhere</a></p>"));
  CHECK_THAT(page, ContainsSubstring("src=\"data:image/png;base64,UE5H\""));
  CHECK_THAT(page, !ContainsSubstring("secret"));
  CHECK(page == to_html(small_article()));
}

TEST_CASE("a page that is not complete can be told to be interrupted", "[output][document]") {
  const std::string page = to_html(small_article());
  const ProgressPlace place = progress_place(page);
  const std::string said = page.substr(place.at, place.length);
  CHECK(said.substr(0, 8) == "goes on ");
  CHECK(said.size() >= 200);
  CHECK(said.find_first_of("<>") == std::string::npos);
  CHECK(progress_place("no page").length == 0);
}

TEST_CASE("a page has its libraries, or says that they are missing", "[output][document]") {
  const std::string page = to_html(small_article());
  const bool is_said = page.find("was built without the libraries") != std::string::npos;
  CHECK(is_said != has_web_libraries());
  CHECK((page.find("vegaEmbed") != std::string::npos) == has_web_libraries());
  CHECK_THAT(page, !ContainsSubstring("src=\"http"));
  for (const std::string_view script : page_scripts()) {
    CHECK(script.find("</script") == std::string_view::npos);
  }
}

TEST_CASE("what is no UTF-8 is replaced, control characters are blanks", "[output][document]") {
  CHECK(escaped("a\xFFz") == "a\xEF\xBF\xBDz");
  CHECK(escaped("\xC3\xA4\xE2\x82\xAC") == "\xC3\xA4\xE2\x82\xAC");
  CHECK(escaped("\xE2\x82") == "\xEF\xBF\xBD\xEF\xBF\xBD");
  CHECK(escaped("a\x01\tb\n") == "a  b\n");
}

TEST_CASE("a figure shows its points with their values and links", "[output][document]") {
  const Article article = small_article();
  const auto& figure = std::get<Figure>(article.sections[2].blocks.front());
  const std::string svg = to_svg(figure);
  CHECK_THAT(svg, ContainsSubstring("<a href=\"#row-1\">"));
  CHECK_THAT(svg, ContainsSubstring("<title>one: 0.25 at 3</title>"));
  CHECK_THAT(svg, !ContainsSubstring("at 5"));  // no logarithm
  const auto spec = to_vega(figure);
  const auto& points = spec.at("data").at("values");
  REQUIRE(points.size() == 2);
  CHECK(points[0].at("y") == 0.25);
  CHECK(points[0].at("link") == "#row-1");
  CHECK(to_svg(Figure{"nothing", "", "", ""}).empty());
  CHECK(spark_line({}, "").empty());
  CHECK_THAT(spark_line({1, 0.1}, "falls"), ContainsSubstring("aria-label=\"falls\""));
}

TEST_CASE("no two curves look alike, and a key names them", "[output][document]") {
  Figure figure{"A figure", "what it shows", "level", "error"};
  for (const char* format : {"half", "single", "double"}) {
    for (const char* form : {"plain", "difference"}) {
      figure.series.push_back({std::string(format) + " " + form, {{3, 0.25, ""}, {4, 0.125, ""}}});
    }
  }
  const std::vector<Look> by_name = looks_of(figure);
  CHECK(by_name[0].colour == by_name[1].colour);  // the format
  CHECK(by_name[1].style == by_name[3].style);    // the form
  CHECK_THAT(
      to_html(Article{.title = "", .sections = {{"", "", {figure}}}}),
      ContainsSubstring("<ul class=\"key\">") && ContainsSubstring("</svg> double plain</li>"));
  for (int k = 0; k < 30; ++k) figure.series.push_back({"curve" + std::to_string(k), {}});
  const std::vector<Look> looks = looks_of(figure);
  REQUIRE(looks.size() == most_in_key);
  for (std::size_t a = 0; a < looks.size(); ++a) {
    for (std::size_t b = 0; b < a; ++b) CHECK_FALSE(looks[a] == looks[b]);
  }
}

TEST_CASE("where points coincide each is named", "[output][document]") {
  Figure figure{"A figure", "what it shows", "level", "error"};
  figure.series = {{"one", {{3, 0.25, ""}}}, {"two", {{3, 0.2501, ""}}}, {"three", {{3, 0.5, ""}}}};
  CHECK_THAT(to_svg(figure), ContainsSubstring("<title>one: 0.25 at 3; also here: two</title>")
                                 && ContainsSubstring("<title>three: 0.5 at 3</title>"));
  const auto values = to_vega(figure).at("data").at("values");
  CHECK(values[1].at("also") == "one");
  CHECK_FALSE(values[2].contains("also"));
}

TEST_CASE("one format over another has an identifier of its own", "[output][document]") {
  CHECK(identifier("double:single, plain") == "double-over-single--plain");
  CHECK(identifier("double-single, plain") == "double-single--plain");
  CHECK(identifier("single: stored") == "single--stored");
}

TEST_CASE("a document survives JSON", "[output][document]") {
  const Article article = small_article();
  const auto json = nlohmann::ordered_json::parse(document_json(article).dump());
  const Article again = document_of(json);
  CHECK(to_html(again) == to_html(article));
  CHECK(to_markdown(again) == to_markdown(article));
  CHECK_THROWS_WITH(document_of({{"title", "only"}}), ContainsSubstring("this is no document"));
}
