#!/usr/bin/env python3
"""The experiments as a person calls them.  Usage: experiments.py PROGRAM... PART

PROGRAM, a path; PART, a class: Paper, Beyond, Sparse (their results) or Handling (bad input,
progress, interruption).
"""

import csv
import json
import os
import pathlib
import pty
import re
import resource
import signal
import subprocess
import sys
import tempfile
import unittest

PROGRAMS = {}
# Where scripts/prepare.sh puts those of libcgal-demo.
MESHES = pathlib.Path(os.environ.get(
    "NINEFOLD_MESHES", pathlib.Path(__file__).resolve().parents[2] / "build/data/meshes")).resolve()


class ExperimentTest(unittest.TestCase):
    def setUp(self):
        temporary = tempfile.TemporaryDirectory()
        self.addCleanup(temporary.cleanup)
        self.folder = pathlib.Path(temporary.name)

    def call(self, program, *arguments, **options):
        options.setdefault("stderr", subprocess.PIPE)
        return subprocess.run([PROGRAMS[program], *arguments], cwd=self.folder, text=True,
                              stdout=subprocess.PIPE, timeout=300, check=False, **options)

    def check_files(self, result, summary, solves=True):
        """The results lie where they should, and agree with each other and with the screen; of an
        experiment that solves nothing there are no runs."""
        self.assertEqual(result.returncode, 0, result.stdout + result.stderr)
        lines = result.stdout.splitlines()
        self.assertEqual(lines[-len(summary) - 1:],
                         summary + ["all on one page: out/report.html"])
        self.assertEqual([line for line in lines if line.startswith("summary: ")], summary)
        out = self.folder / "out"
        tables = json.loads((out / "agreement.json").read_text())["tables"]
        self.assertEqual([f"summary: {t['table']}: {t['agreeing']} of {t['compared']} values agree"
                          for t in tables], summary)
        for table in tables:
            self.assertEqual(len(table["values"]), table["compared"])
            for value in table["values"]:
                self.assertTrue(value["agrees"], value)
        report = (out / "report.md").read_text()
        self.assertIn("\n".join(summary), report)
        stems = [file.stem for file in out.glob("*.tex") if file.stem != "results"]
        self.assertEqual(len(stems), report.count("\n## "))
        rows = sum(len((out / f"{stem}.csv").read_text().splitlines()) - 1 for stem in stems)
        # In Markdown each table has two more lines that begin with a bar.
        self.assertEqual(len(re.findall(r"^\|", report, re.MULTILINE)), rows + 2 * len(stems))
        if not solves:
            self.assertFalse((out / "results.json").exists())
            self.assertEqual(result.stderr, "")
            return out
        runs = json.loads((out / "results.json").read_text())["runs"]
        progress = result.stderr.splitlines()
        self.assertEqual(len(progress), sum(len(run["levels"]) for run in runs))
        for number, line in enumerate(progress, 1):
            self.assertRegex(line, rf"^{number}/{len(progress)} .*, level \d+: [\d:]+ iterations, ")
        return out


