#pragma once
// That the operations are compiled in the library: for files that see their definitions and could
// compile them anew, with flags of their own.  Include it after them.

#include "precision/double_word.hpp"
#include "precision/half.hpp"
#include "precision/soft_float.hpp"

#include "gpu/compiled/mixed_operations.hpp"
#include "gpu/compiled/nested_operations.hpp"
#include "gpu/compiled/operations.hpp"
#include "gpu/compiled/vector_operations.hpp"

namespace ninefold {

#define NINEFOLD_FORMAT(kind, T, role)         \
  NINEFOLD_VECTOR_OPERATIONS(extern, Host, T); \
  NINEFOLD_OPERATIONS(extern, Host, T);        \
  NINEFOLD_LINE_OPERATIONS(extern, Host, T);   \
  NINEFOLD_NESTED_OPERATIONS(extern, Host, T); \
  NINEFOLD_COMPUTED_ROWS(extern, Host, T);
#define NINEFOLD_SOFTWARE_FORMAT(kind, T, role) NINEFOLD_FORMAT(kind, T, role)
#define NINEFOLD_PAIR(High, Low)                            \
  NINEFOLD_VECTOR_PAIR_OPERATIONS(extern, Host, High, Low); \
  NINEFOLD_PAIR_OPERATIONS(extern, Host, High, Low);        \
  NINEFOLD_NESTED_PAIR_OPERATIONS(extern, Host, High, Low);
#include "precision/formats.def"

}  // namespace ninefold
