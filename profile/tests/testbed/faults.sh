#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
#
# weft's programs when a link stalls, or a rank is slow or killed: they continue, or end with a clear message, and never
# hang.
# faults.sh SOURCE FORWARDER WEFT
testbed=$1/tools/testbed source=$1 weft=$3 hello=$3
TESTBED_FORWARDER=$2 TESTBED_NAME=test-$$
export TESTBED_FORWARDER TESTBED_NAME
. "$(dirname "$0")/common.sh"
head -c 4000000 /dev/urandom >"$scratch/data"

flow="flow $source/examples/aneurysm/case.toml --set surface.voxel=0.0004 --set lattice.time_step=0.0001
  --set fluid.viscosity=0.04 --set output.every=100000 --set output.pictures=false
  --set monitor.every=5 --set checkpoint.every=0"
box="box $source/examples/box/cavity.toml --set output.pictures=false"
wave="wave $source/examples/wave/front.toml --steps 100000"
pack="pack $scratch/data --codec xz --block 500000 --quiet"

# under NAME FILE ARGUMENT...: runs weft on three ranks, each on its own node, and calls `meddle` when FILE exists, that
# is after the first steps, or after 3 s, during the start: the program must survive faults at any time. Writes status,
# out, err.
under() (
  TESTBED_NAME=$TESTBED_NAME-$1 at=$scratch/$1 file=$scratch/$2
  trap '"$testbed" down' EXIT
  shift 2
  mkdir "$at"
  up 3 --latency 200us --rate 50mbit
  timeout -k 1 100 "$testbed" run -n 3 "$weft" "$@" >"$at/out" 2>"$at/err" </dev/null &
  tries=0
  until "$testbed" status | grep -q "^ranks: 0, 1, 2"; do
    tries=$((tries + 1))
    [ $tries -lt 900 ] || failed "its ranks don't start" "$at/err"
    sleep 0.1
  done
  tries=0
  until [ -e "$file" ] || [ $tries -ge 30 ]; do
    tries=$((tries + 1))
    sleep 0.1
  done
  meddle >"$at/meddle" 2>&1 || echo "no fault" >>"$at/meddle"
  wait $!
  echo $? >"$at/status"
)
ended() { # it failed in time, and printed the reason
  status=$(cat "$scratch/$1/status")
  [ "$status" -ne 0 ] && [ "$status" -ne 124 ] || { cat "$scratch/$1/out"; failed "$1: status $status" "$scratch/$1/err"; }
  ! grep -q "no fault" "$scratch/$1/meddle" || failed "$1: there was no fault" "$scratch/$1/meddle"
  grep -q "$2" "$scratch/$1/err" || failed "$1: no '$2'" "$scratch/$1/err"
}
went_on() { # NAME
  [ "$(cat "$scratch/$1/status")" -eq 0 ] ||
    { cat "$scratch/$1/out"; failed "$1: status $(cat "$scratch/$1/status")" "$scratch/$1/err"; }
  ! grep -q "no fault" "$scratch/$1/meddle" || failed "$1: there was no fault" "$scratch/$1/meddle"
}

# Only a few at a time: waiting ranks share the cores with computing ones.
meddle() { "$testbed" fault stall node1 1; }
under box_stalls box/monitors.csv $box --set run.steps=1500 --out "$scratch/box" &
under pack_stalls data.xz.part $pack -o "$scratch/data.xz" &
meddle() { "$testbed" fault kill 1; }
under flow_killed killed/monitors.csv $flow --steps 100000 --out "$scratch/killed" &
under wave_killed wave_killed/monitors.csv $wave --out "$scratch/wave_killed" &
wait
meddle() { "$testbed" fault slow 1 3; "$testbed" fault stall node2 1; }
under flow_slow slow/monitors.csv $flow --steps 250 --out "$scratch/slow" &
meddle() { :; }
under flow_calm calm/monitors.csv $flow --steps 250 --out "$scratch/calm" &
wait
WEFT_GIVE_UP_SECONDS=5  # also for the start, on a busy machine
export WEFT_GIVE_UP_SECONDS
meddle() { "$testbed" fault stall node1 ever; }
under flow_cut cut/monitors.csv $flow --steps 100000 --out "$scratch/cut" &
under wave_cut wave/monitors.csv $wave --out "$scratch/wave" &
under bench_cut bench_cut/out bench halo --quick &
wait

went_on box_stalls
went_on pack_stalls
xz -dc "$scratch/data.xz" | cmp - "$scratch/data" || failed "what was packed is another file"
went_on flow_slow
cmp "$scratch/slow/monitors.csv" "$scratch/calm/monitors.csv" || failed "a slow rank changes the flow"
# Open MPI names the rank, or only reports that a process has ended in this way.
for name in flow wave; do ended ${name}_killed "rank 1 .*[kK]illed\|non-zero exit code"; done
for name in flow wave bench; do
  ended ${name}_cut "error on rank [012]: No message was sent or received for [0-9]* s\|MPI has neither started nor ended"
done
