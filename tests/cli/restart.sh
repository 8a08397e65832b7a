#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
#
# Waves and flows that stop early and continue on other numbers of ranks end like uninterrupted ones.
# restart.sh WEFT SOURCE LAUNCHER...
weft=$1 source=$2
shift 2
scratch=$(mktemp -d) || exit 1
trap 'rm -rf "$scratch"' EXIT
small="--set domain.cells=[24,24,24] --set refinement.levels=1 --set refinement.every=2 --set monitor.every=1"
wave="wave $source/examples/wave/pulse.toml $small --set output.pictures=false"
wave="$wave --set checkpoint.every=2 --set output.every=2"

runs() {
  timeout 500 "$@" >"$scratch/out" 2>"$scratch/err" </dev/null && return
  echo "FAILED: $*"
  cat "$scratch/out" "$scratch/err"
  exit 1
}
same() { # FILE DIRECTORY
  cmp "$scratch/through/$1" "$scratch/$2/$1" || { echo "FAILED: $2/$1 is another one"; exit 1; }
}

runs "$@" "$weft" $wave --steps 7 --out "$scratch/through" --progress send_receive_threads --grouping by_size
[ -e "$scratch/through/checkpoint_00000007.weft" ] || { echo "FAILED: no checkpoint at the end"; exit 1; }

# From one rank to the launcher's ranks, and back.
runs env "$weft" $wave --steps 4 --out "$scratch/more"
runs "$@" "$weft" $wave --steps 7 --out "$scratch/more" --restart
grep -q "restarts from .*checkpoint_00000004" "$scratch/out" || { echo "FAILED: it did not go on"; exit 1; }
runs "$@" "$weft" $wave --steps 4 --out "$scratch/fewer" --progress thread
runs env "$weft" $wave --steps 7 --out "$scratch/fewer" --restart "$scratch/fewer/checkpoint_00000004.weft"
for directory in more fewer; do
  for file in checkpoint_00000007.weft monitors.csv monitors.json fields.vtkhdf.series; do same $file $directory; done
done

# If the last one is damaged, this is reported and the one before it is used.
head -c 5000 "$scratch/through/checkpoint_00000007.weft" >"$scratch/more/checkpoint_00000007.weft"
runs "$@" "$weft" $wave --steps 7 --out "$scratch/more" --restart
grep -q "^warning: .*checkpoint_00000007" "$scratch/err" || { echo "FAILED: no warning"; cat "$scratch/err"; exit 1; }
same checkpoint_00000007.weft more

# The same for flows; a checkpoint's blocks do not depend on the ranks.
case=$source/examples/aneurysm/case.toml
coarse="--set surface.voxel=0.0004 --set lattice.time_step=0.0001 --set output.pictures=false --set monitor.every=1"
flow="flow $case $coarse --set checkpoint.every=8"
runs "$@" "$weft" $flow --steps 25 --out "$scratch/through"
runs "$@" "$weft" $flow --steps 20 --out "$scratch/flow"
rm "$scratch/flow/checkpoint_00000020.weft"
head -c 50000 "$scratch/flow/checkpoint_00000016.weft" >"$scratch/flow/checkpoint_00000019.weft"
runs "$@" "$weft" $flow --steps 25 --out "$scratch/flow" --restart
grep -q "restarts from .*checkpoint_00000016" "$scratch/out" || { echo "FAILED: it did not go on"; exit 1; }
grep -q "^warning: .*checkpoint_00000019" "$scratch/err" || { echo "FAILED: no warning"; cat "$scratch/err"; exit 1; }
for file in monitors.csv monitors.json fields_00000024.vtkhdf checkpoint_00000025.weft; do same $file flow; done
runs env "$weft" $flow --steps 25 --out "$scratch/alone" --restart "$scratch/through/checkpoint_00000024.weft"
values=1000000  # for some 6000 sites
tail -c $values "$scratch/alone/checkpoint_00000025.weft" >"$scratch/a"
tail -c $values "$scratch/through/checkpoint_00000025.weft" | cmp - "$scratch/a" || { echo "FAILED: on one rank"; exit 1; }

# The same for boxes.
box="box $source/examples/box/suspension.toml --set box.size=[32,24,24] --set particles.count=5 --set output.pictures=false"
box="$box --set monitor.every=3 --set checkpoint.every=4"
runs "$@" "$weft" $box --steps 26 --out "$scratch/through"
runs "$@" "$weft" $box --steps 21 --out "$scratch/box"
head -c 50000 "$scratch/box/checkpoint_00000016.weft" >"$scratch/box/checkpoint_00000020.weft"
runs env "$weft" $box --steps 26 --out "$scratch/box" --restart
grep -q "restarts from .*checkpoint_00000016" "$scratch/out" || { echo "FAILED: it did not go on"; exit 1; }
grep -q "^warning: .*checkpoint_00000020" "$scratch/err" || { echo "FAILED: no warning"; cat "$scratch/err"; exit 1; }
for file in monitors.csv particles.csv checkpoint_00000026.weft; do same $file box; done
