#!/usr/bin/env python3
"""That layers.py finds what it is there for, and nothing in a tree that keeps to the rules."""

import pathlib
import subprocess
import sys
import tempfile
import unittest

import layers

SCRIPT = pathlib.Path(layers.__file__)


class Includes(unittest.TestCase):
    def run_on(self, files):
        with tempfile.TemporaryDirectory() as folder:
            for name, text in files.items():
                path = pathlib.Path(folder) / name
                path.parent.mkdir(parents=True, exist_ok=True)
                path.write_text(text, encoding="utf-8")
            return subprocess.run([sys.executable, SCRIPT, folder], capture_output=True, text=True)

    def test_a_tree_that_keeps_to_the_layers(self):
        result = self.run_on({"precision/a.hpp": "", "grids/b.hpp": '#include "precision/a.hpp"\n'})
        self.assertEqual(result.returncode, 0, result.stdout)

    def test_each_breach_is_named(self):
        for name, text, words in (
                ("precision/a.hpp", '#include "grids/b.hpp"\n', "precision does not see grids"),
                ("grids/c.hpp", '#include "b.hpp"\n', "not a path from the top"),
                ("solvers/c.hpp", "#include <cuda_runtime.h>\n", "reserved"),
                ("tests/grids/c.cpp", "#include <catch2/catch.hpp>\n", "reserved"),
                ("solvers/c.hpp", '#include "gpu/meaning/m.hpp"\n', "is for the instantiations"),
                ("grids/c.hpp", "// Tests.  tests/grids/\n// c_test.cpp\n", "no tests/grids/c_test.cpp"),
                ("tests/gpu/c.cpp", '#include "gpu/meaning/m.hpp"\n', "elsewhere.hpp")):
            with self.subTest(name):
                tree = {"grids/b.hpp": "", "gpu/meaning/m.hpp": "", "precision/a.hpp": ""}
                result = self.run_on(tree | {name: text})
                self.assertEqual(result.returncode, 1, result.stdout)
                self.assertIn(name, result.stdout)
                self.assertIn(words, result.stdout)

    def test_a_type_is_defined_once(self):
        step = "namespace ninefold {\nstruct Step {\n};\n}  // namespace ninefold\n"
        hidden = "namespace {\nstruct Step {\n};\n}  // namespace\n"
        for name, text, status in (("grids/b.hpp", step, 1), ("solvers/b.cpp", step, 1),
                                   ("experiments/config/b.hpp", step, 1), ("grids/b.cpp", hidden, 0),
                                   ("grids/b.hpp", step.replace("Step", "Stride"), 0),
                                   ("grids/b.hpp", "struct Step;\n", 0),
                                   ("experiments/measure/b.cpp", step, 0)):
            with self.subTest(name, status=status):
                result = self.run_on({"fem/a.hpp": step, name: text})
                self.assertEqual(result.returncode, status, result.stdout)
                if status:
                    self.assertIn("Step is a type of", result.stdout)


class Names(unittest.TestCase):
    KEYS = {"solver.tolerance", "grid.levels"}

    def test_keys_in_literals_are_found(self):
        for text in ('f("use solver.tolerance");', 'f("use "\n  "grid.levels = 3");'):
            self.assertEqual(len(layers.keys_named(text, self.KEYS)), 1, text)

    def test_code_comments_and_other_words_are_none(self):
        for text in ("options.solver.tolerance = 1;", '// "solver.tolerance"', '/* "grid.levels" */',
                     'f("grid.size");', "f('\"'); g(solver.tolerance);"):
            self.assertEqual(layers.keys_named(text, self.KEYS), [], text)


if __name__ == "__main__":
    unittest.main()
