// Method, multigrid and refinement of a sample.

#include <algorithm>

#include "tests/guard/sample.hpp"

namespace ninefold::guard {
namespace {

void draw_method(Draw& draw, bool wild, SolverOptions& s) {
  const int method = draw.weighted<int>({{wild ? 3 : 12, 0}, {13, 1}, {17, 2}, {58, 3}});
  s.method = method == 3 ? Method::multigrid : Method::cg;
  s.preconditioner = method == 1   ? Preconditioning::jacobi
                     : method == 2 ? Preconditioning::multigrid
                                   : Preconditioning::none;
  const bool soft = s.precision.kind() == Precision::Kind::soft;
  s.max_iterations = uses_multigrid(s) ? (soft ? 60 : 300) : (soft ? 500 : 3000);
  if (draw.chance(0.06)) s.max_iterations = draw.integer(1, 8);
  if (uses_multigrid(s) && draw.chance(0.25)) s.start = Start::full_multigrid;
}

void draw_multigrid(Draw& draw, bool wild, MultigridOptions& m) {
  using enum Smoother;
  m.cycle = draw.one_of<Cycle>({Cycle::v, Cycle::f, Cycle::w});
  if (draw.chance(wild ? 0.3 : 0.5)) {
    m.smoother = draw.weighted<Smoother>({{wild ? 1 : 3, jacobi},
                                          {wild ? 1 : 2, tridi},
                                          {wild ? 1 : 2, trigs},
                                          {3, adi_tridi},
                                          {3, adi_trigs}});
  }
  if (draw.chance(0.4)) {
    m.pre_smoothing = draw.integer(0, 3);
    m.post_smoothing = draw.integer(std::max(0, 2 - *m.pre_smoothing), 3);
  }
  const bool gauss_seidel = m.smoother == trigs || m.smoother == adi_trigs;
  if ((gauss_seidel || m.smoother == automatic) && draw.chance(0.2)) {
    m.line_order = LineOrder::sequential;
  }
  if ((m.smoother == tridi || m.smoother == trigs) && draw.chance(0.3)) {
    m.line_direction = draw.one_of<LineDirection>({LineDirection::x, LineDirection::y});
  }
  if (draw.chance(0.15)) m.damping = draw.integer(3, 12) / 10.0;
}

/// Large damping where cells are thin: what diverges shall be called so.
void draw_divergence(Draw& draw, SolverOptions& s) {
  s.method = Method::multigrid;
  s.preconditioner = Preconditioning::none;
  s.multigrid.smoother =
      draw.one_of<Smoother>({Smoother::jacobi, Smoother::jacobi, Smoother::tridi});
  s.multigrid.line_order = LineOrder::zebra;
  s.multigrid.line_direction = {};
  s.multigrid.damping = draw.integer(10, 19) / 10.0;
}

/// None more precise than `before`, and no second software format.
Precision draw_inner(Draw& draw, Precision before) {
  std::vector<Precision> formats;
  for (const Precision p : named_precisions()) {
    if (facts(p).unit_roundoff >= facts(before).unit_roundoff) formats.push_back(p);
  }
  if (formats.size() > 2 && draw.chance(0.7)) formats.erase(formats.begin());  // half is for few
  return draw.one_of(formats);
}

void draw_stop(Draw& draw, std::size_t stages, RefinementOptions& r) {
  const int kind = draw.integer(0, 3);
  if (kind == 0) return;
  const std::size_t count = draw.chance(0.5) ? 1 : stages;
  for (std::size_t k = 0; k < count; ++k) {
    InnerStop stop;
    if (kind != 1) stop.digits = draw.one_of<double>({0.5, 1, 2, 4});
    if (kind != 2) stop.iterations = draw.integer(1, 6);
    r.stop.push_back(stop);
  }
}

void draw_refinement(Draw& draw, SolverOptions& s) {
  RefinementOptions& r = s.refinement;
  const int stages = draw.weighted<int>({{70, 1}, {20, 2}, {10, 3}});
  Precision before = s.precision;
  for (int stage = 0; stage < stages; ++stage) {
    r.inner.push_back(draw_inner(draw, before));
    before = r.inner.back();
  }
  draw_stop(draw, r.inner.size(), r);
  const bool half = facts(before).max_exponent < 100;
  if (!draw.chance(0.3)) {
    r.inner_form = draw.chance(half ? 0.5 : 0.3) ? OperatorForm::plain : OperatorForm::difference;
  }
  if (draw.chance(0.3)) r.scaling = RefinementScaling::norm;
  r.stop_at_tolerance = draw.chance(0.3);
  const bool plain_cg = s.method == Method::cg && s.preconditioner == Preconditioning::none;
  if (plain_cg && stages == 1 && draw.chance(0.4)) {
    r.variant = RefinementVariant::residual_guided_cg;
  } else if (draw.chance(0.2)) {
    r.variant = RefinementVariant::flexible_cg;
  }
}

/// By eigenvectors, in a format that they are for.
void draw_direct(Draw& draw, SolverOptions& s) {
  s.method = Method::fast_diagonalisation;
  s.preconditioner = Preconditioning::none;
  s.start = Start::zero;
  s.refinement.stop.clear();
  if (s.refinement.variant == RefinementVariant::residual_guided_cg) {
    s.refinement.variant = RefinementVariant::refinement;
  }
  if (draw.chance(0.5)) s.refinement = {};
}

/// Where nothing is drawn that it does not take.
void draw_full_multigrid(Draw& draw, SolverOptions& s) {
  s.method = Method::full_multigrid;
  s.start = Start::zero;
  if (draw.chance(0.2)) s.multigrid.cycles_per_level = 2;
  if (draw.chance(0.5)) {
    s.multigrid.cycle = {};
    s.multigrid.pre_smoothing = s.multigrid.post_smoothing = {};
  }
}

bool may_be_full_multigrid(const SolverOptions& s) {
  return s.method == Method::multigrid && s.refinement.inner.size() <= 1
         && s.refinement.variant == RefinementVariant::refinement;
}

bool has_direct_format(const SolverOptions& s) {
  const Precision solving = s.refinement.used() ? s.refinement.inner.back() : s.precision;
  return (s.precision == Precision::double_ || s.precision == Precision::single_)
         && (solving == Precision::double_ || solving == Precision::single_);
}

OperatorStorage draw_storage(Draw& draw) {
  return draw.one_of<OperatorStorage>(
      {OperatorStorage::stored, OperatorStorage::computed, OperatorStorage::factored});
}

}  // namespace

void draw_solver(Draw& draw, bool wild, Configuration& c) {
  SolverOptions& s = c.solver;
  draw_method(draw, wild, s);
  if (uses_multigrid(s)) draw_multigrid(draw, wild, s.multigrid);
  if (wild && draw.chance(0.03)) draw_divergence(draw, s);
  if (facts(s.precision).unit_roundoff < 1e-3 && draw.chance(0.25)) draw_refinement(draw, s);
  if (draw.chance(0.15)) s.storage = draw_storage(draw);
  if (s.refinement.used() && draw.chance(0.15)) s.refinement.inner_storage = {draw_storage(draw)};
  if (has_direct_format(s) && draw.chance(0.12)) draw_direct(draw, s);
  if (may_be_full_multigrid(s) && draw.chance(0.2)) draw_full_multigrid(draw, s);
}

void draw_norm(Draw& draw, Configuration& c) {
  SolverOptions& s = c.solver;
  if (!draw.chance(0.35)) return;
  s.norm =
      draw.one_of<StoppingNorm>({StoppingNorm::energy, StoppingNorm::l2, StoppingNorm::largest});
  // A bound is larger than the error, and rounding is in it.
  s.tolerance = std::min(0.5, s.tolerance * draw.one_of<double>({1, 100, 10000}));
  s.relative = draw.chance(0.6);
  if (!s.relative) s.tolerance *= draw.one_of<double>({0.01, 1, 100});
}

}  // namespace ninefold::guard
