#!/usr/bin/env python3
"""The program as mpirun starts it.  Usage: ranks.py PROGRAM MPIRUN CHANNEL_TEST [TEST ...].  Status 77:
no mpirun."""

import csv
import importlib.util
import json
import os
import pathlib
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import unittest

PROGRAM, MPIRUN, CHANNEL_TEST = "", "", ""
# Times, what differs from rank to rank, the memory of each, and what follows from them.
OWN = re.compile(r"seconds|memory|timeline|started|host|commit|date|plain|per_second")

# Ranks share what cores there are, also of a container that runs as root.
ENVIRONMENT = {**os.environ, "OMP_NUM_THREADS": "1", "OMPI_ALLOW_RUN_AS_ROOT": "1",
               "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1", "OMPI_MCA_rmaps_base_oversubscribe": "1",
               "OMPI_MCA_hwloc_base_binding_policy": "none", "OMPI_MCA_mpi_yield_when_idle": "1",
               # Which containers may forbid: processes reading each other's memory.
               "OMPI_MCA_btl_vader_single_copy_mechanism": "none"}

MULTIGRID = """[problem]
solution = "polynomial"
[grid]
levels = [6, 8]
[solver]
method = "full-multigrid"
tolerance = 1e-8
[refinement]
inner_precision = "single"
"""
GRADIENTS = """[problem]
source = "sin(x*y)"
[grid]
levels = [7, 8]
[solver]
method = "cg"
preconditioner = "multigrid"
[output]
vtk = false
"""
LINES = """[problem]
solution = "polynomial"
[grid]
levels = [8, 8]
anisotropy = 0.25
refined_sides = ["right", "bottom"]
[solver]
method = "multigrid"
tolerance = 1e-8
[refinement]
inner_precision = "single"
"""
MATRIX = """[matrix]
generate = "triangles"
size = 80
[solver]
precision = "double"
tolerance = 1e-8
[refinement]
inner_precision = "single"
"""
FIT = """[least_squares]
generate = "rows"
rows = 9000
columns = 3072
entries = 80000
[solver]
tolerance = 1e-6
"""
# Of a matrix in parts: what is stored, and moves, beside its entries.
STORED = re.compile(r"bytes")
# The same of devices, whose parts may have kernels of their own.
STORED_ON_DEVICES = re.compile(r"bytes|kernels|transfers")


def without(names, value):
    """A document without what has such names."""
    if isinstance(value, dict):
        return {k: without(names, v) for k, v in value.items() if not names.search(k)}
    if isinstance(value, list):
        return [without(names, v) for v in value]
    return value


def without_own(value):
    """A document without what may differ between runs."""
    return without(OWN, value)


