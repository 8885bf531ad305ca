"""docs/h200/report.html and docs/h200_sparse/report.html are what results/reference makes of them now,
but for styles and scripts.

Usage: kept_page.py NINEFOLD SOURCE WORK."""

import html.parser
import json
import os
import re
import shutil
import subprocess
import sys
import unittest

NINEFOLD, SOURCE, WORK = sys.argv[1:4]
LARGEST = 5 << 19


class Words(html.parser.HTMLParser):
    """What a reader sees of a page, with the exact values of numbers, where links lead and the device."""

    def __init__(self):
        super().__init__()
        self.words, self.hidden = [], False

    def handle_starttag(self, tag, attrs):
        self.hidden = tag in ("script", "style")
        self.words += [value for key, value in attrs if key in ("data-value", "href", "id")]

    def handle_endtag(self, tag):
        self.hidden = False

    def handle_data(self, data):
        if not self.hidden and data.strip():
            self.words.append(data.strip())


def words_of(file):
    with open(file, encoding="utf-8") as page:
        words = Words()
        words.feed(page.read().partition("<body>")[2].partition("</main>")[0])
        return words.words


def ids_of(file):
    with open(file, encoding="utf-8") as page:
        return re.findall(r'<[^>]* id="([^"]*)"', page.read().partition("<body>")[2].partition("</main>")[0])


class KeptPage(unittest.TestCase):
    kept = os.path.join(SOURCE, "docs", "h200", "report.html")
    sparse = os.path.join(SOURCE, "docs", "h200_sparse", "report.html")

    def test_they_are_what_the_reference_makes_of_them(self):
        subprocess.run(["scripts/page_of_h200.sh", NINEFOLD, WORK], cwd=SOURCE, check=True)
        for kept, folder in ((self.kept, WORK), (self.sparse, WORK + "_sparse")):
            with self.subTest(page=kept):
                self.assertEqual(words_of(kept), words_of(os.path.join(folder, "report.html")),
                                 "write it anew: scripts/page_of_h200.sh")

    def test_the_sparse_one_answers_by_itself(self):
        words = " ".join(words_of(self.sparse))
        for part in ("NVIDIA H200", "laplace-3d-27", "like G3_circuit", "cuSPARSE", "Meshes laid flat",
                     "Fill"):
            self.assertIn(part, words)
        self.assertLess(os.path.getsize(self.sparse), LARGEST)
        self.assertNotIn("was not drawn", words)

    def test_it_answers_by_itself(self):
        words = " ".join(words_of(self.kept))
        for part in ("NVIDIA H200", "driver 580", "What ran where", "of one commit", "several commits, 21 to", "with the paper's", "Which run is enough",
                     "Time over level", "Multigrid in every format, level 9: the least memory that is enough is",
                     "not recorded", "The problem",
                     "on the grid, pictured for", "largest in the middle, near (0.50, 0.50)",
                     "763 against 743 on level 9", "The damping 0.7 is ours"):
            self.assertIn(part, words)
        with open(self.kept, encoding="utf-8") as page:
            self.assertIn("vegaEmbed", page.read(), "it was written without libraries")
        self.assertLess(os.path.getsize(self.kept), LARGEST)
        ids = ids_of(self.kept)
        self.assertEqual(sorted({one for one in ids if ids.count(one) > 1}), [])
        with open(self.kept, encoding="utf-8") as page:
            targets = set(re.findall(r'href="#([^"]*)"', page.read().partition("<body>")[2]))
        self.assertEqual(sorted(targets - set(ids) - {""}), [])
        self.assertNotIn("was not drawn", words)  # which names a folder of the machine

    def test_reports_are_kept_without_pictures(self):
        left, kept = os.path.join(WORK, "left"), os.path.join(WORK, "kept")
        shutil.rmtree(kept, ignore_errors=True)
        os.makedirs(os.path.join(left, "one"), exist_ok=True)
        blocks = [{"paragraph": "words"}, {"image": "a.png", "png": "AAAA"},
                  {"paragraph": "'/home/a.png' was not drawn: gnuplot is not installed"}]
        with open(os.path.join(left, "one", "report.json"), "w", encoding="utf-8") as file:
            json.dump({"title": "One", "sections": [{"blocks": blocks}]}, file)
        subprocess.run(["scripts/keep_reports.py", left, kept], cwd=SOURCE, check=True,
                       stdout=subprocess.DEVNULL)
        with open(os.path.join(kept, "one", "report.json"), encoding="utf-8") as file:
            self.assertEqual(json.load(file),
                             {"title": "One", "sections": [{"blocks": [{"paragraph": "words"}]}]})


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
