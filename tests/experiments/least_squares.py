#!/usr/bin/env python3
"""ninefold solve and study with [least_squares] as a person calls them, against NumPy and a matrix
of SciPy's tests, where these are.  Usage: least_squares.py PROGRAM CONFIG."""

import csv
import gzip
import importlib.util
import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile
import unittest
import xml.etree.ElementTree

try:
    import numpy
except ImportError:
    numpy = None

PROGRAM = ""
CONFIG = ""
LINE = "%%MatrixMarket matrix coordinate real general\n3 2 6\n" + "".join(
    f"{i} 1 1\n{i} 2 {i}\n" for i in (1, 2, 3))
DATA = "%%MatrixMarket matrix array real general\n3 1\n1\n2\n2\n"


def illc1850():
    """The matrix of SciPy's tests, as rows of (column, value), or None."""
    scipy = importlib.util.find_spec("scipy")
    if numpy is None or scipy is None or not scipy.submodule_search_locations:
        return None
    file = (pathlib.Path(scipy.submodule_search_locations[0]) / "sparse" / "linalg" / "tests"
            / "propack_test_data.npz")
    if not file.is_file():
        return None
    matrix = numpy.load(file, allow_pickle=True)["A_real"].item().tocsr()
    matrix.sort_indices()
    return matrix


