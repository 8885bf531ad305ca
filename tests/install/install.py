#!/usr/bin/env python3
"""The library as others use it: installed, and as a part of their build.

Usage: install.py BUILD_FOLDER [CLASS...]

Installed   installs what BUILD_FOLDER holds, and uses it by find_package and by pkg-config
Embedded    configures a project that has ninefold as a part, and compiles a file of it
EmbeddedWhole  builds all of it (minutes) in BUILD_FOLDER/embedding, a static library, and installs and
            uses that, too
"""

import concurrent.futures
import os
import pathlib
import re
import shlex
import subprocess
import sys
import tempfile
import unittest

SOURCE = pathlib.Path(__file__).resolve().parent.parent.parent
BUILD = pathlib.Path()

SOLVE_ONE = r"level 7, (host|cuda): converged after 9 cycles, l2 error 2\.31267e-06\n"
# Levels halve the cells, so that errors come to fall by 4.
OWN_PROBLEM = "".join(rf"level {level}: converged, l2 error {error}\n" for level, error in (
    (5, r"7\.124e-04"), (6, r"1\.947e-04"), (7, r"4\.989e-05"), (8, r"1\.255e-05")))


def cache(folder):
    """The entries of a CMakeCache.txt, without CMake's own."""
    text = (folder / "CMakeCache.txt").read_text()
    return dict(re.findall(r"^([^#/][^:\n]*):(?!INTERNAL|STATIC)\w+=(.*)$", text, re.MULTILINE))


def run(*command, **options):
    return subprocess.run([str(word) for word in command], text=True, stdout=subprocess.PIPE,
                          stderr=subprocess.STDOUT, check=False, **options)


class Use(unittest.TestCase):
    """What all have: a folder, and commands that must succeed."""

    @classmethod
    def setUpClass(cls):
        temporary = tempfile.TemporaryDirectory()
        cls.addClassCleanup(temporary.cleanup)
        cls.folder = pathlib.Path(temporary.name)
        entries = cache(BUILD)
        cls.compiler, cls.flags = entries["CMAKE_CXX_COMPILER"], entries["CMAKE_CXX_FLAGS"]
        cls.nvcc = entries.get("CMAKE_CUDA_COMPILER", entries.get("NINEFOLD_NVCC", ""))
        cls.nvcc = "" if cls.nvcc.endswith("NOTFOUND") else cls.nvcc
        cls.settings = ["-G", "Ninja", "-D", "CMAKE_BUILD_TYPE=Release",
                        "-D", f"CMAKE_CXX_COMPILER={cls.compiler}", "-D", f"CMAKE_CXX_FLAGS={cls.flags}"]

    @staticmethod
    def done(*command, **options):
        """What a command prints that must succeed."""
        result = run(*command, **options)
        if result.returncode != 0:
            raise AssertionError(f"{shlex.join(map(str, command))}\n{result.stdout}")
        return result.stdout


class Installation(Use):
    """A prefix, and what is done with it; without tests of its own."""

    @classmethod
    def install(cls, build):
        cls.prefix = cls.folder / "prefix"
        cls.done("cmake", "--install", build, "--prefix", cls.prefix)
        cls.include = cls.prefix / "include"
        cls.headers = sorted(file.relative_to(cls.include).as_posix()
                             for file in cls.include.rglob("*.hpp"))
        cls.libraries = next(cls.prefix.rglob("pkgconfig")).parent
        cls.environment = os.environ | {"PKG_CONFIG_PATH": str(cls.libraries / "pkgconfig"),
                                        "LD_LIBRARY_PATH": str(cls.libraries)}

    def pkg_config(self, *arguments):
        return shlex.split(self.done("pkg-config", *arguments, env=self.environment))

    def configure(self, source, *arguments):
        build = self.folder / "build" / source.name
        return build, run("cmake", "-S", source, "-B", build, *self.settings,
                          "-D", f"CMAKE_PREFIX_PATH={self.prefix}", *arguments)

    def built(self, example, program):
        build, result = self.configure(SOURCE / "examples" / example)
        self.assertEqual(result.returncode, 0, result.stdout)
        self.done("cmake", "--build", build)
        return build / program

    def use_pkg_config(self):
        program = self.folder / "by_pkg_config"
        self.done(self.compiler, "-std=c++20", *shlex.split(self.flags),
                  SOURCE / "examples/library/solve_one.cpp", "-o", program,
                  *self.pkg_config("--cflags", "--libs", "ninefold >= 0.1"))
        self.assertRegex(self.done(program, env=self.environment), f"^{SOLVE_ONE}$")

    def use_find_package(self):
        self.assertRegex(self.done(self.built("library", "solve_one")), f"^{SOLVE_ONE}$")


