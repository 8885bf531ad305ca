#!/usr/bin/env python3
"""Solves by 1, 2, ... devices or processes: seconds, memory and errors over the level, as a table.

Usage: scripts/measure_scaling.py [--program FILE] [--devices 1 2 | --processes 1 2]
           [--beside] [--levels 12 13] [--criteria first discretisation residual] [--repeats 3]
           [--table FILE.csv]

Criteria: what full multigrid leaves alone (first), half a digit below the discretisation error as
levels tell it (discretisation), a residual of 1e-8 (residual).  Each time is the least of five
runs in each of the repetitions.  One is always among them, whose errors all others must have, digit
for digit: else status 1.  With --beside also of several that divide nothing, of which each solves the
whole grid beside the others: what they take for sharing a memory.
"""

import argparse
import csv
import json
import pathlib
import subprocess
import sys
import tempfile

CONFIG = """[problem]
solution = "polynomial"
[solver]
method = "full-multigrid"
[refinement]
inner_precision = "single"
[study]
solver.max_iterations = [100, 101, 102, 103, 104]
"""  # Five times the same, as none takes so many: a process's first run is slower than the others.
CRITERIA = {
    "first": ["solver.tolerance=1e-4", 'solver.norm="residual"', "output.estimates=false"],
    "discretisation": ['solver.tolerance="discretisation"'],
    "residual": ["solver.tolerance=1e-8", "output.estimates=false"]}
COLUMNS = ["level", "ranks", "divided", "criterion", "iterations", "solve_seconds", "setup_seconds",
           "finish_seconds", "memory_gib", "error_l2", "error_rms", "device", "driver", "commit",
           "date"]


def solve(options, folder, level, ranks, divided, criterion):
    """The last level's rows of the runs of one program, and its meta data."""
    output = pathlib.Path(folder) / "output"
    command = [options.program, "study", "a.toml", "--output", str(output)]
    first = level - 1 if criterion == "discretisation" else level
    settings = [f"grid.levels=[{first},{level}]", *CRITERIA[criterion]]
    if options.processes:
        command = ["mpirun", "-n", str(ranks), *command] if ranks > 1 else command
        settings.append('backend.name="host"')
    else:
        settings += ['backend.name="cuda"', f"backend.devices={ranks}"]
    if not divided:
        settings.append(f"backend.min_rows_per_rank={2**16}")
    for setting in settings:
        command += ["--set", setting]
    subprocess.run(command, cwd=folder, check=True, stdout=subprocess.DEVNULL)
    document = json.loads((output / "results.json").read_text())
    return [run["levels"][-1] for run in document["runs"]], document["meta"]


def results_of(options, folder, level, ways, criterion):
    """Of each way the results of all repetitions, and meta data: one after the other, so that what
    a machine does at one time meets all of them."""
    found = {way: ([], {}) for way in ways}
    for _ in range(options.repeats):
        for way in ways:
            results, meta = solve(options, folder, level, *way, criterion)
            found[way][0].extend(results)
            found[way][1].update(meta)
    return found


def row_of(columns, results, meta, **what):
    """A row of a table: what it is of, and the least times of the repetitions."""
    result = min(results, key=lambda one: one["solve_seconds"])
    row = {key: result[key] for key in columns if result.get(key) is not None}
    row.update({key: meta.get(key, "") for key in ("device", "driver", "commit")},
               date=meta["date"][:10], memory_gib=f"{result['memory_bytes'] / 2**30:.3f}", **what)
    for key in ("solve_seconds", "setup_seconds", "finish_seconds"):
        if key in row:
            row[key] = f"{min(one[key] for one in results):.6f}"
    return row


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n", maxsplit=1)[0])
    parser.add_argument("--program", default="build/release/experiments/ninefold")
    parser.add_argument("--devices", type=int, nargs="+", default=[1, 2])
    parser.add_argument("--processes", type=int, nargs="+")
    parser.add_argument("--beside", action="store_true")
    parser.add_argument("--levels", type=int, nargs="+", default=[12, 13])
    parser.add_argument("--criteria", nargs="+", choices=CRITERIA, default=list(CRITERIA))
    parser.add_argument("--repeats", type=int, default=3)
    parser.add_argument("--table", default="scaling.csv")
    options = parser.parse_args()
    counts = sorted({1, *(options.processes or options.devices)})
    options.program = str(pathlib.Path(options.program).resolve())
    rows, differ = [], []
    with tempfile.TemporaryDirectory() as folder, open(options.table, "w", newline="") as stream:
        (pathlib.Path(folder) / "a.toml").write_text(CONFIG)
        table = csv.DictWriter(stream, COLUMNS, lineterminator="\n")
        table.writeheader()
        for level in options.levels:
            for criterion in options.criteria:
                alone = None
                ways = [(ranks, True) for ranks in counts]
                if options.beside:
                    ways += [(ranks, False) for ranks in counts if ranks > 1]
                found = results_of(options, folder, level, ways, criterion)
                for (ranks, divided), (results, meta) in found.items():
                    row = row_of(COLUMNS, results, meta, ranks=ranks,
                                 divided="yes" if divided else "no", criterion=criterion)
                    errors = {(one["error_l2"], one["error_rms"], one["iterations"])
                              for one in results}
                    alone = alone or (errors, float(row["solve_seconds"]))
                    way = f"{ranks:2} ranks{'' if divided else ', each the whole'}"
                    if len(errors | alone[0]) > 1:
                        differ.append(f"level {level}, {criterion}, {way}")
                    gain = alone[1] / float(row["solve_seconds"])
                    print(f"level {level:2}  {criterion:14}  {way}  "
                          f"{1e3 * float(row['solve_seconds']):9.3f} ms  {gain:5.2f} times as fast",
                          flush=True)
                    table.writerow(row)
                    stream.flush()
                    rows.append(row)
    for what in differ:
        print(f"other errors than of one: {what}", file=sys.stderr)
    return 1 if differ or not rows else 0


if __name__ == "__main__":
    sys.exit(main())
