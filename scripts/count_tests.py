#!/usr/bin/env python3
"""Counts the tests of a JUnit file written by ctest.  Usage: count_tests.py FILE

Shows the output of each failed test and why tests were skipped; the last line is "N passed, N failed,
N skipped".  Tests of a device that ran on the host in its place are counted before it: nothing is known
of a device.
Status 1 if a test failed or none ran.
"""

import collections
import sys
import xml.etree.ElementTree

LINES_SHOWN = 40
REHEARSED = "rehearsed: "  # names begin so, see tests/CMakeLists.txt
SKIPPED = "SKIP_RETURN_CODE=77"  # ctest's word for a test that returned 77


def outcome(case):
    """ "passed", "rehearsed", "skipped" or "failed"; if its program is missing it has failed."""
    if case.get("status") == "run":
        return "rehearsed" if case.get("name", "").startswith(REHEARSED) else "passed"
    note = case.find("skipped")
    return "skipped" if note is not None and SKIPPED in note.get("message", "") else "failed"


def reason(case):
    """Why a test was skipped, which its line "skipped: ..." says."""
    lines = [line.strip() for line in case.findtext("system-out", "").splitlines()]
    said = [line for line in lines if line.startswith("skipped: ")]
    return said[-1] if said else f"skipped: {case.get('name')}"


def main():
    try:
        cases = list(xml.etree.ElementTree.parse(sys.argv[1]).iter("testcase"))
    except (OSError, xml.etree.ElementTree.ParseError) as error:
        sys.exit(f"the tests left no results: {error}")
    reasons = collections.Counter()
    count = {"passed": 0, "failed": 0, "skipped": 0, "rehearsed": 0}
    for case in cases:
        result = outcome(case)
        count[result] += 1
        if result == "failed":
            lines = case.findtext("system-out", "").rstrip().splitlines()
            print(f"FAILED: {case.get('name')}", *lines[-LINES_SHOWN:], sep="\n    ")
        elif result == "skipped":
            reasons[reason(case)] += 1
    for why, number in reasons.most_common():
        print(f"{why} ({number} test{'s' if number != 1 else ''})")
    rehearsed = count.pop("rehearsed")
    if rehearsed:
        print(f"{rehearsed} tests of a device rehearsed on the host")
    print(", ".join(f"{number} {result}" for result, number in count.items()))
    sys.exit(0 if count["failed"] == 0 and count["passed"] + rehearsed > 0 else 1)


if __name__ == "__main__":
    main()
