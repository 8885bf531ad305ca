#!/usr/bin/env python3
"""Keeps what a full run of ./reproduce has left, for the page of it in docs/h200.

Usage, from the top of the tree: scripts/keep_reports.py [RESULTS [FOLDER]]

Of each RESULTS/NAME/report.json (RESULTS is "results" if left out) a copy without pictures, which
docs/pictures has, and without remarks on those that were not drawn, which name folders of the
machine, goes to FOLDER/NAME (FOLDER is results/reference/h200_reproduce).
"""

import json
import pathlib
import sys


def is_of_picture(block):
    return "image" in block or "was not drawn" in str(block.get("paragraph", ""))


def without_pictures(report):
    for section in report["sections"]:
        section["blocks"] = [block for block in section["blocks"] if not is_of_picture(block)]
    return report


def main(results="results", folder="results/reference/h200_reproduce"):
    reports = sorted(pathlib.Path(results).glob("*/report.json"))
    if not reports:
        sys.exit(f"keep_reports.py: there is no {results}/*/report.json")
    for file in reports:
        report = without_pictures(json.loads(file.read_text(encoding="utf-8")))
        kept = pathlib.Path(folder) / file.parent.name / "report.json"
        kept.parent.mkdir(parents=True, exist_ok=True)
        # A line for each block: a later run differs where its numbers do.
        text = json.dumps(report, ensure_ascii=False).replace("}, {", "},\n{")
        kept.write_text(text + "\n", encoding="utf-8")
        print(kept)


if __name__ == "__main__":
    main(*sys.argv[1:])
