#!/usr/bin/env python3
"""Checks who includes whom.  Usage: layers.py [ROOT]; prints each breach, status 1 if any."""

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
    "experiments": ["precision", "grids", "fem", "gpu", "solvers", "output"],
    "tests": ["precision", "grids", "fem", "gpu", "solvers", "output", "experiments"],
}
GENERATED = {"ninefold/version.hpp": ["output", "experiments", "tests"]}

# Headers of other projects that only certain files may include.
RESERVED = [
    (r"cuda|cub/|cooperative_groups", r"gpu/.*\.(cu|cuh)"),
    (r"deal\.II/", r"fem/dealii/.*|tests/fem/dealii_test\.cpp"),
    (r"vtk", r"output/.*\.cpp|tests/output/.*"),
    (r"cusparse", r"gpu/peers/.*\.cu"),
]
# The meaning of the operations and their launchers: for the instantiations and for tests.
MEANING = r"gpu/(generic_\w+|instantiate\w*|launch_\w+)\.(hpp|cuh)"
MAY_SEE_MEANING = r"gpu/(generic_\w+|instantiate\w*|launch_\w+|\w+_operations\w*)\.\w+|tests/.*"

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
        elif header.startswith("fem/dealii/") and not re.fullmatch(RESERVED[1][1], name):
            yield f'"{header}" brings deal.II'
        elif header.endswith(".cuh") and path.suffix not in (".cu", ".cuh"):
            yield f'"{header}" is for .cu and .cuh files'
        elif header.startswith("gpu/peers/") and folder not in ("experiments", "tests") \
                and not name.startswith("gpu/peers/"):
            yield f'"{header}" is for measurements'
        elif re.fullmatch(MEANING, header) and not re.fullmatch(MAY_SEE_MEANING, name):
            yield f'"{header}" is for the instantiations and for tests'


def main():
    root = pathlib.Path(sys.argv[1] if len(sys.argv) > 1 else ".").resolve()
    files = [path for folder in SEES for path in sorted((root / folder).rglob("*"))
             if path.suffix in (".hpp", ".cpp", ".cu", ".cuh")]
    if not files:
        sys.exit(f"layers.py: no sources under {root}")
    found = [f"{path.relative_to(root)}: {what}"
             for path in files for what in breaches(root, path)]
    print("\n".join(found) or f"{len(files)} files follow the layers")
    sys.exit(1 if found else 0)


if __name__ == "__main__":
    main()
