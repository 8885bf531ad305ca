#include "experiments/paper.hpp"

#include <algorithm>
#include <cstddef>
#include <stdexcept>
#include <string>

namespace ninefold {
namespace {

constexpr std::nullopt_t absent = std::nullopt;

// clang-format off
// level; single: cycles, error, reduction; double: cycles, error, reduction
constexpr SolverPrecisionRow table_2[] = {
    { 2, 1, 2.391e-3, absent, 1, 2.391e-3, absent},
    { 3, 2, 5.950e-4, 4.02, 2, 5.950e-4, 4.02},
    { 4, 2, 1.493e-4, 3.98, 2, 1.493e-4, 3.99},
    { 5, 2, 3.750e-5, 3.98, 2, 3.728e-5, 4.00},
    { 6, 2, 1.021e-5, 3.67, 2, 9.304e-6, 4.01},
    { 7, 2, 6.691e-6, 1.53, 2, 2.323e-6, 4.01},
    { 8, 2, 2.012e-5, 0.33, 2, 5.801e-7, 4.00},
    { 9, 2, 7.904e-5, 0.25, 2, 1.449e-7, 4.00},
    {10, 2, 3.593e-4, 0.22, 2, 3.626e-8, 4.00},
};

// test, level; CG: iterations, rate; MG_JAC: cycles, rate; error
constexpr ConvergenceRow table_7[] = {
    {'A', 8,  342, 0.9349, 8, 0.0604, 5.7816e-7},
    {'A', 9,  676, 0.9665, 8, 0.0606, 1.4454e-7},
    {'B', 8,  859, 0.9735, 8, 0.0468, 1.7652e-8},
    {'B', 9, 1731, 0.9868, 8, 0.0529, 4.4131e-9},
    {'C', 8, 1568, 0.9854, 31, 0.4715, 5.4048e-10},
    {'C', 9, 3198, 0.9928, 31, 0.4688, 1.3512e-10},
    {'D', 8, 1570, 0.9854, absent, absent, 1.7387e-34},
    {'D', 9, 2810, 0.9918, absent, absent, 4.3450e-35},
};

// steps; cycles, rate
constexpr SmoothingRow section_8_3[] = {
    {32,  16, 0.23},
    {16,  31, 0.47},
    { 8,  61, 0.68},
    { 4, 121, 0.83},
};

// table, level; iterations, error
constexpr CpuRow tables_a[] = {
    {"A1",  5,   42, 2.607000747e-5},
    {"A1",  6,   85, 6.613757931e-6},
    {"A1",  7,  171, 1.666003669e-6},
    {"A1",  8,  342, 4.181054493e-7},
    {"A1",  9,  676, 1.047283078e-7},
    {"A1", 10, 1357, 2.620418257e-8},
    {"A2",  5,    8, 2.607000747e-5},
    {"A2",  6,    8, 6.613757930e-6},
    {"A2",  7,    8, 1.666003671e-6},
    {"A2",  8,    8, 4.181054499e-7},
    {"A2",  9,    8, 1.047283072e-7},
    {"A2", 10,    8, 2.620418261e-8},
    {"A3",  5,    7, 2.607000747e-5},
    {"A3",  6,    7, 6.613757934e-6},
    {"A3",  7,    7, 1.666003670e-6},
    {"A3",  8,    7, 4.181054493e-7},
    {"A3",  9,    6, 1.047283071e-7},
    {"A3", 10,    6, 2.620418265e-8},
};

// test, level; l2, rms
constexpr ExactErrors exact_errors[] = {
    {'A',  2, 2.388786869e-3, 1.440034921e-3},
    {'A',  3, 5.934194836e-4, 3.868881339e-4},
    {'A',  4, 1.480971626e-4, 1.014570992e-4},
    {'A',  5, 3.700786381e-5, 2.607000747e-5},
    {'A',  6, 9.250934355e-6, 6.613757945e-6},
    {'A',  7, 2.312669037e-6, 1.666003722e-6},
    {'A',  8, 5.781632237e-7, 4.181056693e-7},
    {'A',  9, 1.445405537e-7, 1.047291775e-7},
    {'A', 10, 3.613512265e-8, 2.620777584e-8},
    {'A', 11, absent,         6.555137697e-9},
    {'A', 12, absent,         1.639184177e-9},
    {'A', 13, absent,         4.098460469e-10},
    {'A', 14, absent,         1.024677641e-10},
    {'A', 15, absent,         2.561772272e-11},
    {'B',  2, 7.406250844e-5, 9.185882041e-5},
    {'B',  3, 1.821151366e-5, 2.485387559e-5},
    {'B',  4, 4.528031428e-6, 6.509600921e-6},
    {'B',  5, 1.130319839e-6, 1.671597469e-6},
    {'B',  6, 2.824720367e-7, 4.239917301e-7},
    {'B',  7, 7.061122446e-8, 1.067982056e-7},
    {'B',  8, 1.765238144e-8, 2.680209381e-8},
    {'B',  9, 4.413068809e-9, 6.713500505e-9},
    {'B', 10, 1.103265543e-9, 1.680007285e-9},
    {'C',  2, 2.306328090e-6, 5.933840244e-6},
    {'C',  3, 5.636188130e-7, 1.633385667e-6},
    {'C',  4, 1.392853921e-7, 4.289296198e-7},
    {'C',  5, 3.465891661e-8, 1.098907601e-7},
    {'C',  6, 8.652028050e-9, 2.783821955e-8},
    {'C',  7, 2.162152355e-9, 7.009393760e-9},
    {'C',  8, 5.404835750e-10, 1.758899431e-9},
    {'C',  9, 1.351174687e-10, 4.405651134e-10},
    {'C', 10, 3.377915283e-11, 1.102476730e-10},
    {'D',  2, 7.466935839e-31, 1.526204724e-25},
    {'D',  3, 1.824217357e-31, 4.225850648e-26},
    {'D',  4, 4.504406674e-32, 1.118705840e-26},
    {'D',  5, 1.119006762e-32, 2.881535650e-27},
    {'D',  6, 2.788604478e-33, 7.314670689e-28},
    {'D',  7, 6.960343701e-34, 1.842843442e-28},
    {'D',  8, 1.738688304e-34, 4.625035106e-29},
    {'D',  9, 4.344972680e-35, 1.158512692e-29},
    {'D', 10, 1.086024594e-35, 2.899107372e-30},
};
// clang-format on

/// The first row that fits, or nullptr.
template <class Row, std::size_t N, class Fits>
const Row* find_row(const Row (&rows)[N], Fits fits) {
  const Row* const found = std::find_if(rows, rows + N, fits);
  return found == rows + N ? nullptr : found;
}

}  // namespace

std::span<const SolverPrecisionRow> paper_table_2() {
  return table_2;
}

std::span<const ConvergenceRow> paper_table_7() {
  return table_7;
}

std::span<const SmoothingRow> paper_section_8_3() {
  return section_8_3;
}

std::span<const CpuRow> paper_tables_a() {
  return tables_a;
}

std::span<const ExactErrors> all_exact_errors() {
  return exact_errors;
}

const SolverPrecisionRow* find_solver_precision(int level) {
  return find_row(table_2, [=](const auto& row) { return row.level == level; });
}

const ConvergenceRow* find_convergence(char test, int level) {
  return find_row(table_7, [=](const auto& row) { return row.test == test && row.level == level; });
}

const CpuRow* find_cpu(std::string_view table, int level) {
  return find_row(tables_a,
                  [=](const auto& row) { return row.table == table && row.level == level; });
}

const ExactErrors* find_exact_errors(char test, int level) {
  return find_row(exact_errors,
                  [=](const auto& row) { return row.test == test && row.level == level; });
}

double width_of_test(char test) {
  switch (test) {
    case 'A':
      return 1.0;
    case 'B':
      return 0.25;
    case 'C':
      return 0.0625;
    case 'D':
      return 1e-11;
    default:
      throw std::invalid_argument(std::string("there is no rectangle of test ") + test);
  }
}

}  // namespace ninefold
