#!/usr/bin/env python3
"""The picture docs/pictures/scaling.svg: how many times as fast two devices are, over the level, as
measured and by the model of docs/scaling.md.  Usage, from the top of the tree:
scripts/picture_of_scaling.py [--table]   with --table the model's seconds, too

Reads results/reference/h200_scaling.csv; needs gnuplot.
"""

import csv
import math
import subprocess
import sys

TABLE = "results/reference/h200_scaling.csv"
PICTURE = "docs/pictures/scaling.svg"
FIRST_DIVIDED = 11  # of two devices: 2048 cells above each other


def measured():
    """Seconds of full multigrid by (level, devices)."""
    with open(TABLE, newline="") as stream:
        return {(int(row["level"]), int(row["ranks"])): float(row["solve_seconds"])
                for row in csv.DictReader(stream) if row["criterion"] == "first"}


def exchanges(level, first=FIRST_DIVIDED):
    """Those of full multigrid: two for each divided level of each visit, and ten for the rest."""
    visits = sum(2 * (l - first + 1) for l in range(first, level + 1))
    return visits + 10 if visits else 0


def of_part(alone, level, devices):
    """Seconds of one device for 1/devices of a level's unknowns, linear in them between levels."""
    unknowns = 4.0 ** level / devices
    below = math.floor(math.log(unknowns, 4) + 1e-9)
    share = (unknowns - 4.0 ** below) / (3 * 4.0 ** below)
    if share < 1e-9:
        return alone[below]
    return alone[below] + share * (alone[below + 1] - alone[below])


def cost_of_exchange(seconds, alone):
    """The one number that is fitted: what an exchange costs, by least squares."""
    pairs = [(exchanges(level), time - of_part(alone, level, 2))
             for (level, devices), time in seconds.items()
             if devices == 2 and level in alone and level > FIRST_DIVIDED]
    return sum(n * t for n, t in pairs) / sum(n * n for n, _ in pairs)


def main():
    seconds = measured()
    alone = {level: time for (level, devices), time in seconds.items() if devices == 1}
    cost = cost_of_exchange(seconds, alone)
    levels = [level for level in sorted(alone) if level > FIRST_DIVIDED]
    model = {level: of_part(alone, level, 2) + exchanges(level) * cost for level in levels}
    if "--table" in sys.argv[1:]:
        print(f"an exchange costs {1e6 * cost:.1f} us")
        for level in levels:
            two = seconds[level, 2]
            print(f"level {level}: {1e3 * two:.3f} ms, model {1e3 * model[level]:.3f} "
                  f"({model[level] / two - 1:+.1%})")
    curve = "\n".join(f"{level} {alone[level] / seconds[level, 2]}" for level in levels)
    by_model = "\n".join(f"{level} {alone[level] / model[level]}" for level in levels)
    subprocess.run(["gnuplot"], text=True, check=True, input=f"""
set terminal svg size 640,400 enhanced background rgb 'white'
set output '{PICTURE}'
set xlabel 'level'
set ylabel 'times as fast on two H200'
set yrange [0.5:2.1]
set xtics 1
set key bottom right
set grid
$measured << EOD
{curve}
EOD
$model << EOD
{by_model}
EOD
plot 2 lc rgb '#c0c0c0' dt 2 title 'all of both', \\
     $measured with linespoints lw 3 lc rgb '#0060ad' pt 7 title 'full multigrid, measured', \\
     $model with lines lw 2 lc rgb '#dd7700' title 'model'
""")


if __name__ == "__main__":
    main()
