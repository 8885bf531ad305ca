#include "solvers/devices.hpp"

#include <type_traits>

#include "gpu/backend/backend.hpp"

#include "solvers/with_backend.hpp"

#include "tests/support/catch.hpp"

using namespace ninefold;
using Catch::Matchers::ContainsSubstring;
using Catch::Matchers::StartsWith;

TEST_CASE("a backend that is not there is refused by name", "[solvers][backend]") {
  CHECK(choose_backend("host") == BackendKind::host);
  CHECK_FALSE(is_device(BackendKind::host));
  CHECK(is_device(BackendKind::cuda));
  CHECK_THROWS_WITH(choose_backend("opencl"),
                    ContainsSubstring("opencl") && ContainsSubstring("\"cuda\""));
  if (devices().size() == 1) {
    CHECK(choose_backend("auto") == BackendKind::host);
    CHECK_THROWS_WITH(choose_backend("cuda"), ContainsSubstring("not possible here"));
  }
}

TEST_CASE("the host says its threads and what instructions it computes with",
          "[solvers][backend]") {
  const HostDescription host = describe_host();
  CHECK(devices().front().detail == host.detail);
  CHECK_THAT(host.detail, StartsWith(std::to_string(host.threads)
                                     + (host.threads == 1 ? " thread" : " threads")));
  CHECK(host.detail.ends_with(host_instructions()));
#ifdef __x86_64__
  CHECK((host_instructions() == "AVX2" || host_instructions() == "AVX-512"));
#endif
}

TEST_CASE("why there is no CUDA device is said where one was hoped for", "[solvers][backend]") {
  const std::string reason = why_no_cuda();
  CHECK(reason.empty() == (devices().size() > 1 || !built_with_cuda()));
  CHECK(reason.find('\n') == std::string::npos);
  if (!reason.empty()) CHECK_THROWS_WITH(choose_backend("cuda"), ContainsSubstring(reason));
}

TEST_CASE("from the kind of a backend to its type", "[solvers][backend]") {
  const auto is_host = [](const auto& on) {
    return std::is_same_v<std::remove_cvref_t<decltype(on)>, Host>;
  };
  CHECK(with_backend(BackendKind::host, is_host));
  if (!built_with_cuda()) {
    CHECK_THROWS_WITH(with_backend(BackendKind::cuda, is_host), ContainsSubstring("no CUDA"));
  }
}
