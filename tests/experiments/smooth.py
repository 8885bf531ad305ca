#!/usr/bin/env python3
"""ninefold smooth as a person calls it.  Usage: smooth.py PROGRAM."""

import base64
import math
import pathlib
import re
import struct
import sys
import unittest
import xml.etree.ElementTree

from program_case import ProgramCase

# Two tetrahedra, of which nothing is flat.
PARTS = ("ply\nformat ascii 1.0\nelement vertex 8\nproperty double x\nproperty double y\n"
         "property double z\nelement face 8\nproperty list uchar int vertex_indices\nend_header\n"
         "0 0 0\n1 0 0\n0 1 0\n0 0 1\n5 0 0\n6 0 0\n5 1 0\n5 0 1\n"
         "3 0 2 1\n3 0 1 3\n3 0 3 2\n3 1 2 3\n3 4 6 5\n3 4 5 7\n3 4 7 6\n3 5 6 7\n")


def smoothed(points, neighbours, fidelity):
    """Solves (L'L + f) x = f x0 by elimination, for one coordinate."""
    n = len(points)
    laplace = [[0.0] * n for _ in range(n)]
    for i, around in enumerate(neighbours):
        laplace[i][i] = 1.0
        for j in around:
            laplace[i][j] = -1 / len(around)
    rows = [[sum(laplace[k][i] * laplace[k][j] for k in range(n)) + (fidelity if i == j else 0)
             for j in range(n)] + [fidelity * points[i]] for i in range(n)]
    for k in range(n):
        for i in range(k + 1, n):
            factor = rows[i][k] / rows[k][k]
            rows[i] = [a - factor * b for a, b in zip(rows[i], rows[k])]
    x = [0.0] * n
    for k in reversed(range(n)):
        x[k] = (rows[k][n] - sum(rows[k][j] * x[j] for j in range(k + 1, n))) / rows[k][k]
    return x


