#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
#
# leak_tracer.sh COMMAND...
# LeakSanitizer looks for leaks from a process of its own, which crashes now and then beside the threads of an MPI
# library. A command that ended so, and in whose output nothing else went wrong, is run again; every other failure is one.
# Where the tracer crashes three times, the command runs without it: all but leaks is looked at, and the summary says so.
log=$(mktemp) || exit 1
trap 'rm -f "$log"' EXIT
for _ in 1 2 3; do
  "$@" >"$log" 2>&1
  status=$?
  cat "$log"
  [ "$status" = 0 ] && exit 0
  grep -q "LeakSanitizer has encountered a fatal error\|Tracer caught signal" "$log" || exit "$status"
  grep -q "\[  FAILED  \]\|ERROR: AddressSanitizer\|detected memory leaks\|runtime error:" "$log" && exit "$status"
  echo "leak_tracer: LeakSanitizer's tracer crashed; once more."
done
(cd "$(dirname "$0")/../.." && tools/not-checked "leaks in a test whose LeakSanitizer's tracer crashed three times")
ASAN_OPTIONS="${ASAN_OPTIONS:+$ASAN_OPTIONS:}detect_leaks=0" "$@"
