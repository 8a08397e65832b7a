#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
#
# Short runs of each program, with coarse resolution.   runs.sh WEFT SOURCE LAUNCHER...
weft=$1 source=$2
shift 2
scratch=$(mktemp -d) || exit 1
trap 'rm -rf "$scratch"' EXIT
case=$source/examples/aneurysm/case.toml
coarse="--set surface.voxel=0.0004 --set lattice.time_step=0.0001 --set output.pictures=false --out $scratch/results"

expect() { # TEXT FILE
  grep -q "$1" "$2" || { echo "FAILED: no '$1' in $2"; cat "$2"; exit 1; }
}
runs() {
  timeout 500 "$@" >"$scratch/out" 2>"$scratch/err" </dev/null || { echo "FAILED: $*"; cat "$scratch/out" "$scratch/err"; exit 1; }
}

runs "$@" "$weft" flow "$case" $coarse --check
expect "Reynolds" "$scratch/out"
[ ! -e "$scratch/results" ] || { echo "FAILED: --check wrote something"; exit 1; }

runs "$@" "$weft" flow "$case" $coarse --steps 30 --set monitor.every=1 --trace --json "$scratch/result.json"
expect "million site updates" "$scratch/out"
expect "waits per step: 1.00" "$scratch/out"
expect '"overlap_fraction"' "$scratch/result.json"
expect '"traceEvents"' "$scratch/results/trace.json"
if grep -q '"ranks": 1,' "$scratch/result.json"; then  # one rank has no communication to predict from
  timeout 500 "$@" "$weft" predict "$scratch/result.json" --run-network same --latency 1us --rate 1GB --ranks 2 >"$scratch/out" 2>&1 && exit 1
  expect "ran on one rank (which sends nothing)" "$scratch/out"
else  # for the same ranks and strategy the prediction is the measured time
  runs "$@" "$weft" predict "$scratch/result.json" --run-network same --force --latency 1us --rate 1GB --ranks 2,64 --check "$scratch/result.json" --json "$scratch/predicted.json"
  expect "^largest error 0.0 %; 1 of 1 within" "$scratch/out"
  expect '"efficiency"' "$scratch/predicted.json"
  runs "$@" "$weft" bench network --quick --seconds 0.5 --json "$scratch/network.json"
  runs "$@" "$weft" bench steps --sites 1000 --steps 3 --progress passive,polling --json "$scratch/steps.json"
  runs "$@" "$weft" predict "$scratch/steps.json#2" --network "$scratch/network.json" --force --ranks 8 --check "$scratch/steps.json"
  expect "each alone, polling" "$scratch/out"
fi
expect 'fields_00000029.vtkhdf' "$scratch/results/fields.vtkhdf.series"
cp "$scratch/results/monitors.csv" "$scratch/first.csv"

expect "Flow split" "$scratch/results/summary.html"

# From a surface to a case, which runs.
runs "$@" "$weft" openings "$source/examples/aneurysm/aneurysm.stl" --unit mm --write "$scratch/proposed.toml" --cells 6
expect "^written: $scratch/proposed.toml" "$scratch/out"
[ -s "$scratch/proposed.openings.png" ] || { echo "FAILED: no picture of the openings"; exit 1; }
runs "$@" "$weft" flow "$scratch/proposed.toml" --steps 20 --out "$scratch/from-surface"
expect "inlet" "$scratch/from-surface/summary.html"

# A surface with an error: the case names the repaired one, and weft flow repairs the surface itself to the same.
swap_corners() { # FILE TRIANGLE: the last two corners of a triangle of a binary STL file
  second=$((84 + 50 * $2 + 24))
  dd if="$1" bs=1 skip=$second count=12 of="$scratch/second" 2>"$scratch/err"
  dd if="$1" bs=1 skip=$((second + 12)) count=12 of="$scratch/third" 2>"$scratch/err"
  cat "$scratch/third" "$scratch/second" | dd of="$1" bs=1 seek=$second conv=notrunc 2>"$scratch/err"
}
cp "$source/examples/aneurysm/aneurysm.stl" "$scratch/turned.stl"
chmod u+w "$scratch/turned.stl"
swap_corners "$scratch/turned.stl" 1000
printf 'x' >>"$scratch/turned.stl"
runs "$@" "$weft" openings "$scratch/turned.stl" --unit mm --write "$scratch/turned.toml" --cells 6
expect "^repaired: 1 of .* triangles had the wrong orientation, the first near (" "$scratch/out"
expect "^repaired surface: $scratch/turned.repaired.ply" "$scratch/out"
expect "^note: Bytes after the last triangle of the file are ignored: 1" "$scratch/out"
expect '^file = "turned.repaired.ply"' "$scratch/turned.toml"
short="--steps 20 --set monitor.every=1 --set output.pictures=false"
runs "$@" "$weft" flow "$scratch/proposed.toml" $short --out "$scratch/whole"
runs "$@" "$weft" flow "$scratch/turned.toml" $short --out "$scratch/repaired"
runs "$@" "$weft" flow "$scratch/turned.toml" --set surface.file=turned.stl $short --out "$scratch/while-reading"
expect "surface repaired: 1 of" "$scratch/out"
for which in repaired while-reading; do
  cut -d, -f1-5 "$scratch/$which/monitors.csv" >"$scratch/now"
  cut -d, -f1-5 "$scratch/whole/monitors.csv" | cmp - "$scratch/now" || { echo "FAILED: another flow in the $which surface"; exit 1; }
