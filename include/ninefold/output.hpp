#pragma once
// Files for people, of the library ninefold::output: tables, results, pictures, VTK.
//
// Usage.  #include <ninefold/output.hpp>, or one of them, as with ninefold.hpp.

#include "output/plots/plot.hpp"
#include "output/tables/results.hpp"
#include "output/tables/results_files.hpp"
#include "output/tables/table.hpp"
#include "output/vtk/vtk.hpp"
