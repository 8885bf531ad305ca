#!/usr/bin/env python3
"""What ninefold says of itself to people, editors and shells.

Usage: first_contact.py PROGRAM SOURCE_FOLDER FOLDER_OF_GENERATED_FILES.
"""

import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import unittest

try:
    import jsonschema
    import tomllib
except ImportError:
    jsonschema = tomllib = None

PROGRAM = ""
SOURCE = pathlib.Path()
GENERATED = pathlib.Path()


class FirstContactTest(unittest.TestCase):
    def setUp(self):
        temporary = tempfile.TemporaryDirectory()
        self.addCleanup(temporary.cleanup)
        self.folder = pathlib.Path(temporary.name)

    def call(self, *arguments, **options):
        options.setdefault("stdout", subprocess.PIPE)
        return subprocess.run([PROGRAM, *map(str, arguments)], cwd=self.folder, text=True,
                              stderr=subprocess.PIPE, timeout=60, check=False, **options)

    def output(self, *arguments):
        result = self.call(*arguments)
        self.assertEqual((result.returncode, result.stderr), (0, ""))
        return result.stdout

    def assert_refused(self, result, *parts):
        self.assertEqual(result.returncode, 2, result.stderr)
        self.assertEqual(result.stdout, "")
        for part in parts:
            self.assertIn(part, result.stderr)


class Help(FirstContactTest):
    def test_a_key_a_table_a_command_and_all(self):
        self.assertIn("greater than 0, less than 1", self.output("help", "solver.tolerance"))
        self.assertIn('solver.method (default: "multigrid")', self.output("help", "solver"))
        self.assertIn("--set KEY=VALUE", self.output("help", "solve"))
        everything = self.output("help")
        for part in ("Usage: ninefold", "check a config file", "[solver]: ", "tolerance", "130"):
            self.assertIn(part, everything)

    def test_the_help_of_the_program_names_all_commands_and_statuses(self):
        text = self.output("--help")
        for part in ("solve", "study", "check", "info", "tune", "help", "schema", "completion", "man",
                     "ninefold help solver.method", "bad input"):
            self.assertIn(part, text)
        self.assertTrue(all(len(line) <= 100 for line in text.splitlines()))
        self.assertIn("--json", self.output("--help-all"))
        self.assertIn("0    the file is in order", self.output("check", "--help"))
        self.assertNotIn("did not converge", self.output("check", "--help"))
        text = self.output("matrix", "--help")
        self.assertIn("0    the matrix was read or generated", text)
        self.assertIn("an elastic body", text)
        self.assertTrue(all(len(line) <= 100 for line in text.splitlines()))

    def test_what_is_not_there_is_refused_with_what_is_near(self):
        self.assert_refused(self.call("help", "solver.tolerence"), "did you mean solver.tolerance?")
        self.assert_refused(self.call("help", "sovle"), 'did you mean "solve"?')
        self.assert_refused(self.call("help", "grid.levels", "grid.grading"))
        self.assert_refused(self.call("help", "neumann"), "did you mean problem.boundary?")
        self.assert_refused(self.call("help", "corrections"), "keys that speak of it: ",
                            "refinement.variant")
        for far in ("thin", "qqqq"):
            result = self.call("help", far)
            self.assert_refused(result, "all keys: ninefold help")
            self.assertNotIn("did you mean", result.stderr)
            self.assertNotIn("smooth", result.stderr)
        self.assert_refused(self.call("completion", "fish"), "bash and zsh")
        self.assert_refused(self.call("completion"), "SHELL")

    def test_a_standard_output_that_is_full_is_a_failure(self):
        for command in ("info", "help", "schema", "--help"):
            with open("/dev/full", "w", encoding="utf-8") as full:
                result = self.call(command, stdout=full)
            self.assertEqual(result.returncode, 3)
            self.assertIn("standard output cannot be written", result.stderr)


