// The entry of every test program, compiled once, since it holds all of Catch2 2.  A test that
// needs a device ends with status 77 where there is none, which ctest reports as skipped: Catch2 2
// has no skipping of its own.  So does a run whose test cases have all called skip().

#define CATCH_CONFIG_RUNNER
#include <cstdlib>
#include <iostream>

#include "tests/support/can_run.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/skip.hpp"

/// Ends a run that needs a device where there is none, and counts the test cases.  Lists of names,
/// which ctest asks for at build time, are no runs.
struct Watch : Catch::EventListenerBase {
  static inline int n_cases = 0;

  using Catch::EventListenerBase::EventListenerBase;
  void testRunStarting(const Catch::TestRunInfo&) override {
    if (ninefold::testing::can_run()) return;
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
