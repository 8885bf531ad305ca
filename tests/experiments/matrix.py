#!/usr/bin/env python3
"""ninefold matrix as a person calls it, its facts against a count by plain Python, and by SciPy if
that is here.  Usage: matrix.py PROGRAM."""

import collections
import fractions
import gzip
import json
import math
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import unittest

try:
    import numpy
    import scipy.io
    import scipy.sparse
    import scipy.sparse.linalg
except ImportError:
    scipy = None

PROGRAM = ""
GENERATED = {"laplace-3d-7": 5, "laplace-3d-27": 4, "triangles": 9, "triangles-shuffled": 11,
             "elasticity-2d": 5, "elasticity-3d": 3, "shell": 6, "rows": 240}


def entries_of(file):
    """Shape and entries {(row, column): value} of a coordinate file, from 0 on."""
    lines = file.read_text().splitlines()
    symmetric = lines[0].endswith("symmetric")
    rows, columns, count = map(int, lines[1].split())
    entries = {}
    for line in lines[2:]:
        i, j, value = line.split()
        entries[int(i) - 1, int(j) - 1] = float(value)
        if symmetric:
            entries[int(j) - 1, int(i) - 1] = float(value)
    assert len(lines) == count + 2
    return rows, columns, entries


class MatrixTest(unittest.TestCase):
    def setUp(self):
        temporary = tempfile.TemporaryDirectory()
        self.addCleanup(temporary.cleanup)
        self.folder = pathlib.Path(temporary.name)

    def call(self, *arguments):
        return subprocess.run([PROGRAM, "matrix", *map(str, arguments)], cwd=self.folder, text=True,
                              capture_output=True, timeout=300, check=False)

    def facts(self, *arguments):
        result = self.call(*arguments, "--json", "facts.json")
        self.assertEqual((result.returncode, result.stderr), (0, ""))
        return json.loads((self.folder / "facts.json").read_text()), result.stdout

    def generate(self, name, file="a.mtx"):
        """The facts of a generated matrix, which is written to `file`."""
        return self.facts("--generate", name, "--size", GENERATED[name], "--write", file,
                          "--parts", 3)[0]

    def write(self, text, name="a.mtx"):
        (self.folder / name).write_text(text)
        return name