class Inputs(FirstContactTest):
    def test_a_key_without_effect_is_noted(self):
        (self.folder / "a.toml").write_text(
            "[grid]\nlevels = 3\n[solver]\nmethod = 'cg'\n[multigrid]\ncycle = 'W'\n")
        for command in ("check", "solve"):
            self.assertIn('note: a.toml, line 6: multigrid.cycle = "W" has no effect: multigrid '
                          "neither solves nor preconditions\n", self.output(command, "a.toml"))

    def test_a_refused_grid_of_a_study_names_level_and_run(self):
        (self.folder / "a.toml").write_text(
            "[grid]\nlevels = [3, 5]\nanisotropy = 1e-4\n"
            "[study]\n'solver.method' = ['cg', 'fast-diagonalisation']\n")
        self.assert_refused(self.call("study", "a.toml"), "\n  on level 3\n"
                            "  in run-2 of the study: solver.method = fast-diagonalisation\n")

    def test_the_letters_of_the_paper_are_understood(self):
        (self.folder / "a.toml").write_text("[grid]\nnu = 0.5\n")
        self.assert_refused(self.call("check", "a.toml"), "did you mean grid.anisotropy?")

    def test_devices_and_pipes_are_refused(self):
        os.mkfifo(self.folder / "pipe")
        for device, kind in (("/dev/zero", "a device"), ("/dev/full", "a device"),
                             ("pipe", "a pipe"), (".", "a folder")):
            for command in ("solve", "check", "study"):
                self.assert_refused(self.call(command, device),
                                    f"{device} is {kind}, not a config file")
            (self.folder / "a.toml").write_text(f"[grid]\nx_widths = '{device}'\n")
            self.assert_refused(self.call("solve", "a.toml"), "a.toml, line 2",
                                f'grid.x_widths = "{device}"', f"is {kind}, not a file of cell")

    def test_a_large_file_is_refused_by_its_size(self):
        with open(self.folder / "large.toml", "wb") as large:
            large.truncate(1 << 40)
        self.assert_refused(self.call("check", "large.toml"), "large.toml", "16 MiB")

    def test_long_values_are_shortened(self):
        text = 5000 * "x"
        (self.folder / "a.toml").write_text(f"[solver]\nmethod = '{text}'\n")
        for arguments in (["a.toml"], ["a.toml", "--set", f"solver.precision={text}"],
                          ["a.toml", "--backend", text], [text]):
            result = self.call("solve", *arguments)
            self.assert_refused(result, "characters)")
            self.assertLess(len(result.stderr), 1200)
        self.assertLess(len(self.call(text).stderr), 400)


class Tuning(FirstContactTest):
    def tune(self, *arguments, cache):
        return self.call("tune", *arguments, env={**os.environ, "XDG_CACHE_HOME": str(cache)})

    def test_what_is_measured_is_kept_unless_it_is_only_shown(self):
        kept = self.folder / "ninefold"
        shown = self.tune("--show", cache=self.folder)
        if "multiprocessors" not in self.output("info"):
            self.assert_refused(shown, "tune measures CUDA devices, and there is none: ")
            return
        self.assertIn("way of large grids", shown.stdout)
        self.assertFalse(kept.exists())
        self.assertIn("kept in ", self.tune(cache=self.folder).stdout)
        (file,) = kept.glob("*.toml")
        text = file.read_text()
        file.write_text("broken")  # is no reason not to measure again
        self.assertEqual(self.tune(cache=self.folder).returncode, 0)
        self.assertEqual(file.read_text().splitlines()[:5], text.splitlines()[:5])
        homeless = {name: value for name, value in os.environ.items() if name != "HOME"}
        for cache in ("", "here"):  # no absolute folder, and none else
            refused = self.call("tune", env={**homeless, "XDG_CACHE_HOME": cache})
            self.assert_refused(refused, "tune has no folder for what it finds")


