#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# compile_kernels.sh NVCC OUTPUT: compiles kernels.cu into a fatbin for the devices from 2020 on, with code in PTX for later ones. Writes
# each kernel's registers and spilled bytes into OUTPUT.txt, in the form of kernels.txt.
set -eu
folder=$(CDPATH='' cd -- "$(dirname -- "$0")" && pwd)
"$1" -std=c++17 -fatbin -Xfatbin -compress-all -Xptxas -v -I"$folder/../.." -gencode 'arch=compute_80,code=[compute_80,sm_80]' \
  -gencode arch=compute_90,code=sm_90 -o "$2" "$folder/kernels.cu" >"$2.log" 2>&1 || {
  cat "$2.log" >&2
  echo "nvcc has failed. Without it (-D WEFT_NVCC=OFF) the kernels are compiled at run time." >&2
  exit 1
}
{
  echo "nvcc $("$1" --version | sed -n 's/.*, V//p')"
  sed -n -e "s/.*function '\(.*\)' for '\(.*\)'.*/\2 \1/p" -e 's/.*, \(.*\) bytes spill loads/\1/p' -e 's/.*Used \([0-9]*\) registers.*/\1/p' \
    "$2.log" | paste -d ' ' - - - | sed 's/\(.*\) \(.*\) \(.*\) \(.*\)/\1 \2: \4 registers, \3 bytes spilled/' | sort
} >"$2.txt"