class Installed(Installation):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.install(BUILD)

    def compile_alone(self, header):
        """What a compiler says of a header alone, and of it a second time."""
        return run(self.compiler, "-std=c++20", "-fsyntax-only", "-Wall", "-Wextra", "-Werror", "-x",
                   "c++", "-", *self.pkg_config("--cflags", "ninefold"),
                   input=f"#include <{header}>\n" * 2)

    def test_each_header_compiles_alone(self):
        with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
            for header, result in zip(self.headers, pool.map(self.compile_alone, self.headers)):
                with self.subTest(header):
                    self.assertEqual(result.returncode, 0, result.stdout)

    def test_headers_are_the_public_ones_and_say_so(self):
        self.assertIn("ninefold/ninefold.hpp", self.headers)
        self.assertIn("ninefold/solvers/solve.hpp", self.headers)
        for header in self.headers:
            with self.subTest(header):
                self.assertRegex(header, "^ninefold/")
                self.assertNotRegex(header, "meaning|compiled|launch|kernels|drivers|krylov")
                text = (self.include / header).read_text()
                self.assertNotRegex(text, r'(?m)^ *# *include "')
                self.assertNotIn("#include <fmt/", text, "nvcc cannot check its format strings")
                self.assertEqual(re.sub(r"(?m)^( *# *include) <ninefold/([^>]+)>", r'\1 "\2"', text),
                                 self.original(header).read_text())

    @staticmethod
    def original(header):
        inside = SOURCE / header.removeprefix("ninefold/")
        return inside if inside.exists() else SOURCE / "include" / header

    def test_nvcc_takes_them(self):
        if not self.built_with("CUDA"):
            self.skipTest("built without CUDA")
        file = self.folder / "all.cu"
        file.write_text("#include <ninefold/ninefold.hpp>\n#include <ninefold/output.hpp>\n")
        flags = self.pkg_config("--cflags", "ninefold")
        self.done(self.nvcc, "-std=c++20", f"-I{self.include}", "-ccbin", self.compiler,
                  "-Xcompiler", ",".join(flag for flag in flags if not flag.startswith("-I")),
                  "-Werror=all-warnings", "-c", file, "-o", self.folder / "all.o")

    def test_by_pkg_config(self):
        self.use_pkg_config()

    def test_output_by_pkg_config(self):
        program = self.folder / "own_problem_by_pkg_config"
        self.done(self.compiler, "-std=c++20", *shlex.split(self.flags),
                  SOURCE / "examples/own_problem/own_problem.cpp", "-o", program,
                  *self.pkg_config("--cflags", "--libs", "ninefold-output"))
        self.assertRegex(self.done(program, env=self.environment), f"^{OWN_PROBLEM}$")

    def test_by_find_package(self):
        self.use_find_package()

    def test_own_problem(self):
        program = self.built("own_problem", "own_problem")
        has_vtk = self.built_with("VTK")
        picture = self.folder / "own_problem.vtr"
        self.assertRegex(self.done(program, *([picture] if has_vtk else [])), f"^{OWN_PROBLEM}$")
        self.assertEqual(picture.exists(), has_vtk)

    def test_steps_in_time(self):
        program = self.built("heat", "heat")
        errors = []
        for steps in (20, 40):
            says = self.done(program, "5", str(steps))
            self.assertRegex(says, f"^level 5, (host|cuda): {steps} of {steps} steps converged, ")
            errors.append(float(re.search(r"l2 error ([^,]+),", says)[1]))
        # Of first order: a step half as long halves the error.
        self.assertAlmostEqual(errors[0] / errors[1], 2, delta=0.1)

    def built_with(self, what):
        says = self.done(self.prefix / "bin/ninefold", "info")
        return re.search(rf"^  {what} +yes", says, re.MULTILINE) is not None

    def found(self, request):
        """What CMake says when a project asks for the package so; nothing if all is well."""
        # One for all requests: what CMake finds out about the compiler is kept.
        source = self.folder / "asking"
        source.mkdir(exist_ok=True)
        (source / "CMakeLists.txt").write_text(
            "cmake_minimum_required(VERSION 3.25)\nproject(asking LANGUAGES CXX)\n"
            f"find_package(ninefold {request})\n")
        result = self.configure(source)[1]
        return "" if result.returncode == 0 else result.stdout

    def test_versions_and_components(self):
        self.assertEqual(self.found("0.1 CONFIG REQUIRED COMPONENTS core output"), "")
        self.assertEqual(self.found("CONFIG REQUIRED"), "")
        self.assertEqual(self.found("0.1 CONFIG REQUIRED OPTIONAL_COMPONENTS plots"), "")
        self.assertIn('built without "plots"', self.found("0.1 CONFIG REQUIRED COMPONENTS plots"))
        for version in ("0.2", "1.0"):
            self.assertIn("version", self.found(f"{version} CONFIG REQUIRED"))
        for component in ("cuda", "vtk"):
            with self.subTest(component):
                answer = self.found(f"0.1 CONFIG REQUIRED COMPONENTS {component}")
                self.assertEqual(answer == "", self.built_with(component.upper()), answer)

    def test_the_second_library_is_where_the_loader_looks(self):
        folder = "glibc-hwcaps/x86-64-v4"
        second = sorted(file.name for file in self.libraries.glob(f"{folder}/*"))
        built = sorted(file.name for file in BUILD.glob(f"{folder}/libninefold.so.*"))
        self.assertEqual(second, built)
        # Of this machine's processor the same is said.
        says = [re.search("^ +host .*threads.*?  ", self.done(program, "info"), re.MULTILINE)[0]
                for program in (self.prefix / "bin/ninefold", BUILD / "experiments/ninefold")]
        self.assertEqual(*says)

    def test_licences(self):
        documents = self.prefix / "share/doc/ninefold"
        self.assertEqual(sorted(file.name for file in documents.iterdir()),
                         ["LICENSE", "THIRD_PARTY.md"])


