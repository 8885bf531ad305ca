#!/usr/bin/env python3
"""The picture docs/pictures/scaling.svg: how many times as fast two devices are, over the level, as
measured and by the model of docs/scaling.md.  Usage, from the top of the tree:
scripts/picture_of_scaling.py [--table]   with --table the model's seconds, too, also of processes

Reads results/reference/h200_scaling.csv and host_scaling.csv; needs gnuplot.
"""

import csv
import subprocess
import sys

DEVICES = "results/reference/h200_scaling.csv"
PROCESSES = "results/reference/host_scaling.csv"
PICTURE = "docs/pictures/scaling.svg"


class Model:
    """Seconds of full multigrid by two: half of the unknowns, and what exchanges cost."""

    def __init__(self, file, first_divided, in_passes):
        """Of a table of scripts/measure_scaling.py by two whose grids are divided from that level
        on; `in_passes` where visits ask for rows on their way down alone.  What half of the
        unknowns takes is told by one beside another, where the table has that, as two may share a
        memory; else by one alone."""
        self.first, self.in_passes = first_divided, in_passes
        self.two, self.alone, beside = {}, {}, {}
        with open(file, newline="") as stream:
            for row in csv.DictReader(stream):
                if row["criterion"] != "first":
                    continue
                way = (self.alone if row["ranks"] == "1" else
                       beside if row.get("divided") == "no" else self.two)
                way[int(row["level"])] = float(row["solve_seconds"])
        self.part = beside or self.alone
        self.levels = [level for level in sorted(self.two)
                       if level > first_divided and level in self.part]
        self.cost = self.cost_of_exchange()

    def exchanges(self, level):
        """In passes one for each divided level of a visit, and one or two more, and four for the
        rest; else two for each divided level of each visit, and ten for the rest."""
        visited = range(self.first, level + 1)
        if self.in_passes:
            return 4 + sum(max(3, l - self.first + 2) for l in visited)
        return 10 + sum(2 * (l - self.first + 1) for l in visited)

    def of_half(self, level):
        """Seconds for half of a level's unknowns, linear in them: half lies a third of the way
        from a quarter, the next coarser level, to all of them."""
        return self.part[level - 1] + (self.part[level] - self.part[level - 1]) / 3

    def cost_of_exchange(self, levels=None):
        """The one number that is fitted: least squares of relative deviations."""
        terms = [(self.exchanges(level) / self.two[level], 1 - self.of_half(level) / self.two[level])
                 for level in levels or self.levels]
        return sum(n * rest for n, rest in terms) / sum(n * n for n, _ in terms)

    def seconds(self, level, cost=None):
        return self.of_half(level) + self.exchanges(level) * (self.cost if cost is None else cost)

    def deviation(self, level, cost=None):
        return self.seconds(level, cost) / self.two[level] - 1

    def tell(self, who):
        print(f"{who}: an exchange costs {1e6 * self.cost:.1f} us")
        for level in self.levels:
            print(f"  level {level}: {1e3 * self.two[level]:.4g} ms, model "
                  f"{1e3 * self.seconds(level):.4g} ({self.deviation(level):+.1%})")
        for level in self.levels:
            cost = self.cost_of_exchange([level])
            worst = max((self.deviation(other, cost) for other in self.levels), key=abs)
            print(f"  fitted on level {level} alone: {1e6 * cost:.1f} us, the others within "
                  f"{abs(worst):.1%}")


def main():
    model = Model(DEVICES, 11, True)
    if "--table" in sys.argv[1:]:
        model.tell("devices")
        Model(PROCESSES, 7, False).tell("processes")
    curve = "\n".join(f"{level} {model.alone[level] / model.two[level]}" for level in model.levels)
    by_model = "\n".join(f"{level} {model.alone[level] / model.seconds(level)}" for level in model.levels)
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
