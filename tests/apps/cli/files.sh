#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
#
# No file is lost, mixed or overwritten that should not be.   files.sh WEFT SOURCE LAUNCHER...
weft=$1 source=$2
shift 2
scratch=$(mktemp -d) || exit 1
background=
trap '[ -z "$background" ] || kill -9 $background 2>/dev/null; rm -rf "$scratch"' EXIT
run="$*"
cd "$scratch" || exit 1

fail() { echo "FAILED: $*"; cat said told 2>/dev/null; exit 1; }
runs() { timeout 100 $run "$weft" "$@" >said 2>told </dev/null || fail "weft $*"; }
# refused TEXT ARGUMENT...: one line that begins with "error" and holds TEXT, and status 2.
refused() {
  text=$1
  shift
  timeout 60 $run "$weft" "$@" >said 2>told </dev/null
  status=$?
  [ $status -eq 2 ] || fail "weft $*: status $status (2 is right)"
  [ "$(grep -c '^error' told)" -eq 1 ] || fail "weft $*: not one error line"
  grep -q "^error.*$text" told || fail "weft $*: no '$text'"
}
unfinished() { find . -name '*.weft-??????'; }
has() { "$weft" --help | grep -q "^  $1 "; }

box="$source/examples/box/cavity.toml --set box.size=[12,12]"
wave="$source/examples/wave/plane.toml --set domain.cells=[16,16,16] --set output.pictures=false --set checkpoint.every=1 --set monitor.every=1"
flow="$source/examples/aneurysm/case.toml --set surface.voxel=0.0004 --set lattice.time_step=0.0001 --set run.steps=2"
flow="$flow --set output.pictures=false"

# What has the name that a temporary file might have is the user's, and so is what a link leads to.
seq 200000 >one
for name in a.zst.part a.zst.tmp a.zst.weft-; do echo mine >$name; done
echo mine >theirs
ln -s theirs a.zst.weft-aaaaaa
runs pack one -o a.zst
for name in a.zst.part a.zst.tmp a.zst.weft- theirs; do [ "$(cat $name)" = mine ] || fail "$name was touched"; done
rm a.zst.weft-aaaaaa
cp one out.part
runs pack out.part -o out
cmp one out.part || fail "an input called like a temporary file"

# Two at once: one whole file, by one of them.
timeout 100 $run "$weft" pack one -o both.zst --block 4k --force >out.1 2>&1 </dev/null &
timeout 100 $run "$weft" pack one -o both.zst --block 5k --force >out.2 2>&1 </dev/null &
wait
runs unpack both.zst -o back
cmp back one || fail "two writers of one archive"

# What is read is not written, whatever it is called.
ln one hard
refused "hard: is read" pack one -o hard --force
runs pack one -o one.bz2
rm one.bz2
refused "one.bz2.index: is there already" pack one -o one.bz2
runs pack one -o one.bz2 --force
refused "is read" unpack one.bz2 -o one.bz2.index --force
cp "$source/examples/box/cavity.toml" case.toml
refused "case.toml: is read" box case.toml --json case.toml
cp "$source/examples/aneurysm/aneurysm.stl" .
refused "aneurysm.stl: is read" openings aneurysm.stl --json aneurysm.stl --no-picture
cp "$source/examples/aneurysm/case.toml" flow.toml
refused "flow.toml: is read" flow flow.toml --json flow.toml
cp "$source/tests/libs/hemelb/bifurcation.xml" .
refused "bifurcation.xml: is read" import bifurcation.xml -o bifurcation.xml
cp "$source/tests/apps/predict/xe6/steps8.json" .
refused "steps8.json: is read" predict "steps8.json#1" --latency 1ms --rate 1gbit --ranks 16 --json steps8.json
if has fft; then
  head -c 4096 /dev/zero >f.raw
  refused "f.raw: is read" fft f.raw --size 8 --type f64 --output f.raw
  refused "same file" fft f.raw --size 8 --type f64 --output s --spectrum ./s
  refused "cannot write nodir/s.*no folder" fft f.raw --size 8 --type f64 --output nodir/s
  [ ! -e nodir ] || fail "a folder was made"
fi

