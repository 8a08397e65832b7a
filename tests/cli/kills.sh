#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
#
# kills.sh KILLS WEFT SOURCE LAUNCHER...: killed.sh of flow, wave and box, interleaved and at other times in each turn,
# until KILLS ranks were killed.
kills=$1
shift
here=$(CDPATH='' cd -- "$(dirname -- "$0")" && pwd)
said=$(mktemp) || exit 1
trap 'rm -f "$said"' EXIT
done=0 seed=1
while [ $done -lt "$kills" ]; do
  for program in flow wave box; do
    WEFT_TEST_SEED=$seed sh "$here/killed.sh" $program 12 "$@" >"$said" 2>&1 || { cat "$said"; exit 1; }
    tail -n 1 "$said"
    done=$((done + $(sed -n 's/^[a-z]*: \([0-9]*\) ranks were killed.*/\1/p' "$said")))
  done
  seed=$((seed + 1))
done
echo "kills: $done ranks were killed, and every run ended with the same bytes"
