#!/usr/bin/env python3
"""ninefold parameterise as a person calls it.  Usage: mesh.py PROGRAM."""

import base64
import math
import pathlib
import re
import struct
import sys
import unittest
import xml.etree.ElementTree

from program_case import ProgramCase

SQUARE = "OFF\n5 4 0\n0 0 0\n1 0 0\n1 1 0\n0 1 0\n.5 .5 0\n3 0 1 4\n3 1 2 4\n3 2 3 4\n3 3 0 4\n"


class MeshTest(ProgramCase):
    command = "parameterise"


class Maps(MeshTest):
    def test_the_first_sentence_says_whether_single_is_enough(self):
        text = self.done("--generate", "patch", "--size", 16)
        after_progress = text.split("\n\n")[1]
        self.assertRegex(after_progress, r"^Single is enough: its largest error is 0\.\d+ texels of "
                                         r"a 4096 x 4096 texture, below half of one; double has ")
        single, double = self.rows("results/patch")
        self.assertEqual([single["formats"], double["formats"]], ["single", "double"])
        self.assertEqual(double["outcome"], "converged")
        self.assertLess(double["error_texels"], 1e-5)
        self.assertLess(single["error_texels"], 0.5)
        self.assertEqual((single["unknowns"], single["turned_over"]), (2 * 17 * 17 - 4, 0))

    def test_what_is_written_is_the_mesh_with_a_map_that_keeps_its_angles(self):
        self.done("--generate", "patch", "--size", 12)
        lines = (self.folder / "results/patch/double.obj").read_text().splitlines()
        points, texture, faces = ([line.split()[1:] for line in lines if line.startswith(kind + " ")]
                                  for kind in ("v", "vt", "f"))
        points = [tuple(map(float, p)) for p in points]
        texture = [tuple(map(float, p)) for p in texture]
        self.assertEqual((len(points), len(texture), len(faces)), (169, 169, 288))
        for k in range(2):
            self.assertEqual(min(p[k] for p in texture), 0)
        self.assertAlmostEqual(max(max(p) for p in texture), 1, delta=1e-15)
        scales = []
        for face in faces:
            corners = [int(corner.split("/")[0]) - 1 for corner in face]
            self.assertEqual(face, [f"{corner + 1}/{corner + 1}" for corner in corners])
            for a, b in zip(corners, corners[1:] + corners[:1]):
                scales.append(math.dist(texture[a], texture[b]) / math.dist(points[a], points[b]))
        self.assertLess(max(scales) - min(scales), 1e-8)

        data = xml.etree.ElementTree.parse(self.folder / "results/patch/double.vtp")
        arrays = {array.get("Name"): base64.b64decode(array.text)
                  for array in data.iter("DataArray")}
        sizes = {name: struct.unpack("<Q", bytes_[:8])[0] for name, bytes_ in arrays.items()}
        self.assertEqual(sizes, {name: len(bytes_) - 8 for name, bytes_ in arrays.items()})
        self.assertEqual(struct.unpack("<507d", arrays["points"][8:]),
                         tuple(c for p in points for c in p))
        self.assertEqual(struct.unpack("<338d", arrays["texture"][8:]),
                         tuple(c for p in texture for c in p))
        self.assertLess(max(struct.unpack("<288d", arrays["stretch"][8:])), 1 + 1e-8)
        self.assertEqual(len(struct.unpack("<864i", arrays["connectivity"][8:])), 864)
        for picture in ("map", "surface"):
            self.assertTrue((self.folder / f"results/patch/double-{picture}.png").read_bytes()
                            .startswith(b"\x89PNG"))

    def test_formats_of_a_file_are_the_same(self):
        names = {"off": SQUARE,
                 "obj": "v 0 0 0\nv 1 0 0\nv 1 1 0\nv 0 1 0\nv .5 .5 0\n"
                        "f 1 2 5\nf 2 3 5\nf 3 4 5\nf 4 1 5\n",
                 "ply": "ply\nformat ascii 1.0\nelement vertex 5\nproperty float x\n"
                        "property float y\nproperty float z\nelement face 4\n"
                        "property list uchar int vertex_indices\nend_header\n"
                        + SQUARE.split("0\n", 1)[1]}
        written = set()
        for ending, text in names.items():
            self.done(self.write("a." + ending, text), "--output", ending)
            written.add((self.folder / ending / "double.obj").read_text())
        self.assertEqual(len(written), 1)

    def test_pins(self):
        text = self.done(self.write("a.off", SQUARE), "--pins", "1,3")
        self.assertIn("vertices 1 and 3 are held\n", text)
        self.assertIn("vertices 2 and 0 are held, far apart on the boundary",
                      self.done("a.off"))

    def test_solve_does_the_same(self):
        self.write("a.off", SQUARE)
        self.done("a.off", "--output", "one", "--pins", "0,2")
        self.write("a.toml", '[mesh]\nfile = "a.off"\ntask = "parameterise"\npins = [0, 2]\n')
        for arguments, output in ((("a.toml",), "two"), (("a.off", "--set", "mesh.pins=[0,2]"),
                                                         "three")):
            result = self.run_program("solve", *arguments, "--output", output)
            self.assertEqual(result.returncode, 0, result.stderr)
            for name in ("single.obj", "double.obj", "double.vtp", "history-double.csv"):
                self.assertEqual((self.folder / "one" / name).read_bytes(),
                                 (self.folder / output / name).read_bytes())
        result = self.run_program("check", "a.toml")
        self.assertIn('precision = ["single", "double"]', result.stdout)
        self.assertIn("pins = [0, 2]", result.stdout)

    def test_storages_and_threads_change_no_bit(self):
        written = set()
        for storage in ("sliced", "crs", "jagged", "blocks-2", "blocks-3", "blocks-4"):
            self.done("--generate", "bumps", "--size", 10, "--set", f"matrix.storage={storage}",
                      "--set", "matrix.reference=none", "--set", "solver.precision=double",
                      "--output", storage)
            written.add((self.folder / storage / "run-1.obj").read_text())
        self.assertEqual(len(written), 1)

    def test_a_study(self):
        text = self.done("--generate", "patch", "--size", 6, "--set",
                         'study.operator.form=["plain","difference"]')
        self.assertIn("Whether single is enough was not tried", text)
        self.assertEqual(len(self.rows("results/patch")), 2)

    def test_the_worst_mesh_and_the_best_form_are_judged(self):
        self.write("a.toml", '[mesh]\ngenerate = "patch"\n[solver]\nprecision = "single"\n'
                             '[study]\n"mesh.size" = [6, 128]\n')
        result = self.run_program("study", "a.toml")
        self.assertEqual((result.returncode, result.stderr), (1, ""))
        self.assertRegex(result.stdout, r"Single is not enough: its largest error is \d\S* texels "
                                        r"of a 4096 x 4096 texture, in run-2, above half of one\.")
        text = self.call("--generate", "patch", "--size", 32, "--set", "solver.precision=single",
                         "--set", 'study.operator.form=["plain","difference"]').stdout
        self.assertRegex(text, r"Single is enough: its largest error is 0\.0\d+ texels "
                               r"of a 4096 x 4096 texture, in run-2, below half of one\.")

    def test_a_map_that_is_not_done_is_drawn_and_told(self):
        for name in ("patch", "bumps"):
            result = self.call("--generate", name, "--size", 12, "--set", "solver.max_iterations=4")
            self.assertEqual((result.returncode, result.stderr), (1, ""))
            self.assertIn("step limit after 4 iterations", result.stdout)
            for row in self.rows(f"results/{name}"):
                median, largest = (row[key] or math.inf  # which is no number of JSON
                                   for key in ("median_stretch", "largest_stretch"))
                self.assertGreaterEqual(largest, median)

    def test_without_a_reference_nothing_is_said_of_the_error(self):
        text = self.done("--generate", "patch", "--size", 5, "--set", "matrix.reference=none",
                         "--set", "solver.precision=double")
        self.assertIn("Nothing is known of the error", text)
        text = self.done("--generate", "patch", "--size", 5, "--set", "solver.precision=double",
                         "--set", "refinement.inner_precision=single")
        self.assertIn("Whether single is enough was not tried; in double:single", text)

    def test_what_is_not_enough(self):
        result = self.call("--generate", "patch", "--size", 12, "--set", "solver.precision=half")
        self.assertEqual((result.returncode, result.stderr), (1, ""))
        text = self.done("--generate", "patch", "--size", 128)
        self.assertIn("Single is not enough: its largest error is", text)

    def test_the_largest_part(self):
        # Beside the square a triangle, and a vertex of none.
        text = SQUARE.replace("5 4 0", "9 5 0").replace(
            "3 0 1 4", "5 0 0\n6 0 0\n5 1 0\n9 9 9\n3 5 6 7\n3 0 1 4")
        self.write("a.off", text)
        result = self.call("a.off")
        self.assertEqual(result.returncode, 2)
        self.assertIn("2 parts, of which the largest has 4 of the 5 triangles", result.stderr)
        self.assertIn("--part largest", result.stderr)
        text = self.done("a.off", "--part", "largest", "--pins", "0,2")
        self.assertIn("the largest of 2 parts is taken: 4 of 5 triangles, 5 of 9 vertices", text)
        result = self.call("a.off", "--part", "largest", "--pins", "0,6")
        self.assertEqual(result.returncode, 2)
        self.assertIn("vertex 6 cannot be held: it is not of the largest part", result.stderr)

    def test_a_part_is_refused_by_the_numbers_of_the_file(self):
        # A triangle first; then a square whose vertex 7 lies on an edge.
        text = ("OFF\n8 5 0\n5 0 0\n6 0 0\n5 1 0\n0 0 0\n1 0 0\n1 1 0\n0 1 0\nX 0\n3 0 1 2\n"
                "3 3 4 7\n3 4 5 7\n3 5 6 7\n3 6 3 7\n")
        self.write("a.off", text.replace("X", "0 .5"))
        result = self.call("a.off", "--part", "largest")
        self.assertEqual(result.returncode, 2)
        self.assertIn("triangle 4, of vertices (6, 3, 7), has no area", result.stderr)
        self.write("a.off", text.replace("X", ".5 .5").replace("1 1 0", "0 0 0"))
        result = self.call("a.off", "--part", "largest", "--pins", "3,5")
        self.assertIn("vertices 3 and 5 are at the same place", result.stderr)

    def test_a_vertex_of_no_triangle_is_left_out(self):
        self.write("a.off", SQUARE.replace("5 4 0", "6 4 0").replace(".5 .5 0", ".5 .5 0\n7 7 7"))
        self.assertIn("vertices that belong to no triangle are left out: 4 of 4 triangles, "
                      "5 of 6 vertices", self.done("a.off", "--part", "largest"))

    def test_any_unit_of_length(self):
        for unit in ("e80", "e-90", "e3"):
            text = SQUARE.split("\n")
            for k in range(2, 7):
                text[k] = " ".join(c if c == "0" else c + unit for c in text[k].split())
            self.done(self.write("a.off", "\n".join(text)), "--output", unit)
            double = self.rows(unit)[1]
            self.assertEqual(double["outcome"], "converged")
            self.assertLess(double["error_texels"], 1e-5)


