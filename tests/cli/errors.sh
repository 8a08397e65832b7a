#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
#
# Bad input: one line, status 2, no hung rank.   errors.sh WEFT SOURCE LAUNCHER...
weft=$1 source=$2
shift 2
scratch=$(mktemp -d) || exit 1
trap 'rm -rf "$scratch"' EXIT
good=$source/examples/aneurysm/case.toml
pulse=$source/examples/aneurysm/pulse.toml
failed=0 number=0
: >"$scratch/out"  # a file, where a folder is expected

# refused TEXT ARGUMENT...: one line that begins with "error" and contains TEXT, and status 2. Four run at a time, since
# mpirun mostly sleeps; `wait` precedes changes of the input of a running one.
refused() {
  number=$((number + 1))
  check $number "$@" &
  [ $((number % 4)) -ne 0 ] || wait
}
# The same, for runs that write into a shared folder: one at a time.
alone() {
  wait
  refused "$@"
  wait
}
check() {
  out=$scratch/out.$1 err=$scratch/err.$1 text=$2
  shift 2
  timeout 500 $run "$weft" "$@" >"$out" 2>"$err" </dev/null
  status=$?
  lines=$(grep -c '^error' "$err")
  if [ $status -ne 2 ] || [ "$lines" -ne 1 ] || ! grep -q '^error.*'"$text" "$err"; then
    echo "FAILED: weft $*"
    echo "  status $status (2 is right), $lines error lines (1 is right), looked for: $text"
    cat "$out" "$err"
    : >"$scratch/failed"
  fi
}
run="$*"

coarse="--set surface.voxel=0.0004 --set lattice.time_step=0.0001 --set run.steps=2 --out $scratch/results"
refused "nowhere.toml" flow nowhere.toml
refused "The key 'visocsity' is unknown.*viscosity" flow "$good" --set fluid.visocsity=1
refused "Unknown progress mode 'hope'.*passive, polling, thread" flow "$good" --progress hope
refused "coalesce" flow "$good" --coalesce perhaps
refused "frobnicate" frobnicate
refused "No command is given"
refused "steps" flow "$good" --steps -5
refused "cells: 'nan' is not allowed (a number from 4 to 1000)" openings "$source/examples/aneurysm/aneurysm.stl" --cells nan
refused "disc of outlet 'left' is .* wide (the vessel is .* long)" flow "$good" --check --set outlet.left.radius=1e7
refused "peak Mach number is [0-9.e+]\\{,12\\} (above" flow "$good" --check --set lattice.time_step=1e300
if [ -c /dev/full ]; then  # a full device: every rank prints the line, and MPI prints nothing
  mkdir "$scratch/small"
  ln -s /dev/full "$scratch/small/full.json"
  alone "full.json: This file can't be written (No space left on device" flow "$good" ${coarse% --out *} --out "$scratch/small" --json "$scratch/small/full.json"
