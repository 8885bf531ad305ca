#!/usr/bin/env python3
"""README.md, docs/tutorial.md, docs/sparse.md, docs/meshes.md and docs/least_squares.md, done as their reader does them.

Usage: documents.py BUILD_FOLDER SOURCE_FOLDER [CLASS...]

A document is the only source of what its reader writes, calls and sees.  Its fenced blocks are

sh                commands; those of one document are one session in a copy of the clone, where
                  build/release is BUILD_FOLDER; they succeed unless "status=N" follows
sh by-hand        commands that are not run here
text              what the commands before it print; in a line, "..." stands for anything, alone in
                  a line for any lines
toml NAME, text NAME   a file that the reader writes before the next commands
cpp PATH          lines of that file of the repository, in its order

"needs=vtk,gnuplot" behind sh leaves commands out where these are not there, and says so.
"""

import dataclasses
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import unittest

BUILD = pathlib.Path()
SOURCE = pathlib.Path()
MARK = "-- end of block"


@dataclasses.dataclass
class Block:
    """A fenced block, or commands with what they are to print (expected)."""
    line: int
    kind: str
    words: list
    text: str
    expected: str = None

    def option(self, name, default=""):
        return next((word.removeprefix(name + "=") for word in self.words
                     if word.startswith(name + "=")), default)

    @property
    def is_file(self):
        return self.kind in ("toml", "text") and bool(self.words)


def blocks_of(document):
    """The blocks of a document; a text without a name belongs to the commands before it."""
    blocks = []
    text = document.read_text()
    for match in re.finditer(r"^```(\w+)?([^\n]*)\n(.*?)^```$", text, re.MULTILINE | re.DOTALL):
        line = text.count("\n", 0, match.start()) + 1
        block = Block(line, match[1] or "", match[2].split(), match[3])
        if block.kind == "text" and not block.is_file:
            if not blocks or blocks[-1].kind != "sh" or blocks[-1].expected is not None:
                raise AssertionError(f"{document}, line {line}: an output without commands")
            blocks[-1].expected = block.text
        else:
            blocks.append(block)
    return blocks


def without_widths(text):
    """Columns are as wide as their times: one blank for many, and short rules."""
    lines = (re.sub(r"-{4,}", "---", " ".join(line.split())) for line in text.splitlines())
    return [line for line in lines if line]


def pattern_of(expected):
    lines = [r"(?:.*\n)*?" if line == "..." else
             ".*".join(re.escape(part.strip()) for part in line.split("...")) + r"\n"
             for line in without_widths(expected)]
    return re.compile("".join(lines))


def agrees(printed, expected):
    return pattern_of(expected).fullmatch("".join(line + "\n" for line in without_widths(printed)))


class DocumentTest(unittest.TestCase):
    maxDiff = None

    def setUp(self):
        temporary = tempfile.TemporaryDirectory()
        self.addCleanup(temporary.cleanup)
        self.clone = pathlib.Path(temporary.name) / "ninefold"
        (self.clone / "build").mkdir(parents=True)
        (self.clone / "build/release").symlink_to(BUILD)
        for folder in ("examples", "experiments"):
            (self.clone / folder).symlink_to(SOURCE / folder)

        cache = dict(re.findall(r"^(\w+):\w+=(.*)$", (BUILD / "CMakeCache.txt").read_text(),
                                re.MULTILINE))
        # What is built here is for the library as it was built; ls sorts as in the document.
        self.environment = os.environ | {"CXX": cache["CMAKE_CXX_COMPILER"],
                                         "CXXFLAGS": cache["CMAKE_CXX_FLAGS"], "LC_ALL": "C"}
        info = subprocess.run([BUILD / "experiments/ninefold", "info"], text=True, check=True,
                              stdout=subprocess.PIPE).stdout
        self.here = {"vtk": re.search(r"^  VTK +yes", info, re.MULTILINE) is not None,
                     "gnuplot": shutil.which("gnuplot") is not None}

    def missing(self, block):
        return [what for what in block.option("needs").split(",") if what and not self.here[what]]

    def script(self, steps):
        """One session of bash: after each block of commands a mark with its status."""
        lines = ["exec 2>&1"]
        for step in steps:
            if step.is_file:
                lines.append(f"cat > {step.words[0]} <<'END OF FILE'\n{step.text}END OF FILE")
            else:
                strict = "set +e" if step.option("status") else "set -e"
                lines.append(f"{strict}\n{step.text}printf '\\n{MARK} %s\\n' $?")
        return "\n".join(lines) + "\n"

    def do(self, name):
        """Does what a document says, in one session."""
        steps = []
        for block in blocks_of(SOURCE / name):
            if block.is_file or (block.kind == "sh" and "by-hand" not in block.words):
                if self.missing(block):
                    with self.subTest(f"{name}, line {block.line}"):
                        self.skipTest(f"needs {', '.join(self.missing(block))}")
                else:
                    steps.append(block)
        commands = [step for step in steps if step.kind == "sh"]
        self.assertTrue(commands)

        session = subprocess.run(["bash", "--norc", "-c", self.script(steps)], cwd=self.clone,
                                 env=self.environment, text=True, stdout=subprocess.PIPE,
                                 timeout=300, check=False)
        printed = re.split(rf"\n{MARK} (\d+)\n", session.stdout)
        for number, block in enumerate(commands):
            with self.subTest(f"{name}, line {block.line}"):
                output = printed[2 * number] if 2 * number < len(printed) else ""
                self.assertLess(2 * number + 1, len(printed), f"{block.text}failed:\n{output}")
                self.assertEqual(printed[2 * number + 1], block.option("status", "0"), output)
                if block.expected is not None and not agrees(output, block.expected):
                    self.assertEqual(output, block.expected, "the output is another one")

    def check_excerpts(self, name):
        """Code in a document stands in the file that the block names."""
        for block in blocks_of(SOURCE / name):
            if block.kind == "cpp":
                with self.subTest(f"{name}, line {block.line}"):
                    self.assertEqual(len(block.words), 1, "of which file?")
                    rest = iter((SOURCE / block.words[0]).read_text().splitlines())
                    for line in filter(None, block.text.splitlines()):
                        self.assertTrue(line in rest, f"not in {block.words[0]}: {line}")