class Embedding(Use):
    def embed(self, build, *arguments):
        self.done("cmake", "-S", SOURCE / "tests/install/embedding", "-B", build, *self.settings,
                  "-D", f"NINEFOLD={SOURCE}", *arguments)


class Embedded(Embedding):
    def test_an_incomplete_build_installs_nothing(self):
        build, prefix = self.folder / "unbuilt", self.folder / "unbuilt_prefix"
        self.embed(build, "-D", "NINEFOLD_CUDA=OFF", "-D", "NINEFOLD_INSTALL=ON")
        result = run("cmake", "--install", build, "--prefix", prefix)
        self.assertNotEqual(result.returncode, 0)
        self.assertRegex(" ".join(result.stdout.split()),
                         r"nothing is installed: \S*libninefold\.a has not been built")
        self.assertFalse(prefix.exists())

    def test_embedding_leaves_the_others_alone(self):
        # With nvcc, if there is one, since a second language is where scopes are hard.
        build = self.folder / "embedding"
        self.embed(build, "-D", f"NINEFOLD_CUDA={'ON' if self.nvcc else 'OFF'}")
        ours = "NINEFOLD|ninefold|embedding|FETCHCONTENT|CMAKE|OpenMP|fmt_DIR|muparser_DIR|CUDA|BLAS_|LAPACK_|ZLIB_|MPI_|MPIEXEC_|PKG_CONFIG_"
        theirs = ("CMAKE_CUDA_ARCHITECTURES", "CMAKE_INSTALL_LIBDIR")
        strange = [name for name in cache(build)
                   if name in theirs or not re.match(f"({ours})", name)]
        self.assertEqual(strange, [])

        objects = [f"{SOURCE}/{file}^" for file in ("examples/library/solve_one.cpp",
                                                    "precision/bad_value.cpp")]
        commands = self.done("ninja", "-C", build, "-t", "commands", "-s", objects[0])
        self.assertIn("solve_one.cpp", commands)
        self.assertNotIn(f"-I{SOURCE} ", commands)
        self.assertNotIn("-fopenmp", commands)
        self.done("ninja", "-C", build, *objects)


class EmbeddedWhole(Embedding, Installation):
    def test_a_static_library_as_part_and_installed(self):
        build = BUILD / "embedding"  # kept, so that it is not built anew each time
        # Without precompiled headers, as no file may rely on them.  Without optimisation it
        # compiles sooner, and must find the same digits.
        self.embed(build, "-D", "NINEFOLD_CUDA=OFF", "-D", "NINEFOLD_INSTALL=ON",
                   "-D", "CMAKE_BUILD_TYPE=Debug",
                   "-D", "CMAKE_DISABLE_PRECOMPILE_HEADERS=ON")
        self.done("cmake", "--build", build)
        self.assertRegex(self.done(build / "solve_one"), f"^{SOLVE_ONE}$")
        self.install(build)
        self.use_pkg_config()
        self.use_find_package()


if __name__ == "__main__":
    BUILD = pathlib.Path(sys.argv.pop(1)).resolve()
    unittest.main(verbosity=2)
