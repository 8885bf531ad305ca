#!/usr/bin/env python3
"""The library for all processors and the one for AVX-512: which the program takes and says that it
takes, and that both compute the same bits.  Usage: instructions.py PROGRAM CONFIGS WITH_SECOND.
Status 77 where there is one library, or the processor takes no other."""

import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile
import unittest

PROGRAM = ""
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
            if not re.search("seconds|per_second|plain_share|timeline|^meta$", key)}


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


if __name__ == "__main__":
    with_second = sys.argv.pop() == "ON"
    CONFIGS, PROGRAM = (pathlib.Path(sys.argv.pop()).resolve() for _ in range(2))
    flags = re.search(r"^flags\s*: (.*)", pathlib.Path("/proc/cpuinfo").read_text(), re.MULTILINE)
    if not with_second or not flags or not NEEDED <= set(flags[1].split()):
        print("skipped: one library, or no AVX-512")
        sys.exit(77)
    unittest.main(verbosity=2)