fi
printf '\377\376[\000' >"$scratch/wide.toml"
refused "wide.toml: This text is UTF-16" flow "$scratch/wide.toml"
refused "Inlet 'parent' moves .* out of the vessel on average.*Set its sign to" flow "$good" --check --set inlet.parent.velocity=-0.1
refused "sign in ..inlet.. is 'up'.*inward, outward" flow "$good" --set inlet.parent.sign=up
refused "outlets-unit is 'imperial'. Give cgs, mmHg, mm-g-s, si" openings "$source/examples/aneurysm/aneurysm.stl" --unit mm --outlets-from "$good" --outlets-unit imperial --no-picture
refused "inlet.*only an outlet can have it" flow "$good" --set inlet.parent.share=0.3
refused "aneurism.stl" flow "$good" --set surface.file=aneurism.stl
refused "The key 'radius' is unknown in ..extract.. of shape line" flow "$pulse" --set extract.axis.radius=1
refused "Extract 'axis' of shape line meets no site" flow "$pulse" --set surface.voxel=0.0004 --set 'extract.axis.from=[0, 99, 0]' --set 'extract.axis.to=[0, 99, 1]'
refused "nowhere.stl.*can't be read" openings nowhere.stl
refused "not STL, VTP, PLY or OBJ" openings "$source/README.md"
printf 'v 0 0 0\nv 1 0 0\nf 1 2 3\n' >"$scratch/short.obj"
refused "short.obj: line 3: A face has vertex 3 (the file has 2)" openings "$scratch/short.obj"
refused "skip is '7' (there are 3 openings)" openings "$source/examples/aneurysm/aneurysm.stl" --unit mm --skip 7 --no-picture
refused "outlets is 'murry'. Give murray, pressure, windkessel, or the numbers" openings "$source/examples/aneurysm/aneurysm.stl" --unit mm --outlets murry
refused "short.obj: byte .*: This is not JSON" openings "$source/examples/aneurysm/aneurysm.stl" --unit mm --outlets-from "$scratch/short.obj" --no-picture
refused "This file exists already.*--force" openings "$source/examples/aneurysm/aneurysm.stl" --unit mm --write "$good"
refused "there is no folder $scratch/missing" openings "$source/examples/aneurysm/aneurysm.stl" --unit mm --write "$scratch/missing/case.toml"
refused "unit is 'parsec'.*m, cm, mm" openings "$source/examples/aneurysm/aneurysm.stl" --unit parsec
refused "allowed: name, shape, every, quantities, unit" flow "$pulse" --set 'extract.wall.shape=triangles' --set extract.wall.format=csv
refused "Section 'trunk' meets no site" flow "$pulse" --set surface.voxel=0.0004 --set 'section.trunk.centre=[0, 99, 0]' --out "$scratch/pulse"
refused "left.*lies outside of the vessel" flow "$good" $coarse --set 'outlet.left.centre=[100.0, 0.0, 0.0]'
refused "1e-09 m\|1 nm\|would take years" flow "$good" --set surface.voxel=1e-9 --set lattice.time_step=1e-15
refused "voxel" flow "$good" --set surface.voxel=1 --set lattice.time_step=0.0001
refused "'0' is not a number of steps (a whole number of at least 1)" flow "$good" --steps 0
refused "A voxel of 3 um makes .* thousand million sites.*memory.*Set surface.voxel to" flow "$good" --set surface.voxel=3e-6
refused "steps in steps of\|would be .* steps\|too far apart" flow "$good" --set lattice.time_step=1e-300
refused "parent.*3e+08 m/s.*blood is never faster" flow "$good" --set inlet.parent.velocity=3e8
refused "parent.*3e+08 m/s.*blood is never faster" flow "$good" --check --set inlet.parent.velocity=3e8
refused "there is no folder $scratch/missing" flow "$good" $coarse --json "$scratch/missing/x.json"
refused "left.*lies outside of the vessel" flow "$good" $coarse --check --set 'outlet.left.centre=[10.0, 30.0, 0.0]'
refused "peak Mach number.*Set lattice.time_step" flow "$good" --check --set lattice.time_step=0.001
echo '{"step": 1, "do": "opening", "name": "up", "value": 1}' >"$scratch/bad.jsonl"
alone "bad.jsonl:1: the command: There is no opening 'up' (there are: parent, left, right)" flow "$good" $coarse --replay "$scratch/bad.jsonl"
alone "nowhere.jsonl: This file can't be read (No such file or directory)" flow "$good" $coarse --replay nowhere.jsonl
refused "This file can't be written" flow "$good" $coarse --json "$scratch/nowhere/../out/x.json"
run1='{"overlap": {"profile": {"problem": 9, "steps": 1, "ranks": 2, "step_s": '
echo "$run1 1, \"coalesce\": true}}}" >"$scratch/half.json"
echo "$run1 -1}}}" >"$scratch/below.json"
echo '{"benchmark": "coalesce"}' >"$scratch/bench.json"
echo '{' >"$scratch/broken.json"
net="--run-network same --force --latency 1ms --rate 1gbit --ranks 4"
refused "nowhere.json: This file can't be read (No such file or directory)" predict nowhere.json $net
refused "broken.json: This is not JSON" predict "$scratch/broken.json" $net
refused "bench.json: The file contains no run for a prediction" predict "$scratch/bench.json" $net
refused "half.json: 'progress' is not in the file" predict "$scratch/half.json" $net
refused "below.json: 'step_s' is not a number from 0 to 1e18" predict "$scratch/below.json" $net
xe6=$source/bench/tests/predict/xe6
refused "steps8.json: The file has no such run.*Select a run, for example" predict "$xe6/steps8.json" $net
refused "steps8.json#9: The file has no such run" predict "$xe6/steps8.json#9" $net
refused "The network of the runs is not given.*--run-network" predict "$xe6/steps8.json#1" --latency 1ms --rate 1gbit --ranks 4
refused "steps8.json#1.*this is another network.*--run-network" predict "$xe6/steps8.json#1" --run-network same --latency 10ms --rate 1mbit --ranks 4
refused "No network is given" predict "$xe6/steps8.json#1" --ranks 4
refused "latency is '1 lightyear'. Give a number above 0 with a unit (s, ms, us, ns)" predict "$xe6/steps8.json#1" --latency "1 lightyear" --rate 1gbit --ranks 4
refused "steps8.json: This is not a file of weft bench network --json" predict "$xe6/steps8.json#1" --network "$xe6/steps8.json" --ranks 4
sed 's/"problem": *200000/"problem":7/g' "$xe6/steps64.json" >"$scratch/other.json"
refused "other.json#1 (.*solved another problem than .*steps8.json#2" predict "$xe6/steps8.json#2" $net --check "$scratch/other.json"
refused "ranks" predict "$xe6/steps8.json#1" --latency 1ms --rate 1gbit --ranks 1
wait
rm -rf "$scratch/results"
: >"$scratch/results"
alone "results" flow "$good" $coarse
printf 'solid\nfacet normal 0 0 1\nouter loop\nvertex 0 0 zero\n' >"$scratch/bad.stl"
refused "bad.stl: line 4" flow "$good" --set "surface.file=$scratch/bad.stl"
mkdir "$scratch/empty"
alone "There is no checkpoint_.*a restart needs a checkpoint" flow "$good" ${coarse% --out *} --out "$scratch/empty" --restart
alone "nowhere.weft" flow "$good" ${coarse% --out *} --out "$scratch/empty" --restart nowhere.weft
heme=$source/flow/tests/hemelb/bifurcation.xml
refused "nowhere.xml: This file can't be read (No such file or directory)" import nowhere.xml
refused "bifurcation.gmy: This file can't be read (No such file or directory)" import "$heme" -o "$scratch/heme.toml"
refused "surface needs --unit" import "$heme" --surface x.stl -o "$scratch/heme.toml"
refused "unit is 'inch'.*cm, mm" import "$heme" --surface "$scratch/bad.stl" --unit inch -o "$scratch/heme.toml"
printf '<hemelbsettings version="3">\n<simulation>\n' >"$scratch/bad.xml"
refused "bad.xml:.*This is not XML" import "$scratch/bad.xml"
sed 's/version="3"/version="7"/' "$heme" >"$scratch/new.xml"
refused "new.xml:3: hemelbsettings: The version is 7" import "$scratch/new.xml"
sed 's/units="s" value="5e-5"/units="h" value="5e-5"/' "$heme" >"$scratch/unit.xml"
refused "unit.xml:5: simulation.step_length: The units are 'h'" import "$scratch/unit.xml"
sed 's/subtype="cosine" type="pressure"/subtype="flux" type="multiscale"/' "$heme" >"$scratch/multiscale.xml"
refused "no condition 'multiscale flux'.*(--strict " import "$scratch/multiscale.xml" --strict -o "$scratch/heme.toml"
head -c 500 /dev/zero >"$scratch/zero.gmy"
refused "zero.gmy: This is not a HemeLB file" flow "$good" --set "surface.file=$scratch/zero.gmy"
printf 'hlb!gmy\004\000\000\000\004\000\001\000\000\000\001\000\000\000\001\000\000\000\000\000\010\000\000\000\000' >"$scratch/huge.gmy"
refused "huge.gmy: byte 12: There are 65536 x 65536" flow "$good" --set "surface.file=$scratch/huge.gmy"
refused "clients" bench coalesce --clients many
refused "heart not in" bench robustness --write "$scratch/vessel" --vessel heart
refused "requires --write" bench robustness --vessel six
refused "Use some of steady_murray" bench robustness --modes steady_murray,fast
refused "can.t be created" bench robustness --write "$scratch/out/vessel"
refused "images" bench coalesce --images 0
refused "excludes" bench coalesce --images 10 --clients 2
refused "more --steps" bench coalesce --sites 2000 --images 10 --steps 30
refused "'0x3' is not the size of a block.*32x48x64" bench halo --sizes 16,0x3
refused "'2x2' is not the size of a block" bench halo --overlap-size 2x2
refused "layouts" bench halo --layouts aos,sideways
refused "Unknown progress mode 'hope'" bench halo --progress hope
refused "overlap-only" bench halo --exchange-only --overlap-only
box=$source/examples/box/cavity.toml
refused "nowhere.toml" box nowhere.toml
refused "The key 'colision' is unknown.*collision" box "$box" --set lattice.colision=bgk
refused "carrier.*'pigeon'.*messages" box "$box" --carrier pigeon
refused "scheme" box "$box" --scheme sideways
alone "results" box "$box" --steps 2 --out "$scratch/results"
refused "This file can't be written" box "$box" --json "$scratch/nowhere/../out/x.json"
refused "set run.steps=99999999999999999999: The whole number is too large" box "$box" --set run.steps=99999999999999999999
refused "directory in .output. contains the character NUL" box "$box" --set 'output.directory="a\u0000b"'
refused "An argument is empty (the one after box)" box ''
refused "processes" box "$box" --set 'box.processes=[7, 11]'
refused "case" bench setup
refused "nowhere.toml" bench setup --case nowhere.toml
refused "collision" bench kernel --collision srt
refused "'0' is not the size of a block" bench kernel --sizes 128,0
wave="$source/examples/wave/plane.toml --set domain.cells=[16,16,16] --set output.pictures=false --set run.steps=2"
wave="$wave --out $scratch/waves"
refused "nowhere.toml" wave nowhere.toml
refused "Unknown progress mode 'hope'.*send_receive_threads" wave $wave --progress hope
refused "Unknown grouping 'all'.*by_size" wave $wave --grouping all
refused "set communication.grouping.*grouping in .communication. is 'all'.*by_size" wave $wave --set 'communication.grouping="all"'
alone "There is no checkpoint_.*a restart needs a checkpoint" wave $wave --restart
alone "nowhere.weft" wave $wave --restart nowhere.weft
head -c 6000 /dev/zero >"$scratch/zero.weft"
alone "zero.weft.*weft wave did not write it" wave $wave --restart "$scratch/zero.weft"
wait
$weft wave $wave --set checkpoint.every=1 >/dev/null 2>&1
written=$scratch/waves/checkpoint_00000002.weft
alone "another case.*wave.cfl" wave $wave --set wave.cfl=0.3 --restart "$written"
alone "Give a larger number of steps" wave $wave --steps 1 --restart "$written"
head -c 9000 "$written" >"$scratch/short.weft"
alone "short.weft" wave $wave --restart "$scratch/short.weft"

