#include "gpu/direct/libraries.hpp"

#include "precision/bad_value.hpp"

#include "tests/support/catch.hpp"

namespace ninefold {
namespace {

TEST_CASE("a library of CUDA that is not there is refused by its name", "[direct]") {
  for (const CudaLibrary library : {CudaLibrary::cublas, CudaLibrary::cusolver}) {
    try {
      (void)find_function(library, 9999, "none");
      FAIL("no refusal");
    } catch (const BadValue& refused) {
      const std::string said = refused.what();
      CAPTURE(said);
      CHECK(refused.parameter() == Parameter::method);
      CHECK(refused.value() == "fast-diagonalisation");
      CHECK(said.find(name_of(library)) != std::string::npos);
      CHECK(said.find(".so.9999") != std::string::npos);
    }
  }
}

}  // namespace
}  // namespace ninefold