class Smoothing(ProgramCase):
    command = "smooth"

    def refused(self, *arguments):
        result = self.run_program(*arguments)
        self.assertEqual(result.returncode, 2, result.stdout)
        return result.stderr

    def points(self, file, kind=""):
        lines = (self.folder / file).read_text().splitlines()
        if kind:
            return [tuple(map(float, line.split()[1:])) for line in lines
                    if line.startswith(kind + " ")]
        return [tuple(map(float, line.split())) for line in lines[lines.index("end_header") + 1:]]

    def test_the_first_sentence_says_whether_single_is_enough(self):
        text = self.done("--generate", "bumps", "--size", 24)
        self.assertRegex(text.split("\n\n")[1],
                         r"^Single is enough: its largest error is \S+ of the mean edge, below a "
                         r"thousandth; double has \S+\.$")
        single, double = self.rows("results/bumps")
        self.assertEqual([single["formats"], double["formats"]], ["single", "double"])
        self.assertEqual((double["outcome"], double["unknowns"]), ("converged", 25 * 25))
        self.assertTrue(150 <= double["iterations"] <= 180)
        self.assertLess(double["error_edges"], 1e-7)
        self.assertLess(single["error_edges"], 1e-3)
        self.assertGreater(single["largest_move"], 0.1)
        for name in ("before", "single-after", "double-after"):  # what is before is one for all
            self.assertTrue((self.folder / f"results/bumps/{name}.png").read_bytes()
                            .startswith(b"\x89PNG"))
        self.assertEqual(len(list((self.folder / "results/bumps").glob("*.png"))), 3)
        # What single would need for the residual is not asked for: it is enough.
        self.assertRegex(text, r"single: the residual ends at \S+ of the right-hand side, above the "
                               r"tolerance of 1e-10; the mesh is right to \S+ of the mean edge all "
                               r"the same\n")
        self.assertNotIn("wider", text)
        for coordinate in "xyz":
            history = (self.folder / f"results/bumps/history-double-{coordinate}.csv").read_text()
            self.assertTrue(history.startswith("iteration,residual_reduction\n0,1\n"))

    def test_what_is_written_is_what_the_equations_say(self):
        text = self.done(self.write("scan.ply", PARTS), "--fidelity", "0.3")
        self.assertIn("2 parts are smoothed, each by itself unless it shares a vertex with another "
                      "(a part hangs together along edges)\n", text)
        given = self.points("scan.ply")[:8]
        found = self.points("results/scan/double.ply")[:8]
        neighbours = [[j for j in range(i // 4 * 4, i // 4 * 4 + 4) if j != i] for i in range(8)]
        for k in range(3):
            expected = smoothed([p[k] for p in given], neighbours, 0.3)
            for p, q in zip(found, expected):
                self.assertAlmostEqual(p[k], q, delta=1e-9)
        data = xml.etree.ElementTree.parse(self.folder / "results/scan/double.vtp")
        arrays = {array.get("Name"): base64.b64decode(array.text) for array in data.iter("DataArray")}
        moves = struct.unpack("<24d", arrays["displacement"][8:])
        self.assertEqual(moves, tuple(b - a for p, q in zip(given, found) for a, b in zip(p, q)))
        row = self.rows("results/scan")[1]
        edge = (3 + 3 * math.sqrt(2)) / 6
        largest = max(math.dist(p, q) for p, q in zip(given, found))
        self.assertAlmostEqual(row["largest_move"], largest / edge, delta=1e-12)

    def test_the_result_has_the_format_of_the_file(self):
        off = "OFF\n4 4 0\n0 0 0\n1 0 0\n0 1 0\n0 0 1\n3 0 2 1\n3 0 1 3\n3 0 3 2\n3 1 2 3\n"
        self.done(self.write("a.off", off))
        self.assertTrue((self.folder / "results/a/single.off").read_text().startswith("OFF\n4 4 0"))
        obj = "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nf 1 3 2\nf 1 2 4\nf 1 4 3\nf 2 3 4\n"
        self.assertIn("*.obj", self.done(self.write("b.obj", obj)))
        self.assertEqual(len(self.points("results/b/single.obj", "v")), 4)
        self.assertEqual(self.points("results/b/double.obj", "v"),
                         [tuple(map(float, line.split())) for line in
                          (self.folder / "results/a/double.off").read_text().splitlines()[2:6]])

    def test_a_config_file_does_the_same(self):
        self.write("scan.ply", PARTS)
        self.done("scan.ply", "--output", "one", "--fidelity", "0.05")
        self.write("a.toml", '[mesh]\nfile = "scan.ply"\ntask = "smooth"\nfidelity = 0.05\n')
        result = self.run_program("solve", "a.toml", "--output", "two")
        self.assertEqual(result.returncode, 0, result.stderr)
        for name in ("single.ply", "double.ply", "double.vtp", "history-double-y.csv"):
            self.assertEqual((self.folder / "one" / name).read_bytes(),
                             (self.folder / "two" / name).read_bytes())
        self.assertIn("fidelity = 0.05", self.run_program("check", "a.toml").stdout)

    def test_storages_change_no_bit(self):
        written = set()
        for storage in ("sliced", "crs", "jagged", "blocks-4"):
            self.done("--generate", "sphere", "--size", 6, "--set", f"matrix.storage={storage}",
                      "--set", "matrix.reference=none", "--set", "solver.precision=double",
                      "--set", "matrix.write_solution=true", "--output", storage)
            written.add((self.folder / storage / "run-1.obj").read_text())
            self.assertTrue((self.folder / storage / "run-1-z-solution.mtx").exists())
        self.assertEqual(len(written), 1)

    def test_a_study_of_fidelities(self):
        self.write("a.toml", '[mesh]\ngenerate = "torus"\nsize = 12\ntask = "smooth"\n'
                             '[solver]\nprecision = "single"\n'
                             '[study]\n"mesh.fidelity" = [0.01, 1.0]\n')
        result = self.run_program("study", "a.toml")
        self.assertEqual(result.returncode, 0, result.stderr)
        rows = self.rows("results/a")
        self.assertGreater(rows[0]["largest_move"], 2 * rows[1]["largest_move"])
        self.assertGreater(rows[0]["mean_move"], 2 * rows[1]["mean_move"])
        self.assertIn("mean move", result.stdout)
        self.assertTrue((self.folder / "results/a/run-2-before.png").exists())

    def test_waves_are_halved_as_is_told(self):
        n = 48
        told = re.search(r"of waves (\S+) mean edges long about half is left, of shorter ones less, by "
                         r"mesh.fidelity = 0.1;",
                         self.done("--generate", "torus", "--size", 9, "--fidelity", "0.1"))
        length = float(told[1]) * (2 + math.sqrt(2)) / 3  # of the edges of a grid with diagonals
        points = [(i, j, 0.1 * math.sin(2 * math.pi * i / length)) for j in range(n + 1)
                  for i in range(n + 1)]
        corners = [j * (n + 1) + i for j in range(n) for i in range(n)]
        faces = [f"3 {a} {a + 1} {a + n + 2}\n3 {a} {a + n + 2} {a + n + 1}\n" for a in corners]
        self.write("wave.off", f"OFF\n{len(points)} {2 * n * n} 0\n"
                   + "".join("%r %r %r\n" % p for p in points) + "".join(faces))
        self.done("wave.off", "--fidelity", "0.1", "--set", "solver.precision=double")
        lines = (self.folder / "results/wave/run-1.off").read_text().splitlines()[2:]
        inside = [(j * (n + 1) + i) for j in range(16, 33) for i in range(16, 33)]
        left = max(abs(float(lines[k].split()[2])) for k in inside) / 0.1
        self.assertTrue(0.4 < left < 0.6, left)

    def test_colours_are_told_to_be_lost(self):
        text = PARTS.replace("double z\n", "double z\nproperty uchar red\n", 1)
        for k in range(8):
            point = PARTS.splitlines()[9 + k]
            text = text.replace("\n" + point + "\n", "\n" + point + " 7\n", 1)
        self.assertIn('passed over is what vertices have beside x, y, z: "red"',
                      self.done(self.write("scan.ply", text)))

    def test_an_option_of_the_other_command(self):
        for command, option in (("smooth", "--pins"), ("parameterise", "--fidelity")):
            other = {"smooth": "parameterise", "parameterise": "smooth"}[command]
            self.assertIn(f'"{option}" is an option of ninefold {other}',
                          self.refused(command, "--generate", "torus", "--size", 9, option, "1"))

    def test_what_is_refused(self):
        self.write("torn.off", "OFF\n5 3 0\n0 0 0\n1 0 0\n0 1 0\n0 0 1\n0 0 -1\n"
                               "3 0 1 2\n3 1 0 3\n3 0 1 4\n")
        self.assertIn("torn.off: ", self.refused("smooth", "torn.off"))
        self.write("nan.off", "OFF\n3 1 0\n0 0 0\n1 nan 0\n0 1 0\n3 0 1 2\n")
        self.assertIn("line 4", self.refused("smooth", "nan.off"))
        self.assertIn("ninefold smooth FILE.off", self.refused("smooth"))
        for arguments, part in (
                (("smooth", "--generate", "torus", "--size", 9, "--fidelity", 0), "mesh.fidelity"),
                (("smooth", "--generate", "sphere", "--size", 1001), "from 1 to 1000"),
                (("smooth", "--generate", "torus", "--size", 2), "from 3 to 10000"),
                (("smooth", "--generate", "torus", "--size", 9, "--set", "mesh.pins=[0,1]"),
                 "has no meaning with mesh.task = \"smooth\""),
                (("parameterise", "--generate", "patch", "--size", 9, "--set", "mesh.fidelity=1"),
                 "has no meaning with mesh.task = \"parameterise\"")):
            self.assertIn(part, self.refused(*arguments))
        self.write("a.toml", '[mesh]\ngenerate = "patch"\nsize = 4\n[solver]\nprecision = "single"\n'
                             '[study]\n"mesh.task" = ["smooth", "parameterise"]\n')
        self.assertIn("a study is about one task", self.refused("study", "a.toml"))


if __name__ == "__main__":
    ProgramCase.program = str(pathlib.Path(sys.argv.pop(1)).resolve())
    unittest.main(verbosity=2)
