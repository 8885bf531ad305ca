#include "output/vtk.hpp"

#include <set>
#include <stdexcept>

#include <fmt/format.h>

#include "precision/number.hpp"

#include "output/files.hpp"

#ifdef NINEFOLD_HAS_VTK
#include <vtkCallbackCommand.h>
#include <vtkCommand.h>
#include <vtkDoubleArray.h>
#include <vtkExecutive.h>
#include <vtkNew.h>
#include <vtkPointData.h>
#include <vtkRectilinearGrid.h>
#include <vtkXMLRectilinearGridWriter.h>
#endif

namespace ninefold {

namespace {

std::optional<std::string> coinciding_nodes(const Line& line, char name) {
  for (std::size_t i = 0; i + 1 < line.from_start.size(); ++i) {
    if (line.from_start[i] < line.from_start[i + 1]) continue;
    return fmt::format(
        "a VTK file cannot hold this grid: the cell at {} = {} is {} wide, less than the spacing "
        "of doubles there; a coarser level or a larger anisotropy factor can be written",
        name, line.from_start[i], line.width[i]);
  }
  return {};
}

void check_fields(const TensorGrid& grid, std::span<const NamedField> fields) {
  const std::size_t nodes =
      static_cast<std::size_t>(grid.nx()) * static_cast<std::size_t>(grid.ny());
  std::set<std::string> names;
  for (const NamedField& field : fields) {
    require(field.values.size() == nodes,
            fmt::format("field '{}' has {} values, the grid has {} x {} nodes", field.name,
                        field.values.size(), grid.nx(), grid.ny()));
    require(!field.name.empty() && names.insert(field.name).second,
            fmt::format("fields need different names, '{}' is not one", field.name));
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

std::optional<std::string> vtr_obstacle(const TensorGrid& grid) {
  if (!built_with_vtk()) return "this build of ninefold has no VTK: it writes no .vtr files";
  if (auto obstacle = coinciding_nodes(grid.x, 'x')) return obstacle;
  return coinciding_nodes(grid.y, 'y');
}

void write_vtr([[maybe_unused]] const std::filesystem::path& file, const TensorGrid& grid,
               std::span<const NamedField> fields) {
  if (const auto obstacle = vtr_obstacle(grid)) throw std::runtime_error(*obstacle);
  check_fields(grid, fields);
#ifdef NINEFOLD_HAS_VTK
  static constexpr double flat[1] = {0.0};
  vtkNew<vtkRectilinearGrid> data;
  data->SetDimensions(grid.nx(), grid.ny(), 1);
  data->SetXCoordinates(array_of("x", grid.x.from_start));
  data->SetYCoordinates(array_of("y", grid.y.from_start));
  data->SetZCoordinates(array_of("z", flat));
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
  writer->SetDataModeToAppended();
  writer->EncodeAppendedDataOff();
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
