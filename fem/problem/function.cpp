#include "fem/problem/function.hpp"

#include <algorithm>

#include "precision/require.hpp"

namespace ninefold {

Function::Function(std::vector<ProductFunction> products) : products_(std::move(products)) {
  require(!products_.empty(), "a function that is a sum of products needs one at least");
  for (const ProductFunction& term : products_) {
    require(term.x.is_known() && term.y.is_known(), "a function of one direction is not known");
  }
  const auto value = [terms = products_]<class W>(const PointOf<W>& p) -> W {
    W sum = terms.front().at(p);
    for (std::size_t k = 1; k < terms.size(); ++k) sum = sum + terms[k].at(p);
    return sum;
  };
  narrow_ = value;
  const bool wide = std::all_of(products_.begin(), products_.end(), [](const ProductFunction& p) {
    return p.x.has_wide() && p.y.has_wide();
  });
  if (wide) wide_ = value;
}

Function sum_of(const std::vector<std::pair<double, Function>>& terms) {
  std::vector<ProductFunction> products;
  for (const auto& [factor, function] : terms) {
    require(!function.products().empty(), "one of the functions is no sum of products");
    for (ProductFunction product : function.products()) {
      product.factor *= factor;
      products.push_back(std::move(product));
    }
  }
  return Function(std::move(products));
}

Function constant(double value) {
  const LineFunction one([](double, double) { return 1.0; },
                         [](DoubleDouble, DoubleDouble) { return DoubleDouble(1.0); });
  return Function({{value, one, one}});
}

}  // namespace ninefold
