#!/usr/bin/env python3
"""The tables of full multigrid in docs/performance.md: measures them and writes them as CSV.

Usage: scripts/measure_full_multigrid.py [--programs build/release/experiments] [--tables NAME ...]
           [--most-level 15] [--backend auto] [--folder results/full_multigrid]

Writes FOLDER/full_multigrid.csv, full_multigrid_tight.csv and so on; to be kept they are copied to
results/reference with the device in front of their names.  Build the programs by
`cmake --build build/release --target measurements`.
"""

import argparse
import csv
import pathlib
import subprocess
import sys
import tempfile

SINGLE = 'refinement.inner_precision="single"'
ALONE = 'refinement.inner_precision="none"'
GEOMETRIC = 'grid.grading="geometric"'
SIDES = ("left", "right", "bottom", "top")
LINES = 'multigrid.smoother="adi-trigs"'
PAIRS = {"refinement.inner_precision single": [SINGLE], "refinement.inner_precision none": [ALONE]}


def cycle(before, after):
    return ['multigrid.cycle="V"', f"multigrid.pre_smoothing={before}",
            f"multigrid.post_smoothing={after}"]


def points(steps):
    return ['multigrid.smoother="chebyshev"', *cycle(0, steps)]


def cells(ratio):
    return [GEOMETRIC, f"grid.expansion_ratio={ratio}"]


def one_correction(first, last, tolerance):
    """Levels on which the nested iteration leaves more, and one correction less."""
    return ['problem.solution="boundary_layer"', f"grid.levels=[{first},{last}]",
            f"solver.tolerance={tolerance}"]


def anisotropy(value):
    return [f"grid.anisotropy={value}"]


# Of each table: the levels, settings of all its runs, options, and its runs with their settings.
TABLES = {
    "uniform": (range(8, 16), ["solver.tolerance=1e-8"], [], PAIRS),
    "tight": (range(8, 12), ["solver.tolerance=1e-10"], [], PAIRS),
    "vector": (range(8, 16), ["solver.tolerance=1e-8"], ["--any-vector"], {
        "refinement.inner_precision single, any right-hand side": [SINGLE]}),
    "pairs": (range(8, 16), ["solver.tolerance=1e-8"], [], {
        "double-single over single": ['solver.precision="double-single"', SINGLE],
        "double over half": ['refinement.inner_precision="half"'],
        "double over bfloat16": ['refinement.inner_precision="bfloat16"']}),
    "problems": (range(8, 16), ["solver.tolerance=1e-8"], [], {
        "exponential": ['problem.solution="exponential"'],
        "reaction 10": ["problem.reaction=10"],
        "cosine, Neumann left and top": ['problem.solution="cosine"',
                                         'problem.boundary.left="neumann"',
                                         'problem.boundary.top="neumann"'],
        "cosine, Neumann on all sides": ['problem.solution="cosine"',
                                         *(f'problem.boundary.{side}="neumann"' for side in SIDES)],
        "coefficients 1 and 2": ["problem.coefficients=[1,2]"],
        "sine": ['problem.solution="sine"'],
        "boundary_layer": ['problem.solution="boundary_layer"'],
        "boundary_layer, 2 cycles per level": ['problem.solution="boundary_layer"',
                                               "multigrid.cycles_per_level=2"],
        "boundary_layer, one correction, levels 9 and 10": one_correction(9, 10, 1e-4),
        "boundary_layer, one correction, levels 11 and 12": one_correction(11, 12, 4e-6),
        "boundary_layer, one correction, levels 13 and 14": one_correction(13, 14, 1e-7),
        "boundary_layer, double alone": ['problem.solution="boundary_layer"', ALONE],
        "peak": ['problem.solution="peak"'],
        "peak, 2 cycles per level": ['problem.solution="peak"', "multigrid.cycles_per_level=2"],
        "peak, double alone": ['problem.solution="peak"', ALONE]}),
    "graded": (range(8, 16), ["solver.tolerance=1e-8"], [], {
        "grid.anisotropy 0.75": anisotropy(0.75),
        "grid.anisotropy 0.5": anisotropy(0.5),
        "grid.anisotropy 0.25": anisotropy(0.25),
        "grid.anisotropy 0.25, two cycles": [*anisotropy(0.25), "multigrid.cycles_per_level=2"],
        "grid.anisotropy 0.25, V(0,2)": [*anisotropy(0.25), *cycle(0, 2)],
        "grid.anisotropy 1/16": anisotropy(1 / 16),
        "grid.anisotropy 1/32": anisotropy(1 / 32),
        "grid.anisotropy 1/64": anisotropy(1 / 64),
        "grid.anisotropy 1/64, V(0,2)": [*anisotropy(1 / 64), *cycle(0, 2)],
        "Shishkin, grid.layer_width 0.001": ['grid.grading="shishkin"', "grid.layer_width=0.001"],
        "cells to 1 : 2, points, V(0,2)": [*cells(2), *points(2)],
        "cells to 1 : 3, points, V(0,3)": [*cells(3), *points(3)],
        "cells to 1 : 3, points, V(0,4)": [*cells(3), *points(4)],
        "cells to 1 : 3, points, V(0,5)": [*cells(3), *points(5)],
        "cells to 1 : 3, lines": [*cells(3), LINES],
        "coefficients 1 and 4, points, V(0,2)": ["problem.coefficients=[1,4]", *points(2)],
        "coefficients 1 and 4, lines": ["problem.coefficients=[1,4]", LINES],
        "coefficients 1 and 9, points, V(0,4)": ["problem.coefficients=[1,9]", *points(4)],
        "coefficients 1 and 9, lines": ["problem.coefficients=[1,9]", LINES]}),
    "energy": (range(13, 15), ["solver.tolerance=1e-8"], ["--energy", "4"], {
        "refinement.inner_precision none": [ALONE],
        "refinement.inner_precision single": [SINGLE],
        "refinement.inner_precision half": ['refinement.inner_precision="half"'],
        "refinement.inner_precision bfloat16": ['refinement.inner_precision="bfloat16"']}),
}
REACHES_15 = ("cells to 1 : 3, points, V(0,4)", "cells to 1 : 2, points, V(0,2)")
PARTS = range(8, 16)
REPEATED = (range(8, 14), range(14, 16))  # with four solvers at once, with two
FILES = {"uniform": "full_multigrid.csv", "energy": "energy.csv"}
LAST_LEVEL = {  # where a table's levels are more than a run can hold, or than it tells anything by
    "refinement.inner_precision half": 13, "double over half": 13, "double over bfloat16": 13,
    "peak, 2 cycles per level": 14, "boundary_layer, 2 cycles per level": 14, "grid.anisotropy 0.25, two cycles": 13,
    "boundary_layer, double alone": 10, "peak, double alone": 10,
    "Shishkin, grid.layer_width 0.001": 13}
