#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
#
# Measures the cell updates per second of AMReX's Wave example, the work of `weft bench wave`: waves on 64^3 cells and
# one level above over the middle half, fourth-order Laplacian, RK4, two ghost layers, subcycling, one rank. It runs a
# program that you have built; it doesn't build AMReX.
#
#   bench/measure/peers/amrex.sh PROGRAM [BLOCK]
#
#   PROGRAM     the Wave example for three dimensions with MPI, for example main3d.gnu.MPI.ex
#   BLOCK       cells of a block along each axis: 32 (default) or 16, on both levels
#
# Environment
#   STEPS       coarse steps (default: 202, about 10 s); the first two are left out
#   LAUNCH      starts the program on one rank (default: mpirun -n 1 --bind-to core)
#   OUTPUT      a file for the program's output (default: none)
#
# What the script was tried with (29 November 2026; version and flags of the documents' 11.8 were not recorded)
#   AMReX       release 24.10
#   program     ExampleCodes/Amr/Wave_AmrLevel of amrex-tutorials, commit 15838d8f617dc62bfbfeac0afe38c8d346bc8eab
#   options     three dimensions, double precision, MPI; no OpenMP, GPU, Fortran, particles, linear solvers, or embedded
#               boundaries; no debugging or profiling
#   compiler    g++ 12 of Debian 12: -O3 -march=native
#   MPI         Open MPI of Debian 12 (openmpi-bin)
#
# The input is made here: the fine level is fixed (a file of grids, no regridding), so both programs update the same
# cells; nothing is written. The example's faces in x are fixed, and those of `weft bench wave` are periodic.
#
# A cell update is one whole step of a cell, all four stages. The program prints "Advanced N cells" for each step of a
# level and "Coarse TimeStep time" for each coarse step: 64^3 coarse cells once and 64^3 fine cells twice, 786,432
# updates. Each step's rate is its updates / its time. The result is the median; the quartiles are printed before it.
# The last line is a JSON object: {"million cell updates per second": X, "version": "..."}
# Documentation: docs/results/wave.md
set -eu
case ${1:-} in -h | --help) sed -n '4,/^set -eu/{/^#/s/^# \{0,1\}//p}' "$0"; exit ;; esac
fail() { echo "amrex: $1" >&2; exit "${2:-1}"; }
[ $# -gt 0 ] || fail "No program is given. Give AMReX's Wave example, for example main3d.gnu.MPI.ex." 2
[ $# -le 2 ] || fail "There are more than two arguments. See --help." 2
[ -f "$1" ] && [ -x "$1" ] || fail "$1 is not a program. Give AMReX's Wave example." 2
program=$(CDPATH='' cd -- "$(dirname -- "$1")" && pwd)/$(basename -- "$1")
block=${2:-32}
case $block in 16 | 32) ;; *) fail "The block is $block. It must be 16 or 32." 2 ;; esac
steps=${STEPS:-202}
case $steps in '' | *[!0-9]*) fail "STEPS is $steps. It must be a number above 2." 2 ;; esac
[ "$steps" -gt 2 ] || fail "STEPS is $steps. It must be above 2, since the first two are left out." 2
launch=${LAUNCH:-mpirun -n 1 --bind-to core}

folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
trap 'exit 1' HUP INT TERM

# The fine level's blocks, in coarse cells: the middle half is 16 to 47 along each axis.
coarse=$((block / 2)) per_axis=$((64 / block))
{
  echo 1
  echo $((per_axis * per_axis * per_axis))
  k=16
  while [ $k -lt 48 ]; do
    j=16
    while [ $j -lt 48 ]; do
      i=16
      while [ $i -lt 48 ]; do
        echo "(($i,$j,$k) ($((i + coarse - 1)),$((j + coarse - 1)),$((k + coarse - 1))) (0,0,0))"
        i=$((i + coarse))
      done
      j=$((j + coarse))
    done
    k=$((k + coarse))
  done
} >"$folder/grids"

cat >"$folder/inputs" <<END
max_step = $steps
geometry.coord_sys = 0
geometry.is_periodic = 0 1 1
geometry.prob_lo = 0 0 0
geometry.prob_hi = 1 1 1
amr.n_cell = 64 64 64
amr.max_level = 1
amr.ref_ratio = 2
amr.blocking_factor = 16
amr.max_grid_size = $block
amr.initial_grid_file = grids
amr.regrid_int = -1
amr.subcycling_mode = Auto
amr.checkpoint_files_output = 0
amr.plot_files_output = 0
amr.check_int = -1
amr.plot_int = -1
amr.v = 1
wave.rk_order = 4
wave.cfl = 0.2
END

output=$folder/output
began=$(date +%s)
(cd "$folder" && $launch "$program" inputs) >"$output" 2>&1 || {
  tail -n 20 "$output" >&2
  fail "The program failed. See above for the end of its output."
}
[ -z "${OUTPUT:-}" ] || cp "$output" "$OUTPUT"
echo "amrex: $steps coarse steps, blocks of $block^3, $(($(date +%s) - began)) s"

version=$(sed -n 's/^AMReX (\(.*\)) initialized.*/\1/p' "$output")
# One line for each coarse step but the first two: millions of cell updates per second.
awk '
  / Advanced [0-9]+ cells/ { for (i = 1; i < NF; ++i) if ($i == "Advanced") cells += $(i + 1) }
  /Coarse TimeStep time:/ { if (cells != 786432) exit 1; if (++step > 2) print cells / $NF / 1e6; cells = 0 }
' "$output" >"$folder/rates" || fail "A coarse step doesn't update 786,432 cells, so the mesh isn't the intended one."
[ "$(wc -l <"$folder/rates")" -eq $((steps - 2)) ] || fail "The output lacks times of steps. Is this the Wave example?"
sort -n "$folder/rates" | awk -v version="$version" '
  { rate[NR] = $1 }
  function at(share, place, below) {
    place = 1 + share * (NR - 1); below = int(place)
    return rate[below] + (place - below) * (below < NR ? rate[below + 1] - rate[below] : 0)
  }
  END {
    printf "amrex: quartiles %.2f, %.2f million cell updates per second\n", at(0.25), at(0.75)
    printf "{\"million cell updates per second\": %.2f, \"version\": \"AMReX %s\"}\n", at(0.5), version
  }'