@unittest.skipIf(jsonschema is None, "needs python3-jsonschema and Python 3.11")
class Schema(FirstContactTest):
    def setUp(self):
        super().setUp()
        schema = json.loads(self.output("schema"))
        jsonschema.Draft7Validator.check_schema(schema)
        self.validator = jsonschema.Draft7Validator(schema)

    def complaints(self, text):
        return [error.message for error in self.validator.iter_errors(tomllib.loads(text))]

    def test_the_examples_are_valid(self):
        files = sorted(SOURCE.glob("experiments/configs/*.toml"))
        self.assertGreaterEqual(len(files), 6)
        for file in files:
            with self.subTest(file.name):
                self.assertEqual(self.complaints(file.read_text()), [])
        for page, least in (("README.md", 1), ("docs/configuration.md", 2), ("docs/tutorial.md", 4)):
            examples = [text for text in re.findall(r"^```toml[^\n]*\n(.*?)^```",
                                                    (SOURCE / page).read_text(),
                                                    re.MULTILINE | re.DOTALL)
                        if text.startswith(("[", "#"))]
            self.assertGreaterEqual(len(examples), least)
            for text in examples:
                with self.subTest(text):
                    self.assertEqual(self.complaints(text), [])

    def test_all_options_in_force_are_valid(self):
        (self.folder / "a.toml").write_text("")
        text = self.output("check", "a.toml").split("\nmemory needed")[0]
        self.assertEqual(self.complaints(text), [])

    def test_what_the_program_refuses_of_one_key_is_not_valid(self):
        for text in ("[solver]\ntolerence = 1e-8\n", "[solvr]\n", "tolerance = 1\n",
                     "[solver]\ntolerance = 0.0\n", "[solver]\ntolerance = 'small'\n",
                     "[solver]\nmethod = 'CG'\n", "[solver]\nprecision = 's9e11'\n",
                     "[grid]\nlevels = [1, 2, 3]\n", "[grid]\nlevels = 17\n",
                     "[grid]\nrefined_sides = ['left', 'left']\n",
                     "[problem]\nboundary.top = 'robin'\n", "[output]\nvtk = 1\n",
                     "[output]\ndirectory = ''\n", "[refinement]\ninner_digits = [1, 'some']\n",
                     "[study]\n'solver.method' = 'cg'\n", "[study]\n'solver.method' = []\n",
                     "[study]\n'solver.method' = ['gc']\n", "[study]\n'output.vtk' = [true]\n",
                     "[study]\nsolver.precision = ['single', 'quad']\n"):
            with self.subTest(text):
                self.assertNotEqual(self.complaints(text), [])
                (self.folder / "a.toml").write_text(text)
                self.assertEqual(self.call("check", "a.toml").returncode, 2)

    def test_both_ways_to_write_a_study_are_valid(self):
        self.assertEqual(self.complaints("[study]\n'grid.levels' = [2, [3, 4]]\n"
                                         "solver.precision = ['single', 's28e11']\n"), [])


