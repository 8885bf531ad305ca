#!/usr/bin/env python3
"""The library for all processors and the one for AVX-512: which the program takes and says that it
takes, and that both compute the same bits.  Usage: instructions.py PROGRAM SUMS CONFIGS WITH_SECOND,
SUMS a test program for AVX-512 alone.  Status 77 where there is one library, or the processor takes no other."""

import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile
import unittest

PROGRAM = SUMS = ""
CONFIGS = pathlib.Path()
# What the dynamic loader asks for x86-64-v4.
NEEDED = {"avx512f", "avx512bw", "avx512cd", "avx512dq", "avx512vl"}
MASKED = {"GLIBC_TUNABLES": "glibc.cpu.hwcaps=-AVX512F"}
CASES = (
    ("first.toml", "grid.levels=[3,8]"),
    ("first.toml", "grid.levels=[3,7]", "solver.precision=single"),
    ("mixed.toml", "grid.levels=[5,7]"),
    ("stretched_grid.toml", "grid.levels=[5,7]"),
    ("own_problem.toml", "grid.levels=[5,7]"),
    ("direct.toml", "grid.levels=[6,8]"),
    ("direct.toml", "grid.levels=[6,8]", "solver.precision=single", "solver.tolerance=1e-2"),
    ("paper_conjugate_gradients.toml", "grid.levels=[5,6]"),
)
# Each storage of columns, lanes in a window, rows of more than 128 entries, both forms.
MATRICES = (
    ("laplace-3d-27", 17, "single", "plain"),
    ("triangles", 70, "double", "plain"),
    ("triangles-shuffled", 70, "single", "difference"),
    ("elasticity-2d", 40, "double", "difference"),
    ("elasticity-3d", 9, "single", "plain"),
    ("shell", 24, "double", "plain"),
    ("shell", 24, "single", "plain"),
    ("rows", 3000, "double", "plain", "mean=150", "spread=4", "blocks=3"),
    ("rows", 3000, "single", "difference", "mean=150", "spread=4"),
    ("rows", 6000, "double:single", "plain", "mean=9"),
    ("elasticity-2d", 40, "single", "difference", "components=2"),
)
# Angles: with many there are more rows than columns, with few fewer.
FITS = (("double", 36), ("single", 36), ("double", 6), ("single", 6))


def call(*arguments, masked=False, **options):
    environment = os.environ | (MASKED if masked else {})
    return subprocess.run([PROGRAM, *map(str, arguments)], text=True, capture_output=True,
                          timeout=300, check=False, env=environment, **options)


def instructions(masked=False):
    """Those of the host, as `ninefold info` says them."""
    host = re.search(r"^ +host .* threads?, (\S+)", call("info", masked=masked).stdout, re.MULTILINE)
    return host[1] if host else ""


def same_everywhere(value):
    """Results without times and rates."""
    if isinstance(value, list):
        return [same_everywhere(item) for item in value]
    if not isinstance(value, dict):
        return value
    return {key: same_everywhere(item) for key, item in value.items()
            if not re.search("seconds|per_second|plain_share|plain_rate|timeline|^meta$", key)}


class InstructionsTest(unittest.TestCase):
    def test_the_loader_chooses(self):
        self.assertEqual(instructions(), "AVX-512")
        self.assertEqual(instructions(masked=True), "AVX2")

    def results(self, masked, file, settings):
        """A run's results, and its fields of all nodes."""
        with tempfile.TemporaryDirectory() as folder:
            arguments = [word for setting in settings for word in ("--set", setting)]
            run = call("solve", CONFIGS / file, "--backend", "host", "--output", folder, *arguments,
                       masked=masked, cwd=CONFIGS)
            self.assertIn(run.returncode, (0, 1), run.stderr)
            folder = pathlib.Path(folder)
            results = json.loads((folder / "results.json").read_text())
            self.assertIn(", AVX2" if masked else ", AVX-512", results["meta"]["device"])
            return (same_everywhere(results),
                    {file.name: file.read_bytes() for file in folder.rglob("*.vtr")})

    def test_the_bits_are_the_same(self):
        for file, *settings in CASES:
            with self.subTest(file, settings=settings):
                one, other = (self.results(masked, file, settings) for masked in (False, True))
                self.assertTrue(one[0]["runs"][0]["levels"])
                self.assertEqual(one, other)

    def matrix_results(self, masked, name, size, precision, form, options):
        with tempfile.TemporaryDirectory() as folder:
            folder = pathlib.Path(folder)
            values = "".join(f"{option}\n" for option in options)
            high, _, low = precision.partition(":")
            inner = f'[refinement]\ninner_precision = "{low}"\n' if low else ""
            (folder / "matrix.toml").write_text(
                f'[matrix]\ngenerate = "{name}"\nsize = {size}\n{values}'
                f'[solver]\nprecision = "{high}"\ntolerance = 1e-4\n'
                f'[operator]\nform = "{form}"\n{inner}')
            return self.runs(masked, folder, folder / "matrix.toml")

    def runs(self, masked, folder, *arguments):
        run = call("solve", *arguments, "--backend", "host", "--output", folder, masked=masked,
                   cwd=CONFIGS)
        self.assertIn(run.returncode, (0, 1), run.stderr)
        return same_everywhere(json.loads((folder / "results.json").read_text())["runs"])

    def test_the_bits_of_matrices_are_the_same(self):
        for name, size, precision, form, *options in MATRICES:
            with self.subTest(name, precision=precision, form=form):
                one, other = (self.matrix_results(masked, name, size, precision, form, options)
                              for masked in (False, True))
                self.assertGreater(len(one[0]["history"]), 2)
                self.assertEqual(one, other)

    def test_the_bits_of_fits_are_the_same(self):
        for precision, angles in FITS:
            with self.subTest(precision=precision, angles=angles):
                one, other = ([], [])
                for masked, runs in ((False, one), (True, other)):
                    with tempfile.TemporaryDirectory() as folder:
                        runs += self.runs(
                            masked, pathlib.Path(folder), CONFIGS / "reconstruction.toml",
                            "--without", "study", "--set", f"solver.precision={precision}",
                            "--set", "solver.tolerance=1e-4", "--set", "solver.max_iterations=200",
                            "--set", f"least_squares.angles={angles}",
                            "--set", "least_squares.image_size=24",
                            "--set", "least_squares.detectors=35",
                            "--set", "least_squares.regularisation=1.0")
                self.assertGreater(len(one[0]["history"]), 3)
                self.assertEqual(one, other)

    def test_sums_of_rows(self):
        run = subprocess.run([SUMS], text=True, capture_output=True, timeout=300, check=False)
        self.assertEqual(run.returncode, 0, run.stdout)
        self.assertIn("All tests passed", run.stdout)


if __name__ == "__main__":
    with_second = sys.argv.pop() == "ON"
    CONFIGS = pathlib.Path(sys.argv.pop()).resolve()
    SUMS = sys.argv.pop()
    PROGRAM = pathlib.Path(sys.argv.pop()).resolve()
    flags = re.search(r"^flags\s*: (.*)", pathlib.Path("/proc/cpuinfo").read_text(), re.MULTILINE)
    if not with_second or not flags or not NEEDED <= set(flags[1].split()):
        print("skipped: one library, or no AVX-512")
        sys.exit(77)
    unittest.main(verbosity=2)