# A flow that becomes unstable: one line with the location, status 1, and a page with the failure; no partial file.
unstable=$scratch/unstable
timeout 500 $run "$weft" flow "$good" --set surface.voxel=0.0004 --set lattice.time_step=0.00006 --set fluid.viscosity=0.012 \
  --set 'inlet.parent.velocity=[[0,0],[0.01,0.5]]' --set output.pictures=false --set pictures.every=100000 --out "$unstable" \
  --json "$scratch/unstable.json" >"$scratch/unstable.out" 2>"$scratch/unstable.err" </dev/null
status=$?
line=$(grep '^error' "$scratch/unstable.err")
place=$(echo "$line" | sed -n 's/.*unstable in step [0-9]* (at [^)]*) at \(([^)]*) mm\), .*/\1/p')
if [ $status -ne 1 ] || [ "$(echo "$line" | wc -l)" -ne 1 ] || [ -z "$place" ] ||
  ! grep -qF "The flow became unstable: this run has no result." "$unstable/summary.html" ||
  ! grep -qF "$place" "$unstable/summary.html" || ! grep -qF "\"place\": \"$place\"" "$scratch/unstable.json" ||
  [ -n "$(find "$unstable" -name '*.weft-*')" ]; then
  echo "FAILED: an unstable flow, status $status (1 is right), place '$place'"
  cat "$scratch/unstable.err"
  find "$unstable"
  failed=1
