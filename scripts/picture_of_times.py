#!/usr/bin/env python3
"""The picture docs/pictures/time_over_level.png: milliseconds of a solve over the level, of ninefold's
methods, of others, and of a copy.  Usage, from the top of the tree: scripts/picture_of_times.py

Reads results/reference/; needs gnuplot.
"""

import csv
import pathlib
import subprocess

REFERENCE = pathlib.Path("results/reference")
PICTURE = "docs/pictures/time_over_level.png"
PEERS = {"cuFFT": "cuFFT, direct*", "hypre": "hypre, PFMG-CG to 1e-10*", "AMGCL": "AMGCL, CG to 1e-10*",
         "AmgX": "AmgX, CG to 1e-10*"}


def points(file, milliseconds, scale=1.0, **wanted):
    """(level, time) of the rows of a file whose columns hold what is wanted."""
    with open(REFERENCE / file, newline="") as stream:
        rows = [row for row in csv.DictReader(stream)
                if all(row[key] == value for key, value in wanted.items())]
    return [(int(row["level"]), scale * float(row[milliseconds])) for row in rows]


def copied_per_second():
    """Bytes that the device's copy moves, both ways counted, as the rates of a file's passes have it."""
    with open(REFERENCE / "h200_full_multigrid_parts.csv", newline="") as stream:
        row = list(csv.DictReader(stream))[-1]
    unknowns = (2 ** int(row["level"]) - 1) ** 2
    rate = float(row["bytes_per_unknown"]) * unknowns / (1e-6 * float(row["microseconds"]))
    return rate / float(row["rate_over_plain"])


def curves():
    full = dict(file="h200_full_multigrid.csv", run="refinement.inner_precision single")
    whole = dict(file="h200_whole.csv", milliseconds="solve_seconds", scale=1e3, problem="polynomial",
                 program="now")
    yield ("full multigrid, to the discretisation error", points(milliseconds="milliseconds", **full),
           "lw 4 lc rgb '#0060ad' pt 7")
    yield ("full multigrid, to 1e-8", points(milliseconds="to_tolerance", **full),
           "lw 4 lc rgb '#58a0e0' pt 7")
    yield ("multigrid in double, to 1e-8", points(rows="double: factored", **whole),
           "lw 3 lc rgb '#dd7700' pt 5")
    yield ("the same with stored rows", points(rows="double: stored, plain", **whole),
           "lw 3 lc rgb '#aa4400' pt 5")
    yield ("direct solver in double",
           points("h200_direct.csv", "milliseconds", cells="uniform", precision="double"),
           "lw 3 lc rgb '#209050' pt 9")
    with open(REFERENCE / "h200_peers.csv", newline="") as stream:
        rows = list(csv.DictReader(stream))
    for number, (name, title) in enumerate(PEERS.items()):
        of_it = [(int(row["level"]), float(row["milliseconds"])) for row in rows
                 if row["solver"].startswith(name)]
        yield title, of_it, f"lw 2 dt 2 lc rgb '#606060' pt {(8, 4, 6, 12)[number]}"
    copy = copied_per_second()
    copied = [(level, 1e3 * 16 * (2 ** level - 1) ** 2 / copy) for level in range(8, 16)]
    yield "a vector copied", copied, "lw 2 lc rgb '#c0c0c0' pt 0"


def main():
    blocks, plots = [], []
    for number, (title, data, style) in enumerate(curves()):
        assert data, title
        lines = "\n".join(f"{level} {time}" for level, time in data)
        blocks.append(f"$data{number} << END\n{lines}\nEND")
        plots.append(f"$data{number} using 1:2 with linespoints {style} ps 1.6 title '{title}'")
    script = "\n".join(blocks + [
        "set terminal pngcairo enhanced size 1500,1100 font 'DejaVu Sans,18' background rgb 'white'",
        f"set output '{PICTURE}'",
        "set logscale y", "set xrange [7.8:15.2]", "set yrange [0.0002:1000]", "set grid lc rgb '#e0e0e0'",
        "set xlabel 'level'", "set ylabel 'time of a solve [ms], NVIDIA H200'", "set format y '10^{%L}'",
        "set key outside center bottom horizontal reverse Left maxcols 3",
        "plot " + ", ".join(plots)])
    subprocess.run(["gnuplot"], input=script, text=True, check=True)
    print(f"{PICTURE}: {len(plots)} curves")


if __name__ == "__main__":
    main()
