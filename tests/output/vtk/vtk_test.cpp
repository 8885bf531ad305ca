#include "output/vtk/vtk.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>
#include <random>
#include <span>

#include <fmt/format.h>
#include <vtkCellArray.h>
#include <vtkCellData.h>
#include <vtkDoubleArray.h>
#include <vtkFieldData.h>
#include <vtkNew.h>
#include <vtkPointData.h>
#include <vtkPolyData.h>
#include <vtkRectilinearGrid.h>
#include <vtkXMLDataElement.h>
#include <vtkXMLPRectilinearGridReader.h>
#include <vtkXMLPolyDataReader.h>
#include <vtkXMLRectilinearGridReader.h>
#include <vtkXMLUtilities.h>

#include "tests/support/catch.hpp"

#ifdef __SANITIZE_ADDRESS__
#include <sanitizer/lsan_interface.h>
#endif

#include "grids/mesh/mesh_generators.hpp"

#include "output/tables/files.hpp"
#include "output/vtk/vtp.hpp"

#include "tests/support/file_size_limit.hpp"
#include "tests/support/temporary_directory.hpp"

using namespace ninefold;
namespace fs = std::filesystem;
using Names = std::vector<std::string>;

namespace {

std::size_t nodes(const TensorGrid& grid) {
  return static_cast<std::size_t>(grid.nx()) * static_cast<std::size_t>(grid.ny());
}

/// Values of all magnitudes and signs.
std::vector<double> random_field(const TensorGrid& grid, unsigned seed) {
  std::mt19937_64 random(seed);
  std::uniform_real_distribution<double> mantissa(-1.0, 1.0);
  std::uniform_int_distribution<int> exponent(-300, 300);
  std::vector<double> values(nodes(grid));
  for (double& value : values) value = std::ldexp(mantissa(random), exponent(random));
  return values;
}

void require_same_bits(vtkDataArray* found, const std::vector<double>& expected) {
  const auto* array = vtkDoubleArray::SafeDownCast(found);
  REQUIRE(array != nullptr);
  REQUIRE(array->GetNumberOfComponents() == 1);
  REQUIRE(array->GetNumberOfValues() == static_cast<vtkIdType>(expected.size()));
  std::size_t different = 0;
  for (std::size_t k = 0; k < expected.size(); ++k) {
    const double value = array->GetValue(static_cast<vtkIdType>(k));
    if (std::bit_cast<std::uint64_t>(value) != std::bit_cast<std::uint64_t>(expected[k])) {
      ++different;
    }
  }
  REQUIRE(different == 0);
}

}  // namespace

TEST_CASE("a grid and its fields come back from a .vtr file bit for bit", "[output][vtk]") {
  const int level = GENERATE(0, 1, 5, 7);
  const double nu = GENERATE(1.0, 0.75);
  CAPTURE(level, nu);
  const TensorGrid grid = make_hierarchy(2.0, 0.7, level, {.nu = nu}).back();
  const std::vector<double> solution = random_field(grid, 1), exact = random_field(grid, 2);
  std::vector<double> error = random_field(grid, 3);
  error[0] = -0.0;
  error[1] = std::numeric_limits<double>::denorm_min();
  error[2] = std::nan("");
  error[3] = -std::numeric_limits<double>::infinity();
  const TemporaryDirectory directory;
  const fs::path file = directory.path() / "level.vtr";
  const std::vector<NamedField> fields{
      {"solution", solution}, {"exact solution", exact}, {"error", error}};
  write_vtr(file, grid, fields);
  REQUIRE(directory.entries() == Names{"level.vtr"});

  vtkNew<vtkXMLRectilinearGridReader> reader;
  reader->SetFileName(file.c_str());
  reader->Update();
  REQUIRE(reader->GetErrorCode() == 0);
  vtkRectilinearGrid* data = reader->GetOutput();
  int dimensions[3];
  data->GetDimensions(dimensions);
  REQUIRE(dimensions[0] == grid.nx());
  REQUIRE(dimensions[1] == grid.ny());
  REQUIRE(dimensions[2] == 1);
  require_same_bits(data->GetXCoordinates(), grid.x.from_start);
  require_same_bits(data->GetYCoordinates(), grid.y.from_start);
  require_same_bits(data->GetZCoordinates(), {0.0});
  REQUIRE(data->GetFieldData()->GetNumberOfArrays() == 2);
  require_same_bits(data->GetFieldData()->GetArray("cell widths x"), grid.x.width);
  require_same_bits(data->GetFieldData()->GetArray("cell widths y"), grid.y.width);
  REQUIRE(data->GetPointData()->GetNumberOfArrays() == 3);
  require_same_bits(data->GetPointData()->GetArray("solution"), solution);
  require_same_bits(data->GetPointData()->GetArray("exact solution"), exact);
  require_same_bits(data->GetPointData()->GetArray("error"), error);
  REQUIRE(std::string(data->GetPointData()->GetScalars()->GetName()) == "solution");
}

