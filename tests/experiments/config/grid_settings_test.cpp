#include "experiments/config/grid_settings.hpp"

#include <fstream>

#include "experiments/program/run.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/temporary_directory.hpp"

using namespace ninefold;
using Catch::Matchers::ContainsSubstring;

namespace {

/// A folder with a config file's neighbours: four widths that add up to 2, eight that add up to 3.
class Folder {
 public:
  Folder() {
    write("four.txt", "# cells from the left\n1\n0.5\n0.25\n0.25\n");
    write("eight.txt", "0.125 0.125 0.25 0.5 0.5 0.5 0.5 0.5");
    write("three.txt", "1, 1, 1");
    write("letters.txt", "1\ntwo\n");
    write("wide.txt", "1e308 1e308");
  }
  void write(const std::string& name, const std::string& text) const {
    std::ofstream(folder_.path() / name) << text;
  }
  std::filesystem::path config() const { return folder_.path() / "mine.toml"; }
  Configuration configure(const std::string& text) const {
    return make_configuration(parse_document(text, config()));
  }
  std::vector<Plan> study(const std::string& text) const {
    return plan_study(parse_document(text, config()));
  }

 private:
  TemporaryDirectory folder_;
};

struct Case {
  std::string text;                ///< the file
  std::vector<std::string> parts;  ///< of the message
};

void require_refused(const Folder& folder, const Case& one) {
  std::string message;
  try {
    folder.configure(one.text);
  } catch (const ConfigurationError& error) {
    message = error.what();
  }
  INFO("config: " << one.text << "message: " << message);
  REQUIRE_FALSE(message.empty());
  for (const std::string& part : one.parts) REQUIRE_THAT(message, ContainsSubstring(part));
}

}  // namespace

TEST_CASE("sizes and levels follow from files of widths beside the config file",
          "[experiments][grid_settings]") {
  const Folder folder;
  const Configuration c =
      folder.configure("[grid]\nx_widths = 'four.txt'\ny_widths = './eight.txt'\n");
  REQUIRE(c.width == 2.0);
  REQUIRE(c.height == 3.0);
  REQUIRE(c.first_level == 1);
  REQUIRE(c.last_level == 3);
  REQUIRE(c.grading.x_widths == std::vector<double>{1, 0.5, 0.25, 0.25});
  REQUIRE(c.grading.y_widths.size() == 8);
  REQUIRE(c.y_widths == "./eight.txt");

  const Configuration one = folder.configure(
      "[domain]\nheight = 0.5\n[grid]\nx_widths = 'four.txt'\nlevels = [2, 5]\ngrading = "
      "'geometric'\nexpansion_ratio = 10\n");
  REQUIRE(one.width == 2.0);
  REQUIRE(one.height == 0.5);
  REQUIRE(one.first_level == 2);
  REQUIRE(one.last_level == 5);
}

TEST_CASE("without stated levels those of a file are its own and three before it",
          "[experiments][grid_settings]") {
  const Folder folder;
  std::string text;
  for (int i = 0; i < 64; ++i) text += "0.5\n";
  folder.write("long.txt", text);
  const Configuration c =
      folder.configure("[grid]\nx_widths = 'four.txt'\ny_widths = 'long.txt'\n");
  REQUIRE(c.first_level == 3);
  REQUIRE(c.last_level == 6);
}

TEST_CASE("a stated size that says the same as the file is accepted, and the file's sum taken",
          "[experiments][grid_settings]") {
  const Folder folder;
  const Configuration c = folder.configure(
      "[domain]\nwidth = 2.000000000001\n[grid]\nx_widths = 'four.txt'\nlevels = 3\n");
  REQUIRE(c.width == 2.0);
  require_refused(folder,
                  {"[domain]\nwidth = 2.00000000001\n[grid]\nx_widths = 'four.txt'\n",
                   {"mine.toml, line 2: domain.width = 2.00000000001 contradicts grid.x_widths = "
                    "\"four.txt\", whose cell widths add up to 2",
                    "leave domain.width out"}});
  require_refused(folder, {"[domain]\nheight = 1.0\n[grid]\ny_widths = 'eight.txt'\n",
                           {"line 2: domain.height = 1.0 contradicts grid.y_widths"}});
}

