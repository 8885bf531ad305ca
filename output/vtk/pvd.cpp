#include <algorithm>
#include <string_view>

#include <fmt/format.h>

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

}  // namespace

PvdCollection::PvdCollection(std::filesystem::path file) : file_(std::move(file)) {}

void PvdCollection::add(double time, const std::filesystem::path& data_file) {
  namespace fs = std::filesystem;
  // Paths from the collection's folder, so that the folder can be moved.
  const fs::path folder = fs::absolute(file_).parent_path();
  const std::string name = fs::absolute(data_file)
                               .lexically_normal()
                               .lexically_relative(folder.lexically_normal())
                               .generic_string();
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