@unittest.skipIf(shutil.which("bash") is None, "needs bash")
class BashCompletion(FirstContactTest):
    def complete(self, *words):
        """What bash offers for the last of these words."""
        script = ('source ./script; COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); _ninefold || true; '
                  'printf "%s\\n" "${COMPREPLY[@]}"')
        (self.folder / "script").write_text(self.output("completion", "bash"))
        result = subprocess.run(["bash", "--norc", "-eu", "-c", script, "script", "ninefold", *words],
                                cwd=self.folder, text=True, capture_output=True, check=False)
        self.assertEqual((result.returncode, result.stderr), (0, ""))
        return sorted(result.stdout.split())

    def test_it_registers_itself(self):
        (self.folder / "script").write_text(self.output("completion", "bash"))
        result = subprocess.run(["bash", "--norc", "-c", "source ./script; complete -p ninefold"],
                                cwd=self.folder, text=True, capture_output=True, check=True)
        self.assertIn("-F _ninefold", result.stdout)

    def test_commands(self):
        self.assertEqual(self.complete("so"), ["solve"])
        self.assertEqual(self.complete("s"), ["schema", "smooth", "solve", "study"])
        self.assertLessEqual({"--help", "--version"}, set(self.complete("--")))
        self.assertEqual(self.complete("completion", ""), ["bash", "zsh"])
        self.assertEqual(self.complete("info", ""), [])

    def test_options(self):
        self.assertEqual(self.complete("solve", "--"),
                         ["--backend", "--help", "--json", "--open", "--output", "--set",
                          "--without"])
        self.assertEqual(self.complete("check", "--j"), [])
        self.assertEqual(self.complete("check", "--backend", ""), ["auto", "cuda", "host"])
        # As bash splits --backend=h.
        self.assertEqual(self.complete("check", "--backend", "=", "h"), ["host"])

    def test_matrices(self):
        for name in ("a.mtx", "b.toml", "c.mtx.gz"):
            (self.folder / name).write_text("")
        (self.folder / "deep").mkdir()
        self.assertEqual(self.complete("matrix", ""), ["a.mtx", "c.mtx.gz", "deep"])
        self.assertEqual(self.complete("matrix", "--generate", "tri"),
                         ["triangles", "triangles-shuffled"])
        self.assertEqual(self.complete("matrix", "--size", ""), [])
        self.assertEqual(self.complete("matrix", "--with", "b"), ["bandwidth=", "blocks="])
        self.assertEqual(self.complete("matrix", "--p"), ["--parts", "--picture"])

    def test_meshes(self):
        for name in ("a.off", "b.toml", "c.obj", "d.ply", "e.mtx"):
            (self.folder / name).write_text("")
        (self.folder / "deep").mkdir()
        self.assertEqual(self.complete("parameterise", ""), ["a.off", "c.obj", "d.ply", "deep"])
        self.assertEqual(self.complete("parameterise", "--generate", "pa"), ["patch"])
        self.assertEqual(self.complete("parameterise", "--part", ""), ["largest", "whole"])
        self.assertEqual(self.complete("parameterise", "--pins", ""), [])
        self.assertEqual(self.complete("smooth", ""), ["a.off", "c.obj", "d.ply", "deep"])
        self.assertEqual(self.complete("smooth", "--fidelity", ""), [])

    def test_topics_of_help(self):
        self.assertEqual(self.complete("help", "solver.t"), ["solver.tolerance"])
        self.assertLessEqual({"solver", "solver.start", "solve"}, set(self.complete("help", "sol")))

    def test_keys_and_their_words(self):
        self.assertEqual(self.complete("solve", "a.toml", "--set", "solver.me"), ["solver.method="])
        # As bash splits it, and as it is where "=" does not split.
        self.assertEqual(self.complete("solve", "--set", "solver.method", "="),
                         ["cg", "fast-diagonalisation", "full-multigrid", "multigrid"])
        self.assertEqual(self.complete("solve", "--set", "solver.method", "=", "c"), ["cg"])
        self.assertEqual(self.complete("solve", "--set", "solver.method=c"), ["solver.method=cg"])
        self.assertEqual(self.complete("solve", "--set", "output.vtk", "=", ""), ["false", "true"])
        self.assertEqual(self.complete("solve", "--set", "domain.width", "=", ""), [])

    def test_files(self):
        for name in ("a.toml", "b.txt", "c.toml"):
            (self.folder / name).write_text("")
        (self.folder / "configs").mkdir()
        self.assertEqual(self.complete("solve", ""), ["a.toml", "c.toml", "configs"])
        self.assertEqual(self.complete("solve", "a.toml", "--output", "c"), ["configs"])
        self.assertEqual(self.complete("solve", "a.toml", "--json", "b"), ["b.txt"])


