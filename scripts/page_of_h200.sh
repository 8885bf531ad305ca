#!/usr/bin/env bash
# Writes docs/h200/report.html and docs/h200_sparse/report.html: what ran on an H200, on grids and with
# sparse matrices, from results/reference.  Usage, from the top of the tree:
# scripts/page_of_h200.sh [NINEFOLD [FOLDER]]   (the second page's folder is FOLDER_sparse)
# A new full run is kept for them by scripts/keep_reports.py: of grids in h200_reproduce, of matrices
# in h200_sparse_reproduce, without mesh_precision, whose report alone is as large as a page may be.
set -euo pipefail
shopt -s nullglob
reference=results/reference
program=${1:-build/release/experiments/ninefold} folder=${2:-docs/h200}
"$program" gather --title "ninefold on an NVIDIA H200" --output "$folder" \
  "Multigrid in every format: until the residual has fallen by 1e-11 or falls no longer=$reference/h200_accuracy_wall.csv" \
  "Full multigrid, double over single and double alone: to the discretisation error, and on to a tolerance=$reference/h200_full_multigrid.csv" \
  "Whole runs: from Enter to the table=$reference/h200_whole.csv" \
  "The direct solver: time over level=$reference/h200_direct.csv" \
  "Other solvers: on the same device, by their own criterion=$reference/h200_peers.csv" \
  "Stopping rules of mixed precision=$reference/h200_refinement_rules.csv" \
  "Thin cells: iterations and outcomes=$reference/h200_robustness.csv" \
  "$reference"/h200_reproduce/*/ >/dev/null
"$program" gather --title "ninefold with sparse matrices on an NVIDIA H200" --output "${folder}_sparse" \
  "Products: ours, naive ones and cuSPARSE's=$reference/h200_sparse_product.csv" \
  "Iterations of conjugate gradients, beside cuSPARSE's CSR and cuBLAS=$reference/h200_sparse_iterations.csv" \
  "Solves to 1e-10, and to double's error=$reference/h200_sparse_solves_full.csv" \
  "Least squares: products and iterations=$reference/h200_reconstruction.csv" \
  "Meshes laid flat=$reference/h200_meshes.csv" \
  "$reference"/h200_sparse_reproduce/*/ >/dev/null