TEST_CASE("a .pvtr file is the whole grid of its pieces, bit for bit", "[output][vtk]") {
  const TensorGrid grid =
      make_hierarchy(2.0, 0.7, 5, {.nu = 0.75, .sides = {Side::right, Side::top}}).back();
  const std::vector<double> solution = random_field(grid, 1), error = random_field(grid, 2);
  const auto nx = static_cast<std::size_t>(grid.nx());
  const TemporaryDirectory directory;
  const fs::path file = directory.path() / "a & b.pvtr";
  std::vector<VtrPiece> pieces;
  for (const RowRange& rows : {RowRange{0, 17}, RowRange{16, 25}, RowRange{24, 33}}) {
    pieces.push_back({directory.path() / fmt::format("a & b-part{}.vtr", pieces.size()), rows});
    const auto part = [&](const std::vector<double>& values) {
      return std::span(values).subspan(static_cast<std::size_t>(rows.first) * nx,
                                       static_cast<std::size_t>(rows.count()) * nx);
    };
    write_vtr_piece(pieces.back().file, grid, rows,
                    std::vector<NamedField>{{"solution", part(solution)}, {"error", part(error)}});
  }
  const std::vector<std::string> names{"solution", "error"};
  write_pvtr(file, grid, pieces, names);
  REQUIRE(directory.entries().size() == 4);

  vtkNew<vtkXMLPRectilinearGridReader> reader;
  reader->SetFileName(file.c_str());
  reader->Update();
  REQUIRE(reader->GetErrorCode() == 0);
  vtkRectilinearGrid* data = reader->GetOutput();
  require_same_bits(data->GetXCoordinates(), grid.x.from_start);
  require_same_bits(data->GetYCoordinates(), grid.y.from_start);
  REQUIRE(data->GetPointData()->GetNumberOfArrays() == 2);
  require_same_bits(data->GetPointData()->GetArray("solution"), solution);
  require_same_bits(data->GetPointData()->GetArray("error"), error);
  REQUIRE(std::string(data->GetPointData()->GetScalars()->GetName()) == "solution");

  CHECK_THROWS_AS(write_pvtr(file, grid, std::span(pieces).first(2), names), std::invalid_argument);
  pieces[1].rows.first = 17;
  CHECK_THROWS_AS(write_pvtr(file, grid, pieces, names), std::invalid_argument);
  CHECK_THROWS_AS(write_vtr_piece(file, grid, {16, 34}, {}), std::invalid_argument);
  const std::vector<NamedField> too_long{{"u", solution}};
  CHECK_THROWS_AS(write_vtr_piece(file, grid, {0, 17}, too_long), std::invalid_argument);
}

