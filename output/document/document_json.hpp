#pragma once
// Documents as JSON: what one program leaves for a page that another makes of several.
//
// Tests.  tests/output/document/document_test.cpp

#include <nlohmann/json_fwd.hpp>

#include "output/document/document.hpp"

namespace ninefold {

/// Text that is no UTF-8 is replaced where it is dumped.
nlohmann::ordered_json document_json(const Article& document);

/// The document; throws std::runtime_error, which says what is wrong, if it is not one.
Article document_of(const nlohmann::ordered_json& json);

}  // namespace ninefold
