// Small files, changed at random: each is read or refused by std::invalid_argument, whatever its
// bytes, and never more than that; so is what becomes of the mesh.  Under the sanitizers nothing
// else happens, either.

#include <cmath>
#include <random>
#include <stdexcept>
#include <string>
#include <vector>

#include "grids/mesh/mesh_file.hpp"

#include "tests/support/catch.hpp"
#include "tests/support/mutations.hpp"

using namespace ninefold;
using namespace ninefold::testing;

namespace {

struct Sample {
  MeshFormat format;
  std::string bytes;
};

std::string binary(bool little) {
  std::string bytes = std::string("ply\nformat binary_") + (little ? "little" : "big")
                      + "_endian 1.0\nelement vertex 4\nproperty short x\nproperty short y\n"
                        "property char z\nelement face 2\nproperty list uchar ushort "
                        "vertex_index\nelement edge 1\nproperty float f\nend_header\n";
  const auto put = [&](int n) {
    bytes +=
        little ? std::string{static_cast<char>(n), '\0'} : std::string{'\0', static_cast<char>(n)};
  };
  for (const int c : {0, 1, 2, 3}) {
    put(c & 1);
    put(c >> 1);
    bytes += '\1';
  }
  for (const int last : {2, 3}) {
    bytes += '\3';
    for (const int corner : {5 - last, last, 0}) put(corner);
  }
  return bytes + "abcd";
}

const std::vector<Sample> samples_of_files{
    {MeshFormat::off, "OFF\n4 2 5\n0 0 0\n1 0 0.5\n1 1 0\n0 1 1e-3\n3 0 1 2\n3 0 2 3\n"},
    {MeshFormat::off,
     "NOFF 4 1 0\n0 0 0 0 0 1\n1 0 0 0 0 1\n1 1 0 0 0 1\n0 1 0 0 0 1\n4 0 1 2 3\n"},
    {MeshFormat::obj, "v 0 0 0\nv 1 0 0.5\nv 1 1 0\nvt 0 0\nf 1 2 3\nv 0 1 0\nf 1/1 3//1 -1/2/3\n"},
    {MeshFormat::ply,
     "ply\nformat ascii 1.0\nelement vertex 4\nproperty float x\nproperty float y\nproperty float "
     "z\nelement face 2\nproperty list uchar int vertex_indices\nend_header\n0 0 0\n1 0 .5\n1 1 "
     "0\n0 1 0\n3 0 1 2\n3 0 2 3\n"},
    {MeshFormat::ply, binary(true)},
    {MeshFormat::ply, binary(false)},
};

const std::vector<std::string> mesh_words{"0",
                                          "1",
                                          "-1",
                                          "2147483647",
                                          "2147483648",
                                          "9223372036854775808",
                                          "nan",
                                          "inf",
                                          "1e400",
                                          "\n",
                                          "\n\n",
                                          " ",
                                          "#",
                                          "v ",
                                          "f ",
                                          "vt ",
                                          "/",
                                          "//",
                                          "OFF",
                                          "ply\n",
                                          "element vertex ",
                                          "element face ",
                                          "list ",
                                          "uchar ",
                                          "float ",
                                          "double ",
                                          "property ",
                                          "end_header\n",
                                          "\r\n",
                                          "\xff",
                                          std::string(1, '\0')};

}  // namespace

TEST_CASE("a mesh of any bytes is read or refused, by the name of its file", "[mesh]") {
  const int n = samples_or(20'000);
  std::mt19937_64 random(1);
  int read = 0, refused = 0, surfaces = 0, discs = 0;
  for (int k = 0; k < n; ++k) {
    const Sample& sample = samples_of_files[random() % samples_of_files.size()];
    const std::string bytes = mutated(sample.bytes, mesh_words, 3, random);
    CAPTURE(k, bytes);
    MeshFile file;
    try {
      file = parse_mesh(bytes, sample.format, "a");
      ++read;
    } catch (const std::invalid_argument& error) {
      ++refused;
      const std::string message = error.what();
      REQUIRE((message.starts_with("a, ") || message.starts_with("a: ")));
      continue;
    }
    const auto n_vertices = static_cast<std::int64_t>(file.mesh.vertices.size());
    for (const SpacePoint& p : file.mesh.vertices) {
      for (const double c : p) REQUIRE(std::isfinite(c));
    }
    for (const auto& corners : file.mesh.triangles) {
      for (const std::int32_t p : corners) REQUIRE((p >= 0 && p < n_vertices));
    }
    REQUIRE(parse_mesh(off_text(file.mesh), MeshFormat::off, "a").mesh == file.mesh);
    try {
      const MeshEdges edges = mesh_edges(file.mesh);
      ++surfaces;
      (void)largest_part(file.mesh, edges);
      require_disc(file.mesh, edges);
      ++discs;
    } catch (const std::invalid_argument&) {
    }
  }
  CHECK(read > n / 20);
  CHECK(refused > n / 4);
  CHECK(surfaces > n / 50);
  CHECK(discs > n / 50);
}

TEST_CASE("a mesh that ends anywhere is read or refused", "[mesh]") {
  for (const Sample& sample : samples_of_files) {
    for (std::size_t length = 0; length < sample.bytes.size(); ++length) {
      CAPTURE(sample.bytes, length);
      try {
        (void)parse_mesh(sample.bytes.substr(0, length), sample.format, "a");
      } catch (const std::invalid_argument&) {
      }
    }
  }
}
