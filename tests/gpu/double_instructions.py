#!/usr/bin/env python3
"""That kernels for cards without fast double hold no instruction of double precision.

Full multigrid in double-single over single, by factored rows: of the objects of both formats every
kernel is disassembled.  Those that ALLOWED names may compute in double, and why.

Usage: double_instructions.py CUOBJDUMP OBJECT...; prints each breach, status 1 if any.
"""

import collections
import re
import subprocess
import sys

# Kernels, why, and the instructions if not all are.
ALLOWED = [
    (r"ComputedBands|AssembleBands|SetProduct(s|Columns)<(float|DoubleWord<float>), double",
     "entries of matrix and load are made in double"),
    (r"\bHalf\b|\bBFloat16\b", "words of 16 bits are rounded once, from the sum of a pair in double",
     r"DADD|DSETP|F2F\b"),
    (r"SetScales?<", "one thread scales by the residual's norm"),
    (r"solve_small(_parts|_whole)?_kernel<double", "the coarsest level of a stretched grid"),
    (r"WeightedSquare|RoundingScale|RoundingOfRow|Magnitude|Largest", "what bounds roundoff"),
    (r"ErrorSums|NodeErrors|SolutionShare|SolutionSquare|SolutionValue|MassSquare"
     r"|sum_values_kernel<double>", "errors are measured in double"),
]
CODE = re.compile(r"code for (sm_\w+)")
FUNCTION = re.compile(r"Function : (\S+)")
INSTRUCTION = re.compile(r"/\*[0-9a-f]{4,}\*/\s+(?:@!?U?P\w+ )?([A-Z][A-Z0-9._]*)")
DOUBLE = re.compile(r"D(ADD|MUL|FMA|SETP|MNMX|MMA)\b|.*(F64|64H)")


def is_double(instruction):
    return DOUBLE.match(instruction) is not None


def double_instructions(listing):
    """Of each kernel, with what it is code for, how many instructions it has, and those of double
    precision."""
    found, name, code = {}, None, ""
    for line in listing.splitlines():
        if match := CODE.search(line):
            code = match[1]
        elif match := FUNCTION.search(line):
            name = f"{match[1]} {code}"
            found[name] = [0, collections.Counter()]
        elif name and (match := INSTRUCTION.search(line)):
            found[name][0] += 1
            if is_double(match[1]):
                found[name][1][match[1]] += 1
    return found


def reason(kernel, instructions):
    """Why a kernel may have these instructions, or None."""
    return next((why for pattern, why, *own in ALLOWED if re.search(pattern, kernel)
                 and all(re.match(own[0] if own else "", each) for each in instructions)), None)


def main():
    cuobjdump, *objects = sys.argv[1:]
    kernels = free = 0
    breaches = []
    for path in objects:
        listing = subprocess.run([cuobjdump, "-sass", path], check=True, capture_output=True, text=True)
        found = double_instructions(listing.stdout)
        if not found:
            sys.exit(f"double_instructions.py: {path} holds no machine code")
        names = subprocess.run(["c++filt"], input="\n".join(found), check=True, capture_output=True,
                               text=True).stdout.splitlines()
        for kernel, (count, double) in zip(names, found.values()):
            kernel = kernel.replace("ninefold::", "")
            if count == 0:
                sys.exit(f"double_instructions.py: no instruction of {kernel} was understood")
            kernels += 1
            free += not double
            if double and not reason(kernel, double):
                breaches.append(f"{path}: {dict(double)} in {kernel}")
    # A list that allows all of them, or instructions with other names, would guard nothing.
    if not 0 < free < kernels:
        sys.exit(f"double_instructions.py: {free} of {kernels} kernels are free of double precision")
    print("\n".join(breaches) or f"{free} of {kernels} kernels are free of double precision,"
          " the others named")
    sys.exit(1 if breaches else 0)


if __name__ == "__main__":
    main()
