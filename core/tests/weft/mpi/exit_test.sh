#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
#
# exit_test.sh STATUS TIMES TEXT COMMAND...
# The command must end with STATUS ("bad": any but 0) and print TEXT exactly TIMES times, within 60 s.
status=$1 times=$2 text=$3
shift 3
log=$(mktemp) || exit 1
trap 'rm -f "$log"' EXIT
timeout 60 "$@" >"$log" 2>&1
got=$?
cat "$log"
if [ "$got" = 124 ]; then echo "exit_test: it hangs"; exit 1; fi
if [ "$status" = bad ] && [ "$got" = 0 ]; then echo "exit_test: status 0"; exit 1; fi
if [ "$status" != bad ] && [ "$got" != "$status" ]; then echo "exit_test: status $got, not $status"; exit 1; fi
found=$(grep -c -F -- "$text" "$log")
if [ "$found" != "$times" ]; then echo "exit_test: '$text' printed $found times, not $times"; exit 1; fi
if grep -q "nobody should come here" "$log"; then echo "exit_test: a rank went on"; exit 1; fi