class Paper(ExperimentTest):
    def test_solver_precision(self):
        result = self.call("solver_precision", "--levels", "2", "5", "--output", "out",
                           "--backend", "host")
        out = self.check_files(result, [
            "summary: solver_precision, table 2, double: 8 of 8 values agree",
            "summary: solver_precision, table 2, single: 8 of 8 values agree",
            "summary: solver_precision, difference form: 4 of 4 values agree"])
        if (out / "convergence.png").exists():
            self.assertIn("Picture: out/convergence.png", result.stdout)
        else:
            self.assertIn("gnuplot is not installed", result.stdout)

    def test_convergence(self):
        result = self.call("convergence", "--levels", "4", "6", "--output", "out",
                           "--backend", "host")
        self.check_files(result, [
            "summary: convergence, table 7, CG: 12 of 12 values agree",
            "summary: convergence, table 7, MG_JAC: 9 of 9 values agree",
            "summary: convergence, table A1: 5 of 5 values agree",
            "summary: convergence, table A2: 5 of 5 values agree",
            "summary: convergence, table A3: 5 of 5 values agree",
            "summary: convergence, table A2 in difference form: 5 of 5 values agree"])
        row = next(line.split() for line in result.stdout.splitlines()
                   if re.match(r" +6 +85 +85 ", line))
        self.assertEqual(row[-1], "yes")
        self.assertEqual(row[4], row[5])  # ours and exact, all ten digits

    def test_input_precision(self):
        result = self.call("input_precision", "--levels", "8", "8", "--output", "out",
                           "--backend", "host")
        self.check_files(result, ["summary: input_precision, table 1: 3 of 3 values agree",
                                  "summary: input_precision, scaled: 9 of 9 values agree"])
        rows = {line.split()[1]: line.split() for line in result.stdout.splitlines()
                if re.match(r" +8 ", line)}
        self.assertEqual(rows["half"][-1], "yes")
        for line in result.stderr.splitlines():
            self.assertIn(": 14 iterations, as asked, ", line)

    def test_emulation(self):
        result = self.call("emulation", "--levels", "5", "6", "--output", "out",
                           "--backend", "host")
        self.check_files(result, ["summary: emulation, table A1: 4 of 4 values agree",
                                  "summary: emulation, table A2: 4 of 4 values agree",
                                  "summary: emulation, table A3: 4 of 4 values agree",
                                  "summary: emulation, difference form: 12 of 12 values agree"])
        self.assertIn("no GPU is used", result.stdout)

    def test_stopping_criteria(self):
        result = self.call("stopping_criteria", "--levels", "8", "8", "--output", "out",
                           "--backend", "host")
        out = self.check_files(result, [
            "summary: stopping_criteria, table 3: 15 of 15 values agree",
            "summary: stopping_criteria, table 4: 16 of 16 values agree",
            "summary: stopping_criteria, table 5: 19 of 19 values agree",
            "summary: stopping_criteria, CG that keeps its directions: 5 of 5 values agree"])
        with open(out / "table_5.csv", encoding="utf-8", newline="") as file:
            row = next(csv.DictReader(file))
        for rule in ("i100", "i250", "i500", "d1", "d2", "d3"):
            self.assertEqual(row[rule], row["paper_" + rule])

    def test_refinement(self):
        result = self.call("refinement", "--levels", "5", "6", "--output", "out",
                           "--backend", "host")
        out = self.check_files(result, [
            "summary: refinement, table A4: 10 of 10 values agree",
            "summary: refinement, table A5: 10 of 10 values agree",
            "summary: refinement, table A6: 10 of 10 values agree",
            "summary: refinement, stopping rules: 6 of 6 values agree"])
        with open(out / "table_A6.csv", encoding="utf-8", newline="") as file:
            for row in csv.DictReader(file):
                self.assertEqual(row["mixed"], row["paper_mixed"])
        with open(out / "times.csv", encoding="utf-8", newline="") as file:
            for row in csv.DictReader(file):
                ratio = float(row["double_host_seconds"]) / float(row["mixed_host_seconds"])
                self.assertAlmostEqual(float(row["mixed_host_speedup"]), ratio)
        script = (out / "times.gp").read_text()
        self.assertEqual(script.count("MG 4+4, mixed, host"), 1)

    def test_format_study(self):
        result = self.call("format_study", "--levels", "4", "5", "--output", "out")
        out = self.check_files(result, [
            "summary: format_study, bits that the next level needs: 2 of 2 values agree",
            "summary: format_study, software against hardware: 32 of 32 values agree",
            "summary: format_study, the paper's iterations: 2 of 2 values agree"])
        needed = [line.split(",") for line in (out / "needed_bits.csv").read_text().splitlines()]
        plain, difference = (needed[0].index(f"multigrid {form}") for form in
                             ("plain", "difference"))
        for row in needed[1:]:
            self.assertLess(int(row[difference]), int(row[plain]))
        results = json.loads((out / "results.json").read_text())
        self.assertEqual({run["varied"]["solver.precision"] for run in results["runs"]},
                         {f"s{bits}e11" for bits in range(10, 53)} | {"s23e8", "single", "double"})

    def test_anisotropy(self):
        result = self.call("anisotropy", "--levels", "6", "6", "--output", "out",
                           "--backend", "host")
        out = self.check_files(result, [
            "summary: anisotropy, CG: 9 of 9 values agree",
            "summary: anisotropy, MG_JAC: 6 of 6 values agree",
            "summary: anisotropy, MG_ADITRIGS: 18 of 18 values agree",
            "summary: anisotropy, table 9: 18 of 18 values agree",
            "summary: anisotropy, test I: 8 of 8 values agree",
            "summary: anisotropy, robustness: 24 of 24 values agree"])

        def rows_of(stem):
            with open(out / f"{stem}.csv", encoding="utf-8", newline="") as file:
                return list(csv.DictReader(file))

        # The cycles of an independent program, tests A to I.
        lines = rows_of("mg_aditrigs")
        self.assertEqual([int(row["sequential_cycles"]) for row in lines],
                         [6, 8, 8, 7, 6, 7, 8, 8, 10])
        self.assertEqual([int(row["zebra_cycles"]) for row in lines],
                         [8, 6, 8, 10, 8, 8, 8, 9, 11])
        jacobi = {row["test"]: row["cycles"] for row in rows_of("mg_jac")}
        self.assertIn("step limit", jacobi["D"])
        self.assertTrue(all(cycles.isdigit() for test, cycles in jacobi.items() if test != "D"))
        # The map shows what the table says.
        cells = [row["level_6"] for row in rows_of("robustness")]
        self.assertEqual(len(cells), 3 * 3 * 7)
        self.assertFalse(any(cell.isdigit() for cell in cells[:3 * 7]))  # single
        script = (out / "robustness.gp").read_text()
        for cell in cells:
            label = cell if cell.isdigit() else cell.split()[-1]
            self.assertIn(f"set label '{label}' at", script)

    def test_the_wall_of_single_precision(self):
        result = self.call("solver_precision", "--levels", "7", "8", "--output", "out")
        self.assertEqual(result.returncode, 0, result.stdout)
        values = [value for table in json.loads((self.folder / "out/agreement.json").read_text())
                  ["tables"] for value in table["values"] if value["row"] == "single plain"]
        self.assertEqual([(v["level"], v["quantity"]) for v in values],
                         [(7, "cycles"), (7, "error over exact"), (8, "cycles"),
                          (8, "error over exact"), (8, "reduction")])


