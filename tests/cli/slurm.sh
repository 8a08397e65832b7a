#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
#
# The job script of examples/slurm with replacements for srun and scontrol: a flow whose job runs out of time repeatedly
# ends like an uninterrupted one.   slurm.sh WEFT SOURCE LAUNCHER...
weft=$1 source=$2
shift 2
scratch=$(mktemp -d) || exit 1
trap 'rm -rf "$scratch"' EXIT
case=$source/examples/aneurysm/case.toml
options="--set surface.voxel=0.0004 --set lattice.time_step=0.0001 --steps 8000 --set monitor.every=100"
options="$options --set output.pictures=false --set pictures.every=0 --set output.every=0"
options="$options --set fluid.viscosity=0.04 --set monitor.tolerance=0"

failed() {
  echo "FAILED: $*"
  cat "$scratch/log"
  exit 1
}
mkdir "$scratch/bin"
cat >"$scratch/bin/srun" <<END
#!/bin/sh
while [ "\${1#-}" != "\$1" ]; do shift; done
exec $* "\$@"
END
cat >"$scratch/bin/scontrol" <<'END'
#!/bin/sh
echo "$@" >>"$WEFT_TEST_REQUEUED"
END
chmod +x "$scratch"/bin/*
PATH=$scratch/bin:$PATH WEFT=$weft WEFT_TEST_REQUEUED=$scratch/requeued SLURM_JOB_ID=7
export PATH WEFT WEFT_TEST_REQUEUED SLURM_JOB_ID
: >"$scratch/requeued"
: >"$scratch/log"

newest() {
  for file in "$scratch"/jobs/checkpoint_*.weft; do :; done
  echo "$file"
}
# job COUNT [complete]: as Slurm runs it for the COUNT-th time. With only one argument its time ends after its first new
# checkpoint.
job() {
  before=$(newest)
  SLURM_RESTART_COUNT=$1 WEFT_OUT=$scratch/jobs WEFT_EVERY=200 bash "$source/examples/slurm/flow.sbatch" "$case" $options \
    >>"$scratch/log" 2>&1 </dev/null &
  script=$!
  tries=0
  while [ $# -eq 1 ] && [ "$(newest)" = "$before" ] && [ $tries -lt 1500 ] && kill -0 $script; do
    tries=$((tries + 1))
    sleep 0.02
  done
  [ $# -gt 1 ] || kill -USR1 $script
  wait $script
}
job 0 || failed "the first job, status $?"
[ "$(cat "$scratch/requeued")" = "requeue 7" ] || failed "it was not put into the queue again"
grep -q "time is nearly over" "$scratch/log" || failed "it did not hear of its time's end"
job 1 || failed "the second job, status $?"
grep -q "restarts from .*checkpoint_" "$scratch/log" || failed "it did not go on"
job 50 to-its-end || failed "the last job, status $?"
[ "$(wc -l <"$scratch/requeued")" -eq 2 ] || failed "it was put into the queue after its end"
job 50 again || failed "a job after the end, status $?"

timeout 500 "$@" "$weft" flow "$case" $options --out "$scratch/through" >"$scratch/log" 2>&1 </dev/null ||
  failed "the run that is not ended"
for file in fields_00007999.vtkhdf monitors.csv; do
  cmp "$scratch/through/$file" "$scratch/jobs/$file" || failed "$file is another one"
done

# Errors after which the job is not requeued.
script=$source/examples/slurm/flow.sbatch
WEFT_OUT=$scratch/jobs bash "$script" "$case" --set run.step=1 >"$scratch/log" 2>&1
[ $? -eq 2 ] || failed "a case that is wrong"
WEFT_OUT=$scratch/none WEFT_LAUNCH=false bash "$script" "$case" >"$scratch/log" 2>&1
[ $? -eq 1 ] || failed "a run that fails without checkpoints"
grep -q "no new checkpoint" "$scratch/log" || failed "why it ends"
[ "$(wc -l <"$scratch/requeued")" -eq 2 ] || failed "it was put into the queue again"
