#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
#
# Short runs of benchmarks, and of weft fft.   benches.sh WEFT SOURCE LAUNCHER...
. "$(dirname "$0")/common.sh"

# reports TEXT ARGUMENT...: the benchmark's JSON has the text.
reports() {
  text=$1
  shift
  runs bench "$@" --quick --json bench.json
  grep -q "$text" bench.json || fail "no $text in the report of weft bench $*"
}
reports '"dense_share_fp64"' kernel --sizes 24 --vessels 20000 --seconds 1
reports '"figures"' coalesce --sites 2000 --clients 0,1 --seconds 1
reports '"worst_images_communication_ratio"' coalesce --sites 2000 --images 1,3 --steps 24 --picture-size 16
reports '"experiment":"time"' collectives --operations alltoall --sizes 64 --seconds 1
reports '"clock_error_us"' clock --pings 20 --seconds 0.5
reports '"c_over_cpp_commit"' languages --seconds 1
reports '"combine_order_cost"' graph --seconds 1
reports '"setup_bytes_per_site"' setup --case "$source/examples/aneurysm/case.toml" --sites 20000

# Forward and back gives nearly the same bytes; here the input is zero.
has fft || exit 0
head -c 3360 /dev/zero >u.raw
for how in "--decomposition slabs" "--decomposition pencils --carrier collective --progress thread" "--window 0 --tile 3"; do
  field="--size 7x5x12 --type f64"
  runs fft u.raw $field $how --force --output spectrum.h5 --spectrum energy.csv
  grep -q transform said || fail "weft fft $how said nothing"
  grep -q "^0,0,1$" energy.csv || fail "weft fft $how: another spectrum"
  runs fft spectrum.h5 --dataset spectrum --inverse $field $how --force --output back.raw
  cmp u.raw back.raw || fail "weft fft $how"
done
