#include "grids/mesh/ply_file.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cstring>
#include <optional>
#include <utility>

#include "grids/mesh/mesh_text.hpp"

namespace ninefold {
namespace {

enum class Encoding { ascii, little, big };
enum class Kind { int8, uint8, int16, uint16, int32, uint32, float32, float64 };

struct KindName {
  std::string_view name;
  Kind kind;
};
constexpr std::array<KindName, 16> kind_names{{{"char", Kind::int8},
                                               {"int8", Kind::int8},
                                               {"uchar", Kind::uint8},
                                               {"uint8", Kind::uint8},
                                               {"short", Kind::int16},
                                               {"int16", Kind::int16},
                                               {"ushort", Kind::uint16},
                                               {"uint16", Kind::uint16},
                                               {"int", Kind::int32},
                                               {"int32", Kind::int32},
                                               {"uint", Kind::uint32},
                                               {"uint32", Kind::uint32},
                                               {"float", Kind::float32},
                                               {"float32", Kind::float32},
                                               {"double", Kind::float64},
                                               {"float64", Kind::float64}}};

constexpr std::size_t size_of(Kind kind) {
  switch (kind) {
    case Kind::int8:
    case Kind::uint8:
      return 1;
    case Kind::int16:
    case Kind::uint16:
      return 2;
    case Kind::float64:
      return 8;
    default:
      return 4;
  }
}

constexpr bool is_integer(Kind kind) {
  return kind != Kind::float32 && kind != Kind::float64;
}

struct Property {
  std::string name{};
  Kind kind = Kind::float64;
  std::optional<Kind> count{};  ///< of a list: the kind of its length
};

struct Element {
  std::string name{};
  std::int64_t count = 0;
  std::vector<Property> properties{};
};

struct Header {
  Encoding encoding = Encoding::ascii;
  std::vector<Element> elements{};
};

Kind kind_of(const MeshLines& lines, std::string_view word) {
  for (const KindName& one : kind_names) {
    if (one.name == word) return one.kind;
  }
  lines.refuse(fmt::format(
      "{} is no type: there are char, uchar, short, ushort, int, uint, float and double",
      shown(word)));
}

Property property_of(const MeshLines& lines, std::string_view line) {
  Property property;
  std::string_view word = take_word(line);
  if (word == "list") {
    property.count = kind_of(lines, take_word(line));
    if (!is_integer(*property.count)) lines.refuse("the length of a list is an integer");
    word = take_word(line);
  }
  property.kind = kind_of(lines, word);
  property.name = take_word(line);
  if (property.name.empty()) lines.refuse("a property needs a name");
  return property;
}

/// Reads up to the line behind end_header.
Header header_of(MeshLines& lines) {
  Header header;
  bool has_format = false;
  for (;;) {
    std::string_view line = lines.need("end_header");
    const std::string_view word = take_word(line);
    if (word == "end_header") break;
    if (word == "comment" || word == "obj_info") continue;
    if (word == "format") {
      const std::string_view format = take_word(line), version = take_word(line);
      if (format == "ascii") {
        header.encoding = Encoding::ascii;
      } else if (format == "binary_little_endian") {
        header.encoding = Encoding::little;
      } else if (format == "binary_big_endian") {
        header.encoding = Encoding::big;
      } else {
        lines.refuse(
            fmt::format("{} is no format: there are ascii, binary_little_endian and "
                        "binary_big_endian",
                        shown(format)));
      }
      if (version != "1.0") lines.refuse(fmt::format("version {}: it is 1.0", shown(version)));
      has_format = true;
    } else if (word == "element") {
      Element element{.name = std::string(take_word(line))};
      element.count = lines.integer(take_word(line), "the number of elements");
      if (element.count < 0) lines.refuse(fmt::format("{} elements", element.count));
      header.elements.push_back(std::move(element));
    } else if (word == "property") {
      if (header.elements.empty()) lines.refuse("a property before any element");
      header.elements.back().properties.push_back(property_of(lines, line));
    } else {
      lines.refuse(
          fmt::format("{} is none of format, element, property, comment, obj_info and end_header",
                      shown(word)));
    }
  }
  if (!has_format) lines.refuse("the header names no format");
  return header;
}

/// The values of elements, one after the other, whatever they are encoded in.
class Values {
 public:
  Values(MeshLines& lines, Encoding encoding, std::string name)
      : lines_(&lines), encoding_(encoding), name_(std::move(name)), bytes_(lines.rest()) {}

  void begin(const Element& element, std::int64_t number) {
    element_ = &element;
    number_ = number;
    if (encoding_ == Encoding::ascii) line_ = lines_->need([this] { return place(); });
  }

