#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
#
# The emulated cluster: its measured values, its errors, and its remains.   testbed.sh SOURCE FORWARDER HELLO
testbed=$1/tools/testbed hello=$3
TESTBED_FORWARDER=$2 TESTBED_NAME=test-$$
export TESTBED_FORWARDER TESTBED_NAME
. "$(dirname "$0")/common.sh"

refused() { # TEXT ARGUMENT...: one line with TEXT, and status 2
  text=$1
  shift
  "$testbed" "$@" >"$scratch/out" 2>&1 </dev/null
  status=$?
  [ $status -eq 2 ] && [ "$(wc -l <"$scratch/out")" -eq 1 ] && grep -q "$text" "$scratch/out" ||
    failed "'$*' ended with $status, looked for: $text" "$scratch/out"
}
refused "no testbed '$TESTBED_NAME'" run -n 2 "$hello"
refused "NODES is '0'. Give a number from 1 to 64" up 0
refused "number of nodes" up
refused "'fast' (a time" up 2 --latency fast
refused "'1' (a rate" up 2 --rate 1
refused "'--speed' is not an option. Give --latency" up 2 --speed 1
refused "jitter is greater than" up 2 --latency 1ms --jitter 2ms
refused "'dwon' is not a command. Give up" dwon
refused "'--' is missing" once 2 -n 2 "$hello"
refused "exec: The node or the command" exec node0

loaded=$(LD_PRELOAD='' TESTBED_PRELOAD=/b.so "$TESTBED_FORWARDER" rank sh -c 'echo "$LD_PRELOAD"' 2>/dev/null)
[ "$loaded" = /b.so ] || failed "preloads '$loaded' instead of /b.so"
loaded=$(LD_PRELOAD=/a.so TESTBED_PRELOAD=/b.so "$TESTBED_FORWARDER" rank sh -c 'echo "$LD_PRELOAD"' 2>/dev/null)
[ "$loaded" = /a.so:/b.so ] || failed "preloads '$loaded' instead of /a.so and /b.so"

mount_count() { wc -l </proc/self/mounts; }
mounts=$(mount_count)
up 4 --latency 1ms --rate 100mbit
refused "'$TESTBED_NAME' is up already" up 2
refused "5 ranks are too many for 4 nodes" run -n 5 "$hello"
refused "no program 'nowhere'" run -n 2 nowhere
refused "Rank 3 is not running. Give a running rank (none)" fault kill 3
refused "NODE is '4'. Give a number from 0 to 3" fault stall node4 1

# within LOW HIGH VALUE
within() { awk -v low="$1" -v high="$2" -v value="$3" 'BEGIN { exit !(value != "" && low <= value && value <= high) }'; }
# measured LATENCY_US RATE_MBIT: both are as requested within 10 %. The machine may be busy, so it takes the smallest
# round trip (never below the requested one) and the best of five tries.
measured() {
  good=
  for try in 1 2 3 4 5; do
    timeout 100 "$testbed" check >"$scratch/out" 2>&1 || failed "check" "$scratch/out"
    latency=$(sed -n 's/^half round trip.*least \([0-9.]*\) us.*/\1/p' "$scratch/out")
    rate=$(sed -n 's/^stream.* \([0-9.]*\) Mbit.*/\1/p' "$scratch/out")
    echo "asked for $1 us, $2 Mbit/s; measured $latency us, $rate Mbit/s"
    within "$((9 * $1 / 10))" "$((11 * $1 / 10))" "$latency" && good=$good,latency
    within "$((9 * $2 / 10))" "$((11 * $2 / 10))" "$rate" && good=$good,rate
    case $good in *latency*rate* | *rate*latency*) return ;; esac
  done
  failed "another latency or rate than was asked for"
}
measured 1000 100
"$testbed" set --latency 2ms --rate 200mbit || failed "set"
measured 2000 200
"$testbed" set --jitter 1ms || failed "set --jitter"
"$testbed" check >"$scratch/out" || failed "check"
within 1000 1850 "$(sed -n 's/.* least \([0-9.]*\) us$/\1/p' "$scratch/out")" || failed "no jitter" "$scratch/out"