TEST_CASE("a file of widths that cannot be used is refused at its key",
          "[experiments][grid_settings]") {
  const Folder folder;
  const Case one = GENERATE(values<Case>({
      {"[grid]\nx_widths = 'three.txt'\n",
       {"mine.toml, line 2: grid.x_widths = \"three.txt\" cannot be used", "three.txt holds 3",
        "a power of two from 2 to 65536", "relative to the folder of the config file"}},
      {"[grid]\ny_widths = 'letters.txt'\n",
       {"grid.y_widths", "letters.txt, line 2: \"two\" is not a number"}},
      {"[grid]\nx_widths = 'none.txt'\n", {"none.txt cannot be read: No such file"}},
      {"[grid]\nx_widths = '.'\n", {"is a folder"}},
      {"[grid]\nx_widths = 'wide.txt'\n", {"more than a double holds"}},
      {"[grid]\nx_widths = 3\n", {"grid.x_widths = 3 is an integer, but a text is expected"}},
  }));
  require_refused(folder, one);
}

TEST_CASE("settings of a grading that has no effect are refused", "[experiments][grid_settings]") {
  const Folder folder;
  const Case one = GENERATE(values<Case>({
      {"[grid]\nexpansion_ratio = 10\n",
       {"line 2: grid.expansion_ratio = 10 has no effect",
        "it belongs to grid.grading = \"geometric\", and grid.grading = \"anisotropic\""}},
      {"[grid]\nlayer_width = 0.1\n", {"grid.layer_width = 0.1 has no effect", "\"shishkin\""}},
      {"[grid]\ngrading = 'shishkin'\nlayer_width = 0.1\nanisotropy = 0.5\n",
       {"line 4: grid.anisotropy = 0.5 has no effect", "\"anisotropic\""}},
      {"[grid]\ngrading = 'geometric'\n",
       {"line 2: grid.grading = \"geometric\" does not say how much: grid.expansion_ratio is "
        "missing"}},
      {"[grid]\ngrading = 'shishkin'\n", {"grid.layer_width is missing"}},
      {"[grid]\ngrading = 'geometric'\nexpansion_ratio = 10\nrefined_sides = []\n",
       {"line 4: grid.refined_sides = [] is empty, so that grid.expansion_ratio = 10.0 has no "
        "effect"}},
      {"[grid]\nlevels = 4\nrefined_sides = ['left']\n",
       {"line 3: grid.refined_sides = [\"left\"] has no effect", "state grid.anisotropy"}},
      {"[grid]\nx_widths = 'four.txt'\nrefined_sides = ['top']\n",
       {"line 3: grid.refined_sides = [\"top\"] has no effect"}},
      {"[grid]\nanisotropy = 0.5\nx_widths = 'four.txt'\ny_widths = 'eight.txt'\n",
       {"line 2: grid.anisotropy = 0.5 has no effect", "the cells of both directions"}},
      {"[grid]\nanisotropy = 0.5\nrefined_sides = ['left']\nx_widths = 'four.txt'\n",
       {"line 2: grid.anisotropy = 0.5 has no effect",
        "the cells along x are those of grid.x_widths", "those along y"}},
      {"[grid]\ngrading = 'shishkin'\nlayer_width = 0.1\nrefined_sides = ['top']\n"
       "y_widths = 'eight.txt'\n",
       {"line 3: grid.layer_width = 0.1 has no effect",
        "the cells along y are those of grid.y_widths", "those along x"}},
      {"[grid]\ngrading = 'shishkin'\nlayer_width = 0.3\nrefined_sides = ['top', 'bottom']\n",
       {"line 3: grid.layer_width = 0.3 is out of range", "both \"bottom\" and \"top\"",
        "at most 0.25"}},
      {"[grid]\ngrading = 'geometric'\nexpansion_ratio = 1e308\nlevels = 12\n",
       {"line 3: no grid of level 12", "smallest normal double"}},
  }));
  require_refused(folder, one);
}

