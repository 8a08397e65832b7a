#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
#
# Runs in which ranks are killed repeatedly at any time end with the same files as uninterrupted runs.
#   killed.sh PROGRAM KILLS WEFT SOURCE LAUNCHER...     PROGRAM is flow, wave or box
program=$1 most_kills=$2 weft=$3 source=$4
shift 4
scratch=$(mktemp -d) || exit 1
trap 'rm -rf "$scratch"' EXIT
# `starts`: a word of the output when set-up is complete.
case $program in
  flow)
    run="flow $source/examples/aneurysm/case.toml --set surface.voxel=0.0004 --set lattice.time_step=0.0001 --steps 1200"
    run="$run --set fluid.viscosity=0.04 --set output.every=500 --set monitor.every=5 --set checkpoint.every=10"
    starts=voxelised files="fields_00001199.vtkhdf fields.vtkhdf.series monitors.csv monitors.json" ;;
  wave)
    run="wave $source/examples/wave/pulse.toml --set domain.cells=[24,24,24] --set refinement.levels=1 --steps 160"
    run="$run --set refinement.every=2 --set output.every=50 --set checkpoint.every=2"
    starts=cells files="checkpoint_00000160.weft fields.vtkhdf.series monitors.csv monitors.json" ;;
  box)
    run="box $source/examples/box/suspension.toml --steps 1200 --set output.every=500 --set checkpoint.every=10"
    run="$run --set monitor.every=5 --set box.size=[32,24,24] --set particles.count=5"
    starts=sites files="checkpoint_00001200.weft fields.vtkhdf.series monitors.csv monitors.json particles.csv" ;;
esac
run="$run --set output.pictures=false"

# Each rank stores its process id, so that the test kills only these.
cat >"$scratch/start" <<'END'
#!/bin/sh
echo $$ >>"$WEFT_TEST_PIDS"
exec "$@"
END
WEFT_TEST_PIDS=$scratch/pids
export WEFT_TEST_PIDS
export OMPI_MCA_odls_base_sigkill_timeout=0  # otherwise it waits a second for each rank

failed() {
  echo "FAILED: $program: $*"
  cat "$scratch/out" "$scratch/err"
  exit 1
}
timeout 500 "$@" "$weft" $run --out "$scratch/through" >"$scratch/out" 2>"$scratch/err" </dev/null ||
  failed "the run that is not killed"

# Victim and time: some time after the begin of the run (in MPI_Init, mpirun itself may hang) or, in two of three cases,
# some time after a checkpoint was written, so that there is progress on a busy machine, too. The plan is the same in
# each test, unless WEFT_TEST_SEED is set.
awk -v n="$most_kills" -v seed="${WEFT_TEST_SEED:-20}" \
  'BEGIN { srand(seed); for (i = 0; i < n; ++i) printf "%.3f %d %d\n", 0.15 * rand(), 1000 * rand(), i % 3 }' >"$scratch/plan"
newest() { # prints its name
  for file in "$scratch"/killed/checkpoint_*.weft; do :; done
  echo "$file"
}
kills=0 status=1
while read -r delay victim after_one <&3; do
  before=$(newest) restart=
  [ ! -e "$before" ] || restart=--restart
  : >"$scratch/pids"
  : >"$scratch/out"
  timeout -k 1 60 "$@" sh "$scratch/start" "$weft" $run --out "$scratch/killed" $restart >"$scratch/out" 2>"$scratch/err" </dev/null &
  launcher=$!
  tries=0
  until grep -q $starts "$scratch/out" && { [ "$after_one" -eq 0 ] || [ "$(newest)" != "$before" ]; }; do
    tries=$((tries + 1))
    [ $tries -lt 500 ] && kill -0 $launcher 2>"$scratch/gone" || break
    sleep 0.02
  done
  sleep "$delay"
  ranks=$(wc -l <"$scratch/pids")
  [ "$ranks" -eq 0 ] || kill -9 "$(sed -n "$((victim % ranks + 1))p" "$scratch/pids")" 2>"$scratch/gone" && kills=$((kills + 1))
  wait $launcher
  status=$?
  [ $status -ne 2 ] || failed "it can't go on after $kills kills"
  [ $status -ne 0 ] || break
done 3<"$scratch/plan"
[ $status -eq 0 ] || timeout 500 "$@" "$weft" $run --out "$scratch/killed" --restart >"$scratch/out" 2>"$scratch/err" </dev/null ||
  failed "the last run after $kills kills"
echo "$program: $kills ranks were killed; $(grep 'going on' "$scratch/out")"
[ $kills -ge 3 ] || failed "it ended too soon"
for file in $files; do
  cmp "$scratch/through/$file" "$scratch/killed/$file" || failed "$file is another one after $kills kills"
done
count=0
for file in "$scratch"/killed/checkpoint_*; do count=$((count + 1)); done
[ $count -eq 2 ] || { ls "$scratch/killed"; failed "$count checkpoints are left"; }
