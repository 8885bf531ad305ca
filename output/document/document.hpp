#pragma once
// A document made of blocks, written as a page, as Markdown or as text.
//
// Shape.  Sections of blocks.  The page shows all of them, those that stand aside last; Markdown
// and text leave out what is of the page alone, and figures, whose numbers are in tables.
//
// Tests.  tests/output/document/document_test.cpp, tests/output/document/page.py

#include <array>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "output/tables/table.hpp"

namespace ninefold {

/// Text of one or several lines.
struct Paragraph {
  std::string text;
};

/// Text whose lines stay as they are.
struct Preformatted {
  std::string text;
};

/// A sentence that leads elsewhere; of a page alone.
struct Link {
  std::string text, target;
};

/// A list of remarks.
struct Items {
  std::vector<std::string> texts;
};

/// Names and what they stand for; those without a text are left out.
struct Facts {
  std::vector<std::pair<std::string, std::string>> entries;
};

struct TableBlock {
  std::string title;
  Table table;
  std::vector<std::string> row_ids{};  ///< for links to rows; none, or one for each
  /// Where cells lead: none, or one list for each row, from its first cell on; may be empty.
  std::vector<std::vector<std::string>> links{};
  /// What a page draws in the cell of each row in the column "curve": none, or one for each.
  std::vector<std::vector<double>> curves{};
  std::string id{};  ///< of its title, for links; may be empty
};

struct FigurePoint {
  double x = 0, y = 0;  ///< left out unless finite and, on a logarithm, above zero
  std::string link{};
  std::string label{};  ///< written beside it; may be empty
};

struct FigureSeries {
  std::string name;
  std::vector<FigurePoint> points;
  bool is_reference = false;  ///< dashed, without marks
};

/// Curves in a frame.
struct Figure {
  std::string title, description, x_label, y_label;
  std::vector<FigureSeries> series{};
  bool logarithmic_x = false;  ///< y always has a logarithm
};

/// A raster image with its scale of colours, or a file beside the page.
struct Image {
  std::string title, description;
  std::string png;             ///< the bytes, shown by the page
  std::string least, largest;  ///< what the ends of its colours stand for; empty: no scale
  std::string file{};          ///< beside the document; for Markdown and text
  std::string place{};         ///< in words where it is largest; may be empty
  /// What the coordinates are at the left and the right side, below and above; may be empty.
  std::array<std::string, 4> sides{};
};

/// Images side by side.
struct Gallery {
  std::vector<Image> images;
  std::string id{};  ///< for links; may be empty
};

using Block =
    std::variant<Paragraph, Preformatted, Link, Items, Facts, TableBlock, Figure, Image, Gallery>;

struct Section {
  std::string id, title;  ///< both may be empty
  std::vector<Block> blocks{};
  bool of_page = false;  ///< not in Markdown and text
  bool aside = false;    ///< on a page behind those that are not
};

/// How far what a document tells of has come.
enum class Progress { complete, running, failed };

struct Article {
  std::string title, subtitle{};
  Progress progress = Progress::complete;
  std::string progress_text{};               ///< a sentence; may be empty if complete
  std::vector<std::string> summary{};        ///< for the first screenful of a page
  std::vector<std::string> summary_links{};  ///< where its lines lead: none, or one for each
  std::vector<Section> sections{};
  Link origin{};  ///< what a page says behind the subtitle, and where that leads; may be empty
};

std::string to_markdown(const Article& document);
std::string to_text(const Article& document);

/// True if the point has a place in the figure.
bool is_shown(const Figure& figure, const FigurePoint& point);

/// Letters, digits, '.', '_' and '-' of a text, "-over-" for a ':' between two of these, '-' for
/// all others: for links and names of files.
std::string identifier(const std::string& text);

}  // namespace ninefold