class Facts(MatrixTest):
    maxDiff = None

    def test_they_are_what_a_count_says(self):
        for name in GENERATED:
            with self.subTest(name):
                facts = self.generate(name)
                rows, columns, entries = entries_of(self.folder / "a.mtx")
                self.assertEqual((facts["rows"], facts["columns"], facts["entries"]),
                                 (rows, columns, len(entries)))
                lengths = collections.Counter(i for i, _ in entries)
                self.assertEqual(facts["row_lengths"]["least"], min(lengths.values()))
                self.assertEqual(facts["row_lengths"]["most"], max(lengths.values()))
                for part in facts["row_lengths"]["histogram"]:
                    self.assertEqual(part["rows"], sum(part["first"] <= n <= part["last"]
                                                       for n in lengths.values()))
                self.assertEqual(facts["orders"][0]["bandwidth"], max(abs(i - j) for i, j in entries))
                first = {}
                for i, j in entries:
                    first[i] = min(first.get(i, i), j)
                self.assertEqual(facts["orders"][0]["profile"], sum(i - j for i, j in first.items()))
                self.assertEqual(facts["symmetry"]["unequal"],
                                 sum(entries.get((j, i), 0.0) != v for (i, j), v in entries.items()))
                sizes = {size["storage"]: size for size in facts["storages"]}
                for b in (2, 3, 4):
                    blocks = {(i // b, j // b) for i, j in entries}
                    self.assertEqual(sizes[f"blocks of {b}"]["stored"], b * b * len(blocks))
                diagonals = collections.Counter(k for n in lengths.values() for k in range(n))
                self.assertEqual(sizes["jagged"]["stored"],
                                 sum((n + 15) // 16 * 16 for n in diagonals.values()))
                order = sorted(range(rows), key=lambda i: (i // 1024, -lengths[i], i))
                self.assertEqual(sizes["sliced"]["stored"],
                                 sum(32 * max(lengths[i] for i in order[k:k + 32])
                                     for k in range(0, rows, 32)))
                self.assertEqual(facts["values"]["zeros"], sum(v == 0 for v in entries.values()))
                start = 0
                for part in facts["parts"]:
                    end = part["first_row"] - 1 + part["rows"]
                    self.assertEqual(part["first_row"] - 1, start)
                    self.assertEqual(part["received"], len({j for i, j in entries if start <= i < end
                                                            and not start <= j < end}))
                    start = end
                self.assertEqual(start, rows)

    def test_a_file_and_what_it_was_written_from_have_the_same_facts(self):
        generated = self.generate("shell")
        read, text = self.facts("a.mtx", "--parts", 3)
        self.assertTrue(text.startswith("a.mtx: 216 x 216, "))
        for one in (generated, read):
            del one["name"], one["header"]
        self.assertEqual(generated, read)

    def test_compressed_files(self):
        self.generate("triangles")
        with gzip.open(self.folder / "b.mtx.gz", "wb") as packed:
            packed.write((self.folder / "a.mtx").read_bytes())
        one, other = self.facts("a.mtx")[0], self.call("b.mtx.gz", "--json", "b.json")
        if "without zlib" in other.stderr:
            self.skipTest("built without zlib")
        self.assertEqual(other.returncode, 0, other.stderr)
        two = json.loads((self.folder / "b.json").read_text())
        self.assertEqual(two.pop("name"), "b.mtx.gz")
        one.pop("name")
        self.assertEqual(one, two)
        self.call("a.mtx", "--write", "c.mtx.gz")
        with gzip.open(self.folder / "c.mtx.gz") as packed:
            self.assertEqual(packed.read(), (self.folder / "a.mtx").read_bytes())

    @unittest.skipIf(shutil.which("gnuplot") is None, "needs gnuplot")
    def test_a_picture(self):
        result = self.call("--generate", "triangles-shuffled", "--size", 30, "--picture", "b/p.png")
        self.assertEqual((result.returncode, result.stderr), (0, ""))
        self.assertIn("written: b/p.png", result.stdout)
        self.assertTrue((self.folder / "b/p.png").read_bytes().startswith(b"\x89PNG"))
        self.assertTrue((self.folder / "b/p.gp").is_file())


class Refusals(MatrixTest):
    def assert_refused(self, result, *parts):
        self.assertEqual((result.returncode, result.stdout), (2, ""))
        self.assertTrue(result.stderr.startswith("ninefold: "), result.stderr)
        for part in parts:
            self.assertIn(part, result.stderr)

    def test_files(self):
        head = "%%MatrixMarket matrix coordinate real general\n"
        for text, part in ((head + "2 2 1\n0 1 5\n", "a.mtx, line 3: row 0: they are from 1 to 2"),
                           (head + "2 2 2\n1 1 5\n", "a.mtx, line 3: the file ends after 1 of the 2"),
                           (head.replace("real", "complex"), '"complex" is no field'),
                           ("", "line 1: a Matrix Market file begins with %%MatrixMarket")):
            self.assert_refused(self.call(self.write(text)), part)
        self.assert_refused(self.call("none.mtx"), "none.mtx cannot be read: No such file")
        self.assert_refused(self.call("."), ". is a folder, not a Matrix Market file")
        self.assert_refused(self.call("/dev/zero"), "/dev/zero is a device")

    def test_command_lines(self):
        self.assert_refused(self.call(), "a matrix is needed")
        self.assert_refused(self.call("--generate", "shell"), "needs its size")
        self.assert_refused(self.call("--generate", "shell", "--size", "x"), "--size")
        self.assert_refused(self.call("--generate", "shel", "--size", "3"), 'did you mean "shell"?')
        self.assert_refused(self.call("--generate", "shell", "--size", "3", "--parts", "0.5"),
                            "--parts")
        self.assert_refused(self.call("--generate", "shell", "--size", "3", "--with", "mean=3"),
                            "this is for --generate rows")

    def test_a_file_that_cannot_be_written_is_a_failure(self):
        result = self.call("--generate", "shell", "--size", 3, "--write", "/proc/a.mtx")
        self.assertEqual(result.returncode, 3, result.stderr)


@unittest.skipIf(scipy is None, "needs SciPy")
class SciPy(MatrixTest):
    def test_it_reads_the_same_matrix(self):
        for name in GENERATED:
            with self.subTest(name):
                facts = self.generate(name)
                A = scipy.sparse.csr_matrix(scipy.io.mmread(self.folder / "a.mtx"))
                self.assertEqual(A.shape, (facts["rows"], facts["columns"]))
                self.assertEqual(abs(A - A.T).max(), 0)
                values = numpy.linalg.eigvalsh(A.toarray())
                self.assertGreater(values[0], 0)
                bounds = facts["definiteness"]
                self.assertIn("yes", (bounds["by_rows"], bounds.get("by_elimination")))
                self.assertGreaterEqual(values[0], bounds["lowest"] - 1e-12 * abs(values).max())
                self.assertLessEqual(values[-1], bounds["highest"] * (1 + 1e-12))

    def test_the_order_is_as_good(self):
        from scipy.sparse.csgraph import connected_components, reverse_cuthill_mckee
        for name in ("triangles-shuffled", "elasticity-3d", "rows", "laplace-3d-7"):
            with self.subTest(name):
                facts = self.generate(name)
                A = scipy.sparse.csr_matrix(scipy.io.mmread(self.folder / "a.mtx"))
                order = reverse_cuthill_mckee(A, symmetric_mode=True)
                B = A[order][:, order].tocoo()
                self.assertLessEqual(facts["orders"][1]["bandwidth"], 1.2 * max(abs(B.row - B.col)))
                self.assertEqual(facts["definiteness"]["parts"], connected_components(A)[0])

    def test_a_file_of_scipy_is_read(self):
        random = numpy.random.default_rng(1)
        A = scipy.sparse.random(60, 60, 0.1, random_state=random, format="coo") + scipy.sparse.eye(60)
        for symmetric, symmetry in ((A + A.T, "symmetric"), (A, "general")):
            scipy.io.mmwrite(self.folder / "s.mtx", symmetric, symmetry=symmetry, precision=17)
            self.call("s.mtx", "--write", "t.mtx")
            back = scipy.sparse.csr_matrix(scipy.io.mmread(self.folder / "t.mtx"))
            self.assertEqual(abs(back - symmetric).max(), 0)
            self.assertEqual(re.findall("general|symmetric",
                                        (self.folder / "t.mtx").read_text())[0], symmetry)


class Solves(MatrixTest):
    """ninefold solve and study with a matrix."""

    def solve(self, *arguments, command="solve"):
        return subprocess.run([PROGRAM, command, *map(str, arguments)], cwd=self.folder, text=True,
                              capture_output=True, timeout=300, check=False)

    def results(self, folder):
        return json.loads((self.folder / folder / "results.json").read_text())

    def test_a_matrix_by_its_name(self):
        self.generate("triangles")
        result = self.solve("a.mtx")
        self.assertEqual((result.returncode, result.stderr), (0, ""))
        run = self.results("results/a")["runs"][0]
        self.assertEqual(run["outcome"], "converged")
        self.assertLess(run["error_l2"], 1e-9)
        self.assertLessEqual(run["true_residual"], 1e-10)
        self.assertEqual(len(run["history"]), run["iterations"] + 1)
        history = (self.folder / "results/a/history-run-1.csv").read_text().splitlines()
        self.assertEqual(len(history), run["iterations"] + 2)
        page = (self.folder / "results/a/report.html").read_text()
        self.assertIn("converged", page)
        self.assertIn("all on one page: results/a/report.html", result.stdout)

    @unittest.skipIf(scipy is None, "SciPy is not here")
    def test_the_solution_is_the_one_of_scipy(self):
        for name in GENERATED:
            with self.subTest(name):
                self.generate(name)
                A = scipy.sparse.csc_matrix(scipy.io.mmread(self.folder / "a.mtx"))
                b = numpy.sin(numpy.arange(A.shape[0]))
                scipy.io.mmwrite(self.folder / "b.mtx", b.reshape(-1, 1))
                result = self.solve("a.mtx", "--set", "matrix.right_hand_side=b.mtx", "--set",
                                    "matrix.write_solution=true", "--set", "solver.tolerance=1e-12")
                self.assertEqual((result.returncode, result.stderr), (0, ""))
                x = scipy.io.mmread(self.folder / "results/a/run-1-solution.mtx").ravel()
                exact = scipy.sparse.linalg.spsolve(A, b)
                self.assertLess(numpy.abs(x - exact).max(), 1e-7 * numpy.abs(exact).max())
                run = self.results("results/a")["runs"][0]
                self.assertIsNone(run["error_l2"])
                # Between the error and a few times it, in the energy norm.
                e = x - exact
                error = numpy.sqrt(e @ (A @ e) / (exact @ b))
                self.assertLess(error, 3 * run["estimated_energy_error"] + 1e-13)

    def test_a_study_tells_what_suffices_and_storages_have_the_same_bits(self):
        self.write("""
[matrix]
generate = "elasticity-2d"
size = 8
[study]
"solver.precision" = ["single", "double"]
"matrix.storage" = ["sliced", "crs", "jagged", "blocks-2"]
""", "study.toml")
        result = self.solve("study.toml", command="study")
        self.assertEqual(result.returncode, 1)  # single does not reach 1e-10
        runs = self.results("results/study")["runs"]
        self.assertEqual(len(runs), 8)
        for precision in ("single", "double"):
            ours = [r for r in runs if r["varied"]["solver.precision"] == precision]
            self.assertEqual(len({(r["error_l2"], tuple(r["history"])) for r in ours}), 1)
        self.assertEqual([r["outcome"] for r in runs], 4 * ["stagnated"] + 4 * ["converged"])
        self.assertIn("where single holds it", result.stdout)

    def test_a_grid_s_system_is_written_and_read_back(self):
        grid = """
[grid]
levels = [5, 6]
[solver]
method = "cg"
norm = "residual"
tolerance = 1e-10
[operator]
form = "plain"
[output]
matrix = true
"""
        result = self.solve(self.write(grid, "grid.toml"))
        self.assertEqual((result.returncode, result.stderr), (0, ""))
        self.assertIn("*.mtx", result.stdout)
        levels = self.results("results/grid")["runs"][0]["levels"]
        for level, iterations in ((5, 42), (6, 85)):  # the paper's of test A
            stem = f"results/grid/solution-level{level:02}"
            # What is not known is measured against a solution in double-double.
            result = self.solve(f"{stem}-matrix.mtx", "--set",
                                f"matrix.right_hand_side={stem}-right-hand-side.mtx",
                                "--set", "matrix.reference=double-double", "--set",
                                "solver.preconditioner=none", "--output", "own")
            self.assertEqual((result.returncode, result.stderr), (0, ""))
            run = self.results("own")["runs"][0]
            self.assertEqual(run["iterations"], iterations)
            self.assertEqual(run["unknowns"], (2 ** level - 1) ** 2)
            self.assertLess(run["error_l2"], 1e-8)
            self.assertGreater(run["error_l2"], 1e-13)  # not against itself
            self.assertLessEqual(run["error_l2"], 100 * run["estimated_energy_error"])
        self.assertEqual([level["iterations"] for level in levels], [42, 85])

    def test_a_written_system_has_the_solution_with_its_boundary_values(self):
        grid = "[grid]\nlevels = [4, 4]\n[problem]\nsolution = 'exponential'\n" \
               "boundary.left = 'neumann'\n[output]\nmatrix = true\n"
        self.assertEqual(self.solve(self.write(grid, "grid.toml")).returncode, 0)
        stem = "results/grid/solution-level04"
        result = self.solve(f"{stem}-matrix.mtx", "--set",
                            f"matrix.right_hand_side={stem}-right-hand-side.mtx", "--set",
                            "matrix.write_solution=true", "--output", "own")
        self.assertEqual((result.returncode, result.stderr), (0, ""))
        lines = (self.folder / "own" / "run-1-solution.mtx").read_text().splitlines()
        values = [float(line) for line in lines[2:]]
        nodes = [(i / 16, j / 16) for j in range(1, 16) for i in range(16)]
        self.assertEqual(len(values), len(nodes))
        for value, (x, y) in zip(values, nodes):
            self.assertAlmostEqual(value, math.exp(x) * math.cos(y), delta=2e-3)

    def test_a_reference_solution_is_one(self):
        self.generate("elasticity-2d")
        rows, _, entries = entries_of(self.folder / "a.mtx")
        # b = A x with an x of few digits: whole numbers times entries, added exactly.
        x = [1 + i % 3 for i in range(rows)]
        b = [sum(fractions.Fraction(v) * x[j] for (i, j), v in entries.items() if i == row)
             for row in range(rows)]
        self.write("%%MatrixMarket matrix array real general\n"
                   f"{rows} 1\n" + "".join(f"{float(value)!r}\n" for value in b), "b.mtx")
        errors = {}
        for precision in ("double", "double-double"):
            result = self.solve("a.mtx", "--set", "matrix.right_hand_side=b.mtx", "--set",
                                "matrix.reference=double-double", "--set",
                                f"solver.precision={precision}", "--set", "solver.tolerance=1e-14")
            self.assertEqual((result.returncode, result.stderr), (0, ""))
            run = self.results("results/a")["runs"][0]
            errors[precision] = run["error_l2"]
        self.assertLess(errors["double"], 1e-11)
        # Below what double leaves, which a reference in double would hide.
        self.assertLess(errors["double-double"], 1e-12)

    def test_blocks_of_a_node_precondition(self):
        iterations = {}
        for preconditioner in ("jacobi", "block-jacobi"):
            result = self.solve(self.write('[matrix]\ngenerate = "shell"\nsize = 8\n'
                                           'components = 6\n', "a.toml"),
                                "--set", f"solver.preconditioner={preconditioner}")
            self.assertEqual((result.returncode, result.stderr), (0, ""))
            run = self.results("results/a")["runs"][0]
            self.assertLess(run["error_l2"], 1e-6)
            iterations[preconditioner] = run["iterations"]
        self.assertLess(iterations["block-jacobi"], iterations["jacobi"])

    def test_the_page_of_a_study_that_fails_says_so(self):
        self.generate("triangles")
        self.write("%%MatrixMarket matrix array real general\n2 1\n1\n1\n", "b.mtx")
        self.write("""
[matrix]
file = "a.mtx"
[study]
"matrix.right_hand_side" = ["ones", "b.mtx"]
""", "study.toml")
        result = self.solve("study.toml", command="study")
        self.assertEqual(result.returncode, 2)
        page = (self.folder / "results/study/report.html").read_text()
        self.assertIn("Failed after 1 of 2 runs", page)
        self.assertNotIn("Not complete", page)

    def test_mixed_precision(self):
        result = self.solve("--set", "matrix.generate=triangles", "--set", "matrix.size=30", "--set",
                            "refinement.inner_precision=single", self.write("", "empty.toml"))
        self.assertEqual((result.returncode, result.stderr), (0, ""))
        run = self.results("results/empty")["runs"][0]
        self.assertEqual(run["formats"], "double:single")
        self.assertGreater(run["inner_iterations"], run["iterations"])

    def test_what_is_refused_is_named(self):
        def refused(text, *parts, arguments=()):
            result = self.solve(self.write(text, "a.toml"), *arguments)
            self.assertEqual((result.returncode, result.stdout), (2, ""))
            for part in parts:
                self.assertIn(part, result.stderr)
        matrix = '[matrix]\ngenerate = "triangles"\nsize = 9\n'
        refused(matrix + "[grid]\nlevels = [3, 4]\n", "a.toml, line 5", "grid.levels", "about grids")
        refused(matrix + "[output]\nplots = true\n", "a.toml, line 5", "output.plots", "about grids")
        off = self.solve(self.write(matrix + "[output]\nplots = false\nvtk = false\nestimates = false\n",
                                    "a.toml"), "--output", "off")
        self.assertEqual((off.returncode, off.stderr), (0, ""))
        refused(matrix + '[solver]\nmethod = "multigrid"\n', "solver.method", '"cg"')
        refused(matrix + '[solver]\npreconditioner = "multigrid"\n', "solver.preconditioner")
        refused('[matrix]\nfile = "none.mtx"\n', "none.mtx", "a.toml, line 2")
        refused('[matrix]\nfile = "none.mtx"\nsize = 3\n', "matrix.size", "contradicts matrix.file")
        refused('[matrix]\ngenerate = "triangle"\nsize = 3\n', 'did you mean "triangles"')
        refused('[matrix]\ngenerate = "triangles"\n', "needs its size")
        refused('[matrix]\nsize = 4\n', "has no effect: there is no matrix")
        refused(matrix + 'reference = "double-double"\n', "matrix.reference", "is known")
        refused(matrix + 'block_size = 3\n', "matrix.block_size", "block-jacobi")
        refused(matrix + '[solver]\npreconditioner = "block-jacobi"\n', "matrix.components")
        refused('[solver]\nmethod = "cg"\npreconditioner = "block-jacobi"\n',
                "solver.preconditioner", "matrix of your own")
        refused('[grid]\nlevels = [3, 11]\n[output]\nmatrix = true\n', "output.matrix", "level 10")
        refused(matrix + 'mean = 5.0\n', "matrix.mean", 'is for matrix.generate = "rows"')
        refused(matrix + 'storage = "blocks-2"\n[refinement]\ninner_precision = "single"\n',
                "matrix.storage", '"sliced"')
        refused(matrix + '[solver]\nprecision = "s20e8"\n[backend]\nname = "cuda"\n', "cuda")
        general = "%%MatrixMarket matrix coordinate real general\n2 2 3\n1 1 2\n2 2 2\n1 2 1\n"
        result = self.solve(self.write(general))
        self.assertEqual((result.returncode, result.stdout), (2, ""))
        self.assertIn("not symmetric", result.stderr)
        negative = "%%MatrixMarket matrix coordinate real symmetric\n2 2 2\n1 1 2\n2 2 -2\n"
        result = self.solve(self.write(negative))
        self.assertEqual(result.returncode, 2)
        self.assertIn("row 2", result.stderr)

    def test_systems_that_are_solved_together_are_what_each_is_alone(self):
        names = ["triangles", "laplace-3d-7", "shell"]
        for k, name in enumerate(names):
            self.generate(name, f"m{k}.mtx")
        rows = entries_of(self.folder / "m1.mtx")[0]
        self.write("%%MatrixMarket matrix array real general\n" + f"{rows} 1\n"
                   + "".join(f"{k % 7 - 3}\n" for k in range(rows)), "b.mtx")
        rights = ["ones", "b.mtx", "random"]
        text = f"""
[matrix]
files = {json.dumps([f"m{k}.mtx" for k in range(3)])}
right_hand_sides = {json.dumps(rights)}
write_solution = true
"""
        options = {"plain": "", "mixed": '[refinement]\ninner_precision = "single"\n'}
        for kind, more in options.items():
            with self.subTest(kind):
                result = self.solve(self.write(text + more, "all.toml"))
                self.assertEqual((result.returncode, result.stderr), (0, ""))
                self.assertEqual("run-1 to run-3 were solved side by side" in result.stdout,
                                 kind == "plain")
                runs = self.results("results/all")["runs"]
                self.assertEqual([run["name"] for run in runs], ["run-1", "run-2", "run-3"])
                for k, run in enumerate(runs):
                    self.assertEqual(run["varied"], {"matrix.file": f"m{k}.mtx",
                                                     "matrix.right_hand_side": rights[k]})
                    self.assertEqual(run["systems_together"], 3 if kind == "plain" else None)
                    one = f"""
[matrix]
file = "m{k}.mtx"
right_hand_side = "{rights[k]}"
write_solution = true
""" + more
                    self.assertEqual(self.solve(self.write(one, "one.toml")).returncode, 0)
                    alone = self.results("results/one")["runs"][0]
                    for key in set(alone) - {"name", "setup_seconds", "solve_seconds", "timeline",
                                             "memory_bytes", "moved_bytes", "systems_together"}:
                        self.assertEqual(run[key], alone[key], key)
                    for file in ("run-{}-solution.mtx", "history-run-{}.csv"):
                        self.assertEqual(
                            (self.folder / "results/all" / file.format(k + 1)).read_text(),
                            (self.folder / "results/one" / file.format(1)).read_text())
        options = self.results("results/all")["meta"]["options"]
        self.assertEqual(options["matrix.files"], '["m0.mtx", "m1.mtx", "m2.mtx"]')
        self.assertEqual(options["matrix.right_hand_sides"], '["ones", "b.mtx", "random"]')

    def test_systems_together_in_a_study(self):
        self.generate("triangles", "m0.mtx")
        self.generate("elasticity-2d", "m1.mtx")
        self.write("""
[matrix]
files = ["m0.mtx", "m1.mtx"]
[study]
"solver.precision" = ["half", "double"]
""", "study.toml")
        result = self.solve("study.toml", command="study")
        self.assertEqual(result.returncode, 1)  # half does not reach 1e-10
        runs = self.results("results/study")["runs"]
        self.assertEqual([run["varied"] for run in runs],
                         [{"solver.precision": precision, "matrix.file": file}
                          for precision in ("half", "double") for file in ("m0.mtx", "m1.mtx")])
        self.assertEqual([run["outcome"] == "converged" for run in runs], [False, False, True, True])
        self.assertIn("run-3 to run-4 were solved side by side", result.stdout)

    def test_what_is_refused_of_several_systems_is_named(self):
        self.generate("triangles", "m0.mtx")
        def refused(text, *parts):
            result = self.solve(self.write(text, "a.toml"))
            self.assertEqual(result.returncode, 2)
            for part in parts:
                self.assertIn(part, result.stderr)
        files = '[matrix]\nfiles = ["m0.mtx", "m0.mtx"]\n'
        refused(files + 'file = "m0.mtx"\n', "matrix.file", "contradicts matrix.files")
        refused(files + 'generate = "shell"\nsize = 4\n', "contradicts matrix.files")
        refused(files + 'right_hand_sides = ["ones"]\n', "matrix.right_hand_sides",
                "has 1 elements, but matrix.files has 2")
        refused(files + 'right_hand_side = "ones"\nright_hand_sides = ["ones", "ones"]\n',
                "a.toml, line 3", "contradicts matrix.right_hand_sides")
        refused('[matrix]\nfile = "m0.mtx"\nright_hand_sides = ["ones"]\n', "is for matrix.files")
        refused('[matrix]\nfiles = ["m0.mtx", "m0.mtz"]\n', '"m0.mtz"', "is no .mtx file")
        refused('[matrix]\nfiles = ["m0.mtx", "none.mtx"]\n', "none.mtx", "a.toml, line 2")
        refused(files + 'reference = "double-double"\n', "matrix.reference", "is known")
        refused(files + "[least_squares]\n", "matrix.file")
        negative = "%%MatrixMarket matrix coordinate real symmetric\n2 2 2\n1 1 2\n2 2 -2\n"
        self.write(negative, "n.mtx")
        refused('[matrix]\nfiles = ["m0.mtx", "n.mtx"]\n', "n.mtx", "row 2")
        odd = self.write("%%MatrixMarket matrix coordinate real symmetric\n3 3 3\n"
                         "1 1 2\n2 2 3\n3 3 4\n", "odd.mtx")
        result = self.solve(self.write(f'[matrix]\nfiles = ["m0.mtx", "{odd}"]\n', "b.toml"),
                            "--set", "matrix.components=9")
        self.assertEqual(result.returncode, 1)  # of one, in its row
        runs = self.results("results/b")["runs"]
        self.assertEqual([run["outcome"] for run in runs], ["converged", "refused"])
        self.assertIn("matrix.components", runs[1]["remark"])

    def test_check_shows_the_options_of_a_matrix_alone(self):
        result = self.solve(self.write('[matrix]\ngenerate = "shell"\nsize = 5\n', "a.toml"),
                            command="check")
        self.assertEqual((result.returncode, result.stderr), (0, ""))
        self.assertIn('storage = "auto"', result.stdout)
        self.assertIn("a.toml is in order", result.stdout)
        self.assertNotIn("[grid]", result.stdout)


if __name__ == "__main__":
    PROGRAM = os.path.abspath(sys.argv[1])
    unittest.main(argv=[sys.argv[0], *sys.argv[2:]])