TEST_CASE("sides to refine are accepted beside a setting that says how much, be it not at all",
          "[experiments][grid_settings]") {
  const Folder folder;
  const std::string sides = "refined_sides = ['left']\n";
  for (const char* text :
       {"anisotropy = 1\n", "anisotropy = 0.5\n", "grading = 'geometric'\nexpansion_ratio = 1\n",
        "grading = 'shishkin'\nlayer_width = 0.5\n"}) {
    CAPTURE(text);
    REQUIRE(folder.configure("[grid]\n" + sides + text).grading.sides
            == std::vector<Side>{Side::left});
  }
  REQUIRE(folder.configure("[grid]\nrefined_sides = []\n").grading.sides.empty());
  REQUIRE(folder.study("[grid]\n" + sides + "[study]\n'grid.anisotropy' = [1.0, 0.5]\n").size()
          == 2);
  REQUIRE(folder
              .study("[grid]\nexpansion_ratio = 9\n" + sides
                     + "[study]\n'grid.grading' = ['anisotropic', 'geometric']\n")
              .size()
          == 2);
  REQUIRE_THROWS_WITH(folder.study("[study]\n'grid.refined_sides' = [['left'], ['top']]\n"),
                      ContainsSubstring("grid.refined_sides = [\"left\"] has no effect"));
}

TEST_CASE("layers of 0.3 are possible where only one side of a direction is graded",
          "[experiments][grid_settings]") {
  const Folder folder;
  const std::string text = "[grid]\ngrading = 'shishkin'\nlayer_width = 0.3\n";
  REQUIRE(folder.configure(text + "refined_sides = ['top', 'left']\n").grading.layer_width == 0.3);
  REQUIRE(folder.configure(text + "refined_sides = ['left', 'right', 'top']\nx_widths = 'four.txt'")
              .grading.layer_width
          == 0.3);
}

TEST_CASE("a study may compare gradings that each have a setting of their own",
          "[experiments][grid_settings]") {
  const Folder folder;
  const auto plans = folder.study(
      "[grid]\nanisotropy = 0.5\nexpansion_ratio = 10\nlayer_width = 0.1\n"
      "[study]\n'grid.grading' = ['anisotropic', 'geometric', 'shishkin']\n");
  REQUIRE(plans.size() == 3);
  REQUIRE(plans[1].configuration.grading.kind == Grading::geometric);
  REQUIRE_THROWS_WITH(
      folder.study("[grid]\nexpansion_ratio = 10\n[study]\n'grid.levels' = [2, 3]\n"),
      ContainsSubstring("grid.expansion_ratio = 10 has no effect"));
}

TEST_CASE("a study may vary the file of widths", "[experiments][grid_settings]") {
  const Folder folder;
  const auto plans = folder.study("[study]\n'grid.x_widths' = ['', 'four.txt', 'eight.txt']\n");
  REQUIRE(plans[0].configuration.width == 1.0);
  REQUIRE(plans[0].configuration.last_level == Configuration{}.last_level);
  REQUIRE(plans[1].configuration.width == 2.0);
  REQUIRE(plans[2].configuration.width == 3.0);
  REQUIRE(plans[2].configuration.last_level == 3);
  for (const Plan& plan : plans) {
    REQUIRE(prepare_run(plan).levels.back().level() == plan.configuration.last_level);
  }
}

TEST_CASE("the options of graded grids as a config file give the same options and grids",
          "[experiments][grid_settings]") {
  const Folder folder;
  const std::string text = GENERATE(
      as<std::string>{}, "[grid]\nx_widths = 'four.txt'\ny_widths = 'eight.txt'\n",
      "[grid]\ny_widths = 'eight.txt'\nlevels = [2, 5]\ngrading = 'shishkin'\nlayer_width = 0.1\n",
      "[grid]\ngrading = 'geometric'\nexpansion_ratio = 100.5\nrefined_sides = ['left', 'right']\n",
      "[multigrid]\nsmoother = 'trigs'\nline_direction = 'y'\nline_order = 'sequential'\n",
      "[multigrid]\nsmoother = 'adi-tridi'\ndamping = 0.9\n");
  CAPTURE(text);
  const Configuration first = folder.configure(text);
  const Options options = all_options(first);
  const Configuration again = folder.configure(to_toml(options));
  REQUIRE(all_options(again) == options);
  REQUIRE(again.width == first.width);
  REQUIRE(again.grading.x_widths == first.grading.x_widths);
  REQUIRE(again.grading.y_widths == first.grading.y_widths);
}