TEST_CASE("a .vtr file is XML, with its data in their place and compressed by zlib",
          "[output][vtk]") {
  const TensorGrid grid = make_hierarchy(1.0, 1.0, 8).back();
  const std::vector<double> constant(nodes(grid), 1.0 / 3.0);
  const TemporaryDirectory directory;
  const fs::path file = directory.path() / "constant.vtr";
  write_vtr(file, grid, std::vector<NamedField>{{"solution", constant}});
  REQUIRE(fs::file_size(file) < nodes(grid) * sizeof(double) / 20);
  const std::string content = content_of(file);
  CHECK(content.find("compressor=\"vtkZLibDataCompressor\"") != std::string::npos);
  CHECK(content.find("format=\"binary\"") != std::string::npos);
  CHECK(content.find("AppendedData") == std::string::npos);
  CHECK(content.find("header_type=\"UInt64\"") != std::string::npos);
}

TEST_CASE("nodes that coincide as coordinates are moved apart, and their cell widths kept",
          "[output][vtk]") {
  // Each refinement divides the last width by 2^18: at level 3 it is 2^-54, below the spacing at 1.
  const Side side = GENERATE(Side::right, Side::top);
  const auto grids = make_hierarchy(1.0, 1.0, 6, {.nu = 0x1p-17, .sides = {side}});
  const bool in_x = side == Side::right;
  const auto line = [&](const TensorGrid& grid) { return in_x ? grid.x : grid.y; };
  REQUIRE_FALSE(vtr_remark(grids[2]));
  REQUIRE(vtr_coordinates(line(grids[2])) == line(grids[2]).from_start);
  const std::string remark = vtr_remark(grids[3]).value_or("");
  REQUIRE_THAT(remark,
               Catch::Matchers::StartsWith(in_x ? "the cell at x = 1 is " : "the cell at y = 1 is ")
                   && Catch::Matchers::ContainsSubstring("by up to 1 unit in the last place"));
  const TensorGrid& grid = grids[6];
  const std::vector<double> values = random_field(grid, 9);
  const TemporaryDirectory directory;
  const fs::path file = directory.path() / "fine.vtr";
  write_vtr(file, grid, std::vector<NamedField>{{"solution", values}});

  vtkNew<vtkXMLRectilinearGridReader> reader;
  reader->SetFileName(file.c_str());
  reader->Update();
  REQUIRE(reader->GetErrorCode() == 0);
  vtkRectilinearGrid* data = reader->GetOutput();
  require_same_bits(data->GetPointData()->GetArray("solution"), values);
  require_same_bits(data->GetFieldData()->GetArray("cell widths x"), grid.x.width);
  require_same_bits(data->GetFieldData()->GetArray("cell widths y"), grid.y.width);
  require_same_bits(in_x ? data->GetYCoordinates() : data->GetXCoordinates(),
                    in_x ? grid.y.from_start : grid.x.from_start);
  const std::vector<double>& own = line(grid).from_start;
  vtkDataArray* written = in_x ? data->GetXCoordinates() : data->GetYCoordinates();
  REQUIRE(written->GetNumberOfTuples() == static_cast<vtkIdType>(own.size()));
  // Nodes that coincide with the end, and the end itself, take the doubles before it.
  const auto coinciding = std::count(own.begin(), own.end(), own.back());
  REQUIRE(coinciding > 1);
  double expected = own.back();
  for (std::size_t i = own.size(); i-- > 0; expected = std::nextafter(expected, 0.0)) {
    const double found = written->GetTuple1(static_cast<vtkIdType>(i));
    if (i + static_cast<std::size_t>(coinciding) >= own.size()) {
      REQUIRE(found == expected);
    } else {
      REQUIRE(found == std::min(own[i], expected));
    }
  }
  REQUIRE(written->GetTuple1(0) == 0);
}

TEST_CASE("nodes that coincide inside move up only, and no further than need be", "[output][vtk]") {
  const Line line = make_line({0.5, 1e-20, 1e-20, 0.25, 0.25 - 1e-17, 1e-20});
  const auto after = [](double c, int units) {
    for (; units > 0; --units) c = std::nextafter(c, 2.0);
    return c;
  };
  REQUIRE(vtr_coordinates(line)
          == std::vector<double>{0, 0.5, after(0.5, 1), after(0.5, 2), 0.75,
                                 std::nextafter(1.0, 0.0), 1});
}

