#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# registers_test.sh BUILT KEPT: the kernels' registers as this build's nvcc chose them are those of kernels.txt, if that is of the same
# version. No kernel spills registers with any version.
[ -f "$1" ] || { echo "registers_test: skipped: this build has no nvcc (PyPI: nvidia-cuda-nvcc)."; exit 77; }
if grep '[1-9][0-9]* bytes spilled' "$1"; then
  echo "registers_test: These kernels spill registers. Make them smaller." >&2
  exit 1
fi
[ "$(head -n 1 "$1")" = "$(head -n 1 "$2")" ] || { echo "registers_test: $2 is of another nvcc; not compared."; exit 0; }
diff "$2" "$1" || { echo "registers_test: The registers have changed. If that is intended: cp $1 $2" >&2; exit 1; }
