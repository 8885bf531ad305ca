#!/usr/bin/env python3
"""The programs that measure, as a person calls them.  Usage: measure.py PROGRAM..., the paths."""

import csv
import math
import os
import pathlib
import resource
import signal
import subprocess
import sys
import tempfile
import unittest

PROGRAMS = {}

# Small runs, and the tables that they leave: rows at least, columns that no row may lack.
CALLS = {
    "operations": (["--level", "4", "--cg-levels", "3", "--multigrid-levels", "3"],
                   {"operations": (90, ["seconds", "bytes_per_second"]),
                    "solves": (10, ["solve_seconds", "memory_bytes"])}),
    "direct_solver": (["--levels", "3"],
                      {"direct_solver": (2, ["preparation", "milliseconds", "residual"])}),
    "full_multigrid": (["--set", "grid.levels=[3,4]", "--parts", "3"],
                       {"full_multigrid": (2, ["milliseconds", "rms_ratio", "to_tolerance"]),
                        "parts": (5, ["microseconds", "bytes_per_unknown"])}),
    "refinement_step": (["--levels", "3"],
                        {"refinement_step": (20, ["bytes_per_unknown", "milliseconds",
                                                  "over_native"])}),
    "repeated_solves": (["--set", "grid.levels=[3,4]"],
                        {"repeated_solves": (2, ["first", "next", "iteration", "step",
                                                 "cycles"]),
                         "parts": (12, ["first", "next"])}),
    "sparse_product": (["--scale", "0.0005", "--only", "triangles", "like crankseg"],
                       {"sparse_product": (20, ["microseconds", "bytes_per_entry", "of_copy"])}),
    "sparse_cg": (["--scale", "0.0005", "--only", "triangles", "elasticity-3d"],
                  {"sparse_iterations": (4, ["microseconds", "of_copy"]),
                   "sparse_solves": (10, ["seconds", "true_residual", "error"])}),
    "error_estimates": (["--levels", "4", "4"],
                        {"error_estimates": (300, ["l2", "rms"]),
                         "effectivities": (60, ["levels"])}),
    "wall_forecasts": (["--last", "5"], {"wall_forecasts": (100, ["levels"])}),
    "line_smoothing": (["--levels", "3", "--solve-levels", "3"],
                       {"steps": (10, ["seconds", "bytes", "plain_bytes_per_second"]),
                        "solves": (4, ["solve_seconds", "true_residual_reduction"])}),
    "pair_operations": (["--samples", "2000"],
                        {"errors": (30, ["samples", "judged"]),
                         "throughput": (20, ["operations_per_second"])})}
# What measures no times repeats nothing.
NO_TIMES = {"error_estimates", "wall_forecasts"}
# What fails while it writes need not measure everything before.
LESS = {"operations": ["--precisions", "double"], "line_smoothing": ["--precisions", "double"],
        "error_estimates": ["--problems", "sine"]}


def number(cell):
    """The number that a cell holds; None if it holds a text."""
    try:
        return float(cell)
    except ValueError:
        return None