  void end() {
    if (encoding_ != Encoding::ascii) return;
    if (const std::string_view word = take_word(line_); !word.empty()) {
      lines_->refuse(fmt::format("{} is behind what a {} has", shown(word), element_->name));
    }
  }

  double number(Kind kind) {
    if (encoding_ == Encoding::ascii) return lines_->coordinate(take_word(line_));
    switch (kind) {
      case Kind::float32:
        return std::bit_cast<float>(static_cast<std::uint32_t>(take(4)));
      case Kind::float64:
        return std::bit_cast<double>(take(8));
      default:
        return static_cast<double>(integer(kind, "a value"));
    }
  }

  std::int64_t integer(Kind kind, std::string_view what) {
    if (encoding_ == Encoding::ascii) return lines_->integer(take_word(line_), what);
    const std::uint64_t bits = take(size_of(kind));
    switch (kind) {
      case Kind::int8:
        return static_cast<std::int8_t>(bits);
      case Kind::int16:
        return static_cast<std::int16_t>(bits);
      case Kind::int32:
        return static_cast<std::int32_t>(bits);
      default:
        return static_cast<std::int64_t>(bits);
    }
  }

  std::int64_t length(const Property& list) {
    const std::int64_t n = integer(*list.count, "the length of a list");
    if (n < 0) refuse(fmt::format("a list of {} values", n));
    return n;
  }

  void pass_over(const Property& property) {
    const std::int64_t n = property.count ? length(property) : 1;
    if (encoding_ != Encoding::ascii) {
      const std::size_t size = size_of(property.kind);
      if (static_cast<std::uint64_t>(n) > bytes_.size() / size) ends_too_soon();
      bytes_.remove_prefix(static_cast<std::size_t>(n) * size);
      return;
    }
    for (std::int64_t k = 0; k < n; ++k) {
      if (take_word(line_).empty()) lines_->refuse("values are missing");
    }
  }

  /// Refuses what is behind all elements.
  void finish() {
    std::string_view line;
    if (encoding_ == Encoding::ascii) {
      if (lines_->next(line)) lines_->refuse("there is more than the header says");
    } else if (!bytes_.empty()) {
      refuse_in_mesh(name_, "",
                     fmt::format("{} behind what the header says",
                                 counted(bytes_.size(), "byte is", "bytes are")));
    }
  }

  [[noreturn]] void refuse(const std::string& what) const {
    if (encoding_ == Encoding::ascii) lines_->refuse(what);
    refuse_in_mesh(name_, place(), what);
  }

  bool is_binary() const { return encoding_ != Encoding::ascii; }
  std::size_t bytes_left() const { return is_binary() ? bytes_.size() : lines_->rest().size(); }

 private:
  std::string place() const { return fmt::format("{} {}", element_->name, number_); }

  [[noreturn]] void ends_too_soon() const {
    refuse_in_mesh(name_, place(), "the file ends within it");
  }

  std::uint64_t take(std::size_t size) {
    if (bytes_.size() < size) ends_too_soon();
    std::uint64_t bits = 0;
    for (std::size_t k = 0; k < size; ++k) {
      const std::size_t from = encoding_ == Encoding::little ? size - 1 - k : k;
      bits = bits << 8 | static_cast<unsigned char>(bytes_[from]);
    }
    bytes_.remove_prefix(size);
    return bits;
  }

