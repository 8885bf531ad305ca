#include "output/plots/pattern_picture.hpp"

#include <algorithm>
#include <numeric>

#include "fem/sparse/generators.hpp"
#include "fem/sparse/reordering.hpp"

#include "tests/support/catch.hpp"
#include "tests/support/gnuplot.hpp"
#include "tests/support/skip.hpp"
#include "tests/support/temporary_directory.hpp"

using namespace ninefold;
using Catch::Matchers::ContainsSubstring;

TEST_CASE("a small pattern is shown place by place", "[output][plots]") {
  const SparsePattern pattern = assemble_sparse(2, 3, {{0, 0, 1}, {1, 2, 1}}).pattern;
  const PatternDensity density = pattern_density(pattern, {});
  CHECK(density.n_x == 3);
  CHECK(density.n_y == 2);
  CHECK(density.share == std::vector<double>{1, 0, 0, 0, 0, 1});
}

TEST_CASE("a cell tells the part of its places that hold entries", "[output][plots]") {
  const int n = 50, cells = 7;
  std::vector<SparseEntry> entries;
  for (int i = 0; i < n; ++i) {
    for (int j = 0; j < n; ++j) {
      if ((i * i + 3 * j) % 5 == 0) entries.push_back({i, j, 1});
    }
  }
  const SparsePattern pattern = assemble_sparse(n, n, entries).pattern;
  const PatternDensity density = pattern_density(pattern, {}, cells);
  for (int y = 0; y < cells; ++y) {
    for (int x = 0; x < cells; ++x) {
      int places = 0, held = 0;
      for (int i = 0; i < n; ++i) {
        for (int j = 0; j < n; ++j) {
          if (i * cells / n != y || j * cells / n != x) continue;
          ++places;
          held += (i * i + 3 * j) % 5 == 0 ? 1 : 0;
        }
      }
      REQUIRE(density.share[static_cast<std::size_t>(cells * y + x)]
              == static_cast<double>(held) / places);
    }
  }
}

TEST_CASE("another order moves entries to their places in it", "[output][plots]") {
  const SparseMatrix A = generate_sparse({.name = "triangles-shuffled", .size = 6});
  const auto order = reverse_cuthill_mckee(A.pattern);
  CHECK(pattern_density(A.pattern, order).share
        == pattern_density(reordered(A.pattern, order), {}).share);
}

TEST_CASE("the picture of a pattern is drawn, in both orders", "[output][plots]") {
  if (!testing::has_gnuplot()) {
    testing::skip("gnuplot is not here");
    return;
  }
  const TemporaryDirectory folder;
  const SparseMatrix A = generate_sparse({.name = "triangles-shuffled", .size = 30});
  const Picture picture =
      write_pattern_picture(A.pattern, reverse_cuthill_mckee(A.pattern), "in another order",
                            folder.path() / "pattern.png", "it's a pattern");
  CHECK(picture.remark.empty());
  CHECK(picture.drawn);
  const std::string script = content_of(picture.script);
  CHECK_THAT(script, ContainsSubstring("in another order") && ContainsSubstring("as given"));
  CHECK(content_of(picture.image).size() > 5000);
  const Picture single = write_pattern_picture(assemble_sparse(1, 1, {{0, 0, 1}}).pattern, {}, "",
                                               folder.path() / "one.png", "one");
  CHECK(single.drawn);
  const Picture none =
      write_pattern_picture(assemble_sparse(3, 3, std::vector<SparseEntry>{}).pattern, {}, "",
                            folder.path() / "none.png", "none");
  CHECK(!none.drawn);
  CHECK_THAT(none.remark, ContainsSubstring("there are no entries"));
}