class MeasureTest(unittest.TestCase):
    def setUp(self):
        temporary = tempfile.TemporaryDirectory()
        self.addCleanup(temporary.cleanup)
        self.folder = pathlib.Path(temporary.name)

    def call(self, program, *arguments, **options):
        return subprocess.run([PROGRAMS[program], *arguments], cwd=self.folder, text=True,
                              capture_output=True, timeout=300, check=False, **options)

    def small_run(self, program, *arguments, **options):
        stretches = [] if program in NO_TIMES else ["--stretches", "1"]
        return self.call(program, *CALLS[program][0], *stretches, "--backend", "host",
                         "--output", program, *arguments, **options)

    def test_several_processes_are_refused(self):
        for program in CALLS:
            with self.subTest(program=program):
                run = self.small_run(program, env={**os.environ, "OMPI_COMM_WORLD_SIZE": "2"})
                self.assertEqual(run.returncode, 2)
                self.assertEqual(run.stderr, f"{program}: mpirun is not possible: this program "
                                             "measures one process\n")
                self.assertFalse((self.folder / program).exists())

    def test_the_tables_are_there_and_their_numbers_are_finite(self):
        for program, (_, tables) in CALLS.items():
            with self.subTest(program=program):
                result = self.small_run(program)
                self.assertEqual(result.returncode, 0, result.stdout + result.stderr)
                for stem, (fewest, columns) in tables.items():
                    with open(self.folder / program / f"{stem}.csv", encoding="utf-8",
                              newline="") as file:
                        rows = list(csv.DictReader(file))
                    self.assertGreaterEqual(len(rows), fewest, stem)
                    for row in rows:
                        for column in columns:
                            self.assertGreater(number(row[column]) or 0, 0, (stem, column, row))
                        for column, cell in row.items():
                            if column == "commit":  # 12e4567 is no number
                                continue
                            value = number(cell)
                            self.assertTrue(value is None or math.isfinite(value), (column, row))
                        self.assertIn(row[next(iter(row))], result.stdout)

    def test_small_systems_in_one_solve(self):
        result = self.call("sparse_cg", "--together", "--stretches", "1", "--backend", "host",
                           "--output", "together")
        self.assertEqual(result.returncode, 0, result.stdout + result.stderr)
        with open(self.folder / "together/sparse_together.csv", encoding="utf-8",
                  newline="") as file:
            rows = list(csv.DictReader(file))
        self.assertEqual([row["systems"] for row in rows],
                         ["1", "1", "4", "4", "16", "16", "64", "64"])
        for row in rows:
            for column in ("apart", "together", "ratio", "apart_calls", "together_calls"):
                self.assertGreater(number(row[column]) or 0, 0, (column, row))

    def test_bad_input_ends_with_status_2_and_writes_nothing(self):
        (self.folder / "file").write_text("")
        environment = dict(os.environ, CUDA_VISIBLE_DEVICES="")
        for program in CALLS:
            for arguments in (["--stretches", "0"], ["--nonsense"], ["--backend", "abacus"],
                              ["--backend", "cuda"], ["--output", "file"]):
                with self.subTest(program=program, arguments=arguments):
                    result = self.call(program, *arguments, env=environment)
                    self.assertEqual(result.returncode, 2, result.stderr)
                    self.assertTrue(result.stderr)
                    self.assertEqual(os.listdir(self.folder), ["file"])
        for program in ("operations", "line_smoothing"):
            result = self.call(program, "--precisions", "s28e11")
            self.assertEqual(result.returncode, 2, result.stderr)
            self.assertIn("software formats are not measured", result.stderr)

    def test_parts_of_the_error_estimates_are_those_of_the_whole(self):
        def rows(folder, *arguments, threads):
            result = self.call("error_estimates", "--levels", "4", "4", "--backend", "host",
                               "--problems", "sine", "peak", "--output", folder, *arguments,
                               env=dict(os.environ, OMP_NUM_THREADS=threads))
            self.assertEqual(result.returncode, 0, result.stderr)
            with open(self.folder / folder / "error_estimates.csv", encoding="utf-8",
                      newline="") as file:
                return [[row[key] for key in row if key not in ("device", "date")]
                        for row in csv.DictReader(file)]

        whole = rows("whole", threads="1")
        self.assertEqual(rows("at-once", threads="3"), whole)
        part = rows("part", "--grids", "geometric 50", "uniform", "--formats", "half", threads="1")
        self.assertEqual(len(part), 2 * 2 * 2)
        self.assertEqual(part, [row for row in whole if row[1] in ("geometric 50", "uniform")
                                and row[2] in ("double", "half")])
        for option in ("--problems", "--grids", "--formats"):
            result = self.call("error_estimates", option, "none")
            self.assertEqual(result.returncode, 2)
            self.assertIn(f"{option} none: there are ", result.stderr)

    def test_products_of_others_are_ours_but_for_rounding_and_count_by_their_threads(self):
        def rows(stem):
            with open(self.folder / "sparse_product" / f"{stem}.csv", encoding="utf-8",
                      newline="") as file:
                return list(csv.DictReader(file))

        result = self.small_run("sparse_product", env=dict(os.environ, OMP_NUM_THREADS="2"))
        self.assertEqual(result.returncode, 0, result.stderr)
        threads = {}
        for row in rows("sparse_product"):
            bound = 1e-5 if row["precision"] == "single" else 1e-13
            self.assertLess(number(row["difference"]), bound, row)
            threads[row["whose"]] = row["threads"]
        self.assertEqual(threads["ninefold"], "2")
        self.assertEqual(threads.get("PETSc", "1"), "1")
        if "Eigen" in threads or "MKL" in threads:
            self.assertEqual({threads[row["peer"]] for row in rows("sparse_best")}, {"2"})

    def test_help_is_no_failure(self):
        for program in CALLS:
            self.assertEqual(self.call(program, "--help").returncode, 0)

    def test_a_full_standard_output_is_a_failure(self):
        for program in CALLS:
            with self.subTest(program=program), open("/dev/full", "w", encoding="utf-8") as full:
                result = subprocess.run([PROGRAMS[program], "--help"], text=True, stdout=full,
                                        stderr=subprocess.PIPE, timeout=300, check=False)
                self.assertEqual(result.returncode, 3)

    def test_a_failure_ends_with_status_3(self):
        def no_space():  # as on a full disk
            signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
            resource.setrlimit(resource.RLIMIT_FSIZE, (0, 0))

        for program in CALLS:
            with self.subTest(program=program):
                result = self.small_run(program, *LESS.get(program, []), preexec_fn=no_space)
                self.assertEqual(result.returncode, 3, result.stderr)
                self.assertIn(f"{program}: ", result.stderr)


if __name__ == "__main__":
    paths = [argument for argument in sys.argv[1:] if os.sep in argument]
    PROGRAMS = {pathlib.Path(p).stem: str(pathlib.Path(p).resolve()) for p in paths}
    sys.argv = [argument for argument in sys.argv if argument not in paths]
    unittest.main()