class Beyond(ExperimentTest):
    def test_accuracy_wall(self):
        result = self.call("accuracy_wall", "--levels", "2", "7", "--output", "out",
                           "--backend", "host")
        out = self.check_files(result, ["summary: accuracy_wall: 88 of 88 values agree"])
        lines = (out / "walls.csv").read_text().splitlines()
        walls = {tuple(line.split(",")[:2]): line.split(",")[4] for line in lines[1:]}
        self.assertEqual(len(walls), 17)
        self.assertEqual(walls["single", "plain"], "7")  # as in table 2 of the paper
        self.assertEqual(walls["single", "difference"], "beyond 7")
        for mixed in ("double:single", "double:half", "double:bfloat16", "double-double:double",
                      "double-double:single"):
            self.assertEqual(walls[mixed, "difference"], "beyond 7")

    def test_combinations(self):
        result = self.call("combinations", "--levels", "6", "6", "--output", "out",
                           "--backend", "host")
        out = self.check_files(result, [
            "summary: combinations, the exact error: 30 of 30 values agree",
            "summary: combinations, the outer format's error: 38 of 38 values agree",
            "summary: combinations, memory: 24 of 24 values agree"])
        with open(out / "combinations.csv", encoding="utf-8", newline="") as file:
            rows = list(csv.DictReader(file))
        pairs = {(row["outer"], row["inner"]) for row in rows}
        outer = {"double-double": 9, "double": 8, "double-single": 7, "s36e11": 5, "single": 5,
                 "half": 3, "bfloat16": 2}  # themselves alone, and all that are no more precise
        cascades = {("double-double", "double:single"), ("double-double", "double:half"),
                    ("double", "single:half")}
        self.assertLessEqual(cascades, pairs)
        for name, count in outer.items():
            self.assertEqual(len({pair for pair in pairs - cascades if pair[0] == name}), count)
        self.assertEqual(len(rows), sum(outer.values()) + len(cascades) + 3)
        for row in rows:
            if row["outer"] == "double":
                self.assertEqual(row["outcome"], "converged")
                self.assertAlmostEqual(float(row["rms_over_exact"]), 1, places=8)
        script = (out / "combinations.gp").read_text()
        self.assertIn("Level 6, 3969 unknowns", script)
        self.assertEqual(script.count("<< END"), len(rows))

    def test_time_error(self):
        result = self.call("time_error", "--levels", "5", "6", "--output", "out",
                           "--backend", "host")
        out = self.check_files(result, ["summary: time_error, the errors reached: 18 of 18 values "
                                        "agree"])
        times = (out / "seconds.csv").read_text().splitlines()
        self.assertEqual(times[0], "level,half,single,double-single,double,double-double,"
                         "double-double:double,double:half,double:bfloat16,double:single")
        self.assertEqual(len(times), 3)
        self.assertTrue(all(float(time) > 0 for time in times[1].split(",")[1:]))
        # The picture is drawn later where there is no gnuplot: its script is always there.
        script = (out / "time_error.gp").read_text()
        self.assertIn("set logscale x", script)
        self.assertIn("title 'double:single'", script)