"$testbed" set --latency 100us --jitter 0 --rate inf
for ranks in 2 4; do
  timeout 60 "$testbed" run -n $ranks "$hello" >"$scratch/out" 2>&1 </dev/null ||
    failed "run -n $ranks" "$scratch/out"
  rank=0
  while [ $rank -lt $ranks ]; do
    grep -q "rank $rank of $ranks on node$rank, user [0-9]*, sum $((ranks * (ranks - 1) / 2))$" "$scratch/out" ||
      failed "rank $rank" "$scratch/out"
    rank=$((rank + 1))
  done
done
"$testbed" down || failed "down"
gone "down"
[ "$(mount_count)" -eq "$mounts" ] || failed "down left a mount"

# If any process of the testbed is killed, all end, and the testbed can be started again.
for piece in forwarder first run; do
  up 3 --latency 100us
  : >"$scratch/out"  # emptied now, since old lines would be taken for new ones
  timeout 60 "$testbed" run -n 3 "$hello" 60 >"$scratch/out" 2>&1 </dev/null &
  until_line "on node2" "$scratch/out"
  case $piece in
    forwarder) victim=$(forwarder_id) ;;
    first) victim=$(first_id) ;;
    run) victim=$(pgrep -f "^$TESTBED_FORWARDER run -n 3" | head -n 1) ;;
  esac
  kill -9 "$victim" || failed "nothing to kill"
  if [ $piece = run ]; then
    tries=0
    while pgrep -x testbed_hello >/dev/null && "$testbed" status | grep -q "^ranks: 0"; do
      tries=$((tries + 1))
      [ $tries -lt 100 ] || failed "ranks go on after their mpirun was killed"
      sleep 0.1
    done
    "$testbed" down || failed "down after a crash"
  fi
  gone "kill -9 of its $piece"
done
timeout 60 "$testbed" once 2 --latency 100us -- -n 2 "$hello" >"$scratch/out" 2>&1 </dev/null || failed "once" "$scratch/out"
gone "once"

# Without root: a user who may open /dev/net/tun, as by udev's rules, here in a mount namespace of its own.
[ "$(id -u)" -eq 0 ] && command -v setpriv >/dev/null || exit 0
chmod 755 "$scratch"
cp "$hello" "$scratch/hello"
cp "$TESTBED_FORWARDER" "$scratch/weft-testbed"
as_user() { # ACCESS COMMAND...
  unshare -m sh -c 'mount -t tmpfs none /dev/net && mknod /dev/net/tun c 10 200 && chmod "$0" /dev/net/tun &&
    exec setpriv --reuid 54321 --regid 54321 --clear-groups "$@"' "$@"
}
as_user 600 "$scratch/weft-testbed" up 2 >"$scratch/out" 2>&1
[ $? -eq 2 ] && grep -q "Let root run chmod 666 /dev/net/tun" "$scratch/out" || failed "no access" "$scratch/out"
if ! as_user 666 "$scratch/weft-testbed" up 1 >"$scratch/out" 2>&1; then
  grep -q "No network can be emulated .*Run it as root" "$scratch/out" || failed "without root" "$scratch/out"
  echo "The rest is SKIPPED: $(cat "$scratch/out")"
  exit 0
fi
"$testbed" status >"$scratch/out" 2>&1
grep -q "Another user" "$scratch/out" || failed "the testbed of another user" "$scratch/out"
as_user 666 "$scratch/weft-testbed" down || failed "down without root"
(
  cd / && HOME=/ as_user 666 timeout 60 "$scratch/weft-testbed" once 3 --latency 100us -- -n 3 "$scratch/hello" \
    >"$scratch/out" 2>&1 </dev/null
) || failed "once without root" "$scratch/out"
grep -q "rank 2 of 3 on node2, user 54321, sum 3$" "$scratch/out" || failed "rank 2 without root" "$scratch/out"
gone "once without root"
