#pragma once
// The ways in which rows are applied: forms of stored entries, and factors.  (Computed entries have
// the bits of stored ones.)

#include "fem/matrix/nine_band.hpp"
#include "fem/matrix/row_source.hpp"

namespace ninefold::testing {

struct RowKind {
  OperatorForm form;
  OperatorStorage storage;
};

inline constexpr RowKind row_kinds[] = {{OperatorForm::plain, OperatorStorage::stored},
                                        {OperatorForm::difference, OperatorStorage::stored},
                                        {OperatorForm::difference, OperatorStorage::factored}};

}  // namespace ninefold::testing
