#pragma once
// What the papers on sparse systems print, for comparison.
//
// Shape.  Numbers as they are printed, in thousands with the digits given there.  Absolute rates of
// their machines are not here: of these only ratios within one table or sentence can be compared.
//
// Reference.  CNC: Buatois, Caumon, Levy, Concurrent number cruncher: a GPU implementation of a
// general sparse linear solver, Int. J. Parallel Emergent Distrib. Syst. 24(3), 2009, pp. 205-223
// (figures 2, 3, 8 to 11, table 3, sections 2.2 and 3).  JDS: Cevahir, Nukada, Matsuoka, Fast
// conjugate gradients with multiple GPUs, ICCS 2009, LNCS 5544, pp. 893-903 (figures 4 and 5,
// sections 4.1 and 4.2).  Stock and Koch: A fast GPU implementation for solving sparse ill-posed
// linear equation systems (tables 1 and 2, figure 3, and their text).
// Tests.      tests/experiments/paper/sparse_models_test.cpp

#include <array>
#include <string_view>

namespace ninefold::cnc {

/// Table 3: unknowns and what it calls non-zero elements, in thousands.
struct MeshRow {
  std::string_view mesh;
  double parameterisation_unknowns, parameterisation_entries;
  double smoothing_unknowns, smoothing_entries;
};
inline constexpr std::array<MeshRow, 5> table_3{{
    {"Girl Face 1", 1.5, 50.8, 2.3, 52.9},
    {"Girl Face 2", 6.5, 246.7, 9.8, 290.5},
    {"Girl Face 3", 25.9, 1000, 38.8, 1600},
    {"Girl Face 4", 103.1, 4200, 154.7, 6300},
    {"Phlegmatic Dragon", 671.4, 19500, 1000, 19600},
}};

/// Figure 11 and section 3.4: iterations in single for which the residuals of CPU and GPU agree.
inline constexpr int iterations_alike = 500;
/// Section 3.3: the product's part of an iteration's time, "whatever the hardware".
inline constexpr double share_of_product = 0.8;

/// Section 3.2: how much faster a product is in one storage than in another.
struct ProductRatios {
  double blocks_2_over_crs, blocks_4_over_blocks_2;
};
inline constexpr ProductRatios products_on_cpu{1.18, 1.33}, products_on_gpu{4.00, 1.50};

/// Table 2, and the best of figure 8 (section 3.1): billions of operations a second, GB/s.
struct VectorRow {
  std::string_view device;
  double peak_operations, peak_bandwidth, saxpy, sdot;
};
inline constexpr std::array<VectorRow, 3> figure_8{{
    {"CPU, MKL", 14.6, 6.4, 0.62, 0.94},
    {"ATI X1900XTX, CTM", 240, 49.6, 7.6, 7},
    {"NVIDIA QuadroFX 5600, CUDA", 357, 76.8, 11.0, 15.5},
}};
/// Section 3.4: SAXPY's part of a GPU's bandwidth, at least, and of its operations, about.
inline constexpr double saxpy_of_bandwidth = 0.82, saxpy_of_operations = 0.03;

}  // namespace ninefold::cnc

namespace ninefold::jds {

/// Section 4.1, in the mean of 42 matrices, in single: billions of operations a second, two for
/// each entry, and what of the memory's rate in GB/s that is said to be.
inline constexpr double crs_rate = 1.32, jds_rate = 2.38, proposed_rate = 6.09,
                        proposed_bandwidth = 36.3;
/// What the two mean for an entry: its value, its column and a value of x.
inline constexpr double bytes_per_entry = 12;

/// Figure 5 in the words of section 4.2: how many times as fast CG is on so many GPUs as on one, in
/// the mean of matrices of more than 5 million nonzeros.
struct DeviceRow {
  int devices;
  double speed_up;
};
inline constexpr std::array<DeviceRow, 3> figure_5{{{1, 1}, {2, 1.73}, {4, 2.83}}};

/// Section 4.2, four parts: rows' imbalance in percent, and the most that a part sends and receives
/// in kilobytes.
struct VolumeRow {
  std::string_view matrix;
  double imbalance, sent, received;
};
inline constexpr std::array<VolumeRow, 3> volumes{{
    {"nd24k", 24, 86, 166},
    {"G3_circuit", 6, 730, 732},
    {"crankseg_2", 35, 86, 207},
}};

}  // namespace ninefold::jds

namespace ninefold::stock_koch {

/// Of table 2's matrix, in figures and in the words of the text.
inline constexpr int rows = 81'545, columns = 3'072, entries = 854'129;
inline constexpr double least_density = 0.003, largest_density = 0.004, crs_megabytes = 7;

/// Table 2: microseconds of A x and of A'y; 0 where there is none.
struct ProductRow {
  std::string_view kernel;
  double forward, transposed;
};
inline constexpr std::array<ProductRow, 9> table_2{{
    {"Simple", 13'356, 1'744},
    {"MemoryLayout", 1'726, 0},
    {"MemoryLayout + LocalMemory", 0, 160},
    {"OnTheFly", 400, 11'292'080},
    {"OnTheFly + LocalMemory", 807, 0},
    {"ELL, before", 606, 198},
    {"CSR, before", 1'183, 1'439},
    {"COO, CUDPP", 750, 549},
    {"HYB, before", 793, 289},
}};

/// Kernels of an iteration before and after they were joined, iterations, and what is said of all
/// starts.
inline constexpr int kernels_before = 14, kernels_after = 6, iterations = 400, starts = 5600;
inline constexpr double start_seconds_before = 0.11, start_seconds_after = 0.048;
/// Figure 3, of a CPU: GB/s of those there are, and the part that is printed of them.
inline constexpr double cpu_rate = 43, cpu_bandwidth = 48, printed_part = 0.87;

}  // namespace ninefold::stock_koch
