#pragma once
// What differs between test programs: where their cases can run.

namespace ninefold::testing {

/// Asked before the first case; false where there is no device that the program needs.
bool can_run();

}  // namespace ninefold::testing
