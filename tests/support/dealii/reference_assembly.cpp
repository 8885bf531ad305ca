#include "tests/support/dealii/reference_assembly.hpp"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <numeric>
#include <stdexcept>

#include <deal.II/base/function.h>
#include <deal.II/base/quadrature_lib.h>
#include <deal.II/dofs/dof_handler.h>
#include <deal.II/dofs/dof_tools.h>
#include <deal.II/fe/fe_q.h>
#include <deal.II/fe/fe_values.h>
#include <deal.II/grid/grid_generator.h>
#include <deal.II/grid/tria.h>
#include <deal.II/lac/dynamic_sparsity_pattern.h>
#include <deal.II/lac/full_matrix.h>
#include <deal.II/lac/sparse_matrix.h>
#include <deal.II/lac/vector.h>
#include <deal.II/numerics/vector_tools.h>

namespace ninefold {
namespace {

using dealii::types::global_dof_index;

std::vector<double> positions(const std::vector<double>& widths) {
  std::vector<double> x{0.0};
  for (const double width : widths) x.push_back(x.back() + width);
  return x;
}

/// The mesh, its unknowns, and the node (i, j) of each unknown.
class Mesh {
 public:
  Mesh(const std::vector<double>& widths_x, const std::vector<double>& widths_y)
      : x_(positions(widths_x)), y_(positions(widths_y)), element(1), dofs(triangulation_) {
    dealii::GridGenerator::subdivided_hyper_rectangle(triangulation_, {widths_x, widths_y},
                                                      dealii::Point<2>(0.0, 0.0),
                                                      dealii::Point<2>(x_.back(), y_.back()), true);
    dofs.distribute_dofs(element);
    node_.assign(dofs.n_dofs(), -1);
    for (const auto& cell : dofs.active_cell_iterators()) {
      const int i = interval(x_, cell->center()[0]), j = interval(y_, cell->center()[1]);
      for (unsigned int vertex = 0; vertex < 4; ++vertex) {
        const int node =
            (j + static_cast<int>(vertex) / 2) * nx() + i + static_cast<int>(vertex) % 2;
        int& known = node_[cell->vertex_dof_index(vertex, 0)];
        if (known >= 0 && known != node)
          throw std::logic_error("deal.II orders vertices otherwise");
        known = node;
      }
    }
  }

  int nx() const { return static_cast<int>(x_.size()); }
  int ny() const { return static_cast<int>(y_.size()); }
  std::size_t node(global_dof_index dof) const { return static_cast<std::size_t>(node_[dof]); }

 private:
  static int interval(const std::vector<double>& x, double where) {
    return static_cast<int>(std::upper_bound(x.begin(), x.end(), where) - x.begin()) - 1;
  }

  std::vector<double> x_, y_;
  std::vector<int> node_;
  dealii::Triangulation<2> triangulation_;

