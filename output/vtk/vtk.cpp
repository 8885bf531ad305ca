#include "output/vtk/vtk.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <functional>
#include <limits>
#include <mutex>
#include <set>
#include <stdexcept>

#include <fmt/format.h>

#include "precision/require.hpp"

#include "output/tables/files.hpp"

#ifdef NINEFOLD_HAS_VTK
#include <vtkCallbackCommand.h>
#include <vtkCommand.h>
#include <vtkDoubleArray.h>
#include <vtkExecutive.h>
#include <vtkFieldData.h>
#include <vtkNew.h>
#include <vtkPointData.h>
#include <vtkRectilinearGrid.h>
#include <vtkXMLRectilinearGridWriter.h>
#endif

namespace ninefold {

namespace {

/// Steps between neighbouring doubles from one positive number to another.
std::int64_t units_between(double a, double b) {
  return std::abs(std::bit_cast<std::int64_t>(a) - std::bit_cast<std::int64_t>(b));
}

std::optional<std::string> moved_nodes(const Line& line, char name) {
  const std::vector<double>& own = line.from_start;
  const auto twin = std::adjacent_find(own.begin(), own.end(), std::greater_equal<>());
  if (twin == own.end()) return {};
  const std::vector<double> written = vtr_coordinates(line);
  std::int64_t most = 0;
  for (std::size_t i = 0; i < own.size(); ++i) {
    most = std::max(most, units_between(own[i], written[i]));
  }
  return fmt::format(
      "the cell at {} = {} is {:.3g} wide, less than the spacing of doubles there: VTK files hold "
      "such nodes moved apart, by up to {} unit{} in the last place, and the true cell widths as "
      "field data",
      name, *twin, line.width[static_cast<std::size_t>(twin - own.begin())], most,
      most == 1 ? "" : "s");
}

void check_fields(const TensorGrid& grid, const RowRange& rows,
                  std::span<const NamedField> fields) {
  const std::size_t nodes =
      static_cast<std::size_t>(grid.nx()) * static_cast<std::size_t>(rows.count());
  std::set<std::string> names;
  for (const NamedField& field : fields) {
    require(field.values.size() == nodes, [&] {
      return fmt::format("field '{}' has {} values, the grid has {} x {} nodes", field.name,
                         field.values.size(), grid.nx(), rows.count());
    });
    require(!field.name.empty() && names.insert(field.name).second, [&] {
      return fmt::format("fields need different names, '{}' is not one", field.name);
    });
  }
}

#ifdef NINEFOLD_HAS_VTK

/// A VTK array of `values`, which VTK neither copies nor frees.
vtkNew<vtkDoubleArray> array_of(const std::string& name, std::span<const double> values) {
  vtkNew<vtkDoubleArray> array;
  array->SetName(name.c_str());
  // SetArray asks for writable memory; the writer only reads it.
  array->SetArray(const_cast<double*>(values.data()), static_cast<vtkIdType>(values.size()), 1);
  return array;
}

/// Keeps the first error, which VTK would print otherwise: "ERROR: In FILE, line N\nCLASS
/// (ADDRESS): sentence\n\n", of which only the sentence helps.
void keep_error(vtkObject*, unsigned long, void* client_data, void* call_data) {
  auto& message = *static_cast<std::string*>(client_data);
  if (!message.empty() || !call_data) return;
  message = static_cast<const char*>(call_data);
  if (const auto start = message.find("): "); start != std::string::npos) {
    message.erase(0, start + 3);
  }
  message.erase(message.find_last_not_of("\n ") + 1);
}

#endif

}  // namespace

bool built_with_vtk() {
#ifdef NINEFOLD_HAS_VTK
  return true;
#else
  return false;
#endif
}

std::optional<std::string> vtr_obstacle() {
  if (!built_with_vtk()) return "this build of ninefold has no VTK: it writes no .vtr files";
  return {};
}

std::optional<std::string> vtr_remark(const TensorGrid& grid) {
  auto remark = moved_nodes(grid.x, 'x');
  const auto in_y = moved_nodes(grid.y, 'y');
  return remark ? remark : in_y;
}

std::vector<double> vtr_coordinates(const Line& line) {
  constexpr double infinity = std::numeric_limits<double>::infinity();
  std::vector<double> c = line.from_start;
  for (std::size_t i = 1; i < c.size(); ++i) {
    c[i] = std::max(c[i], std::nextafter(c[i - 1], infinity));
  }
  // Back from where that went past the end; there is room, for the line begins at zero.
  c.back() = line.from_start.back();
  for (std::size_t i = c.size() - 1; i-- > 0;) {
    c[i] = std::min(c[i], std::nextafter(c[i + 1], -infinity));
  }
  return c;
}

void write_vtr(const std::filesystem::path& file, const TensorGrid& grid,
               std::span<const NamedField> fields) {
  write_vtr_piece(file, grid, {0, grid.ny()}, fields);
}

void write_vtr_piece([[maybe_unused]] const std::filesystem::path& file, const TensorGrid& grid,
                     const RowRange& rows, std::span<const NamedField> fields) {
  if (const auto obstacle = vtr_obstacle()) throw std::runtime_error(*obstacle);
  require(0 <= rows.first && rows.count() > 0 && rows.last <= grid.ny(),
          "rows that the grid does not have");
  check_fields(grid, rows, fields);
#ifdef NINEFOLD_HAS_VTK
  // Ranks that are threads write their pieces one after the other: VTK does not say that its
  // objects may be made by several at once.
  static std::mutex writing;
  const std::lock_guard one_at_a_time(writing);
  static constexpr double flat[1] = {0.0};
  vtkNew<vtkRectilinearGrid> data;
  data->SetExtent(0, grid.nx() - 1, rows.first, rows.last - 1, 0, 0);
  const std::vector<double> x = vtr_coordinates(grid.x), y = vtr_coordinates(grid.y);
  data->SetXCoordinates(array_of("x", x));
  data->SetYCoordinates(
      array_of("y", std::span(y).subspan(static_cast<std::size_t>(rows.first),
                                         static_cast<std::size_t>(rows.count()))));
  data->SetZCoordinates(array_of("z", flat));
  data->GetFieldData()->AddArray(array_of("cell widths x", grid.x.width));
  data->GetFieldData()->AddArray(array_of("cell widths y", grid.y.width));
  for (const NamedField& field : fields) {
    data->GetPointData()->AddArray(array_of(field.name, field.values));
  }
  if (!fields.empty()) data->GetPointData()->SetActiveScalars(fields.front().name.c_str());

  PendingFile pending(file);
  std::string error;
  vtkNew<vtkCallbackCommand> on_error;
  on_error->SetCallback(keep_error);
  on_error->SetClientData(&error);
  vtkNew<vtkXMLRectilinearGridWriter> writer;
  writer->AddObserver(vtkCommand::ErrorEvent, on_error);
  writer->GetExecutive()->AddObserver(vtkCommand::ErrorEvent, on_error);
  writer->SetFileName(pending.temporary_path().c_str());
  writer->SetInputData(data);
  // In base64 and in its place, a third longer than raw bytes at the end: these are no XML, and VTK
  // before 9.3.1 fails to read what is at the end with expat 2.6 (Ubuntu 24.04, ParaView of
  // others).
  writer->SetDataModeToBinary();
  writer->SetHeaderTypeToUInt64();  // a field of level 14 has more than 2^31 bytes
  writer->SetCompressorTypeToZLib();
  // The low bits of a solution do not compress: more effort costs time and gains little.
  writer->SetCompressionLevel(1);
  if (writer->Write() != 1 || writer->GetErrorCode() != 0 || !error.empty()) {
    throw std::runtime_error(fmt::format("cannot write file '{}': {}", file.string(),
                                         error.empty() ? "VTK gives no reason" : error));
  }
  pending.commit();
#endif
}

}  // namespace ninefold