LAST_LEVEL = {**{run: 14 for run in TABLES["graded"][3] if run not in REACHES_15}, **LAST_LEVEL}


def within(levels, options, run=None):
    """The first and the last level that are asked for; nothing if none is."""
    last = min(LAST_LEVEL.get(run, 99), options.most_level)
    asked = [level for level in levels if options.least_level <= level <= last]
    return (asked[0], asked[-1]) if asked else None


def rows_of(program, arguments, files):
    """What a program writes to these files of its output folder: of each its rows, and the columns'
    names."""
    found = {}
    with tempfile.TemporaryDirectory() as folder:
        subprocess.run([str(program), *arguments, "--output", folder], check=True,
                       stdout=subprocess.DEVNULL)
        for file in files:
            with open(pathlib.Path(folder) / file, newline="") as stream:
                reader = csv.DictReader(stream)
                found[file] = (list(reader), reader.fieldnames)
    return found


def write(path, rows, columns):
    with open(path, "w", newline="") as stream:
        table = csv.DictWriter(stream, columns, lineterminator="\n")
        table.writeheader()
        table.writerows(rows)


def measure(name, options):
    """A table by the program full_multigrid, written after each run: what was measured is kept."""
    levels, settings, extra, runs = TABLES[name]
    path = options.folder / FILES.get(name, f"full_multigrid_{name}.csv")
    found = []
    for run, own in runs.items():
        asked = within(levels, options, run)
        if not asked:
            continue
        arguments = ["--backend", options.backend, *extra]
        for setting in [f"grid.levels=[{asked[0]},{asked[1]}]", *settings, *own]:
            arguments += ["--set", setting]
        rows, columns = rows_of(options.programs / "full_multigrid", arguments,
                                ["full_multigrid.csv"])["full_multigrid.csv"]
        found += [{**row, "run": run} for row in rows]
        write(path, found, columns)
        for row in rows:
            print_row(run, row)


def print_row(words, row):
    print(f"{words}, level {row['level']}: {float(row['milliseconds']):.4g} ms, rms "
          f"{float(row['rms_ratio']):.4f}, to the tolerance {row['to_tolerance']}", flush=True)


def measure_parts(options):
    """What the paper's problem takes on each level by itself."""
    asked = within(PARTS, options)
    if not asked:
        return
    first, last = asked
    arguments = ["--backend", options.backend, "--set", f"grid.levels=[{first},{first}]", "--parts",
                 *(str(level) for level in range(first, last + 1))]
    rows, columns = rows_of(options.programs / "full_multigrid", arguments,
                            ["parts.csv"])["parts.csv"]
    write(options.folder / "full_multigrid_parts.csv", rows, columns)


def measure_repeated(options):
    """Solvers that stay, and the parts of their solves."""
    kept = {"repeated_solves.csv": [], "parts.csv": []}
    for solvers, levels in zip((4, 2), REPEATED):
        asked = within(levels, options)
        if not asked:
            continue
        arguments = ["--backend", options.backend, "--solvers", str(solvers), "--set",
                     f"grid.levels=[{asked[0]},{asked[1]}]"]
        found = rows_of(options.programs / "repeated_solves", arguments, list(kept))
        for file, (rows, columns) in found.items():
            kept[file] += rows
            write(options.folder / file.replace("parts", "solve_parts"), kept[file], columns)
        for row in found["repeated_solves.csv"][0]:
            print(f"a whole solve, level {row['level']}: {float(row['first']):.4g} ms", flush=True)


OTHERS = {"parts": measure_parts, "repeated": measure_repeated}


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n", maxsplit=1)[0])
    parser.add_argument("--programs", type=pathlib.Path, default="build/release/experiments")
    parser.add_argument("--tables", nargs="+", choices=[*TABLES, *OTHERS],
                        default=[*TABLES, *OTHERS])
    parser.add_argument("--least-level", type=int, default=2)
    parser.add_argument("--most-level", type=int, default=15)
    parser.add_argument("--backend", default="auto")
    parser.add_argument("--folder", type=pathlib.Path, default="results/full_multigrid")
    options = parser.parse_args()
    options.programs = options.programs.resolve()
    options.folder.mkdir(parents=True, exist_ok=True)
    for name in options.tables:
        if name in TABLES:
            measure(name, options)
        else:
            OTHERS[name](options)
    return 0


if __name__ == "__main__":
    sys.exit(main())
