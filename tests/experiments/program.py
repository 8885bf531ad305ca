#!/usr/bin/env python3
"""The program `ninefold` as a person calls it.  Usage: program.py PROGRAM CONFIG_FOLDER."""

import json
import os
import pathlib
import re
import resource
import signal
import subprocess
import sys
import tempfile
import time
import unittest

PROGRAM = ""
CONFIGS = pathlib.Path()

# What the configs end with at the small levels of this test; 0 if not named here.
STATUS = {"precision_study.toml": 1}  # single precision stagnates above the tolerance


def levels_of(file):
    """All rows of a results.json; none if it is not there yet."""
    if not file.exists():
        return []
    return [level for run in json.loads(file.read_text())["runs"] for level in run["levels"]]


class ProgramTest(unittest.TestCase):
    def setUp(self):
        temporary = tempfile.TemporaryDirectory()
        self.addCleanup(temporary.cleanup)
        self.folder = pathlib.Path(temporary.name)

    def write(self, text, name="a.toml"):
        (self.folder / name).write_text(text)
        return name

    def call(self, *arguments, **options):
        return subprocess.run([PROGRAM, *map(str, arguments)], cwd=self.folder, text=True,
                              capture_output=True, timeout=300, check=False, **options)

    def start(self, *arguments):
        process = subprocess.Popen([PROGRAM, *map(str, arguments)], cwd=self.folder, text=True,
                                   stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        self.addCleanup(lambda: (process.kill(), process.communicate()))
        return process

    def files(self):
        return sorted(str(f.relative_to(self.folder)) for f in self.folder.rglob("*"))

    def assert_refused(self, result, *parts, files=("a.toml",)):
        self.assertEqual(result.returncode, 2, result.stderr)
        self.assertEqual(result.stdout, "")
        self.assertTrue(result.stderr.startswith("ninefold: "), result.stderr)
        for part in parts:
            self.assertIn(part, result.stderr)
        self.assertEqual(self.files(), sorted(files))


class Commands(ProgramTest):
    def test_info_and_help_and_version(self):
        result = self.call("info")
        self.assertEqual(result.returncode, 0)
        for part in ("commit", "CUDA", "host", "single", "double", "polynomial", "peak"):
            self.assertIn(part, result.stdout)
        self.assertEqual(self.call("--help").returncode, 0)
        self.assertEqual(self.call("solve", "--help").returncode, 0)
        self.assertTrue(self.call("--version").stdout.startswith("ninefold 0."))
        self.assertEqual(self.files(), [])

    def test_wrong_command_lines(self):
        for arguments in ([], ["slove"], ["solve"], ["solve", "a.toml", "b.toml"],
                          ["solve", "a.toml", "--outptu", "x"], ["solve", "a.toml", "--set"]):
            with self.subTest(arguments):
                result = self.call(*arguments)
                self.assertEqual(result.returncode, 2)
                self.assertNotEqual(result.stderr, "")
                self.assertEqual(self.files(), [])
        for arguments, meant in ((["slove"], "solve"), (["stduy", "a.toml"], "study a.toml"),
                                 (["own.toml", "--set", "a=1"], "solve own.toml --set a=1")):
            self.assertIn(f"\n  did you mean: ninefold {meant}\n", self.call(*arguments).stderr)
        self.assertNotIn("did you mean", self.call("nothing").stderr)
        self.write("[study]\n'solver.method' = ['cg']\n")
        self.assertIn("\n  did you mean: ninefold study a.toml\n", self.call("a.toml").stderr)

    def test_solve(self):
        self.write("[grid]\nlevels = [2, 4]\n")
        result = self.call("solve", "--set", "solver.method=cg", "a.toml", "--backend", "host",
                           "--output", "here", "--json", "deep/copy.json",
                           "--set", "solver.tolerance=1e-6")
        self.assertEqual(result.returncode, 0, result.stderr)
        self.assertEqual(result.stderr, "")
        self.assertIn("all 3 levels converged", result.stdout)
        self.assertIn("files in here", result.stdout)
        found = json.loads((self.folder / "here/results.json").read_text())
        self.assertEqual(found["meta"]["options"]["solver.method"], "cg")
        self.assertEqual(found["meta"]["options"]["solver.tolerance"], "1e-06")
        self.assertEqual([level["level"] for level in found["runs"][0]["levels"]], [2, 3, 4])
        self.assertEqual(json.loads((self.folder / "deep/copy.json").read_text()), found)

    def test_results_go_below_the_name_of_the_file(self):
        self.write("[grid]\nlevels = 2\n", "mine.toml")
        self.assertEqual(self.call("solve", "mine.toml").returncode, 0)
        self.assertTrue((self.folder / "results/mine/results.csv").is_file())

    def test_a_level_that_does_not_converge(self):
        self.write("[grid]\nlevels = [2, 4]\n[solver]\nmethod = 'cg'\nmax_iterations = 6\n")
        result = self.call("solve", "a.toml")
        self.assertEqual(result.returncode, 1, result.stderr)
        self.assertIn("step limit", result.stdout)
        self.assertIn("solver.max_iterations", result.stdout)
        self.assertEqual(len(levels_of(self.folder / "results/a/results.json")), 3)

    def test_one_run_of_a_study_that_does_not_converge(self):
        self.write("[grid]\nlevels = [3, 4]\n[study]\n'solver.max_iterations' = [100, 2]\n")
        result = self.call("study", "a.toml")
        self.assertEqual(result.returncode, 1, result.stderr)
        self.assertEqual(result.stderr, "")
        self.assertIn("2 of 4 solves did not converge", result.stdout)
        self.assertEqual([level["outcome"] for level in levels_of(
            self.folder / "results/a/results.json")], ["converged"] * 2 + ["step limit"] * 2)

    def test_a_format_that_a_study_cannot_use_does_not_end_it(self):
        self.write("[grid]\nlevels = [2, 5]\nanisotropy = 0.01\n"
                   "[study]\n'solver.precision' = ['half', 'double']\n")
        result = self.call("study", "a.toml")
        self.assertEqual((result.returncode, result.stderr), (1, ""))
        self.assertIn("refused", result.stdout)
        self.assertRegex(result.stdout, r'run-1, levels? .*refused.*precision = "half" cannot hold')
        self.assertRegex(result.stdout, r"of 8 solves.* refused")
        levels = levels_of(self.folder / "results/a/results.json")
        self.assertEqual([level["outcome"] for level in levels[4:]], ["converged"] * 4)
        self.assertEqual(levels[3]["outcome"], "refused")
        self.assertIsNone(levels[3]["residual_reduction"])
        self.assertIn("cannot hold", levels[3]["remark"])
        result = self.call("study", "a.toml", "--set", "study.solver.precision=['half']",
                           "--set", "grid.levels=5")
        self.assertEqual(result.returncode, 2)
        self.assertIn("1 of 1 level was refused", result.stdout)
        self.assertRegex(result.stderr, "^ninefold: no level could be solved: level 5: "
                                        'solver.precision = "half" cannot hold .*\n$')

    def test_data_that_are_infinite_on_a_later_level(self):
        self.write("[grid]\nlevels = [1, 2]\n[problem]\nsource = '1/(x - 0.125)'\nquadrature = 1\n")
        result = self.call("solve", "a.toml")
        self.assertEqual(result.returncode, 2)
        self.assertIn("problem.source is inf at x = 0.125, y = 0.125\n", result.stderr)
        self.assertEqual(len(levels_of(self.folder / "results/a/results.json")), 1)

    def test_check_tells_of_data_that_do_not_belong_together(self):
        self.write("[grid]\nlevels = [2, 4]\n[problem]\nsolution = 'sin(pi*x)*y'\nsource = '1'\n"
                   "[study]\n'solver.method' = ['cg', 'multigrid']\n")
        checked = self.call("check", "a.toml")
        self.assertEqual(checked.returncode, 0, checked.stderr)
        notes = [line for line in checked.stdout.splitlines() if line.startswith("note: ")]
        self.assertEqual(len(notes), 1, checked.stdout)
        solved = self.call("study", "a.toml")
        self.assertIn(notes[0][len("note: "):].split(" (")[0], solved.stdout + solved.stderr)

    def test_check_writes_nothing(self):
        self.write("[grid]\nlevels = [2, 4]\n[study]\n'solver.method' = ['cg', 'multigrid']\n")
        result = self.call("check", "a.toml", "--set", "solver.tolerance=1e-7")
        self.assertEqual(result.returncode, 0, result.stderr)
        for part in ("tolerance = 1e-07", 'method = ["cg", "multigrid"]', "on the backend",
                     "a.toml is in order"):
            self.assertIn(part, result.stdout)
        self.assertEqual(self.files(), ["a.toml"])

    def test_rows_stand_under_their_heading(self):
        self.write("[grid]\nlevels = [5, 6]\n")
        for inner in ("none", "single", "double"):
            arguments = ["--set", "study.solver.method=['multigrid', 'full-multigrid']",
                         "--set", f"refinement.inner_precision={inner!r}"]
            result = self.call("study", "a.toml", *arguments)
            self.assertEqual(result.returncode, 0, result.stderr)
            lines = result.stdout.splitlines()
            at = next(line.index("outcome") for line in lines if "outcome" in line)
            rows = [line for line in lines if re.match(r"run-\d+ ", line)]
            self.assertEqual([row[at:at + 9] for row in rows], 4 * ["converged"], result.stdout)

    def memory_of_check(self, *arguments):
        """MiB on the backend and on the host, of the first level."""
        table = self.call("check", "a.toml", *arguments).stdout.split("on the host\n")[1]
        row = table.splitlines()[1].split()
        units = {"KiB": 1 / 1024, "MiB": 1, "GiB": 1024}
        return [float(row[k]) * units[row[k + 1]] for k in (3, 5)]

    def test_a_file_of_widths_takes_no_memory(self):
        self.write("[grid]\nlevels = 4\n[backend]\nname = 'host'\n")
        self.write("1 1 1 1\n", "widths.txt")
        _, uniform = self.memory_of_check("--set", "domain.width=4")
        _, by_file = self.memory_of_check("--set", "grid.x_widths=widths.txt")
        self.assertLess(abs(by_file - uniform), 2)

    def test_check_foresees_the_memory_of_a_run(self):
        if ", Debug" in self.call("info").stdout:
            self.skipTest("sanitizers take memory of their own")
        self.write("[grid]\nlevels = 9\n[backend]\nname = 'host'\n")
        forecast = sum(self.memory_of_check())
        pid = os.spawnv(os.P_NOWAIT, "/bin/sh", [
            "sh", "-c", 'cd "$0" && exec "$1" solve a.toml > /dev/null', str(self.folder), PROGRAM])
        _, status, usage = os.wait4(pid, 0)
        self.assertEqual(status, 0)
        peak = usage.ru_maxrss / 1024
        # Buffers of the results, and stacks of threads: some MiB.
        self.assertLess(abs(peak - forecast), 8 + 0.5 * os.cpu_count(), (peak, forecast))

    def test_check_foresees_a_tolerance_that_a_format_cannot_meet(self):
        self.write("[grid]\nlevels = [2, 7]\n[solver]\nprecision = 'single'\n")
        result = self.call("check", "a.toml", "--set", "solver.tolerance=1e-5")
        self.assertEqual(result.returncode, 0, result.stderr)
        self.assertIn("\nnote: levels from 6 on may stagnate: rounding to solver.precision = \"single\" may leave "
                      "about 1.4e-05 of the first residual, above solver.tolerance = 1.0e-05\n",
                      result.stdout)
        self.assertNotIn("note: ", self.call("check", "a.toml", "--set",
                                             "solver.tolerance=1e-3").stdout)
        last = self.call("check", "a.toml", "--set", "solver.tolerance=1e-5", "--set", "grid.levels=7")
        self.assertIn("\nnote: level 7 may stagnate: ", last.stdout)

    def test_check_foresees_a_matrix_that_a_format_does_not_hold(self):
        self.write("[grid]\nlevels = [3, 5]\ngrading = 'geometric'\nrefined_sides = ['top']\n"
                   "expansion_ratio = 1.2\n[operator]\nform = 'plain'\n[solver]\nprecision = 'half'\n[problem]\nsource = 1\n"
                   "coefficients = [100, 1]\nboundary = { left = 'neumann', right = 'neumann', "
                   "top = 'neumann' }\n")
        remark = (r"the rounding of entries to half may be \d+ times what holds the solution; use "
                  r'operator.form = "difference" or solver.precision = "double"\n')
        self.assertRegex(self.call("check", "a.toml").stdout, r"\nnote: level 4 may fail: " + remark)
        solved = self.call("solve", "a.toml")
        self.assertRegex(solved.stdout, r"\nlevel 5 (not finite|diverged): " + remark)
        better = ("a.toml", "--set", "operator.form=difference")
        self.assertNotIn("may fail", self.call("check", *better).stdout)
        self.assertNotRegex(self.call("solve", *better).stdout, "not finite|diverged")

    def test_check_foresees_what_the_range_of_a_format_refuses(self):
        self.write("[grid]\nlevels = [2, 5]\nanisotropy = 0.01\n[solver]\nprecision = 'half'\n")
        checked, solved = self.call("check", "a.toml"), self.call("solve", "a.toml")
        self.assertEqual((checked.returncode, solved.returncode), (2, 2))
        self.assertNotIn("is in order", checked.stdout)
        words = solved.stderr.removeprefix("ninefold: ").splitlines()[0]
        self.assertIn('precision = "half" cannot hold', words)
        finished = levels_of(self.folder / "results/a/results.json")[-1]["level"]
        self.assertEqual(checked.stderr, f"ninefold: level {finished + 1}: {words}\n")

    def test_check_names_the_first_refused_level_of_each_run(self):
        self.write("[grid]\nlevels = [2, 5]\nanisotropy = 1e-13\n"
                   "[study]\n'solver.precision' = ['half', 'double', 's12e8']\n")
        result = self.call("check", "a.toml")
        self.assertEqual((result.returncode, result.stderr), (0, ""))
        notes = [line for line in result.stdout.splitlines() if line.startswith("note: ")]
        self.assertEqual([note.split(": ")[1:3] for note in notes],
                         [["will be refused", "run-1, level 2"],
                          ["will be refused", "run-3, level 3"]])
        self.assertIn("run its 3 runs with ninefold study", result.stdout)
        self.assertEqual(self.files(), ["a.toml"])

    def test_check_refuses_a_study_that_no_run_begins(self):
        self.write("[grid]\nlevels = [3, 5]\nanisotropy = 1e-13\n"
                   "[study]\n'solver.precision' = ['half', 's12e8']\n")
        result = self.call("check", "a.toml")
        self.assertEqual(result.returncode, 2)
        self.assertEqual([line.strip().split(":")[0] for line in result.stderr.splitlines()],
                         ["ninefold", "run-2, level 3"])
        self.assertIn("ninefold: run-1, level 3: solver.precision = ", result.stderr)
        self.assertNotIn("is in order", result.stdout)

    def test_check_refuses_a_study_whose_data_end_it(self):
        self.write("[grid]\nlevels = [1, 2]\n[problem]\nsource = '1/(x - 0.125)'\n"
                   "quadrature = 1\n[study]\n'solver.precision' = ['single', 'double']\n")
        checked, studied = self.call("check", "a.toml"), self.call("study", "a.toml")
        self.assertEqual((checked.returncode, studied.returncode), (2, 2))
        words = "problem.source is inf at x = 0.125, y = 0.125\n"
        self.assertEqual(checked.stderr, "ninefold: run-1, level 2: " + words)
        self.assertTrue(studied.stderr.startswith("ninefold: " + words), studied.stderr)
        self.assertEqual(len(levels_of(self.folder / "results/a/results.json")), 1)

    def test_options_that_check_prints_are_a_config_file(self):
        self.write("[grid]\nlevels = [2, 4]\n[problem]\nsource = 'x'\n[solver]\nmethod = 'cg'\n")
        options = self.call("check", "a.toml").stdout.split("\nmemory needed")[0]
        self.write(options, "again.toml")
        again = self.call("check", "again.toml")
        self.assertEqual(again.returncode, 0, again.stderr)
        self.assertEqual(again.stdout.split("\nmemory needed")[0], options)

    def test_files_of_widths_lie_beside_the_config(self):
        (self.folder / "study").mkdir()
        (self.folder / "study/widths.txt").write_text("0.125, 0.125, 0.25, 0.5 # 4 cells\n")
        self.write("[grid]\nx_widths = 'widths.txt'\n", "study/a.toml")
        result = self.call("solve", "study/a.toml")
        self.assertEqual(result.returncode, 0, result.stderr)
        self.assertIn("x widths from widths.txt", result.stdout)
        found = json.loads((self.folder / "results/a/results.json").read_text())
        self.assertEqual(found["meta"]["options"]["grid.x_widths"], "widths.txt")
        self.assertEqual([level["level"] for level in found["runs"][0]["levels"]], [1, 2])
        # The options in force, put beside the file again, are the same run.
        options = self.call("check", "study/a.toml").stdout.split("\nmemory needed")[0]
        self.write(options, "study/again.toml")
        again = self.call("solve", "study/again.toml", "--output", "again")
        self.assertEqual(again.returncode, 0, again.stderr)
        repeated = json.loads((self.folder / "again/results.json").read_text())
        for level, same in zip(found["runs"][0]["levels"], repeated["runs"][0]["levels"]):
            for field in ("h_min", "aspect_ratio", "iterations", "smoother", "error_l2"):
                self.assertEqual(level[field], same[field])


class BadInput(ProgramTest):
    def test_files(self):
        for text, parts in [
            ("[solver]\ntolerence = 1e-8\n",
             ("a.toml, line 2", "solver.tolerence", "did you mean solver.tolerance?")),
            ("[solver]\ntolerance = 'small'\n", ("line 2", "a number is expected")),
            ("[grid]\nlevels = [3, 20]\n", ("line 2", "grid.levels = 20", "16")),
            ("[problem]\nsource = 'sin(x'\n", ("line 2", "problem.source")),
            ("[solver]\nmethod = cg\n", ("line 2", "quotation marks")),
        ]:
            with self.subTest(text):
                self.write(text)
                for command in ("solve", "check"):
                    self.assert_refused(self.call(command, "a.toml"), *parts)

    def test_overrides(self):
        self.write("")
        self.assert_refused(self.call("solve", "a.toml", "--set", "multigrid.damping=3"),
                            "--set multigrid.damping=3", "less than 2")
        self.assert_refused(self.call("solve", "a.toml", "--set", "grid.refined_sides=[left]"),
                            "--set 'grid.refined_sides=[\"left\"]'")
        self.assert_refused(self.call("solve", "a.toml", "--set", "damping"),
                            "section.key=value is expected")
        self.assert_refused(self.call("solve", "a.toml", "--backend", "gpu"),
                            "--backend gpu", "cuda")

    def test_wrong_options_of_every_command(self):
        self.write("")
        for command in ("solve", "study", "check", "info", "help", "schema", "completion", "man"):
            with self.subTest(command):
                self.assert_refused(self.call(command, "--nonsense"))

    def test_empty_names(self):
        self.write("[grid]\nlevels = 2\n")
        for option in ("--output", "--json", "--backend", "--set"):
            with self.subTest(option):
                self.assert_refused(self.call("solve", "a.toml", option, ""))

    def test_missing_file(self):
        self.assert_refused(self.call("solve", "none.toml"), "none.toml", "No such file", files=())

    def test_files_of_widths(self):
        self.write("[grid]\ny_widths = 'y.txt'\n")
        self.assert_refused(self.call("solve", "a.toml"), "a.toml, line 2", "grid.y_widths",
                            "y.txt cannot be read: No such file")
        self.write("1\n2\n3\n", "y.txt")
        for command in ("solve", "check"):
            self.assert_refused(self.call(command, "a.toml"), "y.txt holds 3 cell widths",
                                "2 or 4", files=("a.toml", "y.txt"))

    def test_what_is_left_aside(self):
        self.write("[grid]\nlevels = [2, 2]\n[study]\nsolver.precision = ['single', 'half']\n")
        result = self.call("solve", "a.toml", "--without", "study", "--without", "grid", "--set",
                           "grid.levels=[3,3]", "--output", "o")
        self.assertEqual(result.returncode, 0, result.stderr)
        runs = json.loads((self.folder / "o/results.json").read_text())["runs"]
        self.assertEqual([level["level"] for run in runs for level in run["levels"]], [3])
        for arguments, said in ((("a.toml", "--without", "solver"), "--without solver: a.toml"),
                                (("a.mtx", "--without", "matrix"), "no config file")):
            result = self.call("solve", *arguments)
            self.assertEqual(result.returncode, 2)
            self.assertIn(said, result.stderr)

    def test_solve_and_study_are_not_mixed_up(self):
        self.write("[study]\n'solver.method' = ['cg']\n")
        self.assert_refused(self.call("solve", "a.toml"), "ninefold study a.toml")
        self.write("")
        self.assert_refused(self.call("study", "a.toml"), "ninefold solve a.toml")

    def test_a_bad_combination_is_found_before_the_first_run(self):
        self.write("[grid]\nlevels = 2\n[study]\n'solver.tolerance' = [1e-3, 1e-4, 1.0]\n")
        self.assert_refused(self.call("study", "a.toml"), "line 4", "run-3")

    def test_folder_that_cannot_be_written(self):
        self.write("[grid]\nlevels = 2\n")
        self.write("", "taken")
        result = self.call("solve", "a.toml", "--output", "taken")
        self.assert_refused(result, "taken", "--output", files=("a.toml", "taken"))

    def test_places_that_cannot_be_written(self):
        self.write("[grid]\nlevels = 2\n")
        for arguments in (["--output", "/proc/none"], ["--output", "/dev/full"],
                          ["--output", "a.toml/below"], ["--json", "/proc/none/a.json"],
                          ["--json", "/dev/full"], ["--json", "."]):
            with self.subTest(arguments):
                self.assert_refused(self.call("solve", "a.toml", *arguments), "cannot",
                                    "choose another place")

    def test_level_beyond_memory(self):
        self.write("[grid]\nlevels = [2, 3]\n")
        check = self.call("check", "a.toml", "--set", "grid.levels=[2, 16]")
        if check.returncode == 0:
            self.skipTest("this machine has the memory for level 16")
        self.assertIn("beyond the memory", check.stderr)
        result = self.call("solve", "a.toml", "--set", "grid.levels=[2, 16]")
        self.assert_refused(result, "level ", "GiB", "the finest level that fits")


class Interruptions(ProgramTest):
    LONG = "[grid]\nlevels = [2, 11]\n[solver]\nmethod = 'cg'\ntolerance = 1e-15\n" \
           "max_iterations = 1000000\n[backend]\nname = 'host'\n"

    def run_until_rows(self, rows, *arguments):
        self.write(self.LONG)
        process = self.start("solve", "a.toml", *arguments)
        file = self.folder / "results/a/results.json"
        end = time.monotonic() + 120
        while len(levels_of(file)) < rows:
            self.assertIsNone(process.poll(), "ended too early")
            self.assertLess(time.monotonic(), end)
            time.sleep(0.01)
        return process, file

    def test_interrupt_keeps_the_finished_rows(self):
        for number, status in ((signal.SIGINT, 130), (signal.SIGTERM, 143)):
            with self.subTest(number):
                process, file = self.run_until_rows(3)
                process.send_signal(number)
                out, err = process.communicate(timeout=60)
                self.assertEqual(process.returncode, status)
                self.assertIn("interrupted", err)
                self.assertIn("results/a", err)
                rows = levels_of(file)
                self.assertGreaterEqual(len(rows), 3)
                # The rows on the screen are the rows on disk, but for one in between.
                shown = [line for line in out.splitlines() if line.strip()[:1].isdigit()]
                self.assertLessEqual(len(shown), len(rows))
                self.assertGreaterEqual(len(shown), 3)
                self.assertEqual([f for f in self.files() if f.endswith(".part")], [])
                for path in file.parent.iterdir():
                    path.unlink()

    def test_a_crash_keeps_the_finished_rows(self):
        process, file = self.run_until_rows(3)
        process.kill()
        process.communicate(timeout=60)
        rows = levels_of(file)
        self.assertGreaterEqual(len(rows), 3)
        table = (file.parent / "results.csv").read_text().splitlines()
        self.assertIn(len(table) - 1, (len(rows), len(rows) - 1))

    def test_a_full_standard_output_keeps_the_results(self):
        self.write("[grid]\nlevels = [2, 3]\n")
        for arguments in (["solve", "a.toml"], ["study", "a.toml"], ["check", "a.toml"]):
            if arguments[0] == "study":
                self.write("[grid]\nlevels = [2, 3]\n[study]\n'solver.method' = ['cg']\n")
            with self.subTest(arguments), open("/dev/full", "w", encoding="utf-8") as full:
                result = subprocess.run([PROGRAM, *arguments], cwd=self.folder, text=True,
                                        stdout=full, stderr=subprocess.PIPE, timeout=300,
                                        check=False)
                self.assertEqual(result.returncode, 3)
                self.assertIn("standard output cannot be written", result.stderr)
                if arguments[0] != "check":
                    self.assertIn("the 2 finished levels are in results/a", result.stderr)
                    self.assertEqual(len(levels_of(self.folder / "results/a/results.json")), 2)

    def test_an_interrupted_study(self):
        self.write(self.LONG + "[study]\n'solver.precision' = ['double', 'single']\n")
        process = self.start("study", "a.toml")
        end = time.monotonic() + 120
        while not levels_of(self.folder / "results/a/results.json"):
            self.assertIsNone(process.poll(), "ended too early")
            self.assertLess(time.monotonic(), end)
            time.sleep(0.01)
        process.send_signal(signal.SIGINT)
        _, err = process.communicate(timeout=60)
        self.assertEqual(process.returncode, 130)
        self.assertIn("interrupted; the ", err)

    def test_a_full_disk_is_a_failure(self):
        self.write("[grid]\nlevels = [2, 3]\n")

        def limit():
            signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
            resource.setrlimit(resource.RLIMIT_FSIZE, (1500, 1500))

        result = self.call("solve", "a.toml", preexec_fn=limit)
        self.assertEqual(result.returncode, 3, result.stdout + result.stderr)
        self.assertIn("results.json", result.stderr)
        self.assertEqual([f for f in self.files() if f.endswith(".part")], [])


class Configs(ProgramTest):
    def test_every_config_runs(self):
        configs = sorted(CONFIGS.glob("*.toml"))
        self.assertGreaterEqual(len(configs), 6)
        has_vtk = "VTK       yes" in self.call("info").stdout
        # Without VTK, a file that asks for it is refused.
        changes = [] if has_vtk else ["--set", "output.vtk=false"]
        for config in configs:
            with self.subTest(config.name):
                text = config.read_text()
                is_study = "\n[study]" in text
                command = "study" if is_study else "solve"
                self.assertIn(f"ninefold {command} experiments/configs/{config.name}", text)
                is_grid = "\n[mesh]" not in text
                self.assertEqual(
                    self.call("check", config, *(changes if is_grid else [])).returncode, 0)
                out = self.folder / config.stem
                is_mesh, is_fit = "[mesh]" in text, "[least_squares]" in text
                small = (["mesh.size=6"] if is_mesh
                         else ["least_squares.image_size=12", "least_squares.detectors=20"] if is_fit
                         else ["grid.levels=[2, 3]"])
                sets = [part for setting in small for part in ("--set", setting)]
                result = self.call(command, config, *sets, "--output", out, "--backend", "host",
                                   *([] if is_mesh else changes))
                self.assertEqual(result.returncode, STATUS.get(config.name, 0),
                                 result.stdout + result.stderr)
                self.assertEqual(result.stderr, "")
                self.assertNotIn("does not belong", result.stdout)
                found = json.loads((out / "results.json").read_text())
                if not is_grid:
                    self.assertGreaterEqual(len(found["runs"]), 4)
                    continue
                for run in found["runs"]:
                    if is_fit:
                        self.assertGreater(run["error_l2"], 0)
                        continue
                    self.assertEqual([level["level"] for level in run["levels"]], [2, 3])
                    for level in run["levels"]:
                        if config.name == "unknown_solution.toml":
                            self.assertIsNone(level["error_l2"])
                        else:
                            self.assertGreater(level["error_l2"], 0)
                if "vtk = true" in text and has_vtk:
                    self.assertTrue((out / "solution.pvd").is_file())


if __name__ == "__main__":
    PROGRAM = os.path.abspath(sys.argv[1])
    CONFIGS = pathlib.Path(sys.argv[2]).resolve()
    unittest.main(argv=[sys.argv[0], *sys.argv[3:]])