class RanksTest(unittest.TestCase):
    def setUp(self):
        temporary = tempfile.TemporaryDirectory()
        self.addCleanup(temporary.cleanup)
        self.folder = pathlib.Path(temporary.name)

    def command(self, ranks, *arguments, program=None):
        start = [MPIRUN, "-n", str(ranks)] if ranks else []
        return [*start, program or PROGRAM, *map(str, arguments)]

    def call(self, ranks, *arguments, program=None):
        return subprocess.run(self.command(ranks, *arguments, program=program), cwd=self.folder,
                              text=True, capture_output=True, timeout=200, check=False,
                              env=ENVIRONMENT)

    def experiment(self, name, ranks, *arguments):
        """An experiment, which lies beside the program."""
        return self.call(ranks, *arguments, program=pathlib.Path(PROGRAM).with_name(name))

    def solve(self, ranks, config, *more):
        (self.folder / "a.toml").write_text(config)
        result = self.call(ranks, "solve", "a.toml", "--output", f"o{ranks}", *more)
        self.assertEqual(result.returncode, 0, result.stderr + result.stdout)
        document = json.loads((self.folder / f"o{ranks}/results.json").read_text())
        return without_own(document["runs"]), result.stdout

    def check_same(self, config, counts):
        alone, _ = self.solve(0, config, "--backend", "host")
        for ranks in counts:
            with self.subTest(ranks=ranks):
                together, text = self.solve(ranks, config, "--backend", "host")
                self.assertEqual(together, alone)
                self.assertEqual(text.count("all on one page"), 1)

    def test_results_are_those_of_one_process(self):
        self.check_same(MULTIGRID, (2, 3, 4))

    def test_files_are_those_of_one_process(self):
        """What is one file; large levels are written in pieces."""
        config = MULTIGRID + ("[output]\nquantities = true\npoints = [[0.3, 0.4], [0.9, 0.99]]\n"
                              "lines = [[0, 0.1, 1, 0.9, 23]]\n")
        vtk = re.search(r"VTK +yes", self.call(0, "info").stdout) is not None
        config += f"vtk = {str(vtk).lower()}\n"
        alone, _ = self.solve(0, config, "--backend", "host")
        for ranks in (2, 3):
            with self.subTest(ranks=ranks):
                together, _ = self.solve(ranks, config, "--backend", "host")
                self.assertEqual(together, alone)
                for name in ("solution-points.csv", "solution-lines.csv"):
                    self.assertEqual((self.folder / f"o{ranks}" / name).read_bytes(),
                                     (self.folder / "o0" / name).read_bytes())
                if not vtk:
                    continue
                folder = self.folder / f"o{ranks}"
                whole = (folder / "solution-level08.pvtr").read_text()
                pieces = [f"solution-level08-part{rank}.vtr" for rank in range(ranks)]
                for piece in pieces:
                    self.assertIn(f'Source="{piece}"', whole)
                    self.assertTrue((folder / piece).exists())
                self.assertEqual(len(list(folder.glob("solution-level08-part*"))), ranks)
                self.assertIn('file="solution-level08.pvtr"',
                              (folder / "solution.pvd").read_text())

    def test_seven_processes_divide_level_9(self):
        self.check_same(MULTIGRID.replace("[6, 8]", "[8, 9]"), (7,))

    def test_which_grids_are_divided_changes_no_bit(self):
        (self.folder / "a.toml").write_text(MULTIGRID + "[study]\nbackend.min_rows_per_rank = "
                                            "[16, 50, 65536]\n")
        result = self.call(2, "study", "a.toml", "--backend", "host", "--output", "o2")
        self.assertEqual(result.returncode, 0, result.stderr + result.stdout)
        runs = json.loads((self.folder / "o2/results.json").read_text())["runs"]
        alone, _ = self.solve(0, MULTIGRID, "--backend", "host")
        self.assertEqual([run["levels"] for run in without_own(runs)], 3 * [alone[0]["levels"]])
        # What each has of the finest grid tells whether that was divided.
        memory = [run["levels"][-1]["memory_bytes"] for run in runs]
        self.assertLess(memory[0], 0.8 * memory[2])
        self.assertLess(memory[1], 0.8 * memory[2])

    def test_a_formula_and_conjugate_gradients(self):
        self.check_same(GRADIENTS, (2, 3))

    def test_lines(self):
        self.check_same(LINES, (2, 3))

    def check_same_parts(self, config, counts):
        """Of sparse rows: also what files say."""
        alone, _ = self.solve(0, config, "--backend", "host", "--set", "matrix.write_solution=true")
        for ranks in counts:
            with self.subTest(ranks=ranks):
                together, text = self.solve(ranks, config, "--backend", "host", "--set",
                                            "matrix.write_solution=true")
                self.assertEqual(without(STORED, together), without(STORED, alone))
                self.assertEqual(text.count("all on one page"), 1)
                solutions = [sorted((self.folder / f"o{n}").glob("*solution*")) for n in (0, ranks)]
                self.assertEqual(len(solutions[0]), 1)
                self.assertEqual(*([file.read_bytes() for file in files] for files in solutions))

    def test_a_matrix(self):
        self.check_same_parts(MATRIX, (2, 3))

    def test_a_fit(self):
        self.check_same_parts(FIT, (2, 3))

    def test_a_mesh(self):
        results = []
        for ranks in (0, 3):
            result = self.call(ranks, "smooth", "--generate", "patch", "--size", "70", "--output",
                               f"o{ranks}", "--backend", *(["host"] if ranks == 0 else ["auto"]))
            self.assertEqual(result.returncode, 0, result.stderr + result.stdout)
            self.assertEqual(result.stdout.count("all on one page"), 1)
            document = json.loads((self.folder / f"o{ranks}/results.json").read_text())
            meshes = sorted((self.folder / f"o{ranks}").glob("*.obj"))
            self.assertEqual(len(meshes), len(document["runs"]))
            results.append((without(STORED, without_own(document["runs"])),
                            [mesh.read_bytes() for mesh in meshes]))
        self.assertEqual(*results)

    def test_bounds_of_a_fit_are_refused(self):
        (self.folder / "a.toml").write_text(FIT)
        result = self.call(2, "solve", "a.toml", "--set", "least_squares.lower=0")
        self.check_refused(result)
        self.assertIn("one process", result.stderr)

    def test_bad_input_is_said_once(self):
        (self.folder / "a.toml").write_text(MULTIGRID.replace("levels", "level"))
        for ranks in (2, 3):
            self.check_refused(self.call(ranks, "solve", "a.toml"))
        self.check_refused(self.call(2, "solve"))
        self.check_refused(self.call(2, "solve", "b.toml"))
        self.assertFalse((self.folder / "results").exists())

    def check_refused(self, result, program="ninefold"):
        """As one process would: its message once, its status, and no word of MPI's failures."""
        self.assertEqual(result.returncode, 2, result.stderr)
        self.assertEqual(result.stderr.count(f"{program}: "), 1, result.stderr)
        self.assertNotIn("MPI_ABORT", result.stderr)

    def test_what_one_process_alone_refuses_ends_all(self):
        for rank, text in enumerate((MULTIGRID, MULTIGRID.replace("levels", "level"), MULTIGRID)):
            (self.folder / str(rank)).mkdir()
            (self.folder / str(rank) / "a.toml").write_text(text)
        in_own_folder = 'cd "$OMPI_COMM_WORLD_RANK" && exec "$@"'
        result = subprocess.run(
            [MPIRUN, "-n", "3", "sh", "-c", in_own_folder, "sh", PROGRAM, "solve", "a.toml"],
            cwd=self.folder, text=True, capture_output=True, timeout=60, check=False,
            env=ENVIRONMENT)
        self.check_refused(result)
        self.assertIn("process 1: ", result.stderr)

    def test_results_that_cannot_be_written_end_all_before_they_solve(self):
        (self.folder / "a.toml").write_text(GRADIENTS.replace("multigrid", "none"))
        result = self.call(2, "solve", "a.toml", "--set", "grid.levels=[12,12]", "--output",
                           "a.toml/results")
        self.check_refused(result)
        self.assertIn("--output", result.stderr)
        result = self.experiment("solver_precision", 2, "--output", "a.toml/results")
        self.check_refused(result, "solver_precision")
        self.assertIn("--output", result.stderr)
        for place in ("a.toml/results.json", "."):
            result = self.call(2, "solve", "a.toml", "--json", place)
            self.check_refused(result)
            self.assertIn("--json", result.stderr)

    def test_a_command_that_one_process_cannot_read_ends_all(self):
        (self.folder / "a.toml").write_text(MULTIGRID)
        solve = ["-n", "1", PROGRAM, "solve", "a.toml"]
        misspelt = ["-n", "1", PROGRAM, "slove", "a.toml"]
        for other in ([*solve, "--nothing"], misspelt):
            with self.subTest(other=other):
                result = subprocess.run([MPIRUN, *solve, ":", *other], cwd=self.folder, text=True,
                                        capture_output=True, timeout=60, check=False,
                                        env=ENVIRONMENT)
                self.check_refused(result)
                self.assertIn("process 1: ", result.stderr)
        self.check_refused(self.call(2, "slove", "a.toml"))

    def test_a_launcher_of_another_mpi_is_refused(self):
        (self.folder / "a.toml").write_text(MULTIGRID)
        result = subprocess.run([PROGRAM, "solve", "a.toml"], cwd=self.folder, text=True,
                                capture_output=True, timeout=60, check=False,
                                env={**ENVIRONMENT, "PMI_SIZE": "4", "PMI_RANK": "0"})
        self.assertEqual(result.returncode, 3, result.stderr)
        self.assertIn("4 processes, of which MPI finds 1", result.stderr)
        self.assertFalse((self.folder / "results").exists())

    def test_help_is_shown_once(self):
        result = self.call(3, "solve", "--help")
        self.assertEqual(result.returncode, 0)
        self.assertEqual(result.stdout.count("Usage:"), 1)

    def test_what_ranks_do_not_do_is_refused(self):
        cases = {"fast-diagonalisation": ["solver.method=fast-diagonalisation"],
                 "auto": ["solver.precision=auto", "solver.tolerance=discretisation"],
                 "backend.devices": ["backend.devices=2"]}
        text = MULTIGRID.replace('[refinement]\ninner_precision = "single"\n', "")
        (self.folder / "a.toml").write_text(text)
        for said, settings in cases.items():
            with self.subTest(said=said):
                more = [word for setting in settings for word in ("--set", setting)]
                result = self.call(2, "solve", "a.toml", *more)
                self.check_refused(result)
                self.assertIn(said, result.stderr)

    def test_a_check_forecasts_for_each_process(self):
        (self.folder / "a.toml").write_text(MULTIGRID.replace("[6, 8]", "[9, 9]"))
        kibibytes = []
        for ranks in (0, 3):
            result = self.call(ranks, "check", "a.toml", "--backend", "host")
            self.assertEqual(result.returncode, 0, result.stderr + result.stdout)
            self.assertEqual(result.stdout.count("is in order"), 1)
            self.assertEqual(result.stdout.count("on each of 3 backends"), 1 if ranks else 0)
            amount, unit = re.search(r"^ *9 +263169 +host +([\d.]+) ([KM])iB", result.stdout,
                                     re.MULTILINE).groups()
            kibibytes.append(float(amount) * (1024 if unit == "M" else 1))
        # A third of what is divided, and coarse levels and sums of the whole.
        self.assertLess(kibibytes[0] / 3, kibibytes[1])
        self.assertLess(kibibytes[1], 0.7 * kibibytes[0])
        result = self.call(0, "check", "a.toml", "--output", "a.toml/results")
        self.check_refused(result)
        (self.folder / "a.toml").write_text(MATRIX)
        result = self.call(2, "check", "a.toml")
        self.assertEqual(result.returncode, 0, result.stderr + result.stdout)
        self.assertEqual(result.stdout.count("is in order"), 1)
        (self.folder / "a.toml").write_text(MULTIGRID.replace("[6, 8]", "[16, 16]"))
        result = self.call(2, "check", "a.toml", "--backend", "host")
        self.check_refused(result)
        self.assertIn("memory", result.stderr)

    def test_devices_are_not_the_hosts(self):
        (self.folder / "a.toml").write_text(MULTIGRID)
        for command in ("solve", "check"):
            result = self.call(0, command, "a.toml", "--set", "backend.name=host", "--set",
                               "backend.devices=2")
            self.assertEqual(result.returncode, 2)
            self.assertIn("mpirun -n 2", result.stderr)

    def test_two_channels_at_once(self):
        """tests/gpu/backend/mpi_channel.cpp"""
        for ranks in (2, 3, 4):
            with self.subTest(ranks=ranks):
                result = self.call(ranks, program=CHANNEL_TEST)
                if result.returncode == 77:
                    self.skipTest("this MPI serves one thread at a time")
                self.assertEqual(result.returncode, 0, result.stderr + result.stdout)
                self.assertIn(f"{ranks} processes: 0 and 0 rounds", result.stdout)

    def test_only_processes_with_devices_go_by_way_of_the_host(self):
        (self.folder / "a.toml").write_text(MULTIGRID)
        result = self.call(0, "solve", "a.toml", "--set", "backend.devices=2", "--set",
                           "backend.transfers=host")
        self.check_refused(result)
        self.assertIn("backend.transfers", result.stderr)
        _, text = self.solve(2, MULTIGRID, "--backend", "host", "--set", "backend.transfers=host")
        self.assertIn("backend.transfers = \"host\" has no effect", text)

    def test_processes_with_a_device_each(self):
        """Where there is one for each; elsewhere they say that there is not."""
        (self.folder / "a.toml").write_text(MULTIGRID)
        tried = self.call(2, "solve", "a.toml", "--backend", "cuda", "--output", "tried")
        if tried.returncode == 2:
            self.check_refused(tried)
            self.assertRegex(tried.stderr, "each process takes a CUDA device, and [01] can be used"
                                           "|no NVIDIA driver|built without CUDA")
            return
        for config in (MULTIGRID.replace("[6, 8]", "[10, 11]"), GRADIENTS.replace("7, 8", "11, 11"),
                       LINES.replace("8, 8", "11, 11"), MATRIX, FIT):
            with self.subTest(config=config):
                alone, _ = self.solve(0, config, "--backend", "cuda")
                for transfers in ("auto", "host"):
                    together, text = self.solve(2, config, "--backend", "cuda", "--set",
                                                f"backend.transfers={transfers}")
                    self.assertEqual(without(STORED_ON_DEVICES, together),
                                     without(STORED_ON_DEVICES, alone))
                    self.assertEqual(text.count("all on one page"), 1)
                    self.assertNotIn("has no effect", text)

    def test_an_experiment_tells_what_one_process_tells(self):
        told = []
        for ranks in (0, 2, 3):
            result = self.experiment("solver_precision", ranks, "--levels", 6, 8, "--backend",
                                     "host", "--output", f"o{ranks}")
            self.assertEqual(result.returncode, 0, result.stderr + result.stdout)
            self.assertEqual(result.stdout.count("all on one page"), 1)
            folder = self.folder / f"o{ranks}"
            runs = json.loads((folder / "results.json").read_text())["runs"]
            told.append((without_own(runs), *((folder / file).read_bytes() for file in (
                "agreement.json", "table_2_double.csv"))))
        self.assertEqual(told[1], told[0])
        self.assertEqual(told[2], told[0])

    def test_experiments_of_one_process_are_refused(self):
        for name in ("refinement", "fill"):
            with self.subTest(name=name):
                result = self.experiment(name, 2)
                self.check_refused(result, name)
                self.assertIn("mpirun -n 2", result.stderr)
        result = self.experiment("solver_precision", 2, "--levels", 4, 3)
        self.check_refused(result, "solver_precision")
        self.assertFalse((self.folder / "results").exists())

    def test_what_measures_compares_errors(self):
        script = pathlib.Path(__file__).parents[2] / "scripts/measure_scaling.py"
        result = subprocess.run(
            [sys.executable, script, "--program", PROGRAM, "--processes", "1", "2", "--levels", "7",
             "--repeats", "1", "--table", "scaling.csv", "--beside"],
            cwd=self.folder, text=True, capture_output=True, timeout=200, check=False,
            env=ENVIRONMENT)
        self.assertEqual(result.returncode, 0, result.stderr)
        with open(self.folder / "scaling.csv", newline="") as stream:
            rows = list(csv.DictReader(stream))
        for criterion in ("first", "discretisation", "residual"):
            self.assertEqual([(row["ranks"], row["divided"]) for row in rows
                              if row["criterion"] == criterion],
                             [("1", "yes"), ("2", "yes"), ("2", "no")])
        for row in rows:
            self.assertTrue(all(row[key] for key in ("level", "ranks", "solve_seconds", "error_l2",
                                                     "commit", "date")), row)

    def test_what_measures_other_cases(self):
        script = pathlib.Path(__file__).parents[2] / "scripts/measure_several_devices.py"
        result = subprocess.run(
            [sys.executable, script, "--program", PROGRAM, "--backend", "host", "--devices", "1",
             "--cases", "small", "--repeats", "1", "--table", "several.csv"],
            cwd=self.folder, text=True, capture_output=True, timeout=200, check=False,
            env=ENVIRONMENT)
        self.assertEqual(result.returncode, 0, result.stderr)
        with open(self.folder / "several.csv", newline="") as stream:
            rows = list(csv.DictReader(stream))
        self.assertEqual([row["case"] for row in rows], ["small cube", "small lines"])
        for row in rows:
            self.assertTrue(all(row[key] for key in ("ranks", "iterations", "solve_seconds",
                                                     "error_l2", "commit", "date")), row)

    def test_the_model_of_what_is_measured(self):
        """Of made-up times: t(N) = N ns alone, 2 N beside another, exchanges of 30 us."""
        script = pathlib.Path(__file__).parents[2] / "scripts/picture_of_scaling.py"
        spec = importlib.util.spec_from_file_location("picture_of_scaling", script)
        module = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(module)
        lines = ["level,ranks,divided,criterion,solve_seconds"]
        exchanges = {8: 16, 9: 22, 10: 30}
        for level in range(7, 11):
            unknowns = 4 ** level
            lines += [f"{level},1,yes,first,{1e-9 * unknowns}",
                      f"{level},2,no,first,{2e-9 * unknowns}", f"{level},2,yes,residual,1",
                      f"{level},2,yes,first,{1e-9 * unknowns + 3e-5 * exchanges.get(level, 12)}"]
        (self.folder / "scaling.csv").write_text("\n".join(lines) + "\n")
        model = module.Model(self.folder / "scaling.csv", 7, False)
        self.assertEqual(model.levels, [8, 9, 10])
        self.assertAlmostEqual(model.cost, 3e-5, delta=1e-12)
        for level in model.levels:
            self.assertEqual(model.exchanges(level), exchanges[level])
            self.assertAlmostEqual(model.deviation(level), 0, delta=1e-12)
        passes = module.Model(self.folder / "scaling.csv", 7, True)
        self.assertEqual([passes.exchanges(level) for level in range(8, 12)], [10, 14, 19, 25])

    def interrupted(self, folder):
        """What three processes say that are interrupted while they solve."""
        process = subprocess.Popen(
            self.command(3, "--levels", 10, 10, "--output", folder,
                         program=pathlib.Path(PROGRAM).with_name("anisotropy")),
            cwd=self.folder, text=True, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
            env=ENVIRONMENT)
        self.addCleanup(process.kill)
        deadline = time.monotonic() + 60
        while not (self.folder / folder).exists() and time.monotonic() < deadline:
            time.sleep(0.1)
        time.sleep(0.5)
        process.send_signal(signal.SIGINT)
        _, said = process.communicate(timeout=60)
        self.assertNotEqual(process.returncode, 0)
        return said.count("interrupted")

    def test_an_interrupt_is_answered_once(self):
        # On a busy machine mpirun may end before it has passed on what was said.
        for folder in "abc":
            answers = self.interrupted(folder)
            self.assertLessEqual(answers, 1)
            if answers == 1:
                return
        self.fail("an interrupt was not answered")

    def test_a_command_of_one_process_beside_a_solve_ends_all(self):
        (self.folder / "a.toml").write_text(MULTIGRID)
        result = subprocess.run(
            [MPIRUN, "-n", "1", PROGRAM, "solve", "a.toml", ":", "-n", "1", PROGRAM, "info"],
            cwd=self.folder, text=True, capture_output=True, timeout=60, check=False,
            env=ENVIRONMENT)
        self.check_refused(result)
        self.assertIn("process 1: another command", result.stderr)

    def test_a_rank_that_is_killed_ends_all(self):
        (self.folder / "a.toml").write_text(GRADIENTS)
        process = subprocess.Popen(
            self.command(3, "solve", "a.toml", "--set", "grid.levels=[12,12]", "--set",
                         "solver.preconditioner=none"),
            cwd=self.folder, text=True, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
            env=ENVIRONMENT)
        self.addCleanup(process.kill)
        deadline = time.monotonic() + 60
        children = []
        while len(children) < 3 and time.monotonic() < deadline:
            time.sleep(0.2)
            text = pathlib.Path(f"/proc/{process.pid}/task/{process.pid}/children").read_text()
            children = [int(child) for child in text.split()]
        self.assertEqual(len(children), 3)
        time.sleep(1)
        os.kill(children[1], signal.SIGKILL)
        process.communicate(timeout=60)
        self.assertNotEqual(process.returncode, 0)
        results = self.folder / "results/a/results.json"
        if results.exists():
            json.loads(results.read_text())


if __name__ == "__main__":
    PROGRAM, MPIRUN, CHANNEL_TEST = sys.argv[1:4]
    if not shutil.which(MPIRUN):
        print("there is no mpirun")
        sys.exit(77)
    unittest.main(argv=sys.argv[:1] + sys.argv[4:])