class Readme(DocumentTest):
    def test_its_commands_print_what_it_says(self):
        self.do("README.md")

    def test_its_code_is_that_of_the_example(self):
        self.check_excerpts("README.md")


class Tutorial(DocumentTest):
    def test_its_commands_print_what_it_says(self):
        self.do("docs/tutorial.md")

    def test_its_code_is_that_of_the_example(self):
        self.check_excerpts("docs/tutorial.md")


class Sparse(DocumentTest):
    def test_its_commands_print_what_it_says(self):
        self.do("docs/sparse.md")


class Meshes(DocumentTest):
    def test_its_commands_print_what_it_says(self):
        self.do("docs/meshes.md")


class Fits(DocumentTest):
    def test_its_commands_print_what_it_says(self):
        self.do("docs/least_squares.md")


def without_code(text):
    """A document without its fenced blocks and code within lines, line by line."""
    text = re.sub(r"^```.*?^```$", lambda block: "\n" * block[0].count("\n"), text,
                  flags=re.MULTILINE | re.DOTALL)
    return re.sub(r"`[^`\n]*`", "", text)


def anchors_of(text):
    """The names by which GitHub knows the headings of a document."""
    anchors = []
    text = re.sub(r"^```.*?^```$", "", text, flags=re.MULTILINE | re.DOTALL)
    for heading in re.findall(r"^#+ +(.*?)(?: +#+)?$", text, re.MULTILINE):
        words = re.sub(r"\[([^]]*)\]\([^)]*\)", r"\1", heading).lower()
        name = re.sub(r"[^\w\- ]", "", words).replace(" ", "-")
        count = sum(1 for anchor in anchors if anchor == name)
        anchors.append(name if count == 0 else f"{name}-{count}")
    return anchors


def broken_links(document, text):
    """Of a document with this text, links to what is not there, each with its line."""
    broken = []
    for match in re.finditer(r"\]\(([^)\s]+)\)", without_code(text)):
        if re.match(r"[a-z]+:", match[1]):
            continue
        path, _, anchor = match[1].partition("#")
        target = document.parent / path if path else document
        is_there = target.exists()
        if is_there and anchor and target.suffix == ".md":
            is_there = anchor in anchors_of(text if not path else target.read_text())
        if not is_there:
            broken.append((without_code(text).count("\n", 0, match.start()) + 1, match[1]))
    return broken


class Links(unittest.TestCase):
    def test_they_lead_to_files_and_headings_that_there_are(self):
        documents = [*SOURCE.glob("*.md"), *SOURCE.glob("docs/*.md"), SOURCE / "tests/README.md"]
        self.assertGreater(len(documents), 8)
        for document in documents:
            with self.subTest(document=document.name):
                self.assertEqual(broken_links(document, document.read_text()), [])

    def test_what_is_not_there_is_told(self):
        readme = SOURCE / "README.md"
        text = ("# A *title*, (of `two`)\n[a](#a-title-of-two) [b](#another)\n`[c](no.md)`\n"
                "[d](docs/no.md)\n[e](https://example.org/#no) [f](docs/library.md#no)\n")
        self.assertEqual(broken_links(readme, text),
                         [(2, "#another"), (4, "docs/no.md"), (5, "docs/library.md#no")])


class Comparison(unittest.TestCase):
    """That other digits are told, and only what is masked is not."""

    def test_masks(self):
        expected = "level  error  ...\n-----  -----  ...\n    3  1.25   ...\n...\nfiles in a\n"
        printed = "level   error  time\n-----  ------  ----\n    3  1.25  0.003\n{}files in a\n"
        self.assertTrue(agrees(printed.format(""), expected))
        self.assertTrue(agrees(printed.format("one\ntwo\n"), expected))
        for wrong in (printed.replace("1.25", "1.26"), printed.replace("    3", "    4"),
                      printed + "more\n", printed.replace("files in a\n", "")):
            self.assertFalse(agrees(wrong.format(""), expected), wrong)


if __name__ == "__main__":
    BUILD, SOURCE = (pathlib.Path(path).resolve() for path in sys.argv[1:3])
    unittest.main(argv=[sys.argv[0], *sys.argv[3:]], verbosity=2)
