#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
#
# leak_tracer.sh COMMAND...
# LeakSanitizer searches for leaks in a process of its own, which sometimes crashes if the program has threads of an MPI
# library. A command that ended in this way, and whose output has no other error, runs again; every other failure
# counts. After three crashes the command runs without the search for leaks, and the summary reports this.
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
