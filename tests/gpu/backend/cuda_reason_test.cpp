#include "gpu/backend/cuda_reason.hpp"

#include "tests/support/catch.hpp"

using namespace ninefold;

TEST_CASE("a driver that is older than the build is said with both versions", "[gpu][backend]") {
  CudaFacts facts;
  facts.driver = 12020;
  facts.runtime = 13000;
  CHECK(cuda_reason(CudaProblem::old_driver, facts)
        == "the NVIDIA driver is for CUDA 12.2, this build is by CUDA 13.0: it needs a newer driver, "
           "or a build by an older toolkit");
  facts.driver = 0;
  CHECK(cuda_reason(CudaProblem::old_driver, facts) == "there is no NVIDIA driver");
}

TEST_CASE("a device without code in the build is said with what would help", "[gpu][backend]") {
  CudaFacts facts;
  facts.name = "Tesla T4";
  facts.capability = 75;
  facts.architectures = {800, 900, 1000};
  CHECK(cuda_reason(CudaProblem::no_code, facts)
        == "Tesla T4 has compute capability 7.5, and this build has code for 8.0, 9.0, 10.0: build "
           "it with CMAKE_CUDA_ARCHITECTURES=75");
}

TEST_CASE("a device that no build has code for is not to be built for", "[gpu][backend]") {
  CudaFacts facts;
  facts.name = "Tesla P100";
  facts.capability = 60;
  facts.architectures = {750, 800, 900};
  CHECK(cuda_reason(CudaProblem::no_code, facts)
        == "Tesla P100 has compute capability 6.0; devices below 7.0 are not supported");
  facts.capability = 70;
  CHECK(cuda_reason(CudaProblem::no_code, facts).ends_with("CMAKE_CUDA_ARCHITECTURES=70"));
}

TEST_CASE("every reason why CUDA cannot be used is one line", "[gpu][backend]") {
  CudaFacts facts;
  facts.message = "device is busy";
  for (const CudaProblem problem : {CudaProblem::no_device, CudaProblem::old_driver,
                                    CudaProblem::no_code, CudaProblem::other}) {
    const std::string reason = cuda_reason(problem, facts);
    CHECK_FALSE(reason.empty());
    CHECK(reason.find('\n') == std::string::npos);
  }
  CHECK(cuda_reason(CudaProblem::other, facts) == "no CUDA device can be used: device is busy");
}