done
timeout 500 "$@" "$weft" openings "$scratch/turned.stl" --unit mm --no-repair --no-picture >"$scratch/out" 2>&1
[ $? = 2 ] || { echo "FAILED: --no-repair is usable"; exit 1; }
expect "error: .*turned.stl: 1 of .* triangles have the wrong orientation" "$scratch/out"

# Another strategy gives the same monitors (minima and maxima to the last digit).
for how in "--progress thread" "--progress passive --coalesce off --grouping per_part"; do
  runs "$@" "$weft" flow "$case" $coarse --steps 30 --set monitor.every=1 $how
  cut -d, -f1-5 "$scratch/results/monitors.csv" >"$scratch/now"
  cut -d, -f1-5 "$scratch/first.csv" | cmp - "$scratch/now" || { echo "FAILED: $how changes the result"; exit 1; }
done

# A pulse with windkessels, and its outputs of parts of the vessel.
runs "$@" "$weft" flow "$source/examples/aneurysm/pulse.toml" --set surface.voxel=0.0004 --set average.start=0 --steps 60 --set monitor.every=1 \
  --set extract.axis.every=20 --out "$scratch/pulse"
expect "trunk_flow_m3_per_s" "$scratch/pulse/monitors.csv"
expect "^59," "$scratch/pulse/axis.csv"
expect 'wall_00000059.vtkhdf' "$scratch/pulse/wall.vtkhdf.series"
expect 'relative_residence_time_per_pa' "$scratch/pulse/wss.vtkhdf"

# Changed while it runs, and stopped.
cat >"$scratch/changes.jsonl" <<EOF
{"step": 2, "do": "viscosity", "value": 0.006, "ramp": 0.02}
{"step": 5, "do": "opening", "name": "left", "value": -2}
{"step": 9, "do": "output"}
{"step": 20, "do": "stop"}
EOF
runs "$@" "$weft" flow "$case" $coarse --steps 30 --set monitor.every=1 --replay "$scratch/changes.jsonl"
expect "stopped after 21 steps" "$scratch/out"
expect 'fields_00000009.vtkhdf' "$scratch/results/fields.vtkhdf.series"
expect 'fields_00000020.vtkhdf' "$scratch/results/fields.vtkhdf.series"
[ ! -e "$scratch/results/steering.jsonl" ] || { echo "FAILED: a replay wrote a log"; exit 1; }
# Where rows are in flight after most steps, the run continues to a step that can leave a checkpoint.
runs "$@" "$weft" flow "$case" $coarse --steps 30 --set monitor.every=8 --set monitor.way=phased --replay "$scratch/changes.jsonl"
expect "stopped after 25 steps" "$scratch/out"
[ -e "$scratch/results/checkpoint_00000025.weft" ] || { echo "FAILED: a stopped run left no checkpoint"; exit 1; }

# weft box: the same numbers with every kind of communication.
box="$source/examples/box/suspension.toml --set box.size=[20,18,22] --set particles.count=3 --set output.pictures=false"
box="$box --set monitor.every=5 --steps 25 --out $scratch/box"
runs "$@" "$weft" box $box --check
expect "% saved" "$scratch/out"
[ ! -e "$scratch/box" ] || { echo "FAILED: --check wrote something"; exit 1; }
runs "$@" "$weft" box $box --json "$scratch/box.json" --trace
expect "million site updates" "$scratch/out"
expect '"kinetic_energy"' "$scratch/box.json"
expect 'fields_00000025.vtkhdf' "$scratch/box/fields.vtkhdf.series"
cat "$scratch/box/monitors.csv" "$scratch/box/particles.csv" >"$scratch/first"
for how in "--scheme by_dimension --payload whole --progress thread" "--coalesce off --grouping per_part --progress passive" \
    "--carrier synchronous --payload directions --shared-memory"; do
  runs "$@" "$weft" box $box $how
  cat "$scratch/box/monitors.csv" "$scratch/box/particles.csv" | cmp - "$scratch/first" || { echo "FAILED: $how changes the result"; exit 1; }
done