class Sparse(ExperimentTest):
    def rows(self, stem):
        with open(self.folder / "out" / f"{stem}.csv", encoding="utf-8", newline="") as file:
            return list(csv.DictReader(file))

    def test_fill(self):
        result = self.call("fill", "--levels", "2", "5", "--output", "out", "--backend", "host")
        self.check_files(result, [
            "summary: fill, entries and blocks: 164 of 164 values agree",
            "summary: fill, table 3: 2 of 2 values agree",
            "summary: fill, iterations in each order: 16 of 16 values agree"])
        # They are the same on every machine: bandwidth, stored values of 2 x 2 and 4 x 4.
        known = {("parameterisation", "by rows"): (67, 27600, 56144),
                 ("parameterisation", "random"): (2021, 27600, 101392),
                 ("parameterisation", "rcm"): (117, 27600, 64560),
                 ("smoothing", "by rows"): (198, 168432, 237152),
                 ("smoothing", "rcm"): (351, 180008, 298688),
                 ("elasticity-2d", "rcm"): (129, 36472, 65120),
                 ("shell", "rcm"): (383, 318096, 394048),
                 ("triangles-shuffled", "rcm"): (60, 15896, 31136),
                 ("laplace-3d-7", "rcm"): (114, 25136, 52864)}
        rows = {(row["matrix"], row["order"]): row for row in self.rows("fill")
                if row["level"] == "5"}
        self.assertEqual(len(rows), 8 * 3)
        for key, values in known.items():
            with self.subTest(key=key):
                row = rows[key]
                self.assertEqual(tuple(int(row[name]) for name in
                                       ("bandwidth", "stored_in_2", "stored_in_4")), values)
                for b in ("2", "4"):
                    self.assertAlmostEqual(float(row[f"fill_of_{b}"]) * int(row[f"stored_in_{b}"]),
                                           int(row["entries"]), places=6)
        self.assertEqual([row["iterations"] for row in self.rows("orders")
                          if row["matrix"] == "parameterisation" and row["order"] == "by rows"],
                         ["14", "52", "137", "349"])


    def test_sparse_cg_precision(self):
        result = self.call("sparse_cg_precision", "--levels", "2", "4", "--output", "out",
                           "--backend", "host")
        self.check_files(result, [
            "summary: sparse_cg_precision, where each way ends: 100 of 100 values agree",
            "summary: sparse_cg_precision, the same bits: 48 of 48 values agree",
            "summary: sparse_cg_precision, the product's share: 24 of 24 values agree"])
        ends = {(row["matrix"], row["way"]): row for row in self.rows("ends")
                if row["level"] == "4"}
        # The bits of an iteration are the same on every machine.
        self.assertEqual([int(ends["parameterisation", way]["steps"]) for way in
                          ("double", "double:single guided", "double:single flexible",
                           "double:single restarted", "single plain", "single difference")],
                         [144, 307, 1507, 337, 270, 254])
        for (matrix, way), row in ends.items():
            with self.subTest(matrix=matrix, way=way):
                self.assertEqual(row["outcome"],
                                 "stagnated" if way.startswith("single") else "converged")
                # What CG updates goes on falling; the true residual does not in single.
                self.assertLess(float(row["residual"]), 1e-10)
                self.assertEqual(float(row["true_residual"]) > 1e-7, way.startswith("single"))
        for row in self.rows("same_bits"):
            self.assertEqual((row["alike"], row["solution"]), (row["iterations"], "the same"))
        # Up to the first iterations cut off single and double agree, at the end they do not.
        cuts = self.rows("figure_11")
        self.assertEqual([row["iterations"] for row in cuts], ["125", "250", "500", "1000", "2000"])
        last = cuts[-1]
        self.assertLess(float(last["error double"]), 1e-9)
        self.assertGreater(float(last["error single plain"]), 1e-5)


    def test_sparse_product_ratios(self):
        result = self.call("sparse_product_ratios", "--levels", "4", "5", "--output", "out",
                           "--backend", "host")
        self.check_files(result, [
            "summary: sparse_product_ratios, results: 56 of 56 values agree",
            "summary: sparse_product_ratios, what bytes say: 5 of 5 values agree"], solves=False)
        rows = {(row["matrix"], row["storage"]): row for row in self.rows("products")
                if row["level"] == "5"}
        self.assertEqual(len(rows), 4 * 7)
        # In single, from the counts that fill has: 4 bytes a value, 4 a column of entry or block, 8
        # for the begin of each row or row of blocks, the vectors.
        entries, unknowns, stored = 25556, 2044, 27600
        crs = 8 * entries + 8 * (unknowns + 1) + 8 * unknowns
        blocks = 4 * stored + stored + 8 * (unknowns // 2 + 1) + 8 * unknowns
        for storage, expected in (("crs", crs), ("blocks-2", blocks)):
            ours = float(rows["parameterisation", storage]["bytes_per_entry"]) * entries
            self.assertLess(abs(ours - expected), 0.01 * expected, storage)
        for row in rows.values():
            self.assertGreater(float(row["microseconds"]), 0)
        for row in self.rows("ratios"):
            self.assertGreater(float(row["ours"]), 0)
        self.assertEqual({row["order"] for row in self.rows("orders")}, {"by rows", "random", "rcm"})


    def test_several_devices(self):
        result = self.call("several_devices", "--levels", "6", "6", "--output", "out", "--backend",
                           "host")
        self.check_files(result, [
            "summary: several_devices, the bits of one: 6 of 6 values agree",
            "summary: several_devices, what parts exchange: 3 of 3 values agree"])
        solves = self.rows("figure_5")
        self.assertEqual([row["ranks"] for row in solves], 3 * ["1", "2", "4"])
        self.assertEqual({row["bits"] for row in solves if row["ranks"] != "1"}, {"those of one"})
        # 16 nodes along a side in space: a plane of them on both sides of each cut.
        volumes = {(row["matrix"], row["parts"]): row["all_received"]
                   for row in self.rows("volumes")}
        self.assertEqual([volumes["laplace-3d-7", "2"], volumes["laplace-3d-7", "4"],
                          volumes["elasticity-3d", "2"]], ["512", "1536", str(2 * 3 * 17 * 17)])

    def test_reconstruction(self):
        result = self.call("reconstruction", "--levels", "3", "4", "--output", "out",
                           "--backend", "host")
        self.check_files(result, [
            "summary: reconstruction, table 2's matrix: 6 of 6 values agree",
            "summary: reconstruction, products: 4 of 4 values agree",
            "summary: reconstruction, figure 3: 3 of 3 values agree",
            "summary: reconstruction, the loop of table 1: 6 of 6 values agree",
            "summary: reconstruction, kernels and starts: 4 of 4 values agree",
            "summary: reconstruction, images: 11 of 11 values agree"], solves=False)
        products = self.rows("products")
        self.assertEqual([row["storage"] for row in products if row["whose"] == "ninefold"],
                         ["sliced", "crs", "jagged"])
        self.assertEqual(len([row for row in products if row["whose"] == "paper"]), 9)
        self.assertEqual([row["entries"] for row in self.rows("sizes")], ["1000", "3162", "10000"])
        ours = [row for row in self.rows("iterations") if not row["format"].startswith("paper")]
        self.assertEqual([row["iterations"] for row in ours], ["400", "400"])
        loop = self.rows("loop")
        self.assertGreater(float(loop[2]["printed"]), 1e3 * float(loop[2]["meant"]))
        images = self.rows("images")
        self.assertLess(float(images[6]["error"]), 0.7 * float(images[0]["error"]))


    def test_vector_operations(self):
        result = self.call("vector_operations", "--levels", "2", "6", "--output", "out",
                           "--backend", "host")
        self.check_files(result, [
            "summary: vector_operations, exact results: 10 of 10 values agree",
            "summary: vector_operations, the paper by bytes: 5 of 5 values agree"], solves=False)
        lengths = self.rows("lengths")
        self.assertEqual([int(row["n"]) for row in lengths], [4**level for level in range(2, 7)])
        for row in lengths:
            n = int(row["n"])
            for name, operations in (("saxpy", 2 * n), ("sdot", 2 * n - 1)):
                self.assertAlmostEqual(float(row[f"{name}_rate"]) * 1e3 * float(row[f"{name}_us"])
                                       / operations, 1)
            # 12 bytes for 2 operations, 8 for 2.
            share = float(row["saxpy_of_copy"]) / float(row["saxpy_rate"])
            self.assertAlmostEqual(float(row["sdot_of_copy"]) / float(row["sdot_rate"]) / share,
                                   2 / 3)
        self.assertEqual([row["by_bytes"] for row in self.rows("paper")], ["1.5"] * 4)

    def test_mesh_precision(self):
        environment = dict(os.environ, NINEFOLD_MESHES="/nowhere")
        result = self.call("mesh_precision", "--levels", "4", "5", "--output", "out", "--backend",
                           "host", env=environment)
        self.check_files(result, [
            "summary: mesh_precision, table 3: 12 of 12 values agree",
            "summary: mesh_precision, texels: 6 of 6 values agree",
            "summary: mesh_precision, smoothing: 16 of 16 values agree",
            "summary: mesh_precision, figure 11: 16 of 16 values agree",
            "summary: mesh_precision, figures 3 and 9: 6 of 6 values agree"])
        self.assertIn("they are skipped", result.stdout)
        rows = {row["way"]: row for row in self.rows("texels") if row["level"] == "5"}
        # The bits of an iteration are the same on every machine.
        self.assertEqual([int(rows[way]["steps"]) for way in
                          ("double", "single plain", "single difference", "double:single plain",
                           "double:single difference")], [373, 675, 584, 1264, 1013])
        self.assertGreater(float(rows["single plain"]["texels"]),
                           20 * float(rows["single difference"]["texels"]))
        smooth = {row["mesh"]: row for row in self.rows("smoothing")}
        self.assertEqual(set(smooth), {"patch", "bumps", "sphere", "torus"})
        for row in smooth.values():
            self.assertLess(float(row["difference"]), 1e-3)
            self.assertLess(float(row["double"]), float(row["plain"]))
        for row in self.rows("figure_11"):
            self.assertEqual((row["alike"], row["solution"]), (row["iterations"], "the same"))

    @unittest.skipUnless((MESHES / "lion-head.off").is_file(),
                         "the meshes of libcgal-demo are not here")
    def test_mesh_precision_of_meshes_of_others(self):
        environment = dict(os.environ, NINEFOLD_MESHES=str(MESHES))
        result = self.call("mesh_precision", "--levels", "4", "4", "--output", "out", "--backend",
                           "host", env=environment)
        self.check_files(result, [
            "summary: mesh_precision, table 3: 12 of 12 values agree",
            "summary: mesh_precision, texels: 20 of 20 values agree",
            "summary: mesh_precision, smoothing: 25 of 25 values agree",
            "summary: mesh_precision, figure 11: 16 of 16 values agree",
            "summary: mesh_precision, figures 3 and 9: 16 of 16 values agree"])
        steps = {row["mesh"]: int(row["steps"]) for row in self.rows("texels")
                 if row["way"] == "double" and row["mesh"] != "patch"}
        self.assertEqual(steps, {"three_peaks": 567, "lion-head": 676, "mannequin-devil": 972})
        widths = {row["mesh"]: (int(row["bandwidth"]), int(row["rcm"]))
                  for row in self.rows("orders") if row["matrix"] == "parameterisation"}
        self.assertEqual(widths["lion-head"], (16221, 737))
        self.assertEqual(widths["mannequin-devil"], (25419, 893))


class Handling(ExperimentTest):
    def test_software_formats_are_refused_on_the_device(self):
        result = self.call("format_study", "--levels", "2", "2", "--backend", "cuda")
        self.assertEqual(result.returncode, 2)
        self.assertIn("host only", result.stderr)
        self.assertEqual(os.listdir(self.folder), [])

    def test_bad_input_writes_nothing(self):
        (self.folder / "file").write_text("")
        for program in PROGRAMS:
            for arguments in (["--levels", "3", "2"], ["--levels", "1", "4"],
                              ["--levels", "2", "16"], ["--full", "--levels", "2", "3"],
                              ["--backend", "abacus"], ["--levels", "2", "2", "--output", "file"],
                              ["--nonsense"], ["2"], ["--levels", "2", "2", "--output", ""],
                              ["--levels", "2", "2", "--output", "/proc/none"]):
                with self.subTest(program=program, arguments=arguments):
                    result = self.call(program, *arguments)
                    self.assertEqual(result.returncode, 2, result.stderr)
                    self.assertNotIn("summary", result.stdout)
                    self.assertTrue(result.stderr)
                    self.assertEqual(os.listdir(self.folder), ["file"])

    def test_help_is_no_failure(self):
        for program in PROGRAMS:
            with self.subTest(program=program):
                result = self.call(program, "--help")
                self.assertEqual((result.returncode, result.stderr), (0, ""))
                self.assertIn("Status: 0 ", result.stdout)

    def test_a_full_disk_is_a_failure(self):
        def limit():
            signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
            resource.setrlimit(resource.RLIMIT_FSIZE, (1500, 1500))

        for program in PROGRAMS:
            with self.subTest(program=program):
                result = self.call(program, "--levels", "3", "3", "--output", "out", "--backend",
                                   "host", preexec_fn=limit)
                self.assertEqual(result.returncode, 3, result.stdout + result.stderr)
                self.assertIn(f"{program}: cannot write file", result.stderr)
                self.assertNotIn("summary", result.stdout)

    def test_a_full_standard_output_is_a_failure(self):
        with open("/dev/full", "w", encoding="utf-8") as full:
            result = subprocess.run([PROGRAMS["solver_precision"], "--levels", "2", "2", "--output",
                                     "out"], cwd=self.folder, text=True, stdout=full,
                                    stderr=subprocess.PIPE, timeout=300, check=False)
        self.assertEqual(result.returncode, 3)
        self.assertIn("standard output cannot be written", result.stderr)

    def test_a_missing_device_is_refused(self):
        environment = dict(os.environ, CUDA_VISIBLE_DEVICES="")
        for program in PROGRAMS:
            with self.subTest(program=program):
                result = self.call(program, "--levels", "2", "2", "--backend", "cuda",
                                   env=environment)
                self.assertEqual(result.returncode, 2, result.stderr)
                self.assertEqual(os.listdir(self.folder), [])

    def test_progress_on_a_terminal_is_one_line(self):
        master, slave = pty.openpty()
        self.addCleanup(os.close, master)
        result = self.call("solver_precision", "--levels", "2", "3", "--output", "out", stderr=slave)
        os.close(slave)
        shown = os.read(master, 65536).decode()
        self.assertEqual(result.returncode, 0)
        self.assertNotIn("\n", shown)
        self.assertEqual(shown.count("\r\033[K"), 9)
        self.assertTrue(shown.endswith("\r\033[K"))
        self.assertIn("1/8 double plain, level 2 ...", shown)

    def test_an_interrupt_keeps_what_is_finished(self):
        # Level 10 takes long enough to be interrupted on any machine.
        process = subprocess.Popen([PROGRAMS["convergence"], "--levels", "5", "10", "--output",
                                    "out", "--backend", "host"], cwd=self.folder, text=True,
                                   stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        self.addCleanup(lambda: (process.kill(), process.communicate()))
        self.assertIn("1/", process.stderr.readline())
        process.send_signal(signal.SIGINT)
        output, errors = process.communicate(timeout=60)
        self.assertEqual(process.returncode, 130)
        self.assertIn("the finished levels are in out/results.csv", errors)
        self.assertEqual(output, "")
        self.assertIn("\nA CG,", (self.folder / "out/results.csv").read_text())
        self.assertFalse((self.folder / "out/report.md").exists())


if __name__ == "__main__":
    paths = [argument for argument in sys.argv[1:] if os.sep in argument]
    PROGRAMS = {pathlib.Path(p).stem: str(pathlib.Path(p).resolve()) for p in paths}
    sys.argv = [argument for argument in sys.argv if argument not in paths]
    unittest.main()