class Fits(unittest.TestCase):
    def setUp(self):
        temporary = tempfile.TemporaryDirectory()
        self.addCleanup(temporary.cleanup)
        self.folder = pathlib.Path(temporary.name)
        self.write("A.mtx", LINE)
        self.write("b.mtx", DATA)

    def write(self, name, text):
        (self.folder / name).write_text(text)
        return name

    def call(self, command, *arguments):
        return subprocess.run([PROGRAM, command, *map(str, arguments)], cwd=self.folder, text=True,
                              capture_output=True, timeout=300, check=False)

    def solved(self, text, *arguments, command="solve", status=0):
        self.write("fit.toml", text)
        result = self.call(command, "fit.toml", "--backend", "host", *arguments)
        self.assertEqual((result.returncode, result.stderr), (status, ""), result.stdout)
        self.text = result.stdout
        return json.loads((self.folder / "results/fit/results.json").read_text())["runs"]

    def refused(self, text, *parts):
        self.write("fit.toml", text)
        for command in ("check", "solve"):
            result = self.call(command, "fit.toml", "--backend", "host")
            if command == "check" and result.returncode == 0:
                continue  # what only the data tell
            self.assertEqual((result.returncode, result.stdout), (2, ""))
            for part in parts:
                self.assertIn(part, result.stderr)

    def test_a_line_is_fitted_to_a_file(self):
        config = ("[matrix]\nfile = \"A.mtx\"\nright_hand_side = \"b.mtx\"\nwrite_solution = true\n"
                  "[least_squares]\n")
        run, = self.solved(config)
        self.assertEqual((run["rows"], run["unknowns"], run["entries"], run["outcome"],
                          run["iterations"]), (3, 2, 6, "converged", 2))
        self.assertAlmostEqual(run["residual_norm"], (1 / 6) ** .5, delta=1e-12)
        self.assertIsNone(run["error_l2"])
        lines = (self.folder / "results/fit/run-1-solution.mtx").read_text().splitlines()
        for line, value in zip(lines[2:], (2 / 3, 1 / 2)):
            self.assertAlmostEqual(float(line), value, delta=1e-12)
        with (self.folder / "results/fit/history-run-1.csv").open() as file:
            history = list(csv.DictReader(file))
        self.assertEqual(len(history), 3)
        (self.folder / "A.mtx.gz").write_bytes(gzip.compress(LINE.encode()))
        zipped, = self.solved(config.replace("A.mtx", "A.mtx.gz"))
        self.assertEqual(zipped["history"], run["history"])
        # The error is then that of a solve in double-double.
        measured, = self.solved(config.replace("write_solution = true",
                                               'reference = "double-double"'))
        self.assertLess(measured["error_l2"], 1e-14)
        # Of a known solution.
        known, = self.solved('[matrix]\nfile = "A.mtx"\n[least_squares]\n')
        self.assertLess(known["error_l2"], 1e-13)

    def test_pictures_of_grids_may_be_switched_off(self):
        config = '[matrix]\nfile = "A.mtx"\n[least_squares]\n[output]\nplots = %s\n'
        run, = self.solved(config % "false")
        self.assertEqual(run["outcome"], "converged")
        self.refused(config % "true", "output.plots = true has no meaning beside [least_squares]")

    def test_what_cannot_be_fitted_is_refused_by_its_key(self):
        image = '[least_squares]\ngenerate = "tomography"\n'
        self.refused(image + "regularisation = -0.5\n",
                     "least_squares.regularisation = -0.5 is out of range", "at least 0")
        self.refused(image + "noise = 2.0\n", "least_squares.noise = 2.0 is out of range")
        self.refused(image + "penalty = 1.0\n", "least_squares.penalty = 1.0 is for bounds")
        self.refused(image + "lower = 1.0\nupper = 1.0\n", "is not above least_squares.lower")
        self.refused(image + "rows = 3\n", 'is for least_squares.generate = "rows"')
        self.refused(image + '[matrix]\nfile = "A.mtx"\n', "contradicts least_squares.generate")
        self.refused(image + '[grid]\nlevels = [2, 3]\n', "has no meaning beside [least_squares]")
        self.refused(image + '[solver]\nmethod = "multigrid"\n', "solver.method")
        self.refused(image + '[matrix]\nstorage = "blocks-2"\n', "matrix.storage", "sliced")
        self.refused(image + 'upper = 1.0\n[refinement]\ninner_precision = "single"\n',
                     "refinement.inner_precision = single", "with bounds")
        self.refused(image + '[solver]\nprecision = "auto"\n', 'solver.precision = "auto" is for '
                     "grids", 'allowed here: "half"', "a study of solver.precision")
        self.refused(image + "lamda = 1.0\n", "did you mean least_squares.regularisation?")
        self.refused("[least_squares]\nregularisation = 1.0\n", "there is no matrix")
        self.refused('[least_squares]\ngenerate = "rows"\nrows = 10\ncolumns = 20\nentries = 30\n',
                     "rows is 10: at least as many as there are columns, 20")
        self.refused('[matrix]\nfile = "A.mtx"\n',
                     "it is 3 x 2: systems need a square one; [least_squares] fits others")
        self.write("hole.mtx", LINE.replace("2 1 1\n2 2 2\n", "").replace("3 2 6", "3 2 4"))
        self.refused('[matrix]\nfile = "hole.mtx"\n[least_squares]\n',
                     "row 2 of the matrix is empty", "fit.toml, line 2")
        self.write("inf.mtx", LINE.replace("1 1 1\n", "1 1 inf\n"))
        self.refused('[matrix]\nfile = "inf.mtx"\n[least_squares]\n', "inf.mtx, line 3")

    def test_images_of_a_series_are_reconstructed_together(self):
        text = ('[least_squares]\ngenerate = "tomography"\nimage_size = 12\nangles = 14\n'
                'detectors = 24\nregularisation = 1.0\n')
        one, = self.solved(text)
        runs = self.solved(text + "images = 3\n")
        self.assertEqual([run["name"] for run in runs], ["run-1-1", "run-1-2", "run-1-3"])
        self.assertEqual([run["right"] for run in runs], [1, 2, 3])
        # The first one is the image that there is alone.
        self.assertEqual(runs[0]["history"], one["history"])
        self.assertEqual(runs[0]["error_l2"], one["error_l2"])
        self.assertNotEqual(runs[1]["history"], one["history"])
        for run in runs:
            self.assertEqual(run["outcome"], "converged")
        pictures = [(self.folder / "results/fit" / name).read_bytes() for k in (1, 2, 3)
                    for name in (f"run-1-{k}-image.png", f"truth-{k}.png")]
        self.assertEqual(len(set(pictures)), 6)
        page = (self.folder / "results/fit/report.html").read_text()
        self.assertIn("the true image, of which the data are made, number 3", page)
        self.refused(text + "images = 0\n", "images")
        self.refused('[least_squares]\ngenerate = "rows"\nimages = 2\n',
                     'is for least_squares.generate = "tomography"')

    def test_columns_of_a_file_are_fitted_together(self):
        self.write("b.mtx", "%%MatrixMarket matrix array real general\n3 2\n1\n2\n2\n2\n4\n4\n")
        runs = self.solved('[matrix]\nfile = "A.mtx"\nright_hand_side = "b.mtx"\n'
                           "write_solution = true\n[least_squares]\n")
        self.assertEqual(len(runs), 2)
        first, second = (
            [float(line) for line in (self.folder / f"results/fit/run-1-{k}-solution.mtx")
             .read_text().splitlines()[2:]] for k in (1, 2))
        self.assertEqual([2 * x for x in first], second)
        self.write("b.mtx", "%%MatrixMarket matrix array real general\n2 2\n1\n2\n2\n2\n")
        self.refused('[matrix]\nfile = "A.mtx"\nright_hand_side = "b.mtx"\n[least_squares]\n',
                     "2 x 2, where 1 to 64 vectors of 3 values are needed")

    def test_an_image_is_reconstructed_and_shown(self):
        run, = self.solved('[least_squares]\ngenerate = "tomography"\nimage_size = 16\nangles = 14\n'
                           'detectors = 24\nregularisation = 1.0\noperator = "difference"\n'
                           "lower = 0.0\nupper = 1.0\n")
        self.assertEqual((run["outcome"], run["unknowns"]), ("converged", 256))
        self.assertLess(run["error_l2"], 0.5)
        self.assertLess(run["largest_violation"], 0.05)
        for name in ("run-1-image.png", "truth.png"):
            picture = (self.folder / "results/fit" / name).read_bytes()
            self.assertEqual(picture[:8], b"\x89PNG\r\n\x1a\n")
            self.assertEqual(int.from_bytes(picture[16:20], "big"), 256)
        page = (self.folder / "results/fit/report.html").read_text()
        self.assertIn("the true image, of which the data are made", page)
        self.assertIn("<b>0</b>", page)  # not what rounding leaves of it
        # The key that brings them nearer, and its value.
        self.assertRegex(self.text, r"unknowns are out of bounds, by \S+ at most: "
                                    r"least_squares\.penalty above \d+ leaves less")
        # By the steps since the set of those outside has last changed; a word on single by that.
        self.assertGreater(run["condition"], 5)
        self.assertIn("Single would be enough: the condition that CGLS has seen, times roundoff, is ", self.text)
        self.assertIn("Gradients", page)

    def test_the_l_curve_has_a_corner(self):
        self.write("fit.toml", pathlib.Path(CONFIG).read_text())
        result = self.call("study", "fit.toml", "--backend", "host", "--output", "out", "--set",
                           "least_squares.image_size=20", "--set", "least_squares.detectors=30",
                           "--set", "least_squares.angles=18")
        self.assertEqual((result.returncode, result.stderr), (0, ""))
        self.assertRegex(result.stdout, r"the corner of the L-curve is at lambda = [0-9.]+, run-\d")
        with (self.folder / "out/l-curve.csv").open() as file:
            rows = list(csv.DictReader(file))
        self.assertEqual(len(rows), 6)
        self.assertEqual(sum(int(row["corner"]) for row in rows), 1)
        for name, sign in (("residual_norm", 1), ("solution_norm", -1)):
            values = [sign * float(row[name]) for row in rows]
            self.assertEqual(values, sorted(values))
        runs = json.loads((self.folder / "out/results.json").read_text())["runs"]
        errors = [run["error_l2"] for run in runs]
        corner = next(k for k, row in enumerate(rows) if row["corner"] == "1")
        self.assertLess(errors[corner], 2 * min(errors))
        self.assertLess(errors[corner], max(errors))
        # A picture by itself.
        picture = xml.etree.ElementTree.parse(self.folder / "out/l-curve.svg").getroot()
        self.assertEqual(picture.tag, "{http://www.w3.org/2000/svg}svg")
        self.assertTrue(any(part.tag.endswith("}style") for part in picture))
        texts = [part.text for part in picture.iter("{http://www.w3.org/2000/svg}text")]
        for row in rows:
            self.assertIn(f"{float(row['lambda']):.3g}", texts)
        axes = [text for text in texts if text in ("|A x - b|", "|L x|")]
        self.assertEqual(len(axes), 2)
        self.assertGreaterEqual(len(texts) - len(axes) - len(rows), 6)  # three on each axis

    def test_what_is_not_on_an_l_curve_is_told(self):
        image = ('[least_squares]\ngenerate = "tomography"\nimage_size = 8\nangles = 12\n'
                 'detectors = 14\n[solver]\ntolerance = 1e-6\n[study]\n')
        self.solved(image + '"least_squares.regularisation" = [0.0, 0.1, 1.0, 10.0]\n',
                    command="study")
        self.assertIn("run-1 is not on the L-curve, whose axes are logarithms: lambda is 0\n",
                      self.text)
        self.solved(image + '"least_squares.regularisation" = [0.1, 1.0, 10.0]\n'
                    '"solver.precision" = ["double", "double-double"]\n', command="study")
        self.assertIn("there is no L-curve: solver.precision varies, too", self.text)

    def test_a_format_that_is_refused_is_a_row(self):
        image = ('[least_squares]\ngenerate = "tomography"\nimage_size = 8\nangles = 12\n'
                 'detectors = 14\nregularisation = 1e-12\n[solver]\ntolerance = 1e-6\n[study]\n')
        half, double = self.solved(image + '"solver.precision" = ["half", "double"]\n',
                                   command="study", status=1)
        self.assertEqual((half["outcome"], half["iterations"], double["outcome"]),
                         ("refused", None, "converged"))
        self.assertIn("solver.precision = half is not possible: entries from 1e-06", half["remark"])
        self.assertIn("allowed: bfloat16, single", half["remark"])
        self.write("fit.toml", image + '"solver.precision" = ["half"]\n')
        result = self.call("study", "fit.toml")
        self.assertEqual(result.returncode, 2, result.stdout)
        self.assertIn("solver.precision = half is not possible", result.stderr)

    def test_what_a_deficient_matrix_makes_of_x_is_told(self):
        self.write("data.mtx", "%%MatrixMarket matrix array real general\n4 1\n1\n2\n2\n3\n")
        config = ('[matrix]\nfile = "two.mtx"\nright_hand_side = "data.mtx"\n[least_squares]\n')
        for difference, said in ((0.0, "the matrix is rank-deficient, |A v| being"),
                                 (1e-9, "the matrix is rank-deficient, or nearly, |A v| being"),
                                 (1e-3, None)):
            rows = [(i, j, (i + 1.0) * (1 + difference * j * (i % 2)))
                    for i in range(4) for j in range(2)]
            self.write("two.mtx", "%%MatrixMarket matrix coordinate real general\n4 2 8\n"
                       + "".join(f"{i + 1} {j + 1} {v!r}\n" for i, j, v in rows))
            self.solved(config)
            if said is None:
                self.assertNotIn("deficient", self.text)
            else:
                self.assertIn(said, self.text)
            self.assertEqual("of all solutions this is the smallest one" in self.text,
                             difference == 0.0)

    def test_whether_single_is_enough_is_told_by_the_error(self):
        rows, n = [], 30
        for i in range(n):
            value = 10 ** (-2 * i / (n - 1))
            rows += [(2 * i, i, value), (2 * i + 1, i, -value), (2 * i + 1, (i + 1) % n, value / 4)]
        self.write("ill.mtx", "%%MatrixMarket matrix coordinate real general\n"
                   f"{2 * n} {n} {3 * n}\n" + "".join(f"{i + 1} {j + 1} {v!r}\n" for i, j, v in rows))
        self.write("data.mtx", f"%%MatrixMarket matrix array real general\n{2 * n} 1\n"
                   + "1\n-2\n" * n)
        config = ('[matrix]\nfile = "ill.mtx"\nright_hand_side = "data.mtx"\n'
                  'reference = "double-double"\n[least_squares]\n[solver]\ntolerance = 1e-11\n'
                  '[study]\n"solver.precision" = ["single", "double"]\n'
                  '"refinement.inner_precision" = ["none", "single"]\n')
        runs = self.solved(config, command="study", status=1)
        self.assertEqual([run["outcome"] for run in runs],
                         ["stagnated", "stagnated", "converged", "converged"])
        # The gradient of single stays above the tolerance; x is right all the same.
        self.assertRegex(self.text.split("\n\n")[1],
                         r"^Single is enough: its largest error is \S+ of x, below a thousandth; "
                         r"double has \S+\.$")
        self.assertRegex(self.text, r"run-1: the gradient ends at \S+ of \|A'b\|, above the tolerance "
                         r"of 1e-11, where rounding to single leaves about \S+; x is right to \S+ "
                         r"all the same")
        self.assertIsNone(runs[3]["condition"])
        self.assertIn("run-4: no condition is shown: corrections of few digits do not show it",
                      self.text)
        # By the condition, where nothing is measured.
        estimated = self.solved(config.replace('reference = "double-double"\n', ""),
                                command="study", status=1)
        found = re.match(r"Single is enough: the condition that CGLS has seen, times roundoff, is (\S+) x 6\.0e-08 = (\S+) of "
                         r"x, below a thousandth; double has", self.text.split("\n\n")[1])
        self.assertTrue(found, self.text)
        self.assertAlmostEqual(float(found[1]) / estimated[2]["fit_condition"], 1, delta=0.01)
        self.assertGreater(float(found[2]), runs[0]["error_l2"])
        self.assertLess(runs[2]["error_l2"], 1e-10)
        self.assertLess(runs[3]["error_l2"], 1e-9)
        self.assertGreater(runs[0]["error_l2"], 1e-7)
        self.assertGreater(runs[3]["inner_iterations"], runs[3]["iterations"])

    def test_a_known_matrix_takes_known_iterations(self):
        matrix = illc1850()
        if matrix is None:
            self.skipTest("NumPy or SciPy with its tests' data is not here")
        m, n = matrix.shape
        self.assertEqual((m, n, matrix.nnz), (1850, 712, 8636))
        entries = [f"{i + 1} {matrix.indices[k] + 1} {float(matrix.data[k])!r}\n" for i in range(m)
                   for k in range(matrix.indptr[i], matrix.indptr[i + 1])]
        self.write("illc.mtx", "%%MatrixMarket matrix coordinate real general\n"
                   f"{m} {n} {matrix.nnz}\n" + "".join(entries))
        self.write("ones.mtx", f"%%MatrixMarket matrix array real general\n{m} 1\n" + "1\n" * m)
        config = ('[matrix]\nfile = "illc.mtx"\nright_hand_side = "ones.mtx"\n'
                  'write_solution = true\n[least_squares]\n')
        run, = self.solved(config)
        self.assertEqual(run["outcome"], "converged")
        self.assertLess(abs(run["iterations"] - 2125), 0.05 * 2125)
        self.assertLess(abs(run["condition"] - 1404.9), 5)
        x = [float(line) for line in
             (self.folder / "results/fit/run-1-solution.mtx").read_text().splitlines()[2:]]
        exact = numpy.linalg.lstsq(matrix.toarray(), numpy.ones(m), rcond=None)[0]
        self.assertLess(numpy.linalg.norm(exact - x), 1e-6 * numpy.linalg.norm(exact))
        for storage in ("crs", "jagged"):
            other, = self.solved(config + f'[study]\n"matrix.storage" = ["{storage}"]\n',
                                 command="study")
            self.assertEqual(other["history"], run["history"])


if __name__ == "__main__":
    PROGRAM = os.path.abspath(sys.argv[1])
    CONFIG = os.path.abspath(sys.argv[2])
    unittest.main(argv=sys.argv[:1] + sys.argv[3:])
