#include "grids/mesh/mesh_file.hpp"

#include <algorithm>
#include <array>
#include <iterator>
#include <optional>

#include <fmt/ranges.h>

#include "precision/require.hpp"

#include "grids/mesh/mesh_text.hpp"
#include "grids/mesh/ply_file.hpp"
#include "grids/text_file.hpp"

namespace ninefold {
namespace {

constexpr std::size_t largest_mesh_file = std::size_t{1} << 36;

SpacePoint point_of(const MeshLines& lines, std::string_view& line) {
  SpacePoint point{};
  for (double& c : point) c = lines.coordinate(take_word(line));
  return point;
}

void require_room(const MeshLines& lines, const TriangleMesh& mesh) {
  if (static_cast<std::int64_t>(mesh.triangles.size()) > max_triangles) {
    lines.refuse(fmt::format("more than {} triangles", max_triangles));
  }
}

MeshFile parse_off(std::string_view text, const std::string& name) {
  constexpr std::array<std::string_view, 4> kinds{"OFF", "COFF", "NOFF", "CNOFF"};
  MeshLines lines(text, name);
  std::string_view line = lines.need("OFF");
  const std::string_view kind = take_word(line);
  if (std::find(kinds.begin(), kinds.end(), kind) == kinds.end()) {
    lines.refuse(fmt::format("{}: a file in this format begins with {}", shown(kind),
                             fmt::join(kinds, ", ")));
  }
  std::string_view counts = line;
  if (take_word(counts).empty()) line = lines.need("the number of vertices");
  const std::int64_t n_vertices = lines.integer(take_word(line), "the number of vertices");
  const std::int64_t n_faces = lines.integer(take_word(line), "the number of faces");
  // Each has a line of its own.
  const auto room = static_cast<std::int64_t>(lines.rest().size());
  for (const std::int64_t n : {n_vertices, n_faces}) {
    if (n < 0) lines.refuse(fmt::format("{} is no number of vertices or faces", n));
  }
  const auto promised = [&] {
    return counted(static_cast<std::uint64_t>(n_vertices), "vertex", "vertices") + " and "
           + counted(static_cast<std::uint64_t>(n_faces), "face", "faces");
  };
  if (n_vertices > max_vertices || n_vertices > room || n_faces > room) {
    lines.refuse(
        fmt::format("{}: {}", promised(),
                    n_vertices > room || n_faces > room
                        ? "the file has " + counted(lines.rest().size(), "byte", "bytes") + " left"
                        : fmt::format("at most {} vertices are possible", max_vertices)));
  }
  MeshFile file;
  file.mesh.vertices.reserve(static_cast<std::size_t>(n_vertices));
  for (std::int64_t p = 0; p < n_vertices; ++p) {
    line = lines.need([&] { return fmt::format("vertex {} of {}", p, n_vertices); });
    file.mesh.vertices.push_back(point_of(lines, line));
    if (const std::string_view more = take_word(line); kind == "OFF" && !more.empty()) {
      lines.refuse(fmt::format("{} is behind the three coordinates of a vertex", shown(more)));
    }
  }
  PolygonFans fans(file.mesh);
  std::vector<std::int32_t> corners;
  for (std::int64_t t = 0; t < n_faces; ++t) {
    line = lines.need([&] { return fmt::format("face {} of {}", t, n_faces); });
    const std::int64_t n = lines.integer(take_word(line), "the number of corners");
    if (n < 3) lines.refuse(few_corners(n));
    corners.clear();
    for (std::int64_t k = 0; k < n; ++k) {
      const std::int64_t corner = lines.integer(take_word(line), "a vertex");
      if (corner < 0 || corner >= n_vertices) {
        lines.refuse(fmt::format("vertex {}: {}", corner, vertex_range(n_vertices)));
      }
      corners.push_back(static_cast<std::int32_t>(corner));
    }
    fans.add(corners);
    require_room(lines, file.mesh);
  }
  if (lines.next(line)) {
    lines.refuse(fmt::format("there is more than {}", promised()));
  }
  file.remarks = fans.remarks();
  if (kind != "OFF") {
    file.remarks.push_back(
        fmt::format("passed over is what {} has of vertices beside x, y, z", kind));
  }
  return file;
}

/// The vertex that a corner of OBJ names, "7", "7/2", "7//3" or "7/2/3"; negative numbers count
/// back from the last vertex before the line.
std::int32_t corner_of(const MeshLines& lines, std::string_view word, std::size_t n_vertices) {
  const std::int64_t stated = lines.integer(word.substr(0, word.find('/')), "a vertex");
  const auto n = static_cast<std::int64_t>(n_vertices);
  const std::int64_t corner = stated < 0 ? n + stated : stated - 1;
  if (stated == 0 || corner < 0) {
    lines.refuse(fmt::format("vertex {}: they are from 1 on{}", stated,
                             n > 0 ? fmt::format(", or back from -1 to -{}", n) : ""));
  }
  if (corner >= max_vertices) {
    lines.refuse(fmt::format("vertex {}: at most {} are possible", stated, max_vertices));
  }
  return static_cast<std::int32_t>(corner);
}

MeshFile parse_obj(std::string_view text, const std::string& name) {
  constexpr std::array<std::string_view, 14> passed_over{"vt", "vn",  "vp",     "g",       "o",
                                                         "s",  "mg",  "usemtl", "mtllib",  "p",
                                                         "l",  "lod", "bevel",  "c_interp"};
  MeshLines lines(text, name);
  MeshFile file;
  PolygonFans fans(file.mesh);
  std::vector<std::int32_t> corners;
  // A vertex may stand behind the faces that name it: the first line of the farthest is kept.
  std::vector<std::string> seen;  // of what is passed over and may be missed
  std::int32_t farthest = -1;
  std::size_t farthest_line = 0;
  for (std::string_view line; lines.next(line);) {
    const std::string_view word = take_word(line);
    if (word == "v") {
      file.mesh.vertices.push_back(point_of(lines, line));
      if (static_cast<std::int64_t>(file.mesh.vertices.size()) > max_vertices) {
        lines.refuse(fmt::format("more than {} vertices", max_vertices));
      }
    } else if (word == "f") {
      corners.clear();
      for (std::string_view corner = take_word(line); !corner.empty(); corner = take_word(line)) {
        if (corner == "\\") lines.refuse("a face ends in its line: lines that go on are not read");
        corners.push_back(corner_of(lines, corner, file.mesh.vertices.size()));
        if (corners.back() > farthest) farthest = corners.back(), farthest_line = lines.number();
      }
      if (corners.size() < 3) {
        lines.refuse(few_corners(static_cast<std::int64_t>(corners.size())));
      }
      fans.add(corners);
      require_room(lines, file.mesh);
    } else if (std::find(passed_over.begin(), passed_over.end(), word) != passed_over.end()) {
      const bool is_missed = word == "vt" || word == "vn" || word == "usemtl";
      if (is_missed && std::find(seen.begin(), seen.end(), word) == seen.end()) {
        seen.emplace_back(word);
      }
    } else {
      lines.refuse(fmt::format("{} is not read: there are v and f, and, passed over, {}",
                               shown(word), fmt::join(passed_over, ", ")));
    }
  }
  if (farthest >= 0 && static_cast<std::size_t>(farthest) >= file.mesh.vertices.size()) {
    refuse_in_mesh(name, fmt::format("line {}", farthest_line),
                   fmt::format("vertex {}: the file has {}", std::int64_t{farthest} + 1,
                               file.mesh.vertices.size()));
  }
  file.remarks = fans.remarks();
  if (!seen.empty()) {
    file.remarks.push_back(
        fmt::format("passed over is what vertices have beside x, y, z: {}", fmt::join(seen, ", ")));
  }
  return file;
}

std::optional<MeshFormat> format_of(const std::string& ending) {
  const std::vector<std::string>& endings = mesh_endings();
  const auto place = std::find(endings.begin(), endings.end(), ending);
  if (place == endings.end()) return {};
  return static_cast<MeshFormat>(place - endings.begin());
}

}  // namespace

const std::vector<std::string>& mesh_endings() {
  static const std::vector<std::string> endings{".off", ".obj", ".ply"};  // as MeshFormat
  return endings;
}

MeshFile parse_mesh(std::string_view bytes, MeshFormat format, const std::string& name) {
  switch (format) {
    case MeshFormat::off:
      return parse_off(bytes, name);
    case MeshFormat::obj:
      return parse_obj(bytes, name);
    case MeshFormat::ply:
      return parse_ply(bytes, name);
  }
  throw std::logic_error("a format without a reader");
}

bool is_mesh_file(std::string_view name) {
  const std::vector<std::string>& endings = mesh_endings();
  return std::any_of(endings.begin(), endings.end(),
                     [&](const std::string& ending) { return name.ends_with(ending); });
}

MeshFile read_mesh(const std::filesystem::path& file) {
  const std::string name = file.string();
  const auto format = format_of(file.extension().string());
  require(format.has_value(), [&] {
    return fmt::format("{}: a mesh is in a file that ends in {}", shortened(name, 300),
                       fmt::join(mesh_endings(), ", "));
  });
  return parse_mesh(read_text_file(file, "mesh", largest_mesh_file), *format, name);
}

std::string off_text(const TriangleMesh& mesh) {
  fmt::memory_buffer text;
  const auto out = std::back_inserter(text);
  fmt::format_to(out, "OFF\n{} {} 0\n", mesh.vertices.size(), mesh.triangles.size());
  for (const SpacePoint& p : mesh.vertices) fmt::format_to(out, "{} {} {}\n", p[0], p[1], p[2]);
  for (const auto& [a, b, c] : mesh.triangles) fmt::format_to(out, "3 {} {} {}\n", a, b, c);
  return fmt::to_string(text);
}

std::string ply_text(const TriangleMesh& mesh) {
  fmt::memory_buffer text;
  const auto out = std::back_inserter(text);
  fmt::format_to(out,
                 "ply\nformat ascii 1.0\nelement vertex {}\nproperty double x\nproperty double "
                 "y\nproperty double z\nelement face {}\nproperty list uchar int "
                 "vertex_indices\nend_header\n",
                 mesh.vertices.size(), mesh.triangles.size());
  for (const SpacePoint& p : mesh.vertices) fmt::format_to(out, "{} {} {}\n", p[0], p[1], p[2]);
  for (const auto& [a, b, c] : mesh.triangles) fmt::format_to(out, "3 {} {} {}\n", a, b, c);
  return fmt::to_string(text);
}

std::string obj_text(const TriangleMesh& mesh, std::span<const std::array<double, 2>> texture) {
  require(texture.empty() || texture.size() == mesh.vertices.size(), [&] {
    return fmt::format("{} texture coordinates for {} vertices", texture.size(),
                       mesh.vertices.size());
  });
  fmt::memory_buffer text;
  const auto out = std::back_inserter(text);
  for (const SpacePoint& p : mesh.vertices) fmt::format_to(out, "v {} {} {}\n", p[0], p[1], p[2]);
  for (const auto& [u, v] : texture) fmt::format_to(out, "vt {} {}\n", u, v);
  for (const auto& triangle : mesh.triangles) {
    text.push_back('f');
    for (const std::int32_t corner : triangle) {
      const std::int64_t k = std::int64_t{corner} + 1;
      if (texture.empty()) {
        fmt::format_to(out, " {}", k);
      } else {
        fmt::format_to(out, " {}/{}", k, k);
      }
    }
    text.push_back('\n');
  }
  return fmt::to_string(text);
}

}  // namespace ninefold
