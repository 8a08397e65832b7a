#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
#
# Flows of which a rank is killed again and again at any moment end like those that run through.
#   killed.sh WEFT SOURCE LAUNCHER...
weft=$1 source=$2
shift 2
scratch=$(mktemp -d) || exit 1
trap 'rm -rf "$scratch"' EXIT
flow="flow $source/examples/aneurysm/case.toml --set surface.voxel=0.0004 --set lattice.time_step=0.0001 --steps 1200"
flow="$flow --set output.every=500 --set output.pictures=false --set monitor.every=5 --set checkpoint.every=10"

# Ranks leave their ids, so that only they are killed.
cat >"$scratch/start" <<'END'
#!/bin/sh
echo $$ >>"$WEFT_TEST_PIDS"
exec "$@"
END
WEFT_TEST_PIDS=$scratch/pids
export WEFT_TEST_PIDS

failed() {
  echo "FAILED: $*"
  cat "$scratch/out" "$scratch/err"
  exit 1
}
timeout 120 "$@" "$weft" $flow --out "$scratch/through" --set checkpoint.every=0 >"$scratch/out" 2>"$scratch/err" </dev/null ||
  failed "the run that is not killed"

# When (seconds after the ranks have begun) and whom: the same in each test.
awk 'BEGIN { srand(20); for (i = 0; i < 20; ++i) printf "%.3f %d\n", 0.7 * rand(), 1000 * rand() }' >"$scratch/plan"
kills=0
while read -r delay victim <&3; do
  restart=
  for file in "$scratch"/killed/checkpoint_*.weft; do [ -e "$file" ] && restart=--restart; done
  : >"$scratch/pids"
  timeout 120 "$@" sh "$scratch/start" "$weft" $flow --out "$scratch/killed" $restart >"$scratch/out" 2>"$scratch/err" </dev/null &
  launcher=$!
  for wait in 1 2 3 4 5 6 7 8 9 10; do [ -s "$scratch/pids" ] || sleep 0.1; done
  sleep "$delay"
  ranks=$(wc -l <"$scratch/pids")
  [ "$ranks" -gt 0 ] || failed "no rank has begun"
  kill -9 "$(sed -n "$((victim % ranks + 1))p" "$scratch/pids")" 2>"$scratch/gone" && kills=$((kills + 1))
  wait $launcher
  status=$?
  [ $status -ne 2 ] || failed "it can't go on after $kills kills"
  [ $status -ne 0 ] || break
done 3<"$scratch/plan"
[ $status -eq 0 ] || timeout 120 "$@" "$weft" $flow --out "$scratch/killed" --restart >"$scratch/out" 2>"$scratch/err" </dev/null ||
  failed "the last run after $kills kills"
echo "$kills ranks were killed; $(grep 'going on' "$scratch/out")"
[ $kills -ge 3 ] || failed "it ended too soon"
for file in fields_00001199.vtkhdf fields.vtkhdf.series monitors.csv monitors.json; do
  cmp "$scratch/through/$file" "$scratch/killed/$file" || failed "$file is another one after $kills kills"
done
count=0
for file in "$scratch"/killed/checkpoint_*; do count=$((count + 1)); done
[ $count -eq 2 ] || { ls "$scratch/killed"; failed "$count checkpoints are left"; }