 public:
  dealii::FE_Q<2> element;
  dealii::DoFHandler<2> dofs;
};

dealii::QGauss<2> square_rule(int n) {
  return dealii::QGauss<2>(static_cast<unsigned int>(n));
}

void add_matrix(const Mesh& mesh, const ReferenceProblem& problem,
                dealii::SparseMatrix<double>& matrix) {
  const auto rule = square_rule(2);
  dealii::FEValues<2> values(
      mesh.element, rule,
      dealii::update_values | dealii::update_gradients | dealii::update_JxW_values);
  dealii::FullMatrix<double> local(4, 4);
  std::vector<global_dof_index> indices(4);
  for (const auto& cell : mesh.dofs.active_cell_iterators()) {
    values.reinit(cell);
    local = 0;
    for (const unsigned int q : values.quadrature_point_indices()) {
      for (const unsigned int a : values.dof_indices()) {
        for (const unsigned int b : values.dof_indices()) {
          const auto &grad_a = values.shape_grad(a, q), &grad_b = values.shape_grad(b, q);
          local(a, b) += (problem.gx * grad_a[0] * grad_b[0] + problem.gy * grad_a[1] * grad_b[1]
                          + problem.reaction * values.shape_value(a, q) * values.shape_value(b, q))
                         * values.JxW(q);
        }
      }
    }
    cell->get_dof_indices(indices);
    matrix.add(indices, local);
  }
}

void add_source(const Mesh& mesh, const ReferenceProblem& problem, std::vector<double>& load) {
  const auto rule = square_rule(problem.quadrature);
  dealii::FEValues<2> values(
      mesh.element, rule,
      dealii::update_values | dealii::update_quadrature_points | dealii::update_JxW_values);
  std::vector<global_dof_index> indices(4);
  for (const auto& cell : mesh.dofs.active_cell_iterators()) {
    values.reinit(cell);
    cell->get_dof_indices(indices);
    for (const unsigned int q : values.quadrature_point_indices()) {
      const auto& p = values.quadrature_point(q);
      const double f = problem.source(p[0], p[1]) * values.JxW(q);
      for (const unsigned int a : values.dof_indices()) {
        load[mesh.node(indices[a])] += f * values.shape_value(a, q);
      }
    }
  }
}

void add_fluxes(const Mesh& mesh, const ReferenceProblem& problem, std::vector<double>& load) {
  const dealii::QGauss<1> rule(static_cast<unsigned int>(problem.quadrature));
  dealii::FEFaceValues<2> values(
      mesh.element, rule,
      dealii::update_values | dealii::update_quadrature_points | dealii::update_JxW_values);
  std::vector<global_dof_index> indices(4);
  for (const auto& cell : mesh.dofs.active_cell_iterators()) {
    for (const auto& face : cell->face_iterators()) {
      if (!face->at_boundary()) continue;
      const PlaneFunction& flux = problem.flux[face->boundary_id()];  // coloured: 0 to 3
      if (!flux) continue;
      values.reinit(cell, face);
      cell->get_dof_indices(indices);
      for (const unsigned int q : values.quadrature_point_indices()) {
        const auto& p = values.quadrature_point(q);
        const double f = flux(p[0], p[1]) * values.JxW(q);
        for (const unsigned int a : values.dof_indices()) {
          load[mesh.node(indices[a])] += f * values.shape_value(a, q);
        }
      }
    }
  }
}

class Adapter : public dealii::Function<2> {
 public:
  explicit Adapter(const PlaneFunction& f) : f_(f) {}
  double value(const dealii::Point<2>& p, unsigned int) const override { return f_(p[0], p[1]); }

 private:
  const PlaneFunction& f_;
};

}  // namespace

ReferenceSystem assemble_reference(const ReferenceProblem& problem) {
  const Mesh mesh(problem.widths_x, problem.widths_y);
  dealii::DynamicSparsityPattern pattern(mesh.dofs.n_dofs());
  dealii::DoFTools::make_sparsity_pattern(mesh.dofs, pattern);
  dealii::SparsityPattern fixed;
  fixed.copy_from(pattern);
  dealii::SparseMatrix<double> matrix(fixed);
  add_matrix(mesh, problem, matrix);

  ReferenceSystem system;
  system.nx = mesh.nx();
  system.ny = mesh.ny();
  system.rows.assign(mesh.dofs.n_dofs(), {});
  system.load.assign(mesh.dofs.n_dofs(), 0.0);
  for (global_dof_index row = 0; row < matrix.m(); ++row) {
    const int node = static_cast<int>(mesh.node(row));
    for (auto entry = matrix.begin(row); entry != matrix.end(row); ++entry) {
      const int other = static_cast<int>(mesh.node(entry->column()));
      const int s = other % mesh.nx() - node % mesh.nx(), t = other / mesh.nx() - node / mesh.nx();
      if (std::abs(s) > 1 || std::abs(t) > 1) throw std::logic_error("a coupling of no neighbours");
      system.rows[mesh.node(row)][static_cast<std::size_t>(3 * (t + 1) + s + 1)] = entry->value();
    }
  }
  if (problem.source) add_source(mesh, problem, system.load);
  add_fluxes(mesh, problem, system.load);
  return system;
}

double reference_l2_error(const std::vector<double>& widths_x, const std::vector<double>& widths_y,
                          const std::vector<double>& u_h, const PlaneFunction& solution) {
  const Mesh mesh(widths_x, widths_y);
  dealii::Vector<double> values(mesh.dofs.n_dofs());
  for (global_dof_index dof = 0; dof < mesh.dofs.n_dofs(); ++dof) {
    values[dof] = u_h.at(mesh.node(dof));
  }
  dealii::Vector<double> per_cell;
  dealii::VectorTools::integrate_difference(mesh.dofs, values, Adapter(solution), per_cell,
                                            square_rule(3), dealii::VectorTools::L2_norm);
  return per_cell.l2_norm();
}

}  // namespace ninefold
