#include "experiments/program/level_files.hpp"

#include <cmath>
#include <cstddef>
#include <span>
#include <utility>

#include <fmt/format.h>

#include "fem/discrete/error_distribution.hpp"
#include "fem/discrete/errors.hpp"

#include "output/document/field_image.hpp"
#include "output/plots/plot.hpp"

#include "experiments/program/interrupt.hpp"
#include "experiments/program/system_files.hpp"

namespace ninefold {
namespace {

constexpr std::size_t most_pictured_levels = 24;

/// The fields of a level's VTK file, of the rows that are here.
struct LevelFields {
  std::vector<std::string> names;
  std::vector<std::span<const double>> values;
  std::vector<double> estimated, exact, error;
};

/// The fields; `level` must outlive them.
LevelFields fields_of(const PreparedSolve& prepared, const SolvedLevel& level) {
  const TensorGrid& grid = prepared.finest();
  const NodalValues<double> u = nodal_values(level.solved);
  LevelFields fields;
  const auto add = [&](const char* name, const std::vector<double>& values) {
    fields.names.emplace_back(name);
    fields.values.emplace_back(values);
  };
  add("solution", level.solved.solution);
  if (!level.coarser.empty()) {
    fields.estimated = error_distribution(grid, u, level.coarser.view());
    add("discretisation error", fields.estimated);
  }
  if (prepared.problem.solution) {
    fields.exact = nodal_solution(prepared.problem, grid, u.here(grid));
    fields.error.resize(fields.exact.size());
    for (std::size_t k = 0; k < fields.error.size(); ++k) {
      fields.error[k] = level.solved.solution[k] - fields.exact[k];
    }
    add("exact solution", fields.exact);
    add("error", fields.error);
  }
  return fields;
}

/// Those of some of the rows that are here.
std::vector<NamedField> at_rows(const LevelFields& fields, const TensorGrid& grid,
                                const RowRange& here, const RowRange& rows) {
  const auto nx = static_cast<std::size_t>(grid.nx());
  std::vector<NamedField> parts;
  for (std::size_t k = 0; k < fields.names.size(); ++k) {
    parts.push_back({fields.names[k], fields.values[k].subspan(
                                          static_cast<std::size_t>(rows.first - here.first) * nx,
                                          static_cast<std::size_t>(rows.count()) * nx)});
  }
  return parts;
}

/// A member's own rows, and the one above them.
RowRange rows_of_piece(const RowShare& share, int member) {
  const RowRange own = share.own(member);
  return {own.first, std::min(own.last + 1, share.rows())};
}

/// Where the error lies, as far as that is known.
std::vector<Image> error_images(const PreparedSolve& prepared, const NodalValues<double>& solution,
                                const NodalValues<double>& coarser) {
  const TensorGrid& grid = prepared.finest();
  if (prepared.problem.solution) {
    std::vector<double> error = nodal_solution(prepared.problem, grid, solution.here(grid));
    const auto u = solution.all_here();
    for (std::size_t k = 0; k < error.size(); ++k) error[k] = std::abs(u[k] - error[k]);
    return {field_image(grid, {error, solution.share()}, "size of the error")};
  }
  if (coarser.empty()) return {};
  const std::vector<double> estimated = error_distribution(grid, solution, coarser);
  return {field_image(grid, {estimated, solution.share()},
                      "size of the estimated discretisation error")};
}

}  // namespace

LevelFiles::LevelFiles(const Plan& plan, const std::filesystem::path& stem, bool writes)
    : plan_(plan),
      stem_(stem),
      writes_(writes),
      derived_(plan.configuration.output, stem, writes),
      collection_(path(".pvd")) {}

std::filesystem::path LevelFiles::path(const std::string& ending) const {
  return stem_.string() + ending;
}

void LevelFiles::measure(const PreparedSolve& prepared, SolvedLevel& level) const {
  derived_.measure(prepared, level.solved, level.coarser.view(), level.row);
}

void LevelFiles::write(const PreparedSolve& prepared, const LevelResult& row, SolvedLevel& level) {
  const OutputOptions& output = plan_.configuration.output;
  derived_.write(prepared, level.solved, level.coarser.view());
  if (!row.estimated_l2) level.coarser = {};  // what is shown of it is the discretisation error
  if (output.matrix && writes_) {
    const Uninterrupted whole_files;
    write_system_files(prepared, path(fmt::format("-level{:02}", prepared.level())));
  }
  if (output.vtk) write_fields(prepared, level);
  if (!output.plots) return;
  finest_.emplace(Finest{&prepared,
                         {std::move(level.solved.solution), std::move(level.solved.share)},
                         std::move(level.coarser)});
}

void LevelFiles::write_fields(const PreparedSolve& prepared, const SolvedLevel& level) {
  const TensorGrid& grid = prepared.finest();
  const RowShare* const share = level.solved.share.get();
  if (share == nullptr && !writes_) return;  // the first rank has all of them, too
  const LevelFields fields = fields_of(prepared, level);
  const std::string name = fmt::format("-level{:02}", prepared.level());
  std::filesystem::path file = path(name + ".vtr");
  if (share == nullptr) {
    const RowRange all{0, grid.ny()};
    const Uninterrupted whole_files;
    write_vtr(file, grid, at_rows(fields, grid, all, all));
  } else {
    std::vector<VtrPiece> pieces;
    for (int m = 0; m < share->members(); ++m) {
      pieces.push_back({path(fmt::format("{}-part{}.vtr", name, m)), rows_of_piece(*share, m)});
    }
    const VtrPiece& own = pieces[static_cast<std::size_t>(share->member())];
    {
      const Uninterrupted whole_files;
      write_vtr_piece(own.file, grid, own.rows, at_rows(fields, grid, share->here(), own.rows));
    }
    (void)share->any(false);  // all pieces are there
    if (!writes_) return;
    file = path(name + ".pvtr");
    const Uninterrupted whole_files;
    write_pvtr(file, grid, pieces, fields.names);
  }
  const Uninterrupted whole_files;
  collection_.add(prepared.level(), file);
  if (const auto remark = vtr_remark(grid)) {
    if (moved_.empty()) first_moved_ = file.filename().string();
    moved_ = fmt::format("level {}: {}", prepared.level(), *remark);
  }
}

void LevelFiles::finish(const std::function<void(const std::string&)>& note) {
  const auto draw = [&](const NodalValues<double>& values, const std::string& ending,
                        const std::string& title) {
    const TensorGrid& grid = finest_->solve->finest();
    const Samples samples = samples_to_draw(grid, values);
    if (!writes_) return;
    const Uninterrupted whole_files;
    const Picture picture = write_solution_picture(grid, samples, path(ending), title);
    if (!picture.drawn && note) note(picture.remark);
  };
  if (finest_) {
    const TensorGrid& grid = finest_->solve->finest();
    const NodalValues<double> u = finest_->solution.view();
    const auto of_level =
        fmt::format("{}, level {}", finest_->solve->problem.name, finest_->solve->level());
    draw(u, ".png", of_level);
    if (!finest_->coarser.empty()) {
      const auto error = error_distribution(grid, u, finest_->coarser.view());
      draw({error, u.share()}, "-error.png", "discretisation error of " + of_level);
    }
  }
  if (!moved_.empty() && note) note(fmt::format("from {} on, {}", first_moved_, moved_));
}

void LevelPictures::add(const std::string& run, const PreparedSolve& prepared,
                        const LevelResult& row, const SolvedLevel& level) {
  const NodalValues<double> solution = nodal_values(level.solved);
  if (solution.empty() || prepared.level() > last_pictured_level) return;
  // Of each of several runs the finest level.
  if (runs_ > 1) std::erase_if(images_, [&](const auto& of) { return of.run == run; });
  if (images_.size() >= most_pictured_levels) return;
  LevelImages images{run, prepared.level(), {field_image(prepared.finest(), solution, "solution")}};
  NodalValues<double> coarser;
  if (row.estimated_l2) coarser = level.coarser.view();
  for (Image& image : error_images(prepared, solution, coarser)) {
    images.images.push_back(std::move(image));
  }
  images_.push_back(std::move(images));
}

}  // namespace ninefold