class Refusals(MeshTest):
    def assert_refused(self, result, *parts):
        self.assertEqual((result.returncode, result.stdout), (2, ""))
        self.assertTrue(result.stderr.startswith("ninefold: "), result.stderr)
        for part in parts:
            self.assertIn(part, result.stderr)

    def test_meshes(self):
        self.assert_refused(self.call("--generate", "sphere", "--size", 4),
                            "sphere of size 4: the mesh is closed", "--generate sphere")
        for text, part in ((SQUARE.replace("3 0 1 4", "3 0 1 5"), "line 8: vertex 5: they are from"),
                           (SQUARE.replace("3 1 2 4", "3 2 1 4"), "show"),
                           (SQUARE.replace("3 3 0 4", "3 0 1 3"), "edge"),
                           (SQUARE.replace(".5 .5 0", "0 .5 0"), "triangle 3, of vertices"),
                           (SQUARE.replace(".5 .5 0", ".5 inf 0"), "coordinates are finite")):
            self.assert_refused(self.call(self.write("a.off", text)), "a.off", part)
            self.assertEqual(list(self.folder.iterdir()), [self.folder / "a.off"])
        self.assert_refused(self.call("none.off"), "none.off cannot be read: No such file")
        self.assert_refused(self.call("a.stl"), "is no file of a mesh", ".off, .obj or .ply")

    def test_command_lines(self):
        self.assert_refused(self.call(), "a mesh is needed")
        self.assert_refused(self.call("a.off", "--generate", "patch"), "there is one mesh")
        self.assert_refused(self.call("--generate", "patch"), "needs its size")
        self.assert_refused(self.call("--generate", "pach", "--size", 3), 'did you mean "patch"?')
        self.assert_refused(self.call("--generate", "patch", "--size", "x"), "--size x")
        self.assert_refused(self.call("--generate", "patch", "--size", 3, "--part", "big"),
                            '"whole" or "largest"')
        for pins in ("1", "1,1", "1,2,3", "a,b", "-1,2"):
            self.assert_refused(self.call("--generate", "patch", "--size", 3, f"--pins={pins}"),
                                "--pins")
        self.assert_refused(self.call("--generate", "patch", "--size", 3, "--pins", "1,16"),
                            "vertex 16 cannot be held: they are from 0 to 15")

    def test_formats_are_not_chosen_by_an_error_that_is_not_there(self):
        self.assert_refused(self.call("--generate", "patch", "--size", 3, "--set",
                                      "solver.precision=auto"),
                            'solver.precision = "auto" is for grids', 'allowed here: "half"')

    def test_keys_without_a_meaning_here(self):
        for setting, part in (("matrix.file=a.mtx", "the matrix is that of the mesh"),
                              ("matrix.components=3", "the matrix is that of the mesh"),
                              ("matrix.right_hand_side=ones", "the matrix is that of the mesh"),
                              ("matrix.order=rcm", "the matrix is that of the mesh"),
                              ("grid.levels=[3,4]", "this is about grids"),
                              ("output.vtk=true", "this is about grids"),
                              ("mesh.colour=1", "mesh.colour")):
            result = self.call("--generate", "patch", "--size", 3, "--set", setting)
            self.assert_refused(result, part)
            self.assertNotIn("of the study", result.stderr)
        off = self.call("--generate", "patch", "--size", 9, "--set", "output.plots=false",
                        "--set", "output.vtk=false")
        self.assertEqual((off.returncode, off.stderr), (0, ""))
        self.write("a.toml", '[mesh]\npins = [0, 2]\n')
        self.assert_refused(self.run_program("solve", "a.toml"), "there is no mesh")
        self.write("a.toml", '[mesh]\nfile = "a.off"\nsize = 3\n')
        self.assert_refused(self.run_program("solve", "a.toml"), "contradicts mesh.file")

    def test_a_mesh_in_the_place_of_a_command(self):
        result = self.run_program("a.off")
        self.assertIn("did you mean: ninefold parameterise a.off", result.stderr)

    def test_the_page_has_the_maps(self):
        self.done("--generate", "patch", "--size", 6)
        page = (self.folder / "results/patch/report.html").read_text()
        self.assertEqual(set(re.findall("patch of size 6 in (single|double): the largest", page)),
                         {"single", "double"})
        self.assertIn("patch of size 6 in double, textured: the surface with 32 x 32 squares", page)


if __name__ == "__main__":
    ProgramCase.program = str(pathlib.Path(sys.argv.pop(1)).resolve())
    unittest.main(verbosity=2)