fi

if "$weft" --help | grep -q '^  fft '; then
  head -c 480 /dev/zero >"$scratch/u.raw"
  fft="--type f64 --output $scratch/fft.raw"
  refused "nowhere.raw" fft nowhere.raw --size 4 $fft
  refused "u.raw.*480 bytes.*512.*--size" fft "$scratch/u.raw" --size 4 $fft
  huge=2147483648
  refused "u.raw.*480 bytes.*can be counted" fft "$scratch/u.raw" --size ${huge}x${huge}x$huge $fft
  refused "'4x' is not the size of a grid" fft "$scratch/u.raw" --size 4x $fft
  refused "type.*'f16'.*c128" fft "$scratch/u.raw" --size 4x3x5 --type f16 --output "$scratch/fft.raw"
  refused "No output is requested" fft "$scratch/u.raw" --size 4x3x5 --type f64
  refused "Unknown progress mode 'hope'" fft "$scratch/u.raw" --size 4x3x5 $fft --progress hope
  refused "half a spectrum" fft "$scratch/u.raw" --inverse $fft
  refused "This file can't be written" fft "$scratch/u.raw" --size 4x3x5 --type f64 --output "$scratch/nowhere/../out/x.raw"
  cp "$scratch/u.raw" "$scratch/u.h5"
  refused "u.h5.*HDF5" fft "$scratch/u.h5" --dataset u $fft
  refused "effort.*'hard'.*patient" fft "$scratch/u.raw" --size 4x3x5 $fft --effort hard
  cp "$scratch/u.raw" "$scratch/older.raw"
  refused "older.raw: This file exists already.*--force" fft "$scratch/u.raw" --size 4x3x5 --type f64 --output "$scratch/older.raw"
  refused "A raw file has no --output-dataset" fft "$scratch/u.raw" --size 4x3x5 $fft --output-dataset s
  refused "dataset needs an HDF5 file" fft "$scratch/u.raw" --dataset u --size 4x3x5 $fft
  refused "'g/'.*its name is empty" fft "$scratch/u.raw" --size 4x3x5 --type f64 --output "$scratch/new.h5" --output-dataset g/
  export WEFT_FFT_BACKEND=kiss
  alone "WEFT_FFT_BACKEND.*kiss.*pocketfft" fft "$scratch/u.raw" --size 4x3x5 $fft
  unset WEFT_FFT_BACKEND
  wait
  [ ! -e "$scratch/fft.raw" ] && [ -z "$(find "$scratch" -name 'fft.raw.*')" ] || { echo "FAILED: output was written"; failed=1; }
fi

wait
[ ! -e "$scratch/missing" ] || { echo "FAILED: a folder was made"; failed=1; }
[ ! -e "$scratch/heme.toml" ] || { echo "FAILED: a case was written"; failed=1; }
[ ! -e "$scratch/results/monitors.csv" ] || { echo "FAILED: output was written"; failed=1; }
[ ! -e "$scratch/failed" ] || failed=1
exit $failed
