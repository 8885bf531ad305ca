#include "experiments/paper/paper.hpp"

#include <algorithm>
#include <cstddef>
#include <iterator>
#include <stdexcept>
#include <string>

namespace ninefold {
namespace {

constexpr std::nullopt_t absent = std::nullopt;

// clang-format off
// level; half, single, double
constexpr InputPrecisionRow table_1[] = {
    {8, 2.333e-6, 7.718e-10, 2.750e-13},
    {9, 1.008e-6, 7.726e-10, 1.051e-12},
};

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

// multiplier, mantissa; slices, blocks, pins, MHz
constexpr AreaRow table_6[] = {
    {"PipeLUT", 17,  4517,   0,  498,  71},
    {"PipeLUT", 20,  5102,   0,  549,  67},
    {"PipeLUT", 23,  5812,   0,  600,  66},
    {"PipeLUT", 28,  6976,   0,  685,  64},
    {"PipeLUT", 36,  9391,   0,  821,  53},
    {"PipeLUT", 44, 11458,   0,  957,  51},
    {"PipeLUT", 52, 14545,   0, 1093,  49},
    {"MUL18x18", 17,  4449,  12,  498, 134},
    {"MUL18x18", 20,  4902,  48,  549,  87},
    {"MUL18x18", 23,  5412,  57,  600,  85},
    {"MUL18x18", 28,  6257,  60,  685,  82},
    {"MUL18x18", 36,  7611,  60,  821,  65},
    {"MUL18x18", 44,  8946, 135,  957,  61},
    {"MUL18x18", 52, 10271, 135, 1093,  59},
};

// test; width, nu; MG_JAC: steps, damping
constexpr TestGrid test_grids[] = {
    {'A', 1.0,    1.0,     {  2, 0.8}},
    {'B', 0.25,   1.0,     { 64, 0.192}},
    {'C', 0.0625, 1.0,     { 64, 0.6}},
    {'D', 1e-11,  1.0,     { 64, 0.6}},
    {'E', 1.0,    0.75,    { 32, 0.6}},
    {'F', 1.0,    0.5,     {128, 0.64}},
    {'G', 1.0,    0.25,    {128, 0.61}},
    {'H', 1.0,    0.0625,  {128, 0.61}},
    {'I', 1.0,    0.03125, {128, 0.61}},
};

// test, level; CG: iterations, rate; MG_JAC: cycles, rate; MG_ADITRIGS: cycles, rate; error
constexpr ConvergenceRow tables_7_and_8[] = {
    {'A', 8,  342, 0.9349,  8, 0.0604, 6, 0.0135, 5.7816e-7},
    {'A', 9,  676, 0.9665,  8, 0.0606, 6, 0.0132, 1.4454e-7},
    {'B', 8,  859, 0.9735,  8, 0.0468, 8, 0.0413, 1.7652e-8},
    {'B', 9, 1731, 0.9868,  8, 0.0529, 7, 0.0351, 4.4131e-9},
    {'C', 8, 1568, 0.9854, 31, 0.4715, 8, 0.0541, 5.4048e-10},
    {'C', 9, 3198, 0.9928, 31, 0.4688, 8, 0.0519, 1.3512e-10},
    {'D', 8, 1570, 0.9854, absent, absent, 6, 0.0182, 1.7387e-34},
    {'D', 9, 2810, 0.9918, absent, absent, 6, 0.0154, 4.3450e-35},
    {'E', 8,  804, 0.9718,  5, 0.0046, 6, 0.0199, 7.5197e-7},
    {'E', 9, 1647, 0.9861,  5, 0.0053, 6, 0.0210, 1.8799e-7},
    {'F', 8,  829, 0.9726,  6, 0.0150, 7, 0.0361, 1.1224e-6},
    {'F', 9, 1683, 0.9864, 10, 0.0939, 7, 0.0372, 2.8059e-7},
    {'G', 8,  901, 0.9746, 29, 0.4457, 8, 0.0428, 1.6354e-6},
    {'G', 9, 1828, 0.9875, 63, 0.6930, 8, 0.0433, 4.0886e-7},
    {'H', 8, 1079, 0.9787, absent, absent, 7, 0.0372, 2.1218e-6},
    {'H', 9, 2224, 0.9897, absent, absent, 8, 0.0463, 5.3045e-7},
    {'I', 8, 1129, 0.9797, absent, absent, 9, 0.0705, 8.8600e-6},
};

// test, level; outer, inner; error, error of double alone
constexpr MixedAnisotropyRow table_9[] = {
    {'A', 8, {4,  6}, 5.7816e-7, 5.7816e-7},
    {'B', 8, {5,  8}, 1.7652e-8, 1.7652e-8},
    {'C', 8, {5,  8}, 5.4048e-10, 5.4048e-10},
    {'D', 8, {4,  5}, 1.7387e-34, 1.7387e-34},
    {'E', 8, {4,  6}, 7.5197e-7, 7.5197e-7},
    {'F', 8, {4,  7}, 1.1224e-6, 1.1224e-6},
    {'G', 8, {4,  7}, 1.6354e-6, 1.6354e-6},
    {'H', 8, {5,  8}, 2.1218e-6, 2.1218e-6},
    {'I', 8, {5, 10}, 2.2149e-6, 8.8600e-6},
    {'A', 9, {4,  6}, 1.4454e-7, 1.4454e-7},
    {'B', 9, {5,  8}, 4.4131e-9, 4.4131e-9},
    {'C', 9, {5,  8}, 1.3512e-10, 1.3512e-10},
    {'D', 9, {4,  5}, 4.3450e-35, 4.3450e-35},
    {'E', 9, {4,  6}, 1.8799e-7, 1.8799e-7},
    {'F', 9, {4,  7}, 2.8059e-7, 2.8059e-7},
    {'G', 9, {4,  7}, 4.0886e-7, 4.0886e-7},
    {'H', 9, {5,  8}, 5.3045e-7, 5.3045e-7},
};

// steps; cycles, rate
constexpr SmoothingRow section_8_3[] = {
    {32,  16, 0.23},
    {16,  31, 0.47},
    { 8,  61, 0.68},
    { 4, 121, 0.83},
};

// table, level; CPU: iterations, seconds, error; GPU: the same; speedup
constexpr EmulationRow tables_a[] = {
    {"A1",  5,   42,   0.02, 2.607000747e-5,   42,  1.33, 2.607000747e-5, 0.02},
    {"A1",  6,   85,   0.04, 6.613757931e-6,   85,  1.37, 6.613757928e-6, 0.03},
    {"A1",  7,  171,   0.24, 1.666003669e-6,  171,  1.53, 1.666003655e-6, 0.16},
    {"A1",  8,  342,   1.93, 4.181054493e-7,  342,  2.36, 4.181054014e-7, 0.82},
    {"A1",  9,  676,  17.34, 1.047283078e-7,  676,  8.09, 1.047281043e-7, 2.14},
    {"A1", 10, 1357, 131.63, 2.620418257e-8, 1357, 53.28, 2.620376988e-8, 2.47},
    {"A2",  5,    8,   0.07, 2.607000747e-5,    8,  2.16, 2.607000747e-5, 0.03},
    {"A2",  6,    8,   0.11, 6.613757930e-6,    8,  2.21, 6.613757960e-6, 0.05},
    {"A2",  7,    8,   0.19, 1.666003671e-6,    8,  2.28, 1.666003788e-6, 0.08},
    {"A2",  8,    8,   0.47, 4.181054499e-7,    8,  2.41, 4.181059363e-7, 0.2},
    {"A2",  9,    8,   1.56, 1.047283072e-7, absent, absent, 6.734639345e-7, absent},
    {"A2", 10,    8,   5.93, 2.620418261e-8, absent, absent, 3.573254856e-7, absent},
    {"A3",  5,    7,   0.10, 2.607000747e-5,    7,  2.17, 2.607000747e-5, 0.05},
    {"A3",  6,    7,   0.16, 6.613757934e-6,    7,  2.24, 6.613757966e-6, 0.07},
    {"A3",  7,    7,   0.28, 1.666003670e-6,    7,  2.37, 1.666003775e-6, 0.12},
    {"A3",  8,    7,   0.69, 4.181054493e-7,    7,   2.6, 4.181059399e-7, 0.27},
    {"A3",  9,    6,   1.95, 1.047283071e-7, absent, absent, 6.739087494e-7, absent},
    {"A3", 10,    6,   7.07, 2.620418265e-8, absent, absent, 3.587387658e-7, absent},
};

// table, level; double; after 1, 2, 3 (100, 250, 500) iterations; 1, 2, 3 digits
constexpr StoppingRow tables_3_to_5[] = {
    {3,  8,    8, {{{  8,     8}, {  4,     8}, {  4,    12}, {  8,     8}, {  5,     9}, {  4,    11}}}},
    {3,  9,    8, {{{  8,     8}, {  4,     8}, {  4,    12}, {  8,     8}, {  5,     9}, {  4,    11}}}},
    {3, 10,    8, {{{  8,     8}, {  5,    10}, {  5,    15}, {  8,     8}, {  5,     9}, {  4,    11}}}},
    {4,  8,  342, {{{ 13,  1300}, {  4,  1000}, {  4,  2000}, { 10,  1047}, {  5,   861}, {  4,   944}}}},
    {4,  9,  676, {{{ 68,  6800}, {  9,  2250}, {  5,  2500}, { 10,  2002}, {  6,  2256}, {  5,  2380}}}},
    {4, 10, 1357, {{{264, 26400}, { 40, 10000}, { 12,  6000}, { 10,  4504}, {  6,  4501}, {  6,  5242}}}},
    {5,  8,  342, {{{ 10,   970}, {  2,   368}, {  1,   342}, { 10,   859}, {  5,   673}, {  4,   544}}}},
    {5,  9,  676, {{{ 66,  6588}, {  8,  1802}, {  2,   763}, { 10,  1648}, {  5,  1363}, {  4,  1098}}}},
    {5, 10, 1357, {{{261, 26013}, { 38,  9470}, {  8,  3629}, { 10,  3472}, {  5,  2379}, {  4,  2233}}}},
};

// table, level; outer, inner; seconds, error; speedup
constexpr RefinementRow tables_a4_to_a6[] = {
    {"A4",  5, {5,   99},  0.17, 2.607000756e-5, 0.12},
    {"A4",  6, {5,  190},  0.25, 6.613757931e-6, 0.16},
    {"A4",  7, {5,  412},  0.46, 1.666003870e-6, 0.52},
    {"A4",  8, {5,  861},  0.91, 4.181055132e-7, 2.12},
    {"A4",  9, {6, 2256},  4.36, 1.047281051e-7, 3.98},
    {"A4", 10, {6, 4500}, 29.90, 2.620347100e-8, 4.40},
    {"A5",  5, {5,   10},  0.16, 2.607000747e-5, 0.44},
    {"A5",  6, {5,    9},  0.19, 6.613757928e-6, 0.58},
    {"A5",  7, {5,    9},  0.24, 1.666003655e-6, 0.79},
    {"A5",  8, {5,    9},  0.33, 4.181054014e-7, 1.42},
    {"A5",  9, {5,    9},  0.53, 1.047281043e-7, 2.94},
    {"A5", 10, {5,    9},  1.42, 2.620376988e-8, 4.18},
    {"A6",  5, {4,    7},  0.17, 2.607000747e-5, 0.59},
    {"A6",  6, {4,    7},  0.21, 6.613757928e-6, 0.76},
    {"A6",  7, {4,    7},  0.26, 1.666003655e-6, 1.08},
    {"A6",  8, {4,    7},  0.33, 4.181054014e-7, 2.09},
    {"A6",  9, {4,    7},  0.56, 1.047281043e-7, 3.48},
    {"A6", 10, {5,    8},  1.69, 2.620376988e-8, 4.18},
};
// clang-format on

/// The first row that fits, or nullptr.
template <class Row, std::size_t N, class Fits>
const Row* find_row(const Row (&rows)[N], Fits fits) {
  const Row* const found = std::find_if(rows, rows + N, fits);
  return found == rows + N ? nullptr : found;
}

}  // namespace

std::span<const InputPrecisionRow> paper_table_1() {
  return table_1;
}

std::span<const SolverPrecisionRow> paper_table_2() {
  return table_2;
}

std::span<const AreaRow> paper_table_6() {
  return table_6;
}

std::span<const ConvergenceRow> paper_tables_7_and_8() {
  return tables_7_and_8;
}

std::span<const MixedAnisotropyRow> paper_table_9() {
  return table_9;
}

std::span<const SmoothingRow> paper_section_8_3() {
  return section_8_3;
}

std::span<const EmulationRow> paper_tables_a() {
  return tables_a;
}

std::span<const StoppingRow> paper_tables_3_to_5() {
  return tables_3_to_5;
}

std::span<const RefinementRow> paper_tables_a4_to_a6() {
  return tables_a4_to_a6;
}

const InputPrecisionRow* find_input_precision(int level) {
  return find_row(table_1, [=](const auto& row) { return row.level == level; });
}

const SolverPrecisionRow* find_solver_precision(int level) {
  return find_row(table_2, [=](const auto& row) { return row.level == level; });
}

const ConvergenceRow* find_convergence(char test, int level) {
  return find_row(tables_7_and_8,
                  [=](const auto& row) { return row.test == test && row.level == level; });
}

const MixedAnisotropyRow* find_mixed_anisotropy(char test, int level) {
  return find_row(table_9, [=](const auto& row) { return row.test == test && row.level == level; });
}

const EmulationRow* find_emulation(std::string_view table, int level) {
  return find_row(tables_a,
                  [=](const auto& row) { return row.table == table && row.level == level; });
}

const StoppingRow* find_stopping(int table, int level) {
  return find_row(tables_3_to_5,
                  [=](const auto& row) { return row.table == table && row.level == level; });
}

const RefinementRow* find_refinement(std::string_view table, int level) {
  return find_row(tables_a4_to_a6,
                  [=](const auto& row) { return row.table == table && row.level == level; });
}

const AreaRow* find_area(std::string_view multiplier, int mantissa) {
  return find_row(table_6, [=](const auto& row) {
    return row.multiplier == multiplier && row.mantissa == mantissa;
  });
}

TestGrid grid_of_test(char test) {
  const auto found = std::find_if(std::begin(test_grids), std::end(test_grids),
                                  [=](const auto& grid) { return grid.test == test; });
  if (found == std::end(test_grids)) {
    throw std::invalid_argument(std::string("there is no test ") + test);
  }
  return *found;
}

}  // namespace ninefold
