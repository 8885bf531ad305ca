#include "experiments/program/tune_passes.hpp"

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "precision/half.hpp"

#include "grids/cubic.hpp"
#include "grids/transfer.hpp"

#include "gpu/backend/vector.hpp"
#include "gpu/operations/fused_operations.hpp"
#include "gpu/operations/nested_operations.hpp"
#include "gpu/operations/row_operations.hpp"

#include "solvers/system/system.hpp"

#include "experiments/config/settings.hpp"
#include "experiments/program/information.hpp"
#include "experiments/program/tuning.hpp"
#include "experiments/support/rates.hpp"

namespace ninefold {
namespace {

/// Matrices and vectors of zeros on a level of square grids, double over Low, and the passes over
/// them.
template <Backend B, Number Low>
class PassesOfLevel {
 public:
  PassesOfLevel(const B& on, int level)
      : on_(on),
        grids_(make_hierarchy(1.0, 1.0, level)),
        high_(make_matrix<double>()),
        low_(make_matrix<Low>()),
        x_weights_(on, transfer_weights<Scalar<Low>>(fine().x)),
        y_weights_(on, transfer_weights<Scalar<Low>>(fine().y)),
        x_cubic_(on, cubic_weights<double>(fine().x)),
        y_cubic_(on, cubic_weights<double>(fine().y)),
        states_(on, std::vector<RefinementState<double>>{{1, 1, 1}}),
        f_(on, fine().nx(), fine().ny()),
        u_(on, fine().nx(), fine().ny()),
        c_(on, coarse().nx(), coarse().ny()),
        r_(on, fine().nx(), fine().ny()),
        e_(on, fine().nx(), fine().ny()),
        r_coarse_(on, coarse().nx(), coarse().ny()) {}

  /// Those of a visit that have tiles or strips.
  void visit() const {
    const Transfer<Scalar<Low>> transfer{x_weights_.data(), y_weights_.data()};
    const CubicTransfer<double> cubic{x_cubic_.data(), y_cubic_.data()};
    const StepRelaxations<Low> relaxations(Leading<Low>(0.8), Divisor::bound);
    const FactoredRows<Low>& A = rows<Low>(low_);
    const Box coarse_box = unknown_nodes(coarse(), {});
    nested_residual<double, Low>(on_, rows<double>(high_), f_.view(), cubic, c_.view(),
                                 states_.data(), r_.view(), coarse_box, transfer, r_coarse_.view());
    jacobi_steps_from_zero<Low>(on_, A, r_.view(), relaxations, 2, e_.view());
    restrict_residual_of<Low>(on_, coarse_box, transfer, A, r_.view(), e_.view(), r_coarse_.view());
    jacobi_steps_on_prolongation<Low>(on_, transfer, r_coarse_.view(), A, r_.view(), relaxations, 2,
                                      e_.view());
    nested_correction<double, Low>(on_, transfer, r_coarse_.view(), A, r_.view(), relaxations,
                                   cubic, c_.view(), states_.data(), u_.view());
  }
  /// Those that one column of a thread has, or two.
  void climb() const {
    jacobi_step<B, Low>(on_, rows<Low>(low_), r_.view(), Leading<Low>(0.8), e_.view(), r_.view());
    jacobi_step<B, double>(on_, rows<double>(high_), f_.view(), 0.8, u_.view(), f_.view());
    product<B, Low>(on_, rows<Low>(low_), e_.view(), r_.view());
  }
  void sum() const {
    double* const square = &states_.data()->square;
    residual<B, double>(on_, rows<double>(high_), f_.view(), u_.view(), f_.view());
    residual_square<B, double>(on_, rows<double>(high_), f_.view(), u_.view(), square);
  }

 private:
  const TensorGrid& fine() const { return grids_.back(); }
  const TensorGrid& coarse() const { return grids_[grids_.size() - 2]; }
  template <Number T>
  Matrix<B, T> make_matrix() const {
    return {on_,
            fine(),
            unknown_nodes(fine(), {}),
            {1, 1, 0},
            OperatorForm::difference,
            OperatorStorage::factored};
  }
  template <Number T>
  static const FactoredRows<T>& rows(const Matrix<B, T>& matrix) {
    return *matrix.view().template as<FactoredRows<T>>();
  }

