#!/usr/bin/env python3
"""From Enter to the table: seconds of whole runs of `ninefold solve`, and of their parts, as a CSV.

Usage: scripts/measure_whole_runs.py [--program build/release/experiments/ninefold] [--repeats 3]
           [--most-level 15] [--backend auto] [--table whole.csv]

Multigrid's and full multigrid's solves to 1e-8, the paper's problem unless said, errors measured,
without pictures and files for ParaView: of each the quickest run of a process of its own.  Two
more rows say what the default's three estimates take.
"""

import argparse
import csv
import json
import pathlib
import subprocess
import sys
import tempfile
import time

PLAIN = ["solver.tolerance=1e-8", "output.estimates=false", "output.vtk=false",
         "output.plots=false", 'output.directory="out"']
SINGLE = 'refinement.inner_precision="single"'
FULL = 'solver.method="full-multigrid"'
LINES = "grid.anisotropy=0.25"
POLYNOMIAL = 'problem.solution="polynomial"'
FORMULA = 'problem.source="sin(x*y)"'
EVERY = [8, 10, 12, 13, 14, 15]
# Problem, rows, its settings and levels.
RUNS = [
    ("polynomial", "double: factored", [POLYNOMIAL], EVERY),
    ("polynomial", "double over single: factored", [POLYNOMIAL, SINGLE], EVERY),
    ("polynomial", "full multigrid: double over single", [POLYNOMIAL, FULL, SINGLE], EVERY),
    ("polynomial", "full multigrid: double", [POLYNOMIAL, FULL], EVERY),
    ("polynomial", "fast diagonalisation, double",
     [POLYNOMIAL, 'solver.method="fast-diagonalisation"'], [8, 10, 12, 14]),
    ("polynomial", "double: stored, plain",
     [POLYNOMIAL, 'operator.storage="stored"', 'operator.form="plain"'], [8, 10, 12, 13, 14]),
    ("polynomial", "double over single: computed, stored",
     [POLYNOMIAL, SINGLE, 'operator.storage="computed"', 'refinement.inner_storage="stored"'],
     [12, 14]),
    ("polynomial", "lines, anisotropy 0.25: double over single, factored",
     [POLYNOMIAL, LINES, SINGLE], [10, 12, 13]),
    ("polynomial", "lines, anisotropy 0.25: full multigrid, double over single",
     [POLYNOMIAL, LINES, FULL, SINGLE], [10, 12, 13]),
    ("a formula that is no sum of products", "full multigrid: double over single",
     [FORMULA, FULL, SINGLE], [10, 11, 12]),
    ("polynomial", "full multigrid: double over single, with estimates",
     [POLYNOMIAL, FULL, SINGLE, "output.estimates=true"], EVERY),
    ("polynomial", "full multigrid to the discretisation error: double over single, with estimates",
     [POLYNOMIAL, FULL, SINGLE, "output.estimates=true", 'solver.tolerance="discretisation"'],
     EVERY),
]
COLUMNS = ["program", "problem", "rows", "level", "run_seconds", "setup_seconds", "solve_seconds",
           "finish_seconds", "iterations", "error_l2", "memory_gib", "outcome", "device", "driver",
           "commit", "date"]


def solve(options, folder, settings, level):
    """Seconds of the process, the level's row and the run's context."""
    command = [options.program, "solve", "a.toml"]
    for setting in [f'backend.name="{options.backend}"', f"grid.levels=[{level},{level}]",
                    *PLAIN, *settings]:
        command += ["--set", setting]
    (folder / "out" / "results.json").unlink(missing_ok=True)
    began = time.perf_counter()
    done = subprocess.run(command, cwd=folder, stdout=subprocess.DEVNULL, check=False)
    seconds = time.perf_counter() - began
    if done.returncode not in (0, 1):  # 1: not converged, which the row says
        raise subprocess.CalledProcessError(done.returncode, command)
    document = json.loads((folder / "out" / "results.json").read_text())
    return seconds, document["runs"][0]["levels"][-1], document["meta"]


def row_of(options, folder, settings, level):
    """The quickest of the repetitions."""
    runs = [solve(options, folder, settings, level) for _ in range(options.repeats)]
    seconds, result, meta = min(runs, key=lambda run: run[0])
    row = {key: meta[key].partition(",")[0] for key in ("device", "driver", "commit")}
    row.update({key: result[key] for key in ("iterations", "error_l2", "outcome")})
    row.update({key: f"{result[key]:.6f}"
                for key in ("setup_seconds", "solve_seconds", "finish_seconds")})
    row.update(program="now", level=level, run_seconds=f"{seconds:.3f}", date=meta["date"][:10],
               memory_gib=f"{result['memory_bytes'] / 2**30:.4f}")
    return row


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n", maxsplit=1)[0])
    parser.add_argument("--program", default="build/release/experiments/ninefold")
    parser.add_argument("--repeats", type=int, default=3)
    parser.add_argument("--least-level", type=int, default=2)
    parser.add_argument("--most-level", type=int, default=15)
    parser.add_argument("--backend", default="auto")
    parser.add_argument("--table", default="whole.csv")
    options = parser.parse_args()
    options.program = str(pathlib.Path(options.program).resolve())
    with tempfile.TemporaryDirectory() as name, open(options.table, "w", newline="") as stream:
        folder = pathlib.Path(name)
        (folder / "a.toml").write_text("")
        table = csv.DictWriter(stream, COLUMNS, lineterminator="\n")
        table.writeheader()
        for problem, rows, settings, levels in RUNS:
            for level in levels:
                if not options.least_level <= level <= options.most_level:
                    continue
                row = row_of(options, folder, settings, level)
                row.update(problem=problem, rows=rows)
                table.writerow(row)
                stream.flush()
                print(f"{problem}, {rows}, level {level}: {row['run_seconds']} s, set-up "
                      f"{row['setup_seconds']}, iteration {row['solve_seconds']}, then "
                      f"{row['finish_seconds']}, {row['outcome']}", flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
