// The same by AVX-512, whatever all other tests are compiled for.
#include "gpu/launch/eight_numbers.hpp"
static_assert(NINEFOLD_HAS_AVX512 == 1);

#include "tests/gpu/operations/near_sums_test.cpp"
