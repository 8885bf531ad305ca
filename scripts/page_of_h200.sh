#!/usr/bin/env bash
# Writes docs/h200/report.html: what ran on an H200, from results/reference.  Usage, from the top of
# the tree: scripts/page_of_h200.sh [NINEFOLD [FOLDER]]
# A new full run is kept for it by scripts/keep_reports.py.
set -euo pipefail
shopt -s nullglob
reference=results/reference
"${1:-build/release/experiments/ninefold}" gather \
  --title "ninefold on an NVIDIA H200" --output "${2:-docs/h200}" \
  "Multigrid in every format: until the residual has fallen by 1e-11 or falls no longer=$reference/h200_accuracy_wall.csv" \
  "Full multigrid, double over single and double alone: to the discretisation error, and on to a tolerance=$reference/h200_full_multigrid.csv" \
  "Whole runs: from Enter to the table=$reference/h200_whole.csv" \
  "The direct solver: time over level=$reference/h200_direct.csv" \
  "Other solvers: on the same device, by their own criterion=$reference/h200_peers.csv" \
  "Stopping rules of mixed precision=$reference/h200_refinement_rules.csv" \
  "Thin cells: iterations and outcomes=$reference/h200_robustness.csv" \
  "$reference"/h200_reproduce/*/ >/dev/null
