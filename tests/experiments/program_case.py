"""What tests of ninefold's commands share: a folder, and calls of the program in it."""

import json
import pathlib
import subprocess
import tempfile
import unittest


class ProgramCase(unittest.TestCase):
    program = ""
    command = ""

    def setUp(self):
        temporary = tempfile.TemporaryDirectory()
        self.addCleanup(temporary.cleanup)
        self.folder = pathlib.Path(temporary.name)

    def run_program(self, *arguments):
        return subprocess.run([self.program, *map(str, arguments)], cwd=self.folder, text=True,
                              capture_output=True, timeout=300, check=False)

    def call(self, *arguments):
        return self.run_program(self.command, *arguments)

    def done(self, *arguments):
        result = self.call(*arguments)
        self.assertEqual((result.returncode, result.stderr), (0, ""))
        return result.stdout

    def write(self, name, text):
        (self.folder / name).write_text(text)
        return name

    def rows(self, folder):
        return json.loads((self.folder / folder / "results.json").read_text())["runs"]