# Nothing in the working folder is run.
mkdir -p .venv/bin weft
printf '#!/bin/sh\ntouch "%s/was_run"\n' "$scratch" | tee .venv/bin/python >python3
chmod +x .venv/bin/python python3
printf 'open("%s/was_run", "w")\n' "$scratch" | tee weft/__init__.py >weft/pictures.py
runs box $box --steps 2 --set output.pictures=true --out drawn
[ ! -e was_run ] || fail "code of the working folder was run"

# A name that is no UTF-8.
odd=$(printf 'b\377d.toml')
if cp case.toml "$odd" 2>/dev/null; then
  runs box "$odd" --set 'box.size=[12,12]' --steps 2 --out odd --json odd.json
  grep -q monitors odd.json || fail "the result of a case with an odd name"
fi

# Too large for any machine, and what makes no sense.
refused "100000 x 100000 x 100000 sites takes .* of memory" box "$source/examples/box/taylor-green.toml" --set box.size=[100000,100000,100000]
refused "cells takes .* of memory" wave $wave --set domain.cells=[2048,2048,2048]
refused "largest speed" box "$source/examples/box/taylor-green.toml" --set start.speed=1e300
sed '/^\[\[pulse\]\]/,/^$/d; 1i pulse = []' "$source/examples/wave/plane.toml" >still.toml
refused "pulse has no entry" wave still.toml

# wave goes on from a folder, keeps two files of whoever wrote them, and removes what a killed run left.
runs wave $wave --steps 3 --out waves
echo left >waves/checkpoint_00000009.weft.weft-abcdef
runs wave $wave --steps 6 --out waves --restart waves
[ "$(cut -d, -f1 waves/monitors.csv | tr '\n' ' ')" = "step 0 1 2 3 4 5 6 " ] || fail "rows: $(cat waves/monitors.csv)"
[ "$(find waves -name 'checkpoint_*' | wc -l)" -eq 2 ] || fail "not two checkpoints: $(ls waves)"
# After a fresh run with another case, what the older one left of a later step is passed over.
runs wave $wave --set wave.cfl=0.3 --steps 2 --set checkpoint.every=2 --out other
cp waves/checkpoint_00000006.weft other/checkpoint_00000006.weft
runs wave $wave --set wave.cfl=0.3 --steps 4 --out other --restart
grep -q "warning: .*another case" told || fail "the other case's checkpoint was passed over in silence"

# A folder is one run's. (mpirun's processes are not ours to kill, so on one rank.)
if [ "$run" = env ]; then
  "$weft" box $box --steps 1000000000 --out busy >busy.out 2>&1 </dev/null &
  background=$!
  tries=0
  while [ ! -s busy/.weft-lock ]; do
    sleep 0.1
    tries=$((tries + 1))
    [ $tries -lt 300 ] || fail "the run did not begin"
  done
  refused "busy: another run writes there (process $background on " box $box --steps 2 --out busy
  kill -9 $background
  wait $background 2>/dev/null
  background=
  runs box $box --steps 2 --out busy
  [ ! -e busy/.weft-lock ] || fail "a lock was left"

  # A disk that is full, for every command the same: one line, status 2, nothing left. (A limit to what a file may hold is
  # as good, if the signal that comes with it is ignored.)
  full() {
    (
      trap '' XFSZ
      ulimit -f "$1"
      shift
      refused "$@"
    ) || exit 1
    [ -z "$(unfinished)" ] || fail "left: $(unfinished)"
  }
  head -c 3000000 /dev/urandom >noise
  full 1000 "cannot write n.zst (File too large)" pack noise -o n.zst
  full 1000 "cannot write n.zst (.*)" pack noise -o n.zst --write parallel
  full 1000 "cannot write m (File too large)" unpack a.zst -o m
  [ ! -e n.zst ] && [ ! -e m ] || fail "an output was left"
  full 20 "cannot write full/.*(File too large" box $box --set 'box.size=[64,64]' --steps 2 --out full
  full 100 "cannot write full/.*(File too large" wave $wave --steps 2 --out full
  full 100 "cannot write full/.*(File too large" flow $flow --out full
  has fft && full 4 "cannot write s.raw (File too large" fft f.raw --size 8 --type f64 --output s.raw
fi
[ -z "$(unfinished)" ] || fail "left: $(unfinished)"
exit 0
