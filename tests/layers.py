#!/usr/bin/env python3
"""Checks who includes whom, that keys of config files are named in one place of the library, that the
tests which comments name are there, and that no two files of a program give a type the same name.

Usage: layers.py [ROOT]; prints each breach, status 1 if any.
"""

import pathlib
import re
import sys

# A folder sees itself and these; tests see everything.
SEES = {
    "precision": [],
    "grids": ["precision"],
    "fem": ["precision", "grids"],
    "gpu": ["precision", "grids", "fem"],
    "solvers": ["precision", "grids", "fem", "gpu"],
    "output": ["precision", "grids", "fem"],
    "include": ["precision", "grids", "fem", "solvers", "output"],
    "experiments": ["precision", "grids", "fem", "gpu", "solvers", "output"],
    "tests": ["precision", "grids", "fem", "gpu", "solvers", "output", "experiments"],
}
GENERATED = {"ninefold/version.hpp": ["output", "experiments", "tests"]}

# Headers of other projects that only certain files may include.
DEALII = r"tests/support/dealii/.*|tests/fem/discrete/dealii_test\.cpp"
RESERVED = [
    (r"cuda|cub/|cooperative_groups", r"(gpu|experiments/measure/(probe|peers))/.*\.(cu|cuh)"),
    (r"deal\.II/", DEALII),
    (r"mpi\.h", r"gpu/backend/mpi_module\.cpp"),
    (r"vtk", r"output/vtk/.*\.cpp|tests/output/vtk/.*"),
    (r"catch2/", r"tests/support/catch\.hpp"),
    (r"CGAL/", r"tests/fem/surface/cgal_test\.cpp"),
    (r"cusparse|cublas", r"(gpu/direct|experiments/measure/peers)/.*\.(cu|cuh)"),
]
# The project's own headers that only certain files may include, and why.
MEANING = r"gpu/(meaning|compiled|kernels)/.*|gpu/launch/launch_\w+\.(hpp|cuh)"
MAY_SEE_MEANING = r"gpu/(meaning|compiled|kernels|launch)/.*|experiments/measure/probe/.*|tests/.*"
KEPT = [
    (r"tests/support/dealii/.*", DEALII, "brings deal.II"),
    (r".*\.cuh", r".*\.(cu|cuh)", "is for .cu and .cuh files"),
    (r"experiments/measure/peers/.*", r"experiments/measure/.*|tests/.*", "is for measurements"),
    (r"experiments/measure/probe/.*", r"experiments/measure/.*|tests/.*", "is for measurements"),
    (MEANING, MAY_SEE_MEANING, "is for the instantiations and for tests"),
]

# Where keys are defined, and the library, whose code has their names from NAMES alone: it says
# Parameter::tolerance.
KEYS = "experiments/config/*keys.cpp"
NAMES = "precision/parameters.def"
LIBRARY = [folder for folder in SEES if folder not in ("include", "experiments", "tests")]

# Programs of their own: what they name need only be new to the rest.
PROGRAMS = r"(experiments/(measure|paper)|tests)/.*"

HERE = pathlib.Path(__file__).resolve().parent.parent
KEY = re.compile(r'"([a-z_]+(?:\.[a-z_]+)+)(?:\.\{\})?"')
TOKEN = re.compile(r"""//[^\n]*|/\*.*?\*/|'(?:\\.|[^'\\\n])+'|"((?:\\.|[^"\\\n])*)\"""", re.DOTALL)
TYPE = re.compile(r"^(?:struct|class|enum class|union) (\w+)(?: final)?(?: :[^;{]*)?\s*\{", re.MULTILINE)
UNNAMED = re.compile(r"^namespace \{$.*?^\}  // namespace$", re.MULTILINE | re.DOTALL)
INCLUDE = re.compile(r'^\s*#\s*include\s*([<"])([^>"]+)[>"]', re.MULTILINE)


