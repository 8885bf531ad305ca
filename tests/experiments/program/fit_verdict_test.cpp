#include "experiments/program/fit_verdict.hpp"

#include <vector>

#include "tests/support/catch.hpp"

using namespace ninefold;
using Catch::Approx;
using Catch::Matchers::ContainsSubstring;

namespace {

/// Runs in formats, with the conditions that they have seen.
class Runs {
 public:
  explicit Runs(const std::vector<Precision>& formats) : plans_(formats.size()) {
    for (std::size_t k = 0; k < formats.size(); ++k) {
      plans_[k].name = "run-" + std::to_string(k + 1);
      plans_[k].configuration.solver.precision = formats[k];
      plans_[k].configuration.least_squares.stated = true;
      all.push_back({.plan = &plans_[k], .name = plans_[k].name});
      all[k].solved.report.outcome = Outcome::converged;
    }
  }
  Runs(const Runs&) = delete;
  Runs& operator=(const Runs&) = delete;

  Configuration& configuration(std::size_t k) { return plans_[k].configuration; }
  void sees(std::size_t k, double condition) {
    all[k].solved.condition = all[k].solved.fit_condition = condition;
  }

 private:
  std::vector<Plan> plans_;

 public:
  std::vector<LeastSquaresRun> all{};
};

constexpr Precision single = Precision::single_, in_double = Precision::double_;

}  // namespace

TEST_CASE("the verdict on a fit is about the error of the answer", "[experiments][least_squares]") {
  Runs runs({single});
  runs.all[0].solved.report.outcome = Outcome::stagnated;  // the gradient is another matter
  runs.sees(0, 100);
  CHECK(fit_verdict(runs.all)
        == "Single is enough: the condition that CGLS has seen, times roundoff, is 100 x 6.0e-08 = 5.96e-06 of x, below a "
           "thousandth.");
  runs.sees(0, 1e5);
  CHECK(fit_verdict(runs.all)
        == "Single is not enough: the condition that CGLS has seen, times roundoff, is 1e+05 x 6.0e-08 = 0.00596 of x, "
           "above a thousandth.");
}

TEST_CASE("a wider format tells what single would do", "[experiments][least_squares]") {
  Runs runs({in_double});
  runs.sees(0, 100);
  CHECK(fit_verdict(runs.all)
        == "Single would be enough: the condition that CGLS has seen, times roundoff, is 100 x 6.0e-08 = 5.96e-06 of x, "
           "below a thousandth; double has 1.11e-14.");
  // A narrow one does not.
  Runs narrow({Precision::bfloat16});
  narrow.sees(0, 3);
  CHECK_THAT(fit_verdict(narrow.all), ContainsSubstring("Whether single is enough is not known"));
}

TEST_CASE("the widest format knows the condition best", "[experiments][least_squares]") {
  Runs runs({single, in_double});
  runs.sees(0, 50);
  runs.sees(1, 1e5);
  CHECK_THAT(
      fit_verdict(runs.all),
      ContainsSubstring(
          "Single is not enough: the condition that CGLS has seen, times roundoff, is 1e+05 x "));
  CHECK(answer_error(runs.all, runs.all[0]).value() == Approx(1e5 * 0x1p-24));
  // Of another lambda it knows nothing.
  runs.configuration(1).least_squares.regularisation = 2;
  CHECK_THAT(fit_verdict(runs.all), ContainsSubstring("Single is enough"));
  runs.all[0].solved.condition.reset();
  runs.all[0].solved.fit_condition.reset();
  CHECK_THAT(fit_verdict(runs.all),
             ContainsSubstring("is not known, nor the condition: single does not see how large it "
                               "is, 1.3e+03 or more"));
}

TEST_CASE("a measured error is believed more than a condition", "[experiments][least_squares]") {
  Runs runs({in_double});
  runs.sees(0, 2);
  runs.all[0].solved.errors.l2 = 0.207;
  CHECK(fit_verdict(runs.all)
        == "Whether single is enough is not known: the error of double is 0.207 of x, though the "
           "condition that CGLS has seen, times roundoff, is 2.22e-16: it has ended before it saw "
           "the rest, which a smaller solver.tolerance shows.");
  // Rounding may leave some of that, and a small error is no reason.
  runs.sees(0, 1e15);
  CHECK_THAT(fit_verdict(runs.all), ContainsSubstring("Single would not be enough"));
  runs.sees(0, 2);
  runs.all[0].solved.errors.l2 = 1e-9;
  CHECK_THAT(fit_verdict(runs.all), ContainsSubstring("Single would be enough"));
}

