#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
#
# The options that every program has around its steps, the same for each.   scaffold.sh WEFT SOURCE LAUNCHER...
. "$(dirname -- "$0")/common.sh"

expect() { grep -q "$1" "$2" || fail "no '$1' in $2"; }

box="box $source/examples/box/cavity.toml --set box.size=[12,12] --set output.pictures=false --set monitor.every=1"
wave="wave $source/examples/wave/plane.toml --set domain.cells=[16,16,16] --set output.pictures=false --set monitor.every=1"

# A run's result can't be a file that it writes itself or continues from.
for program in "$box" "$wave"; do
  name=${program%% *}
  for file in monitors.csv monitors.json fields_00000002.vtkhdf checkpoint_00000002.weft fields.vtkhdf.series; do
    refused "$name/$file: The run itself writes this file" $program --steps 2 --out $name --json $name/$file
  done
  runs $program --set checkpoint.every=2 --steps 2 --out $name --json $name/monitors_result.json
  ln -s $name/monitors.csv link.$name
  refused "link.$name: The run itself writes this file" $program --steps 2 --out $name --json link.$name
  refused "is read" $program --steps 4 --out other --restart $name/checkpoint_00000002.weft \
    --json $name/checkpoint_00000002.weft
  refused "is read" $program --steps 4 --out other --restart $name --json $name/checkpoint_00000002.weft

  # The path of a table must be a plain file.
  mkdir odd.$name
  mkfifo odd.$name/monitors.csv
  refused "odd.$name/monitors.csv: This file can't be written (it is no plain file)" $program --steps 2 --out odd.$name
  rm odd.$name/monitors.csv
  echo mine >theirs
  ln -s ../theirs odd.$name/monitors.csv
  refused "odd.$name/monitors.csv: This file can't be written (it is no plain file)" $program --steps 2 --out odd.$name
  [ "$(cat theirs)" = mine ] || fail "$name wrote through a link"
done
refused "box/trace.json: The run itself writes this file\|have the same file name" $box --steps 2 --out box --trace --json box/trace.json

# The same for files that flow writes, and for an opening's file.
flow="flow $source/examples/aneurysm/case.toml --set surface.voxel=0.0004 --set lattice.time_step=0.0001 --set output.pictures=false"
for file in monitors.json summary.html fields.vtkhdf.series; do
  refused "flow/$file: The run itself writes this file" $flow --steps 2 --out flow --json flow/$file
done
printf '0, 0.1\n1, 0.1\n' >inflow.csv
refused "inflow.csv: This file is read" $flow --steps 2 --out flow --set "inlet.0.velocity=\"$scratch/inflow.csv\"" --json inflow.csv
[ ! -e flow ] || fail "a refused run wrote something"

# Of an unset variable of the shell nothing remains but an empty argument. "-" is no file. Errors name the command's
# help. A restart that is refused leaves no folder.
refused "An argument is empty (the one after --out)" $box --steps 2 --out ""
refused "An argument is empty (--json)" $box --steps 2 --out none --json=
for option in --json --out; do refused "$option: '-' is no file name" $box --steps 2 $option -; done
refused "'-' is no file name" $box --steps 2 --out none --trace=-
for program in "$box" "$wave" "$flow"; do
  refused "See weft ${program%% *} --help" $program --frobnicate
  refused "missing" $program --steps 2 --out none/below --restart missing
done
refused "none" $box --steps 2 --out none/below --restart
! has bench || refused "See weft bench core --help" bench core --frobnicate
! has bench || refused "'-' is no file name" bench core --quick --json -
refused "An argument is empty (the one after predict)" predict ""
[ ! -e - ] && [ ! -e none ] || fail "a refused run left a file"

# Every run ends with the table. Its result has the table, too, and its trace has the clients over time.
has_table() { # CLIENT FILE RESULT TRACE
  expect "^  $1 .* us\|^  $1 .* s " "$2"
  expect '"overlap"' "$3"
  expect '"traceEvents"' "$4"
}
runs $wave --set refinement.levels=1 --steps 2 --out table --json wave.json --trace
has_table cells said wave.json table/trace.json
expect "^  coarse to fine" said
runs $box --steps 2 --out table --json box.json --trace
grep -q "mca_" told && fail "the MPI library complains of files"
has_table lattice said box.json table/trace.json
runs $box --steps 2 --out table --trace=elsewhere.json
expect '"traceEvents"' elsewhere.json
refused "nodir/trace.json: This file can't be written" $box --steps 2 --out table --trace=nodir/trace.json
seq 100000 >one
for file in one.zst one.bz2; do
  runs pack one -o $file --block 64k --json pack.json --trace pack.trace
  has_table block told pack.json pack.trace
  runs unpack $file -o back --force --json unpack.json --trace unpack.trace
  has_table block told unpack.json unpack.trace
  cmp one back || fail "$file with a trace"
done
refused "is read" pack one -o two.zst --json one
refused "two.zst: The run itself writes this file" pack one -o two.zst --trace two.zst
refused "two.bz2.index: The run itself writes this file" pack one -o two.bz2 --json two.bz2.index
refused "The result and the trace have the same file name" unpack one.zst -o two --json same --trace ./same
if has fft; then
  head -c 3360 /dev/zero >u.raw
  runs fft u.raw --size 7x5x12 --type f64 --output s.raw --json fft.json --trace fft.trace
  has_table planes said fft.json fft.trace
  refused "is read" fft u.raw --size 7x5x12 --type f64 --output s.raw --json u.raw
  refused "s.raw: The run itself writes this file" fft u.raw --size 7x5x12 --type f64 --output s.raw --trace s.raw
fi

# A full disk: a limit on the size of files has the same effect, if its signal is ignored. With mpirun it would also
# limit MPI's own files: box.full_disk tests this.
[ "$run" = env ] || exit 0
(
  trap '' XFSZ
  ulimit -f 64
  refused "full/monitors.csv: This file can't be written (File too large)" $box --steps 5000 --out full
) || exit 1
exit 0