@unittest.skipIf(shutil.which("zsh") is None, "needs zsh")
class ZshCompletion(FirstContactTest):
    # What zsh's own functions are asked for, in place of what they do.
    ASKED = """
curcontext=
_arguments() { if [[ $1 == -C ]]; then state=$wanted; else print -rl -- "$@"; fi }
_describe() { print -rl -- "${(@P)4}" }
compadd() { print -rl -- "$@" }
compset() { [[ -n $IPREFIX ]] }
"""

    def zsh(self, script):
        (self.folder / "_ninefold").write_text(self.output("completion", "zsh"))
        result = subprocess.run(["zsh", "-f", "-u", "-c", self.ASKED + script], cwd=self.folder,
                                text=True, capture_output=True, check=False)
        self.assertEqual((result.returncode, result.stderr), (0, ""))
        return result.stdout.splitlines()

    def test_commands(self):
        lines = self.zsh("wanted=command; source ./_ninefold")
        self.assertIn("check", [line.split(":")[0] for line in lines])

    def test_options_and_topics(self):
        lines = self.zsh("wanted=argument; words=(check); source ./_ninefold")
        self.assertIn("*--set=", [line.split("[")[0] for line in lines])
        self.assertIn('1:CONFIG:_files -g "*.toml"', lines)
        lines = self.zsh("wanted=argument; words=(matrix); source ./_ninefold")
        self.assertIn("*--with=", [line.split("[")[0] for line in lines])
        self.assertIn('1:MATRIX:_files -g "*.mtx *.mtx.gz"', lines)
        lines = self.zsh("wanted=argument; words=(help); source ./_ninefold")
        self.assertIn("solver.tolerance", lines[-1])

    def test_keys_and_their_words(self):
        start = "wanted=argument; words=(none); source ./_ninefold; "
        keys = self.zsh(start + "IPREFIX=; _ninefold_setting")
        self.assertIn("solver.method:Conjugate gradients, multigrid, or the direct solver by the "
                      "eigenvectors of both directions, in single or double.", keys)
        words = self.zsh(start + "IPREFIX=solver.method=; _ninefold_setting")
        self.assertEqual(words, ["--", "cg", "multigrid", "fast-diagonalisation"])


class ManPage(FirstContactTest):
    def test_it_names_commands_keys_and_statuses(self):
        page = self.output("man")
        self.assertTrue(page.startswith('.TH NINEFOLD 1 '))
        for part in (".SH NAME", "\\fBninefold solve\\fR", "\\fBsolver.tolerance\\fR",
                     "\\fB\\-\\-set\\fR", ".SH EXIT STATUS", "\\fB130\\fR"):
            self.assertIn(part, page)

    def test_troff_has_nothing_to_say(self):
        (self.folder / "ninefold.1").write_text(self.output("man"))
        checks = [["groff", "-man", "-Tutf8", "-ww", "-z"], ["mandoc", "-Tlint", "-Werror"]]
        checks = [command for command in checks if shutil.which(command[0])]
        if not checks:
            self.skipTest("neither groff nor mandoc is here")
        for command in checks:
            with self.subTest(command[0]):
                result = subprocess.run([*command, "ninefold.1"], cwd=self.folder, text=True,
                                        capture_output=True, check=False)
                self.assertEqual((result.returncode, result.stdout, result.stderr), (0, "", ""))


class GeneratedFiles(FirstContactTest):
    def test_they_are_what_the_program_prints(self):
        for file, arguments in (("ninefold.1", ["man"]), ("ninefold.schema.json", ["schema"]),
                                ("bash/ninefold", ["completion", "bash"]),
                                ("zsh/_ninefold", ["completion", "zsh"])):
            self.assertEqual((GENERATED / file).read_text(), self.output(*arguments))


if __name__ == "__main__":
    PROGRAM = os.path.abspath(sys.argv[1])
    SOURCE, GENERATED = (pathlib.Path(path).resolve() for path in sys.argv[2:4])
    unittest.main(argv=[sys.argv[0], *sys.argv[4:]])
