#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
#
# weft flow --convergence: one folder per voxel size, and the table. Cases that can't be compared are refused before a
# run.
# convergence.sh WEFT SOURCE LAUNCHER...
. "$(dirname "$0")/common.sh"
steady=$source/examples/aneurysm/case.toml
coarse="--set surface.voxel=0.0003 --set lattice.collision=cumulant --set lattice.time_step=0.00006 --set run.steps=60"
coarse="$coarse --set output.pictures=false --set pictures.every=100000 --out out"

# Refused cases, and a check, leave no files.
given="flow $steady $coarse"
refused "'4' is not a number of voxel sizes (2 or 3" $given --convergence 4
refused "ratio of two voxels is 1. Give 1.1 to 4" $given --convergence --convergence-ratio 1
refused "ratio of two voxels is nan" $given --convergence --convergence-ratio nan
refused "convergence-ratio requires --convergence" $given --convergence-ratio 2
refused "--convergence and --restart exclude each other" $given --convergence --restart
refused "--convergence and --replay exclude each other" $given --convergence 2 --replay log.jsonl
refused "--convergence and --view exclude each other" $given --convergence --view
refused "--convergence and --measure exclude each other" $given --convergence --check --measure
refused "--convergence and --json exclude each other" $given --convergence --json x.json
refused "has only 2.2 voxels across opening 'right'.*--convergence-ratio to at most 1.47, or" \
  $given --convergence --convergence-ratio 2
refused "peak Mach number" $given --convergence --set lattice.time_step=0.0003
refused "a beat takes 900 ms.*Set run.duration to at least" flow "$source/examples/aneurysm/pulse.toml" --out out --convergence \
  --set surface.voxel=0.0002 --set run.duration=0.5
runs $given --convergence --check
grep -q "coarse .* 600 um.*4.3.* voxels across opening 'right'" said || fail "the plan"
[ ! -e out ] || fail "something was written before anything was run"

mkdir -p out
echo mine >out/summary.html
runs $given --convergence --convergence-ratio 1.2
for size in coarse medium fine; do
  [ -s "out/$size/summary.html" ] && [ -s "out/$size/monitors.csv" ] || fail "no files of size $size"
done
[ "$(cat out/summary.html)" = mine ] || fail "a file beside the sizes' folders was written over"
grep -q "<h2>Grid convergence</h2>" out/fine/summary.html || fail "the finest run's page lacks the table"
! grep -q "<h2>Grid convergence</h2>" out/coarse/summary.html || fail "a coarser run's page has the table"
grep -q "^  wall shear stress, mean  *Pa" said || fail "no table"
grep -q "^  out/convergence.json" said || fail "convergence.json is not listed"
for key in gci apparent_order extrapolated outcome; do grep -q "\"$key\"" out/convergence.json || fail "no $key"; done
[ "$(grep -c '"voxel_m"' out/convergence.json)" -eq 3 ] || fail "not three sizes"
[ "$(grep -c '"outcome": "equal"' out/convergence.json)" -ge 1 ] || fail "the prescribed inflow is not the same"

# Two sizes. If one can't be written, all ranks end.
rm -r out
runs $given --convergence 2 --set run.steps=20
[ -d out/coarse ] && [ -d out/fine ] && [ ! -e out/medium ] || fail "not two sizes"
grep -q "2 is assumed" said || fail "two sizes, but no word of the order"
rm -r out/fine out/coarse
: >out/fine
refused "out/fine" $given --convergence 2 --set run.steps=20
[ ! -e out/coarse/monitors.csv ] || fail "the coarse size was run, though the fine one can't be written"
exit 0
