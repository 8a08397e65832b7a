#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
#
# Short runs of each kind, on a coarse lattice.   runs.sh WEFT SOURCE LAUNCHER...
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
  timeout 120 "$@" >"$scratch/out" 2>"$scratch/err" </dev/null || { echo "FAILED: $*"; cat "$scratch/out" "$scratch/err"; exit 1; }
}

runs "$@" "$weft" flow "$case" $coarse --check
expect "Reynolds" "$scratch/out"
[ ! -e "$scratch/results" ] || { echo "FAILED: --check wrote something"; exit 1; }

runs "$@" "$weft" flow "$case" $coarse --steps 30 --set monitor.every=1 --trace --json "$scratch/result.json"
expect "million site updates" "$scratch/out"
expect "synchronisation points a step: 1.00" "$scratch/out"
expect '"hidden_fraction"' "$scratch/result.json"
expect '"traceEvents"' "$scratch/results/trace.json"
expect 'fields_00000029.vtkhdf' "$scratch/results/fields.vtkhdf.series"
cp "$scratch/results/monitors.csv" "$scratch/first.csv"

# Another strategy, the same monitors (minima and maxima to the last digit).
for how in "--progress thread" "--progress passive --coalesce off --grouping per_part"; do
  runs "$@" "$weft" flow "$case" $coarse --steps 30 --set monitor.every=1 $how
  cut -d, -f1-5 "$scratch/results/monitors.csv" >"$scratch/now"
  cut -d, -f1-5 "$scratch/first.csv" | cmp - "$scratch/now" || { echo "FAILED: $how changes the result"; exit 1; }
done

runs "$@" "$weft" bench coalesce --quick --sites 2000 --clients 0,1 --seconds 1 --json "$scratch/bench.json"
expect '"figures"' "$scratch/bench.json"
