#pragma once
// What programs that measure share, beside experiments/support/rates.hpp: rows that say where they
// were measured.

#include <ctime>
#include <filesystem>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include <fmt/chrono.h>
#include <fmt/format.h>
#include <ninefold/version.hpp>

#include "gpu/backend/backend.hpp"
#include "gpu/backend/mpi_ranks.hpp"

#include "solvers/solve.hpp"

#include "output/tables/files.hpp"
#include "output/tables/table.hpp"

#include "experiments/config/settings.hpp"
#include "experiments/support/rates.hpp"

namespace ninefold {

/// Where to measure; throws std::invalid_argument if that is not here, and ConfigurationError if no
/// table can be written to the folder, and where mpirun has started several processes, which would
/// measure each other.
inline BackendKind begin_measuring(const std::string& backend,
                                   const std::filesystem::path& output) {
  if (is_started_by_mpi()) {
    throw ConfigurationError("mpirun is not possible: this program measures one process");
  }
  const BackendKind where = choose_backend(backend);
  try {
    ensure_writable_directory(output);
  } catch (const std::runtime_error& error) {
    throw ConfigurationError(error.what());
  }
  return where;
}

/// The formats of --precisions; throws ConfigurationError for one that only software has.
inline std::vector<Precision> measured_formats(const std::vector<std::string>& names) {
  std::vector<Precision> formats;
  for (const std::string& name : names) {
    formats.push_back(precision_from_name(name));
    if (formats.back().kind() == Precision::Kind::soft) {
      throw ConfigurationError(
          fmt::format("--precisions {} is not possible: software formats are not measured", name));
    }
  }
  return formats;
}

/// Where and when something was measured; the commit is the program's own.
struct Context {
  std::string device, driver, date;
};

inline Context context_of(bool on_device) {
  const std::string date = fmt::format("{:%Y-%m-%d}", fmt::localtime(std::time(nullptr)));
  if (on_device) {
    const CudaDescription cuda = describe_cuda();
    return {cuda.name, cuda.driver, date};
  }
  const HostDescription host = describe_host();
  return {fmt::format("{}, {}", host.name, host.detail), "", date};
}

/// The cells of a row and those of its context.
inline std::vector<Cell> with_context(std::vector<Cell> cells, const Context& context) {
  cells.emplace_back(context.device);
  cells.emplace_back(context.driver);
  cells.emplace_back(std::in_place_type<std::string>, commit);
  cells.emplace_back(context.date);
  return cells;
}

/// The columns of a table and those of its rows' contexts, for data files only.
inline std::vector<Column> with_context(std::vector<Column> columns) {
  for (const char* key : {"device", "driver", "commit", "date"}) {
    columns.push_back({.key = key, .header = key, .data_only = true});
  }
  return columns;
}

}  // namespace ninefold
