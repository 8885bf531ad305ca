#include "gpu/direct/dense_product.hpp"

#include <random>
#include <vector>

#include "tests/support/catch.hpp"

namespace ninefold {
namespace {

/// Integers, so that no order rounds.
template <class T>
void check_products() {
  const Host host;
  const DenseProducts<Host, T> products(host);
  std::mt19937 random(7);
  std::uniform_int_distribution<int> draw(-8, 8);
  struct Shape {
    int m, n, k;
  };
  for (const Shape& s : {Shape{1, 1, 1}, Shape{3, 2, 5}, Shape{8, 6, 4}, Shape{97, 101, 33},
                         Shape{200, 13, 517}, Shape{5, 193, 1025}}) {
    for (const Turned a_turned : {Turned::no, Turned::yes}) {
      for (const Turned b_turned : {Turned::no, Turned::yes}) {
        const bool ta = a_turned == Turned::yes, tb = b_turned == Turned::yes;
        const int a_rows = ta ? s.k : s.m, b_rows = tb ? s.n : s.k;
        const std::ptrdiff_t a_stride = a_rows + 3, b_stride = b_rows + 1, c_stride = s.m + 2;
        std::vector<T> a(a_stride * (ta ? s.m : s.k)), b(b_stride * (tb ? s.k : s.n));
        for (T& value : a) value = static_cast<T>(draw(random));
        for (T& value : b) value = static_cast<T>(draw(random));
        std::vector<T> c(c_stride * s.n, T(99));
        products.multiply(s.m, s.n, s.k, {a.data(), a_stride, a_turned},
                          {b.data(), b_stride, b_turned}, {c.data(), c_stride});
        int wrong = 0;
        for (int j = 0; j < s.n; ++j) {
          for (int i = 0; i < s.m; ++i) {
            T sum = 0;
            for (int t = 0; t < s.k; ++t) {
              sum += (ta ? a[i * a_stride + t] : a[t * a_stride + i])
                     * (tb ? b[t * b_stride + j] : b[j * b_stride + t]);
            }
            wrong += c[j * c_stride + i] == sum ? 0 : 1;
          }
          // What lies between columns is the caller's.
          for (std::ptrdiff_t i = s.m; i < c_stride; ++i)
            wrong += c[j * c_stride + i] == T(99) ? 0 : 1;
        }
        CAPTURE(s.m, s.n, s.k, ta, tb);
        CHECK(wrong == 0);
      }
    }
  }
}

TEST_CASE("dense products of any shape, turned or not, are exact for integers", "[direct]") {
  check_products<double>();
  check_products<float>();
}

}  // namespace
}  // namespace ninefold