TEST_CASE("cells as narrow are told apart at zero", "[output][vtk]") {
  const auto grids = make_hierarchy(1.0, 1.0, 10, {.nu = 1.0 / 32, .sides = {Side::left}});
  REQUIRE_FALSE(vtr_remark(grids[10]));
}

TEST_CASE("fields that do not fit or are not told apart are refused", "[output][vtk]") {
  const TensorGrid grid = make_hierarchy(1.0, 1.0, 2).back();
  const std::vector<double> right(25, 1.0), wrong(24, 1.0);
  const TemporaryDirectory directory;
  const fs::path file = directory.path() / "a.vtr";
  REQUIRE_THROWS_WITH(write_vtr(file, grid, std::vector<NamedField>{{"u", wrong}}),
                      "field 'u' has 24 values, the grid has 5 x 5 nodes");
  REQUIRE_THROWS_AS(write_vtr(file, grid, std::vector<NamedField>{{"u", right}, {"u", right}}),
                    std::invalid_argument);
  REQUIRE(directory.entries().empty());
}

TEST_CASE("a .vtr file that cannot be written leaves the old one", "[output][vtk]") {
  const TensorGrid grid = make_hierarchy(1.0, 1.0, 6).back();
  const std::vector<double> values = random_field(grid, 4);
  const TemporaryDirectory directory;
  const fs::path file = directory.path() / "a.vtr";
  write_file_atomically(file, "old");
  std::string message;
  try {
#ifdef __SANITIZE_ADDRESS__
    const __lsan::ScopedDisabler vtk_leaks_a_header_when_the_disk_is_full;
#endif
    const FileSizeLimit limit(4096);
    write_vtr(file, grid, std::vector<NamedField>{{"u", values}});
  } catch (const std::runtime_error& error) {
    message = error.what();
  }
  CHECK(message.starts_with("cannot write file '" + file.string() + "': "));
  CHECK(content_of(file) == "old");
  CHECK(directory.entries() == Names{"a.vtr"});

  const fs::path nowhere = directory.path() / "missing" / "a.vtr";
  CHECK_THROWS_WITH(write_vtr(nowhere, grid, std::vector<NamedField>{{"u", values}}),
                    "cannot write file '" + nowhere.string() + "': No such file or directory");
}

TEST_CASE("a .pvd collection lists its files by level, relative to itself", "[output][vtk]") {
  const TemporaryDirectory directory;
  const fs::path file = directory.path() / "solution.pvd";
  PvdCollection collection(file);
  collection.add(5, directory.path() / "solution-level05.vtr");
  collection.add(6, directory.path() / "run & \"two\"" / "solution-level06.vtr");
  collection.add(5.5, directory.path() / "solution-level05.vtr");
  REQUIRE(directory.entries() == Names{"solution.pvd"});

  vtkXMLDataElement* root = vtkXMLUtilities::ReadElementFromFile(file.c_str());
  REQUIRE(root != nullptr);
  CHECK(std::string(root->GetName()) == "VTKFile");
  CHECK(std::string(root->GetAttribute("type")) == "Collection");
  vtkXMLDataElement* list = root->FindNestedElementWithName("Collection");
  REQUIRE(list != nullptr);
  REQUIRE(list->GetNumberOfNestedElements() == 2);
  vtkXMLDataElement* first = list->GetNestedElement(0);
  CHECK(std::string(first->GetName()) == "DataSet");
  CHECK(std::string(first->GetAttribute("timestep")) == "5.5");
  CHECK(std::string(first->GetAttribute("file")) == "solution-level05.vtr");
  vtkXMLDataElement* second = list->GetNestedElement(1);
  CHECK(std::string(second->GetAttribute("timestep")) == "6");
  CHECK(std::string(second->GetAttribute("file")) == "run & \"two\"/solution-level06.vtr");
  root->Delete();
}