TEST_CASE("a gradient that may hide the rest is no answer", "[experiments][least_squares]") {
  Runs runs({in_double});
  runs.sees(0, 100);
  runs.all[0].solved.unfinished = 1e-7;
  CHECK_THAT(fit_verdict(runs.all), ContainsSubstring("Single would be enough")
                                        && ContainsSubstring("; double has 1e-07."));
  CHECK(answer_error(runs.all, runs.all[0]).value() == Approx(1e-7));
  runs.all[0].solved.unfinished = 0.3;
  CHECK(fit_verdict(runs.all)
        == "Whether single is enough is not known: what is left of the gradient in double may "
           "stand for 0.3 of x, and hide that the condition is larger than the 100 that CGLS has "
           "seen, which a smaller solver.tolerance shows.");
  CHECK(answer_error(runs.all, runs.all[0]).value() == Approx(0.3));
  runs.all[0].solved.report.outcome = Outcome::stagnated;
  CHECK_THAT(fit_verdict(runs.all), ContainsSubstring("which a wider format shows"));
  // Of corrections, which show no condition, by that of another run.
  Runs mixed({in_double, in_double});
  mixed.sees(0, 100);
  mixed.configuration(1).solver.refinement.inner = {single};
  mixed.all[0].solved.unfinished = 1e-8;
  mixed.all[0].solved.report.true_residual_reduction = 1e-12;
  mixed.all[1].solved.report.true_residual_reduction = 1e-10;
  CHECK(answer_error(mixed.all, mixed.all[1]).value() == Approx(1e-6));
  // Whatever the order, the run that has seen most tells.
  for (const std::size_t first : {0, 1}) {
    Runs two({in_double, in_double});
    two.sees(first, 100);
    two.all[first].solved.unfinished = 0.3;
    two.sees(1 - first, 1e6);
    CHECK_THAT(fit_verdict(two.all), ContainsSubstring("Single would not be enough"));
  }
  // What is decided of one x is not hidden by another.
  Runs several({in_double, in_double});
  several.configuration(1).least_squares.regularisation = 2;
  several.sees(0, 100);
  several.all[0].solved.unfinished = 0.3;
  several.sees(1, 10);
  CHECK_THAT(fit_verdict(several.all), ContainsSubstring("in double, run-1, may stand for 0.3"));
  several.sees(1, 1e6);
  CHECK_THAT(fit_verdict(several.all), ContainsSubstring("Single would not be enough"));
  runs.sees(0, 1e6);  // that is too much already
  CHECK_THAT(fit_verdict(runs.all), ContainsSubstring("Single would not be enough"));
  runs.sees(0, 100);
  runs.all[0].solved.errors.l2 = 1e-9;  // it is known
  CHECK_THAT(fit_verdict(runs.all), ContainsSubstring("Single would be enough"));
}

TEST_CASE("what is not enough is said of both", "[experiments][least_squares]") {
  Runs runs({single, in_double});
  runs.sees(0, 50);
  runs.all[0].solved.errors.l2 = 0.25;
  runs.all[1].solved.errors.l2 = 0.1;
  CHECK_THAT(fit_verdict(runs.all),
             ContainsSubstring("; nor is double, which has 0.1 where it meets "
                               "solver.tolerance: a smaller one may do."));
}

TEST_CASE("a solution that is known measures the error", "[experiments][least_squares]") {
  Runs runs({single, in_double});
  runs.sees(0, 50);
  runs.all[0].solved.errors.l2 = 0.25;
  runs.all[1].solved.errors.l2 = 1e-9;
  CHECK(fit_verdict(runs.all)
        == "Single is not enough: its largest error is 0.25 of x, above a thousandth; double has "
           "1e-09.");
  // Of what the data are made of, noise included, it tells nothing.
  for (LeastSquaresRun& run : runs.all) run.is_measured = true;
  CHECK_THAT(
      fit_verdict(runs.all),
      ContainsSubstring("Single is enough: the condition that CGLS has seen, times roundoff"));
  CHECK(answer_error(runs.all, runs.all[0]).value() == Approx(50 * 0x1p-24));
}

TEST_CASE("it is told why there is no condition", "[experiments][least_squares]") {
  Runs runs({in_double});
  CHECK_THAT(without_condition(runs.all[0]), ContainsSubstring("double does not see"));
  runs.configuration(0).solver.refinement.inner = {single};
  CHECK_THAT(without_condition(runs.all[0]), ContainsSubstring("corrections of few digits"));
  runs.configuration(0).least_squares.lower = 0.0;
  CHECK_THAT(without_condition(runs.all[0]), ContainsSubstring("those out of bounds changes"));
  runs.configuration(0).least_squares.lower.reset();
  runs.configuration(0).solver.refinement.inner.clear();
  runs.all[0].solved.has_fallen = false;
  CHECK_THAT(without_condition(runs.all[0]), ContainsSubstring("has not come far enough"));
  runs.all[0].solved.report.history = {0};
  CHECK(without_condition(runs.all[0]) == "there was nothing to be done");
  runs.all[0].solved.has_fallen = true;
  runs.all[0].solved.report.history = {1, 0.5, 1e-11};
  CHECK_THAT(without_condition(runs.all[0]), ContainsSubstring("double does not see"));
  runs.sees(0, 7);
  CHECK(without_condition(runs.all[0]).empty());
  CHECK(answer_error(runs.all, runs.all[0]));
  runs.all[0].deficiency = 1e-12;
  CHECK_THAT(without_condition(runs.all[0]), ContainsSubstring("takes some v to zero"));
  CHECK(!answer_error(runs.all, runs.all[0]));
  runs.all[0].solved.report.outcome = Outcome::step_limit;
  CHECK(fit_verdict(runs.all)
        == "Whether single is enough is not known: no run has come to an end.");
}

TEST_CASE("a run that is refused says nothing of the error", "[experiments][least_squares]") {
  Runs runs({single, in_double});
  runs.all[0].refusal = "single is too narrow";
  runs.sees(1, 10);
  CHECK_THAT(fit_verdict(runs.all), ContainsSubstring("Single would be enough"));
  CHECK(without_condition(runs.all[0]).empty());
}
