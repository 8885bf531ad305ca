// The entry of every test program.  A test that needs a device ends with status 77 where there is
// none, which ctest reports as skipped: Catch2 2 has no skipping of its own.  So does a run whose
// test cases have all called skip().

#define CATCH_CONFIG_RUNNER
#include <algorithm>
#include <cstdlib>
#include <iostream>

#include "tests/support/catch.hpp"
#include "tests/support/skip.hpp"

#ifdef NINEFOLD_REHEARSED
#include "tests/support/device.hpp"

static bool can_run() {
  omp_set_num_threads(ninefold::testing::threads_of_host);
  std::cout << "rehearsed: the host in place of a device; of kernels this says nothing"
            << std::endl;
  return true;
}
#elif defined NINEFOLD_TESTS_NEED_CUDA
#include "solvers/solve.hpp"

static bool can_run() {
  const auto all = ninefold::devices();
  return std::any_of(all.begin(), all.end(), [](const ninefold::DeviceInfo& device) {
    return device.kind == ninefold::BackendKind::cuda;
  });
}
#else
static bool can_run() {
  return true;
}
#endif

/// Ends a run that needs a device where there is none, and counts the test cases.  Lists of names,
/// which ctest asks for at build time, are no runs.
struct Watch : Catch::EventListenerBase {
  static inline int n_cases = 0;

  using Catch::EventListenerBase::EventListenerBase;
  void testRunStarting(const Catch::TestRunInfo&) override {
    if (can_run()) return;
    std::cerr << "skipped: no CUDA device\n";
    std::exit(77);
  }
  void testCaseStarting(const Catch::TestCaseInfo&) override { ++n_cases; }
};
CATCH_REGISTER_LISTENER(Watch)

int main(int argc, char* argv[]) {
  Catch::Session session;
  session.configData().rngSeed = 0;  // what fails once fails again, in Catch2 3 too
  if (const int wrong = session.applyCommandLine(argc, argv); wrong != 0) return wrong;
  // Catch2 returns the number of failures, which could be 77.
  if (session.run() != 0) return 1;
  const int skipped = ninefold::testing::n_skipped;
  return skipped > 0 && skipped == Watch::n_cases ? 77 : 0;
}
