#!/usr/bin/env python3
"""What scripts/measure_scaling.py does not solve by 1, 2, ... devices: sparse systems, grids by
lines, and level 16, which one device may not hold.

Usage: scripts/measure_several_devices.py [--program FILE] [--devices 1 2] [--repeats 3]
           [--cases cube "lines 14" ...] [--table FILE.csv]

Each time is the least of three runs in each of the repetitions.  Errors and iterations must be those
of the least number of devices that holds the case, digit for digit: else status 1.
"""

import argparse
import csv
import json
import pathlib
import subprocess
import sys
import tempfile

from measure_scaling import row_of

STUDY = "[study]\nsolver.max_iterations = [10000, 10001, 10002]\n"
FIRST = ["solver.tolerance=1e-4", 'solver.norm="residual"', "output.estimates=false"]
GRID = ['problem.solution="polynomial"', 'refinement.inner_precision="single"']
FULL = [*GRID, 'solver.method="full-multigrid"']
CUBE = ['matrix.generate="laplace-3d-7"', "matrix.size=194", 'solver.method="cg"',
        "solver.tolerance=1e-8"]
TRIANGLES = ['matrix.generate="triangles"', "matrix.size=2896", 'solver.method="cg"',
             "solver.tolerance=1e-4"]
MIXED = ['refinement.inner_precision="single"']
CASES = {
    "cube, double": CUBE,
    "cube, double over single": [*CUBE, *MIXED],
    "triangles, double": TRIANGLES,
    "lines 12, one pass": [*FULL, *FIRST, "grid.anisotropy=0.25", "grid.levels=[12,12]"],
    "lines 13, one pass": [*FULL, *FIRST, "grid.anisotropy=0.25", "grid.levels=[13,13]"],
    "lines 14, one pass": [*FULL, *FIRST, "grid.anisotropy=0.25", "grid.levels=[14,14]"],
    "points 16, one pass": [*FULL, *FIRST, "grid.levels=[16,16]"],
    "points 16, to discretisation": [*FULL, 'solver.tolerance="discretisation"',
                                     "grid.levels=[15,16]"],
    "small cube": [*CUBE, "matrix.size=12"],
    "small lines": [*FULL, *FIRST, "grid.anisotropy=0.25", "grid.levels=[6,6]"]}
TOO_LARGE_FOR_ONE = ("points 16",)
COLUMNS = ["case", "ranks", "iterations", "solve_seconds", "setup_seconds", "finish_seconds",
           "memory_gib", "error_l2", "error_rms", "device", "driver", "commit", "date"]


def solve(options, folder, case, ranks):
    """The last level's rows of the runs of one program, and its meta data."""
    output = pathlib.Path(folder) / "output"
    command = [options.program, "study", "a.toml", "--output", str(output)]
    for setting in [*CASES[case], f'backend.name="{options.backend}"', f"backend.devices={ranks}"]:
        command += ["--set", setting]
    subprocess.run(command, cwd=folder, check=True, stdout=subprocess.DEVNULL)
    document = json.loads((output / "results.json").read_text())
    return [run["levels"][-1] if "levels" in run else run for run in document["runs"]], \
        document["meta"]


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n", maxsplit=1)[0])
    parser.add_argument("--program", default="build/release/experiments/ninefold")
    parser.add_argument("--devices", type=int, nargs="+", default=[1, 2])
    parser.add_argument("--repeats", type=int, default=3)
    parser.add_argument("--backend", choices=("cuda", "host"), default="cuda")
    parser.add_argument("--cases", nargs="+", default=["cube", "triangles", "lines", "points"],
                        help="what a case's name begins with")
    parser.add_argument("--table", default="several_devices.csv")
    options = parser.parse_args()
    options.program = str(pathlib.Path(options.program).resolve())
    cases = [case for case in CASES if case.startswith(tuple(options.cases))]
    differ = []
    with tempfile.TemporaryDirectory() as folder, open(options.table, "w", newline="") as stream:
        (pathlib.Path(folder) / "a.toml").write_text(STUDY)
        table = csv.DictWriter(stream, COLUMNS, lineterminator="\n")
        table.writeheader()
        for case in cases:
            counts = [ranks for ranks in sorted(set(options.devices))
                      if ranks > 1 or not case.startswith(TOO_LARGE_FOR_ONE)]
            found = {ranks: [] for ranks in counts}
            meta = {}
            for _ in range(options.repeats):
                for ranks in counts:
                    results, meta[ranks] = solve(options, folder, case, ranks)
                    found[ranks] += results
            said, all_converged = {}, True
            for ranks, results in found.items():
                all_converged &= all(one["outcome"] == "converged" for one in results)
                said[ranks] = {(one.get("error_l2"), one["iterations"]) for one in results}
                row = row_of(COLUMNS, results, meta[ranks], case=case, ranks=ranks)
                print(f"{case:28}  {ranks:2} ranks  {1e3 * float(row['solve_seconds']):9.3f} ms",
                      flush=True)
                table.writerow(row)
                stream.flush()
            if not all_converged or len(set().union(*said.values())) > 1:
                differ.append(case)
    for case in differ:
        print(f"not converged, or errors or iterations differ: {case}", file=sys.stderr)
    return 1 if differ or not cases else 0


if __name__ == "__main__":
    sys.exit(main())
