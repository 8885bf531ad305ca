#include <algorithm>
#include <string_view>

#include <fmt/format.h>

#include "precision/require.hpp"

#include "output/tables/files.hpp"
#include "output/tables/table.hpp"
#include "output/vtk/vtk.hpp"

namespace ninefold {

namespace {

std::string xml_attribute(std::string_view text) {
  std::string escaped;
  for (const char c : text) {
    switch (c) {
      case '&':
        escaped += "&amp;";
        break;
      case '<':
        escaped += "&lt;";
        break;
      case '>':
        escaped += "&gt;";
        break;
      case '"':
        escaped += "&quot;";
        break;
      default:
        escaped += c;
    }
  }
  return escaped;
}

/// From the folder of `file`, so that the folder can be moved.
std::string path_from(const std::filesystem::path& file, const std::filesystem::path& data_file) {
  namespace fs = std::filesystem;
  const fs::path folder = fs::absolute(file).parent_path();
  return fs::absolute(data_file)
      .lexically_normal()
      .lexically_relative(folder.lexically_normal())
      .generic_string();
}

}  // namespace

void write_pvtr(const std::filesystem::path& file, const TensorGrid& grid,
                std::span<const VtrPiece> pieces, std::span<const std::string> fields) {
  bool are_all =
      !pieces.empty() && pieces.front().rows.first == 0 && pieces.back().rows.last == grid.ny();
  for (std::size_t k = 1; k < pieces.size(); ++k) {
    are_all = are_all && pieces[k].rows.first == pieces[k - 1].rows.last - 1;
  }
  require(are_all,
          "pieces that are not all rows of the grid, each beginning with the last row of "
          "the one before");
  const auto array = [](std::string_view name) {
    return fmt::format("<PDataArray type=\"Float64\" Name=\"{}\"/>\n", xml_attribute(name));
  };
  const int last = grid.nx() - 1;
  std::string text = fmt::format(
      "<?xml version=\"1.0\"?>\n<VTKFile type=\"PRectilinearGrid\" version=\"1.0\">\n"
      "  <PRectilinearGrid WholeExtent=\"0 {} 0 {} 0 0\" GhostLevel=\"0\">\n",
      last, grid.ny() - 1);
  text += fields.empty()
              ? std::string("    <PPointData>\n")
              : fmt::format("    <PPointData Scalars=\"{}\">\n", xml_attribute(fields.front()));
  for (const std::string& name : fields) text += "      " + array(name);
  text += "    </PPointData>\n    <PCoordinates>\n";
  for (const char* const name : {"x", "y", "z"}) text += "      " + array(name);
  text += "    </PCoordinates>\n";
  for (const VtrPiece& piece : pieces) {
    text += fmt::format("    <Piece Extent=\"0 {} {} {} 0 0\" Source=\"{}\"/>\n", last,
                        piece.rows.first, piece.rows.last - 1,
                        xml_attribute(path_from(file, piece.file)));
  }
  write_file_atomically(file, text + "  </PRectilinearGrid>\n</VTKFile>\n");
}

PvdCollection::PvdCollection(std::filesystem::path file) : file_(std::move(file)) {}

void PvdCollection::add(double time, const std::filesystem::path& data_file) {
  const std::string name = path_from(file_, data_file);
  const auto known = std::find_if(entries_.begin(), entries_.end(),
                                  [&](const auto& entry) { return entry.second == name; });
  if (known != entries_.end()) {
    known->first = time;
  } else {
    entries_.emplace_back(time, name);
  }
  std::string text =
      "<?xml version=\"1.0\"?>\n<VTKFile type=\"Collection\" version=\"0.1\">\n  <Collection>\n";
  for (const auto& [at, path] : entries_) {
    text += fmt::format("    <DataSet timestep=\"{}\" group=\"\" part=\"0\" file=\"{}\"/>\n",
                        exact_number(at), xml_attribute(path));
  }
  write_file_atomically(file_, text + "  </Collection>\n</VTKFile>\n");
}

}  // namespace ninefold