  B on_;
  std::vector<TensorGrid> grids_;
  Matrix<B, double> high_;
  Matrix<B, Low> low_;
  Array<B, TransferWeights<Scalar<Low>>> x_weights_, y_weights_;
  Array<B, CubicWeights<double>> x_cubic_, y_cubic_;
  Array<B, RefinementState<double>> states_;
  NodeVector<B, double> f_, u_, c_;
  NodeVector<B, Low> r_, e_, r_coarse_;
};

}  // namespace

Tuning tune_passes(const Cuda& on, int first, int last) {
  const PassSizes before = on.pass_sizes();
  const auto rule = PassSizes::by_rule(on.multiprocessors());
  Tuning tuning{
      rule,
      Table({{.key = "pass", .header = "passes", .align = Align::left},
             {.key = "level", .header = "level"},
             {.key = "small", .header = "as small\ngrids", .unit = "us", .style = significant(4)},
             {.key = "large", .header = "as large\ngrids", .unit = "us", .style = significant(4)},
             {.key = "ratio", .header = "large over\nsmall", .style = fixed(3)}})};
  struct Restored {
    const Cuda& on;
    PassSizes sizes;
    ~Restored() { on.use_pass_sizes(sizes); }
  } const restored{on, before};
  std::vector<WaySeconds> strips[3], columns, sums;
  const auto compare = [&](const std::string& name, int level, std::vector<WaySeconds>& ways,
                           const auto& work) {
    const std::int64_t n = (std::int64_t{1} << level) + 1;
    // Large ways as with the size that would be kept: what is larger still has more rows at once.
    const auto seconds = [&](std::int64_t from) {
      on.use_pass_sizes({{from, from, from}, from, from});
      return shortest_seconds(on, work);
    };
    const WaySeconds found{level, seconds(PassSizes::never), seconds(n * n / 2)};
    ways.push_back(found);
    tuning.times.add_row({name, std::int64_t{level}, 1e6 * found.small, 1e6 * found.large,
                          found.large / found.small});
  };
  // Of vectors of double and of double again, with room to spare.
  constexpr std::int64_t node_bytes = 64;
  const auto available = static_cast<std::int64_t>(describe_cuda(on.device()).memory_available);
  for (int level = first; level <= last; ++level) {
    const std::int64_t n = (std::int64_t{1} << level) + 1;
    if (n * n > available / (2 * node_bytes)) break;
    const auto with_low = [&]<Number Low>(std::vector<WaySeconds>& ways) {
      const PassesOfLevel<Cuda, Low> passes(on, level);
      compare(fmt::format("a visit, values of {} bytes", sizeof(Low)), level, ways,
              [&] { passes.visit(); });
      if constexpr (sizeof(Low) == 4) {
        compare("steps and products", level, columns, [&] { passes.climb(); });
        compare("residuals and norms", level, sums, [&] { passes.sum(); });
      }
    };
    with_low.template operator()<Half>(strips[0]);
    with_low.template operator()<float>(strips[1]);
    with_low.template operator()<double>(strips[2]);
  }
  if (columns.empty()) {
    throw ConfigurationError(
        fmt::format("no pass can be measured: {} are free on the device, and level {} needs {}",
                    readable_bytes(static_cast<std::size_t>(available)), first,
                    readable_bytes(std::size_t{2 * node_bytes} << (2 * first))));
  }
  for (std::size_t k = 0; k < rule.strips.size(); ++k) {
    tuning.sizes.strips[k] = size_by_times(strips[k], rule.strips[k]);
  }
  tuning.sizes.columns = size_by_times(columns, rule.columns);
  tuning.sizes.sums = size_by_times(sums, rule.sums);
  return tuning;
}

}  // namespace ninefold
