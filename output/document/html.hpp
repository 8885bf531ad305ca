#pragma once
// A document as one page that holds all it needs: styles, scripts, pictures.
//
// Shape.  Every table and picture is seen without scripts; with them tables sort and can be copied,
// and figures become those of Vega.  A build without these libraries says so on each page.
// The same document gives the same bytes.
//
// Tests.  tests/output/document/document_test.cpp, tests/output/document/page.py

#include <cstddef>
#include <string>

#include "output/document/document.hpp"

namespace ninefold {

/// The page.
std::string to_html(const Article& document);

/// Where a page that is not complete can be told to be interrupted without writing it anew: the
/// bytes [at, at + length) of its sentence on progress.
struct ProgressPlace {
  std::size_t at = 0, length = 0;
};
ProgressPlace progress_place(const std::string& page);

}  // namespace ninefold