def breaches(root, path):
    """Yields a sentence for each include of `path` that breaks a rule."""
    name = path.relative_to(root).as_posix()
    folder = name.split("/")[0]
    for mark, header in INCLUDE.findall(path.read_text(encoding="utf-8")):
        if mark == "<":
            for pattern, allowed in RESERVED:
                if re.match(pattern, header) and not re.fullmatch(allowed, name):
                    yield f"<{header}> is reserved to {allowed}"
        elif header in GENERATED:
            if folder not in GENERATED[header]:
                yield f'"{header}" is for {", ".join(GENERATED[header])}'
        elif not (root / header).is_file():
            yield f'"{header}" is not a path from the top of the tree'
        elif (target := header.split("/")[0]) not in [folder, *SEES[folder]]:
            yield f'{folder} does not see {target}: "{header}"'
        else:
            for pattern, allowed, why in KEPT:
                if re.fullmatch(pattern, header) and not re.fullmatch(allowed, name):
                    yield f'"{header}" {why}'


def compiles_anew(path, name):
    """True if a file outside the library would compile operations with flags of its own."""
    headers = [header for _, header in INCLUDE.findall(path.read_text(encoding="utf-8"))]
    return (not name.startswith("gpu/")
            and any(header.startswith("gpu/meaning/") for header in headers)
            and "gpu/compiled/elsewhere.hpp" not in headers)


def keys_named(text, keys):
    """The keys that string literals of this source name."""
    literals = " ".join(token.group(1) or "" for token in TOKEN.finditer(text))
    return sorted(set(re.findall(r"[a-z_]+(?:\.[a-z_]+)+", literals)) & keys)


def breaches_of_names(root, files):
    """Yields a sentence for each file of the library whose messages write a key themselves."""
    keys = {key for path in root.glob(KEYS) for key in KEY.findall(path.read_text(encoding="utf-8"))}
    names = set(KEY.findall((root / NAMES).read_text(encoding="utf-8")))
    if len(keys & names) < 40:
        sys.exit(f"layers.py: {NAMES} names only {len(keys & names)} of the keys of {KEYS}")
    for path in files:
        name = path.relative_to(root).as_posix()
        if name.split("/")[0] in LIBRARY:
            for key in keys_named(path.read_text(encoding="utf-8"), keys | names):
                yield f'{name}: "{key}" is for {NAMES}'


def missing_tests(root, path):
    """Yields a sentence for each test that a comment names and that is not there."""
    text = re.sub(r"(?<=/)\n *// *", "", path.read_text(encoding="utf-8"))  # names go on in lines
    for name in re.findall(r"\btests/[\w/]+\.(?:cpp|py)\b", text):
        if not (root / name).is_file():
            yield f"there is no {name}"


def doubled_types(root, files):
    """Yields a sentence for each type that two files define: the linker takes the functions of either
    for those of the other."""
    defined = {}
    for path in files:
        name = path.relative_to(root).as_posix()
        if re.fullmatch(PROGRAMS, name):
            continue
        for found in set(TYPE.findall(UNNAMED.sub("", path.read_text(encoding="utf-8")))):
            if (other := defined.setdefault(found, name)) != name:
                yield f"{name}: {found} is a type of {other}, too"


def main():
    root = pathlib.Path(sys.argv[1] if len(sys.argv) > 1 else ".").resolve()
    files = [path for folder in SEES for path in sorted((root / folder).rglob("*"))
             if path.suffix in (".hpp", ".cpp", ".cu", ".cuh")]
    if not files:
        sys.exit(f"layers.py: no sources under {root}")
    # A rule about files that are not there guards nothing.
    names = [path.relative_to(root).as_posix() for path in files]
    for pattern in [allowed for _, allowed in RESERVED] + [kept for kept, _, _ in KEPT]:
        if root == HERE and not any(re.fullmatch(pattern, name) for name in names):
            sys.exit(f"layers.py: no file is {pattern}")
    found = [f"{path.relative_to(root)}: {what}"
             for path in files for what in breaches(root, path)]
    found += [f"{path.relative_to(root)}: {what}"
              for path in files for what in missing_tests(root, path)]
    found += [f"{path.relative_to(root)}: needs gpu/compiled/elsewhere.hpp" for path in files
              if compiles_anew(path, path.relative_to(root).as_posix())]
    found += doubled_types(root, files)
    if root == HERE:
        found += breaches_of_names(root, files)
    print("\n".join(found) or f"{len(files)} files follow the layers")
    sys.exit(1 if found else 0)


if __name__ == "__main__":
    main()
