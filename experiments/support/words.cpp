#include "experiments/support/words.hpp"

#include <algorithm>
#include <cctype>
#include <cstddef>
#include <iterator>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace ninefold {
namespace {

struct Word {
  std::string_view name, meaning;
  /// By which it is found, if not by its name: "=now" by a heading or cell that says this alone.
  std::vector<std::string_view> found_by{};
};

const std::vector<Word>& all_words() {
  static const std::vector<Word> words{
      {"level", "the square has 2^level cells along each side"},
      {"plain form", "a row of the matrix times the values of its nodes", {"plain"}},
      {"difference form",
       "the same by differences to the middle node, with less rounding",
       {"difference"}},
      {"double:single, outer:inner",
       "the solution and its residual in double, corrections in single; of counts: steps of the "
       "one, iterations of the other",
       {"double:single", "outer:inner"}},
      {"double over single", "the same: double outside, corrections in single"},
      {"inner: single, inner: none",
       "the format of the corrections; none: they are in that of the solution",
       {"inner: single", "inner: none", "refinement.inner_precision"}},
      {"double-single, double-double",
       "a value as the sum of two singles, or two doubles",
       {"double-single", "double-double"}},
      {"discretisation error",
       "of the exact solution of the discrete equations: what is left when no iteration and no "
       "rounding leaves anything"},
      {"algebraic share",
       "what the iteration is estimated to leave, over the discretisation error"},
      {"l2, rms", "errors: the integral's norm; the root mean square of the nodes", {"l2", "rms"}},
      {"wall", "the first level from which on a format is off the exact error by 10 %"},
      {"enough",
       "what iteration and rounding leave is at most a tenth of the discretisation error",
       {"=enough"}},
      {"i1, d1",
       "the inner solver stops after one iteration; after one digit",
       {"i1", "d1", "i100"}},
      {"CG", "conjugate gradients"},
      {"MG_JAC, MG_ADITRIGS",
       "multigrid smoothed by Jacobi steps; by lines along x and y in turn",
       {"MG_JAC", "MG_ADITRIGS"}},
      {"2+2 steps, F-cycle",
       "of the smoother, before and after each coarser correction; a cycle that visits coarse "
       "grids "
       "more often than a V-cycle",
       {"2+2", "F-cycles"}},
      {"full multigrid",
       "begins on the coarsest grid, interpolates to the next finer one and corrects there: at the "
       "finest it begins near the discretisation error",
       {"full multigrid", "Full multigrid"}},
      {"to the tolerance",
       "until the residual has fallen to the tolerance, what comes before it included"},
      {"corrections", "cycles of the finest level after the nested iteration", {"=corrections"}},
      {"s23e11", "a format of software, with 23 bits of mantissa and 11 of exponent"},
      {"converged", "the residual, or the error, has met the tolerance"},
      {"stagnated", "the residual no longer fell before the tolerance was met"},
      {"stored, computed, factored",
       "rows of the matrix: their entries in memory; computed from the cells when they are needed; "
       "applied as products along x and y, without entries",
       {"computed, stored", "factored"}},
      {"refined", "the residual after one step of iterative refinement", {"=refined"}},
      {"kernels", "functions that the device has run", {"=kernels"}},
      {"per unknown", "the time over the number of nodes that are solved for"},
      {"moved per unknown", "bytes that the operations read and write, as they declare"},
      {"rate over plain memory movement",
       "bytes moved in a second, over those of a plain copy (device) or triad (host)"},
      {"values kept per unknown", "what the solver holds, in numbers of its format"},
      {"with estimates", "a whole run whose three errors are estimated, too"},
      {"judgement and errors",
       "what a level takes after its iteration: whether it has converged, and its errors"},
      {"graded", "cells refined towards two sides", {"=graded"}},
      {"before, now, points",
       "programs: of an earlier commit; of the commits in the row; with formulas evaluated point "
       "by "
       "point",
       {"=before", "=now", "=points"}},
      {"fast diagonalisation", "a direct solver, by eigenvectors along x and y"}};
  return words;
}

bool is_of_word(char c) {
  return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '-' || c == '_';
}

bool has_word(std::string_view text, std::string_view word) {
  for (std::size_t at = text.find(word); at != std::string_view::npos;
       at = text.find(word, at + 1)) {
    const std::size_t end = at + word.size();
    if ((at == 0 || !is_of_word(text[at - 1])) && (end == text.size() || !is_of_word(text[end]))) {
      return true;
    }
  }
  return false;
}

bool has_line(const std::string& text, std::string_view line) {
  return text.find("\n" + std::string(line) + "\n") != std::string::npos;
}

/// Of lines, the first of which is empty.
Facts words_of(const std::string& text) {
  Facts facts;
  for (const Word& word : all_words()) {
    const auto is_there = [&](std::string_view by) {
      return by.starts_with('=') ? has_line(text, by.substr(1)) : has_word(text, by);
    };
    if (word.found_by.empty() ? is_there(word.name)
                              : std::any_of(word.found_by.begin(), word.found_by.end(), is_there)) {
      facts.entries.emplace_back(word.name, word.meaning);
    }
  }
  return facts;
}

void add_line(std::string& text, std::string line) {
  std::replace(line.begin(), line.end(), '\n', ' ');
  text += line + "\n";
}

void add_text(std::string& text, const TableBlock& block) {
  add_line(text, block.title);
  for (const Column& column : block.table.columns()) {
    if (!column.data_only) add_line(text, column.header);
  }
  for (const auto& row : block.table.rows()) {
    for (const Cell& cell : row) {
      if (const auto* words = std::get_if<std::string>(&cell)) add_line(text, *words);
    }
  }
}
void add_text(std::string& text, const Paragraph& block) {
  add_line(text, block.text);
}
void add_text(std::string& text, const Figure& block) {
  add_line(text, block.title);
  for (const FigureSeries& series : block.series) add_line(text, series.name);
}
template <class Other>
void add_text(std::string&, const Other&) {}

}  // namespace