  MeshLines* lines_;
  Encoding encoding_;
  std::string name_;
  std::string_view bytes_, line_{};
  const Element* element_ = nullptr;
  std::int64_t number_ = 0;
};

void read_vertices(Values& values, const Element& element, const std::string& name,
                   TriangleMesh& mesh) {
  std::vector<int> axes;  // of each property, or -1
  for (const Property& property : element.properties) {
    const bool is_axis = !property.count && property.name.size() == 1 && property.name[0] >= 'x'
                         && property.name[0] <= 'z';
    axes.push_back(is_axis ? property.name[0] - 'x' : -1);
  }
  for (int axis = 0; axis < 3; ++axis) {
    if (std::count(axes.begin(), axes.end(), axis) != 1) {
      refuse_in_mesh(name, "",
                     fmt::format("vertices have the property {} once, which is a number",
                                 static_cast<char>('x' + axis)));
    }
  }
  for (std::int64_t p = 0; p < element.count; ++p) {
    values.begin(element, p);
    SpacePoint point{};
    for (std::size_t k = 0; k < axes.size(); ++k) {
      if (axes[k] < 0) {
        values.pass_over(element.properties[k]);
        continue;
      }
      const double c = values.number(element.properties[k].kind);
      if (!std::isfinite(c)) values.refuse(fmt::format("{}: coordinates are finite", c));
      point[static_cast<std::size_t>(axes[k])] = c;
    }
    values.end();
    mesh.vertices.push_back(point);
  }
}

/// What vertices have beside coordinates, such as colours, in a remark; empty if there is nothing.
std::string passed_over_of(const Element& vertices) {
  std::string names;
  for (const Property& property : vertices.properties) {
    if (property.name.size() == 1 && property.name[0] >= 'x' && property.name[0] <= 'z') continue;
    names += (names.empty() ? "" : ", ") + property.name;
  }
  return names.empty()
             ? ""
             : fmt::format("passed over is what vertices have beside x, y, z: {}", shown(names));
}

void read_faces(Values& values, const Element& element, std::int64_t n_vertices,
                const std::string& name, TriangleMesh& mesh, PolygonFans& fans) {
  const auto is_corners = [](const Property& property) {
    return property.count && (property.name == "vertex_indices" || property.name == "vertex_index");
  };
  const auto& properties = element.properties;
  const auto corners_at = std::find_if(properties.begin(), properties.end(), is_corners);
  if (corners_at == properties.end() || !is_integer(corners_at->kind)) {
    refuse_in_mesh(name, "", "faces have vertex_indices, a list of integers");
  }
  std::vector<std::int32_t> corners;
  for (std::int64_t t = 0; t < element.count; ++t) {
    values.begin(element, t);
    for (auto property = properties.begin(); property != properties.end(); ++property) {
      if (property != corners_at) {
        values.pass_over(*property);
        continue;
      }
      corners.clear();
      const std::int64_t n = values.length(*property);
      if (n < 3) values.refuse(few_corners(n));
      for (std::int64_t k = 0; k < n; ++k) {
        const std::int64_t corner = values.integer(property->kind, "a vertex");
        if (corner < 0 || corner >= n_vertices) {
          values.refuse(fmt::format("vertex {}: {}", corner, vertex_range(n_vertices)));
        }
        corners.push_back(static_cast<std::int32_t>(corner));
      }
    }
    values.end();
    fans.add(corners);
    if (static_cast<std::int64_t>(mesh.triangles.size()) > max_triangles) {
      values.refuse(fmt::format("more than {} triangles", max_triangles));
    }
  }
}

}  // namespace

MeshFile parse_ply(std::string_view bytes, const std::string& name) {
  if (!bytes.starts_with("ply\n") && !bytes.starts_with("ply\r\n")) {
    refuse_in_mesh(name, "line 1", "a PLY file begins with the line \"ply\"");
  }
  MeshLines lines(bytes, name);
  lines.need("ply");
  const Header header = header_of(lines);
  std::int64_t n_vertices = -1;
  const Element* faces = nullptr;
  for (const Element& element : header.elements) {
    if (element.name == "vertex") {
      if (n_vertices >= 0) refuse_in_mesh(name, "", "the header has the element vertex twice");
      n_vertices = element.count;
    } else if (element.name == "face") {
      if (faces != nullptr) refuse_in_mesh(name, "", "the header has the element face twice");
      faces = &element;
    }
  }
  if (n_vertices < 0 || faces == nullptr) {
    refuse_in_mesh(name, "", "the header needs the elements vertex and face");
  }
  if (n_vertices > max_vertices) {
    refuse_in_mesh(name, "",
                   fmt::format("{} vertices: at most {} are possible", n_vertices, max_vertices));
  }
  MeshFile file;
  std::string passed_over;
  PolygonFans fans(file.mesh);
  Values values(lines, header.encoding, name);
  for (const Element& element : header.elements) {
    // An element takes a byte, or a line, so that no number makes this run on and on.
    if (element.properties.empty() && element.count > 0) {
      refuse_in_mesh(name, "",
                     fmt::format("the element {} has no properties", shown(element.name)));
    }
    if (static_cast<std::uint64_t>(element.count) > values.bytes_left()) {
      refuse_in_mesh(name, "",
                     fmt::format("the header promises {} of {}, more than the file has bytes left",
                                 element.count, shown(element.name)));
    }
    if (element.name == "vertex") {
      read_vertices(values, element, name, file.mesh);
      passed_over = passed_over_of(element);
    } else if (&element == faces) {
      read_faces(values, element, n_vertices, name, file.mesh, fans);
    } else {
      for (std::int64_t k = 0; k < element.count; ++k) {
        values.begin(element, k);
        for (const Property& property : element.properties) values.pass_over(property);
        values.end();
      }
    }
  }
  values.finish();
  file.remarks = fans.remarks();
  if (!passed_over.empty()) file.remarks.push_back(std::move(passed_over));
  return file;
}

}  // namespace ninefold
