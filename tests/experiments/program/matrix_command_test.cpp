#include "experiments/program/matrix_command.hpp"

#include <filesystem>
#include <fstream>

#include <nlohmann/json.hpp>

#include "fem/sparse/compressed_text.hpp"
#include "fem/sparse/matrix_market.hpp"

#include "experiments/config/settings.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/temporary_directory.hpp"

using namespace ninefold;
using Catch::Matchers::ContainsSubstring;

namespace {

std::string refusal(const MatrixArguments& arguments) {
  try {
    matrix_command(arguments);
  } catch (const ConfigurationError& error) {
    return error.what();
  } catch (const std::invalid_argument& error) {
    return error.what();
  }
  return "";
}

}  // namespace

TEST_CASE("a generated matrix is reported with all that is known of it",
          "[experiments][matrix-command]") {
  const std::string text = matrix_command({.generate = "laplace-3d-7", .size = 16, .parts = 4});
  CHECK_THAT(text, ContainsSubstring("laplace-3d-7 of size 16: 4096 x 4096, 27136 entries\n"));
  for (const char* part :
       {"symmetric, to the last bit", "complete, positive, from 6 to 6",
        "positive definite: no row", "from 0 to 12, by Gershgorin",
        "2 significant bits: exact in half, bfloat16, single", "4 to 7 entries, 6.625 on average",
        "as given", "256", "reverse Cuthill-McKee", "sliced, 16 bits", "blocks of 4",
        "imbalance of rows 2.1 %", "can be the matrix of a symmetric positive definite system"}) {
    CHECK_THAT(text, ContainsSubstring(part));
  }
}

TEST_CASE("a matrix that is written is read as the same, and JSON tells the facts",
          "[experiments][matrix-command]") {
  const TemporaryDirectory folder;
  const std::filesystem::path file = folder.path() / "deep/a.mtx", json = folder.path() / "a.json";
  const std::string text = matrix_command(
      {.generate = "triangles", .size = 9, .features = {"seed=7"}, .write = file, .json = json});
  CHECK_THAT(text, ContainsSubstring("written: " + file.string() + ", " + json.string()));
  CHECK(read_matrix_market(file).matrix
        == generate_sparse({.name = "triangles", .size = 9, .seed = 7}));
  const auto facts = nlohmann::json::parse(content_of(json));
  CHECK(facts["rows"] == 81);
  CHECK(facts["symmetry"]["values"] == true);
  CHECK(facts["values"]["narrowest"] == "double");
  CHECK(facts["storages"].size() == 8);
  CHECK(facts["orders"][0]["bandwidth"].get<int>() >= 9);
  CHECK(facts["refusals"].empty());
  const std::string read = matrix_command({.file = file});
  CHECK_THAT(read, ContainsSubstring(" entries (coordinate real symmetric)\n"));
  if (!has_zlib()) return;
  const std::filesystem::path packed = folder.path() / "a.mtx.gz";
  matrix_command({.file = file, .write = packed});
  CHECK(read_matrix_market(packed).matrix == read_matrix_market(file).matrix);
  CHECK(std::filesystem::file_size(packed) < std::filesystem::file_size(file));
}

TEST_CASE("a diagonal over many decades is told with what that hides",
          "[experiments][matrix-command]") {
  const TemporaryDirectory folder;
  const std::filesystem::path file = folder.path() / "a.mtx";
  const auto reported = [&](const char* smallest) {
    std::ofstream(file) << "%%MatrixMarket matrix coordinate real symmetric\n2 2 2\n1 1 "
                        << smallest << "\n2 2 1e40\n";
    return matrix_command({.file = file});
  };
  CHECK_THAT(reported("1e-40"), ContainsSubstring("from 1e-40 to 1e+40: 80 decades, of which a "
                                                  "residual sees the largest rows alone"));
  CHECK_THAT(reported("1e33"), ContainsSubstring("from 1e+33 to 1e+40\n"));
}

TEST_CASE("what is wrong with a matrix is a remark or the verdict",
          "[experiments][matrix-command]") {
  const TemporaryDirectory folder;
  const std::filesystem::path file = folder.path() / "a.mtx";
  std::ofstream(file) << "%%MatrixMarket matrix coordinate real general\n3 3 5\n1 1 2\n2 1 -1\n2 2 "
                         "2\n3 3 1\n3 3 1\n";
  const std::string text = matrix_command({.file = file});
  CHECK_THAT(text, ContainsSubstring("note: one entry is given more than once and was added up; "
                                     "the first is that of row 3, column 3\n"));
  CHECK_THAT(text,
             ContainsSubstring("cannot be the matrix of a symmetric positive definite system: "
                               "no entry is above the diagonal"));
  std::ofstream(file) << "%%MatrixMarket matrix coordinate pattern general\n2 3 1\n2 3\n";
  CHECK_THAT(matrix_command({.file = file}), ContainsSubstring("it is 2 x 3"));
  std::ofstream(file) << "%%MatrixMarket matrix coordinate real symmetric\n2 2 3\n1 1 1\n2 1 1\n"
                         "2 2 1\n";
  const std::string singular = matrix_command({.file = file});
  CHECK_THAT(singular, ContainsSubstring("is singular, as far as double can tell: no matrix of a "
                                         "positive definite system\n")
                           && !ContainsSubstring("can be the matrix"));
}

TEST_CASE("command lines that are no matrix are refused", "[experiments][matrix-command]") {
  CHECK_THAT(refusal({}), ContainsSubstring("a matrix is needed: ninefold matrix FILE.mtx"));
  CHECK_THAT(refusal({.file = "a.mtx", .generate = "rows"}), ContainsSubstring("one matrix"));
  CHECK_THAT(refusal({.file = "a.mtx", .size = 3}), ContainsSubstring("are for --generate"));
  CHECK_THAT(refusal({.generate = "laplace-3d-8", .size = 3}),
             ContainsSubstring("--generate laplace-3d-8: there are laplace-3d-7, ")
                 && ContainsSubstring("did you mean \"laplace-3d-7\"?"));
  CHECK_THAT(refusal({.generate = "rows"}), ContainsSubstring("needs its size: --size N"));
  CHECK_THAT(refusal({.generate = "rows", .size = -1}), ContainsSubstring("it is at least 1"));
  CHECK_THAT(
      refusal({.generate = "rows", .size = 9, .features = {"means=3"}}),
      ContainsSubstring("--with means=3: NAME=NUMBER is expected, where the names are seed, "));
  CHECK_THAT(refusal({.generate = "rows", .size = 9, .features = {"mean"}}),
             ContainsSubstring("NAME=NUMBER is expected"));
  CHECK_THAT(refusal({.generate = "rows", .size = 9, .features = {"mean=x"}}),
             ContainsSubstring("--with mean=x: a number is expected"));
  CHECK_THAT(refusal({.generate = "rows", .size = 9, .features = {"blocks=1.5"}}),
             ContainsSubstring("a whole number is expected"));
  CHECK_THAT(refusal({.generate = "shell", .size = 9, .features = {"mean=3"}}),
             ContainsSubstring("this is for --generate rows"));
  CHECK_THAT(refusal({.generate = "shell", .size = 9, .parts = -1}),
             ContainsSubstring("--parts -1"));
  CHECK_THAT(refusal({.generate = "shell", .size = 9, .parts = 2000}),
             ContainsSubstring("2000 parts: they are from 1 to 1024"));
}