Facts words_in(const TableBlock& block) {
  std::string text = "\n";
  add_text(text, block);
  return words_of(text);
}

Section problem_section(const std::vector<std::string>& experiments) {
  static constexpr std::string_view of_matrices[] = {
      "fill",           "sparse_product_ratios", "sparse_cg_precision", "vector_operations",
      "mesh_precision", "reconstruction",        "several_devices"};
  const auto has_matrix = [](const std::string& name) {
    return std::find(std::begin(of_matrices), std::end(of_matrices), name) != std::end(of_matrices);
  };
  Section section{"problem", "The problem", {}};
  if (!std::all_of(experiments.begin(), experiments.end(), has_matrix)) {
    section.blocks.emplace_back(Paragraph{
        "-div(grad u) = f on the rectangle [0, X] x [0, 1], with u given on its boundary; "
        "bilinear finite elements, nine entries in each row of the matrix.  In all tests f is "
        "such that u = x (X - x) y (1 - y), zero on the boundary, so that the error is known.  "
        "Test A: X = 1 and equal cells; B to D: narrower rectangles; E to I: X = 1 with cells "
        "refined towards two sides.  The paper beside whose numbers ours stand: D. Goeddeke, "
        "R. Strzodka, S. Turek, Performance and accuracy of hardware-oriented native-, "
        "emulated- and mixed-precision solvers in FEM simulations, Int. J. Parallel Emergent "
        "Distrib. Syst. 22(4), 2007."});
  }
  if (std::any_of(experiments.begin(), experiments.end(), has_matrix)) {
    section.blocks.emplace_back(Paragraph{
        "A x = b with sparse matrices that are made here, in the shapes of the papers' own, and "
        "for the most part with b = A 1, so that the error is known; least squares of such.  The "
        "papers: L. Buatois, G. Caumon, B. Levy, Concurrent number cruncher, Int. J. Parallel "
        "Emergent Distrib. Syst. 24(3), 2009; A. Cevahir, A. Nukada, S. Matsuoka, Fast conjugate "
        "gradients with multiple GPUs, ICCS 2009; and of least squares F. Stock, A. Koch, A fast "
        "GPU implementation for solving sparse ill-posed linear equation systems."});
  }
  return section;
}

Section words_section(const Article& document) {
  std::string text = "\n";
  for (const std::string& line : document.summary) add_line(text, line);
  for (const Section& section : document.sections) {
    add_line(text, section.title);
    for (const Block& block : section.blocks) {
      std::visit([&](const auto& one) { add_text(text, one); }, block);
    }
  }
  Facts facts = words_of(text);
  if (facts.entries.empty()) return {};
  return {"words", "Words", {std::move(facts)}, true};
}

}  // namespace ninefold
