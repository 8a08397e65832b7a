# SPDX-License-Identifier: BSD-3-Clause
#
# Shared by the tests of the testbed. $testbed is the script.
skip() {
  echo "SKIPPED: $*"
  exit 77
}
why=$("$testbed" up 1 2>&1) && "$testbed" down || skip "$why"

scratch=$(mktemp -d) || exit 1
trap '"$testbed" down; rm -rf "$scratch"' EXIT
trap 'exit 1' INT TERM

failed() { # TEXT [FILE]
  echo "FAILED: $1"
  [ $# -lt 2 ] || cat "$2"
  exit 1
}
up() { "$testbed" up "$@" 2>"$scratch/up" || failed "up $*" "$scratch/up"; }
forwarder_id() { "$testbed" status | sed -n 's/.*forwarder \([0-9]*\)$/\1/p'; }
first_id() { pgrep -P "$(forwarder_id)"; }
until_line() { # TEXT FILE
  tries=0
  until grep -q "$1" "$2"; do
    tries=$((tries + 1))
    [ $tries -lt 300 ] || failed "no '$1'" "$2"
    sleep 0.1
  done
}
# Living processes of this testbed (without zombies, whose parents are others).
alive() { env -u TESTBED_NAME grep -lz "^TESTBED_NAME=$TESTBED_NAME" /proc/[0-9]*/environ 2>/dev/null; }
gone() { # AFTER WHAT; this shell got its name after its start, so it is not alive in this sense
  tries=0
  while alive >"$scratch/alive" || grep -q "weft-testbed/$TESTBED_NAME" /proc/net/unix; do
    tries=$((tries + 1))
    [ $tries -lt 100 ] || failed "$1 left something behind" "$scratch/alive"
    sleep 0.1
  done
}