TEST_CASE("a mesh is read back by VTK, bit by bit", "[output][vtk][mesh]") {
  const TriangleMesh mesh = generate_mesh({"bumps", 7});
  std::vector<std::array<double, 2>> texture;
  for (const SpacePoint& p : mesh.vertices) texture.push_back({p[0] / 3, p[1]});
  std::vector<double> stretch(mesh.triangles.size()), area(mesh.triangles.size());
  for (std::size_t t = 0; t < stretch.size(); ++t) {
    stretch[t] = 1 + 1.0 / static_cast<double>(t + 3), area[t] = -static_cast<double>(t);
  }
  const TemporaryDirectory folder;
  const fs::path file = folder.path() / "a.vtp";
  write_file_atomically(
      file, vtp_text(mesh, texture,
                     std::vector<TriangleField>{{"stretch", stretch}, {"a < b & \"c\"", area}}));
  vtkNew<vtkXMLPolyDataReader> reader;
  reader->SetFileName(file.c_str());
  reader->Update();
  vtkPolyData* const data = reader->GetOutput();
  REQUIRE(data->GetNumberOfPoints() == static_cast<vtkIdType>(mesh.vertices.size()));
  REQUIRE(data->GetNumberOfPolys() == static_cast<vtkIdType>(mesh.triangles.size()));
  vtkDataArray* const coordinates = data->GetPointData()->GetTCoords();
  REQUIRE(coordinates != nullptr);
  for (std::size_t p = 0; p < mesh.vertices.size(); ++p) {
    const auto k = static_cast<vtkIdType>(p);
    double found[3];
    data->GetPoint(k, found);
    for (std::size_t c = 0; c < 3; ++c) REQUIRE(found[c] == mesh.vertices[p][c]);
    for (int c = 0; c < 2; ++c) {
      REQUIRE(coordinates->GetComponent(k, c) == texture[p][static_cast<std::size_t>(c)]);
    }
  }
  for (std::size_t t = 0; t < mesh.triangles.size(); ++t) {
    vtkIdType count = 0;
    const vtkIdType* corners = nullptr;
    data->GetPolys()->GetCellAtId(static_cast<vtkIdType>(t), count, corners);
    REQUIRE(count == 3);
    for (std::size_t c = 0; c < 3; ++c) REQUIRE(corners[c] == mesh.triangles[t][c]);
  }
  require_same_bits(data->GetCellData()->GetScalars(), stretch);
  require_same_bits(data->GetCellData()->GetArray("a < b & \"c\""), area);
  REQUIRE_THROWS_AS(vtp_text(mesh, std::span(texture).first(2), {}), std::invalid_argument);
  const std::vector<TriangleField> short_field{{"a", std::span(area).first(3)}};
  REQUIRE_THROWS_AS(vtp_text(mesh, texture, short_field), std::invalid_argument);
}

TEST_CASE("vectors at the vertices of a mesh are read back by VTK", "[output][vtk][mesh]") {
  const TriangleMesh mesh = generate_mesh({"torus", 5});
  std::vector<SpacePoint> moves;
  for (const SpacePoint& p : mesh.vertices) moves.push_back({p[2] / 3, -p[0], 1e-300});
  const TemporaryDirectory folder;
  const fs::path file = folder.path() / "a.vtp";
  const std::vector<VertexVectors> vectors{{"displacement", moves}};
  write_file_atomically(file, vtp_text(mesh, {}, {}, vectors));
  vtkNew<vtkXMLPolyDataReader> reader;
  reader->SetFileName(file.c_str());
  reader->Update();
  vtkPointData* const data = reader->GetOutput()->GetPointData();
  REQUIRE(data->GetTCoords() == nullptr);
  vtkDataArray* const found = data->GetVectors();
  REQUIRE(found != nullptr);
  for (std::size_t p = 0; p < moves.size(); ++p) {
    for (int c = 0; c < 3; ++c) {
      REQUIRE(found->GetComponent(static_cast<vtkIdType>(p), c)
              == moves[p][static_cast<std::size_t>(c)]);
    }
  }
  const std::vector<VertexVectors> too_few{{"displacement", std::span(moves).first(3)}};
  REQUIRE_THROWS_AS(vtp_text(mesh, {}, {}, too_few), std::invalid_argument);
}
