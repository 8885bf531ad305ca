#pragma once
// Catch2 of either version, 2.13 or 3, under version 3's names.  tests/main.cpp alone defines
// CATCH_CONFIG_RUNNER.

#if NINEFOLD_CATCH2 >= 3

#include <catch2/catch_approx.hpp>
#include <catch2/catch_get_random_seed.hpp>
#include <catch2/catch_template_test_macros.hpp>
#include <catch2/catch_test_macros.hpp>
#include <catch2/generators/catch_generators_all.hpp>
#include <catch2/matchers/catch_matchers.hpp>
#include <catch2/matchers/catch_matchers_exception.hpp>
#include <catch2/matchers/catch_matchers_string.hpp>
#ifdef CATCH_CONFIG_RUNNER
#include <catch2/catch_session.hpp>
#include <catch2/reporters/catch_reporter_event_listener.hpp>
#include <catch2/reporters/catch_reporter_registrars.hpp>
#endif

#else

#include <cstdint>
#include <string>

#include <catch2/catch.hpp>

namespace Catch {

using Detail::Approx;

namespace Matchers {
inline auto ContainsSubstring(const std::string& part) {
  return Contains(part);
}
}  // namespace Matchers

inline std::uint32_t getSeed() {
  return rngSeed();
}

#ifdef CATCH_CONFIG_RUNNER
using EventListenerBase = TestEventListenerBase;
#endif

}  // namespace Catch

#endif
