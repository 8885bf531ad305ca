#include "gpu/backend/messenger.hpp"

#include <stdexcept>
#include <thread>
#include <vector>

#include "tests/support/catch.hpp"

namespace ninefold {
namespace {

TEST_CASE("a messenger does one task after the other, in its own thread", "[messenger]") {
  Messenger messenger;
  std::vector<std::thread::id> ids;
  for (int k = 0; k < 100; ++k) {
    messenger.run([&] { ids.push_back(std::this_thread::get_id()); });
    REQUIRE(ids.size() == static_cast<std::size_t>(k) + 1);
    REQUIRE(ids.back() == ids.front());
  }
  CHECK(ids.front() != std::this_thread::get_id());
}

TEST_CASE("a messenger brings back what a task throws, and goes on", "[messenger]") {
  Messenger messenger;
  CHECK_THROWS_WITH(messenger.run([] { throw std::runtime_error("no answer"); }), "no answer");
  bool done = false;
  CHECK_NOTHROW(messenger.run([&] { done = true; }));
  CHECK(done);
}

}  // namespace
}  // namespace ninefold
