#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
#
# --tune measures once and does not change results; weft tune shows and clears the store.   tune.sh WEFT SOURCE
# LAUNCHER...
weft=$1 source=$2
shift 2
scratch=$(mktemp -d) || exit 1
trap 'rm -rf "$scratch"' EXIT
export WEFT_TUNE_FILE="$scratch/stored/tuned.toml"

expect() { # TEXT FILE
  grep -q "$1" "$2" || { echo "FAILED: no '$1' in $2"; cat "$2"; exit 1; }
}
runs() {
  timeout 500 "$@" >"$scratch/out" 2>"$scratch/err" </dev/null || { echo "FAILED: $*"; cat "$scratch/out" "$scratch/err"; exit 1; }
  cat "$scratch/err" >>"$scratch/out"
}
# tuned KEY RESULT COMMAND...: the first run measures, the second one does not; the file RESULT stays the same.
tuned() {
  key=$1 result=$2
  shift 2
  runs "$@"
  cp "$result" "$scratch/plain"
  for says in "tune: chosen in" "tune: stored" "tune: stored"; do
    runs "$@" --tune
    expect "$says" "$scratch/out"
    cmp "$result" "$scratch/plain" || { echo "FAILED: tuning changes the result of $*"; exit 1; }
  done
  runs "$@" --tune=again
  expect "tune: chosen in" "$scratch/out"
  runs "$weft" tune
  expect "$key" "$scratch/out"
}

runs "$weft" tune
expect "nothing is stored in .*tuned.toml" "$scratch/out"

if "$weft" --help | grep -q '^  fft '; then
  head -c 3360 "$weft" >"$scratch/u.raw"
  tuned "fft f64 7x5x12 forward" "$scratch/v.raw" "$@" "$weft" fft "$scratch/u.raw" --size 7x5x12 --type f64 \
    --output "$scratch/v.raw" --force
fi
head -c 200000 "$weft" >"$scratch/packed"
tuned "pack zstd level 3, blocks of 4096" "$scratch/packed.zst" \
  "$@" "$weft" pack "$scratch/packed" -o "$scratch/packed.zst" --force --block 4096

box="$source/examples/box/suspension.toml --set box.size=[20,18,22] --set particles.count=3 --set output.pictures=false"
tuned "box 20x18x22" "$scratch/box/particles.csv" \
  "$@" "$weft" box $box --set monitor.every=5 --steps 1501 --out "$scratch/box"
tuned "wave 4x4x4 blocks" "$scratch/wave/monitors.csv" \
  "$@" "$weft" wave "$source/examples/wave/pulse.toml" --set domain.cells=[32,32,32] --set refinement.levels=1 \
  --set output.pictures=false --set monitor.every=7 --steps 300 --out "$scratch/wave"
tuned "flow .* sites" "$scratch/flow/monitors.csv" "$@" "$weft" flow "$source/examples/aneurysm/case.toml" \
  --set surface.voxel=0.0004 --set lattice.time_step=0.0001 --set output.pictures=false --steps 500 --out "$scratch/flow"

# Too short to tune, a damaged file, one rank, and invalid requests.
runs "$@" "$weft" box $box --set title=\"short\" --steps 5 --out "$scratch/box" --tune
expect "tune: not tuned: 5 iterations are too few" "$scratch/out"
runs "$weft" box $box --steps 5 --out "$scratch/box" --tune
expect "tune: .*not tuned: one rank" "$scratch/out"
runs "$weft" tune clear "box 20x18x22"
expect "2 of [68] cleared" "$scratch/out"
echo "hello" >>"$WEFT_TUNE_FILE"
for bad in "tune" "tune clear" "tune clean" "tune show me" "box case.toml --tune=perhaps" "box case.toml --tune --progress thread"; do
  "$weft" $bad >"$scratch/out" 2>"$scratch/err"
  status=$?
  if [ $status -ne 2 ] || [ "$(grep -c '^error' "$scratch/err")" -ne 1 ]; then
    echo "FAILED: weft $bad: status $status"; cat "$scratch/out" "$scratch/err"; exit 1
  fi
done
"$weft" tune 2>"$scratch/err"
expect "tuned.toml:[0-9]*: This line is damaged" "$scratch/err"
