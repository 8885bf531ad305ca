#include "tests/output/vtk/vtk_fields.hpp"

#include <stdexcept>

#include <vtkDoubleArray.h>
#include <vtkNew.h>
#include <vtkPointData.h>
#include <vtkRectilinearGrid.h>
#include <vtkXMLPRectilinearGridReader.h>
#include <vtkXMLRectilinearGridReader.h>

namespace ninefold::testing {
namespace {

template <class Reader>
std::map<std::string, std::vector<double>> read_by(const std::filesystem::path& file) {
  const vtkNew<Reader> reader;
  reader->SetFileName(file.c_str());
  reader->Update();
  std::map<std::string, std::vector<double>> fields;
  vtkPointData* const data = reader->GetOutput()->GetPointData();
  for (int k = 0; k < data->GetNumberOfArrays(); ++k) {
    auto* const array = vtkDoubleArray::SafeDownCast(data->GetArray(k));
    if (array == nullptr) throw std::runtime_error("a field that is not of doubles");
    const double* const begin = array->GetPointer(0);
    fields[array->GetName()] = {begin, begin + array->GetNumberOfValues()};
  }
  if (reader->GetErrorCode() != 0 || fields.empty()) {
    throw std::runtime_error("VTK does not read " + file.string());
  }
  return fields;
}

}  // namespace

std::map<std::string, std::vector<double>> vtk_fields(const std::filesystem::path& file) {
  return file.extension() == ".pvtr" ? read_by<vtkXMLPRectilinearGridReader>(file)
                                     : read_by<vtkXMLRectilinearGridReader>(file);
}

}  // namespace ninefold::testing
