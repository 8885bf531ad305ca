#pragma once
// Nodal fields on tensor-product grids as VTK files, for ParaView and the like.
//
// Shape.  .vtr: one rectilinear grid with point data, in base64 and compressed by zlib.  .pvtr: a
// grid whose rows lie in several such files, its pieces, which share the rows between them.  .pvd:
// a list of such files, one for each level; ParaView shows it as a sequence in time.
//
// Rounding.  The fields are stored bit for bit.  VTK knows nodes by their coordinates only, and
// where cells are narrower than the spacing of doubles several nodes would have the same one, which
// viewers draw as nonsense.  Such nodes are moved apart, to neighbouring doubles; the ends of the
// domain stay.  The true cell widths, which no coordinates could tell, are in the file as the
// field data "cell widths x" and "cell widths y".
//
// Tests.  tests/output/vtk/vtk_test.cpp (read back by VTK)

#include <filesystem>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "grids/slabs.hpp"
#include "grids/tensor_grid.hpp"

namespace ninefold {

/// One value per node, row by row; the values are not copied and must outlive the call.
struct NamedField {
  std::string name;
  std::span<const double> values;
};

/// Whether write_vtr() can write at all.
bool built_with_vtk();

/// A sentence on why no file can be written, for use before the work starts; empty if one can.
std::optional<std::string> vtr_obstacle();

/// A sentence for the user if nodes of `grid` coincide as coordinates, so that a file holds them
/// moved apart; else empty.
std::optional<std::string> vtr_remark(const TensorGrid& grid);

/// The coordinates that a file holds: the line's own, strictly increasing.
std::vector<double> vtr_coordinates(const Line& line);

/// Writes the fields, atomically; the first is the one that viewers show at first.  Throws
/// std::runtime_error if there is an obstacle or the file cannot be written, and
/// std::invalid_argument if a field does not fit the grid or two have the same name.
void write_vtr(const std::filesystem::path& file, const TensorGrid& grid,
               std::span<const NamedField> fields);

/// The same of some rows of nodes: a piece of a .pvtr file.  The fields have values of these rows.
void write_vtr_piece(const std::filesystem::path& file, const TensorGrid& grid,
                     const RowRange& rows, std::span<const NamedField> fields);

/// The pieces of a grid, upwards, each beginning with the last row of the one before.
struct VtrPiece {
  std::filesystem::path file;
  RowRange rows;
};

/// Writes the file that names the pieces, by their paths from its folder, atomically; it needs no
/// VTK.  Throws std::runtime_error if it cannot be written, and std::invalid_argument if the pieces
/// are not all rows.
void write_pvtr(const std::filesystem::path& file, const TensorGrid& grid,
                std::span<const VtrPiece> pieces, std::span<const std::string> fields);

/// A .pvd file that grows by one data set at a time; needs no VTK.
class PvdCollection {
 public:
  explicit PvdCollection(std::filesystem::path file);

  /// Adds `data_file`, or gives it a new time if it is there, and rewrites the collection
  /// atomically; throws std::runtime_error if that fails.
  void add(double time, const std::filesystem::path& data_file);

 private:
  std::filesystem::path file_;
  std::vector<std::pair<double, std::string>> entries_;  // time, path from the collection
};

}  // namespace ninefold
