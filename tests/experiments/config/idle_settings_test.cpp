#include "experiments/config/idle_settings.hpp"

#include "tests/support/catch.hpp"

using namespace ninefold;

namespace {

std::vector<std::string> idle_in(const std::string& text) {
  const Document document = parse_document(text, "a.toml");
  return idle_settings(document.study_origin ? plan_study(document) : plan_run(document));
}

}  // namespace

TEST_CASE("what a method has no use for is told with its place and why", "[experiments][idle]") {
  CHECK(idle_in("[solver]\nmethod = 'cg'\n[multigrid]\ncycle = 'W'\n")
        == std::vector<std::string>{"a.toml, line 4: multigrid.cycle = \"W\" has no effect: "
                                    "multigrid neither solves nor preconditions"});
}

TEST_CASE("one rank divides no grid", "[experiments][idle]") {
  CHECK(idle_in("[backend]\nmin_rows_per_rank = 64\n")
        == std::vector<std::string>{"a.toml, line 2: backend.min_rows_per_rank = 64 has no effect: "
                                    "one process, or one device, solves"});
  CHECK(idle_in("[backend]\ntransfers = 'host'\n")
        == std::vector<std::string>{"a.toml, line 2: backend.transfers = \"host\" has no effect: "
                                    "no devices of several processes solve"});
}

TEST_CASE("how fast double is counts where the precision is chosen", "[experiments][idle]") {
  CHECK(idle_in("[solver]\ndouble_speed = 0.1\n")
        == std::vector<std::string>{"a.toml, line 2: solver.double_speed = 0.1 has no effect: "
                                    "solver.precision is not \"auto\""});
  CHECK(idle_in("[solver]\nprecision = 'auto'\ndouble_speed = 0.1\n").empty());
}

TEST_CASE("what is used, or says that nothing is wanted, draws no remark", "[experiments][idle]") {
  CHECK(idle_in("[solver]\nmethod = 'cg'\npreconditioner = 'multigrid'\n[multigrid]\ncycle = 'W'\n")
            .empty());
  CHECK(idle_in("[solver]\nmethod = 'multigrid'\npreconditioner = 'none'\n").empty());
  CHECK(idle_in("[multigrid]\nsmoother = 'trigs'\nline_direction = 'x'\n").empty());
  CHECK(idle_in("").empty());
}

TEST_CASE("in a study that counts which no run has a use for", "[experiments][idle]") {
  const std::string file = "[multigrid]\ncycle = 'W'\n[study]\n\"solver.method\" = ";
  CHECK(idle_in(file + "['cg', 'multigrid']\n").empty());
  CHECK(idle_in(file + "['cg', 'fast-diagonalisation']\n").size() == 1);
}
