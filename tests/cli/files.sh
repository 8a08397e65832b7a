#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
#
# No file is lost, mixed or overwritten by mistake.   files.sh WEFT SOURCE LAUNCHER...
. "$(dirname -- "$0")/common.sh"

# The same for errors that rank 0 finds alone: one rank is enough.
once() { [ "$run" != env ] || refused "$@"; }
unfinished() { find . -name '*.weft-????????????'; }

box="$source/examples/box/cavity.toml --set box.size=[12,12]"
wave="$source/examples/wave/plane.toml --set domain.cells=[16,16,16] --set output.pictures=false --set checkpoint.every=1 --set monitor.every=1"
flow="$source/examples/aneurysm/case.toml --set surface.voxel=0.0004 --set lattice.time_step=0.0001 --set run.steps=2"
flow="$flow --set output.pictures=false"

# A file with a name like a temporary file belongs to the user, and so does the target of a link.
seq 200000 >one
for name in a.zst.part a.zst.tmp a.zst.weft-; do echo mine >$name; done
echo mine >theirs
ln -s theirs a.zst.weft-abcdefghrxih
runs pack one -o a.zst
for name in a.zst.part a.zst.tmp a.zst.weft- theirs; do [ "$(cat $name)" = mine ] || fail "$name was touched"; done
rm a.zst.weft-abcdefghrxih
cp one out.part
runs pack out.part -o out
cmp one out.part || fail "an input called like a temporary file"

# An old file with a name like a temporary file belongs to the user, too.
echo mine >a.zst.weft-backup
touch -d '3 days ago' a.zst.weft-backup
runs pack one -o a.zst --force
[ "$(cat a.zst.weft-backup)" = mine ] || fail "a backup was removed"
rm a.zst.weft-backup

# Two runs at once: one complete file, by one of them.
timeout 500 $run "$weft" pack one -o both.zst --block 4k --force >out.1 2>&1 </dev/null &
timeout 500 $run "$weft" pack one -o both.zst --block 5k --force >out.2 2>&1 </dev/null &
wait
runs unpack both.zst -o back
cmp back one || fail "two writers of one archive"
# Without --force the one that ends second is refused. (Its input is a pipe, so that the test determines its end.)
for ending in zst bz2; do
  mkfifo slow
  timeout 500 $run "$weft" pack slow -o late.$ending >late.out 2>late.err </dev/null &
  background=$!
  exec 9>slow
  tries=0
  while ! is_writing "$scratch"; do
    sleep 0.05
    tries=$((tries + 1))
    [ $tries -lt 600 ] || fail "the slow pack did not begin"
  done
  runs pack one -o late.$ending
  echo slow >&9
  exec 9>&-
  wait $background
  [ $? -eq 2 ] || fail "the second of two packs did not end with 2"
  background=
  [ "$(grep -c '^error.*This file exists already' late.err)" -eq 1 ] || fail "the second of two packs: $(cat late.err)"
  runs unpack late.$ending -o back --force
  cmp back one || fail "the first of two packs"
  rm slow
done
# An index that is a link stays a link.
runs pack one -o linked.bz2
mkdir elsewhere
mv linked.bz2.index elsewhere/index
ln -s elsewhere/index linked.bz2.index
runs pack one -o linked.bz2 --block 50k --force
[ -h linked.bz2.index ] || fail "the link of an index was removed"
runs unpack linked.bz2 -o back --force
cmp back one || fail "an index behind a link"
rm linked.bz2 linked.bz2.index late.bz2.index

# An input file is not overwritten, under any name.
ln one hard
refused "hard: This file is read" pack one -o hard --force
runs pack one -o one.bz2
rm one.bz2
refused "one.bz2.index: This file exists already" pack one -o one.bz2
runs pack one -o one.bz2 --force
refused "This file is read" unpack one.bz2 -o one.bz2.index --force
cp "$source/examples/box/cavity.toml" case.toml
refused "case.toml: This file is read" box case.toml --json case.toml
cp "$source/examples/aneurysm/aneurysm.stl" .
refused "aneurysm.stl: This file is read" openings aneurysm.stl --json aneurysm.stl --no-picture
once "v.toml: This file would be written twice" openings aneurysm.stl --write v.toml --json v.toml --no-picture
once "v.png: This file would be written twice (it is the same file as ./v.png)" openings aneurysm.stl --json ./v.png --picture v.png
cp "$source/examples/aneurysm/case.toml" flow.toml
refused "flow.toml: This file is read" flow flow.toml --json flow.toml
cp "$source/flow/tests/hemelb/bifurcation.xml" .
refused "bifurcation.xml: This file is read" import bifurcation.xml -o bifurcation.xml
echo geometry >bifurcation.gmy
once "bifurcation.gmy: This file is read" import bifurcation.xml -o bifurcation.gmy --force
[ "$(cat bifurcation.gmy)" = geometry ] || fail "the geometry was replaced"
sed 's/subtype="cosine" type="pressure"/subtype="file" type="pressure"/; s/<amplitude .*/<path value="in.txt"\/>/' bifurcation.xml >series.xml
printf '0 1\n1 2\n' >in.txt
once "in.txt: This file is read" import series.xml -o in.txt --force
echo mine >bifurcation.toml
once "bifurcation.toml: This file exists already.*--force" import bifurcation.xml
once "nodir/b.toml: This file can't be written.*no folder" import bifurcation.xml -o nodir/b.toml
cp "$source/bench/tests/predict/xe6/steps8.json" .
refused "steps8.json: This file is read" predict "steps8.json#1" --latency 1ms --rate 1gbit --ranks 16 --json steps8.json
cp steps8.json 'a#b.json'
once "a#b.json: This file is read" predict 'steps8.json#1' --latency 1ms --rate 1gbit --ranks 16 --check 'a#b.json' --json 'a#b.json'
once "a#b.json: This file is read" predict 'a#b.json' --latency 1ms --rate 1gbit --ranks 16 --json 'a#b.json'
if has bench; then
  once "case.toml: This file is read" bench monitors --case case.toml --json case.toml
  sed 's/^velocity = .*/velocity = "inflow.csv"/' flow.toml >driven.toml
  printf '0, 0.1\n1, 0.1\n' >inflow.csv
  ln -s aneurysm.stl surface.link
  for words in "setup --case" "coalesce --case" "monitors --case" "kernel --sizes 8 --vessels"; do
    for file in aneurysm.stl surface.link inflow.csv; do
      once "$file: This file is read" bench $words driven.toml --json $file
    done
  done
  cmp aneurysm.stl "$source/examples/aneurysm/aneurysm.stl" || fail "a case's surface was replaced"
  [ "$(cat inflow.csv)" = "$(printf '0, 0.1\n1, 0.1')" ] || fail "an opening's file was replaced"
  once "one: This file is read" bench pack one --json one
  echo 0 1 0 >late
  refused "late: This file is read" bench collectives --delayed late --json late
  once "nodir/r.json: This file can't be written.*no folder" bench core --quick --json nodir/r.json
fi
mkdir folder
for write in gather parallel; do
  refused "nodir/a.zst: This file can't be written.*no folder" pack one -o nodir/a.zst --write $write
  refused "nodir/a: This file can't be written.*no folder" unpack a.zst -o nodir/a --write $write
  once "folder: This file can't be written.*it is a folder" unpack a.zst -o folder --write $write --force
done
once "An argument is empty (the one after -o)" pack one -o ''
once "not end in .zst, .bz2, .gz, .xz or .lzma" unpack one
if command -v xz >/dev/null; then
  xz --format=lzma -k one
  mv one.lzma named.lzma
  runs unpack named.lzma
  cmp named one || fail "a .lzma file without -o"
fi
[ ! -e nodir ] || fail "a folder was made"
# Ranks that see different files of one name, as on a disk of each node.
if [ "$run" != env ] && unshare -m true 2>unshare.err; then
  cat >apart <<'END'
#!/bin/sh
seen=$1 hidden=$2
shift 2
[ "${OMPI_COMM_WORLD_RANK:-${PMI_RANK:-0}}" = 1 ] || exec "$WEFT" "$@"
exec unshare -m sh -c 'mount --bind "$0" "$1" && shift && exec "$@"' "$hidden" "$seen" "$WEFT" "$@"
END
  chmod +x apart
  for name in seen hidden; do head -c 8000 /dev/urandom >$name.raw; done
  cp "$source/examples/box/cavity.toml" seen.toml
  { cat seen.toml; echo '# hidden'; } >hidden.toml
  (
    export WEFT="$weft"
    weft=./apart
    ! has fft || refused "seen.raw: Rank 1 on .* sees another file of this name" seen.raw hidden.raw \
      fft seen.raw --size 10x10x10 --type f64 -o apart.raw
    refused "seen.toml: Rank 1 on .* sees another file of this name" seen.toml hidden.toml box seen.toml --steps 2
  ) || exit 1
  [ ! -e apart.raw ] || fail "a mixture was written"
fi

if has fft; then
  head -c 4096 /dev/zero >f.raw
  refused "f.raw: This file is read" fft f.raw --size 8 --type f64 --output f.raw
  refused "would be written twice" fft f.raw --size 8 --type f64 --out s --spectrum ./s
  refused "nodir/s: This file can't be written.*no folder" fft f.raw --size 8 --type f64 --output nodir/s
  [ ! -e nodir ] || fail "a folder was made"
fi

# No file in the working folder is executed.
mkdir -p .venv/bin weft
printf '#!/bin/sh\ntouch "%s/was_run"\n' "$scratch" | tee .venv/bin/python >python3
chmod +x .venv/bin/python python3
printf 'open("%s/was_run", "w")\n' "$scratch" | tee weft/__init__.py >weft/pictures.py
runs box $box --steps 2 --set output.pictures=true --out drawn
[ ! -e was_run ] || fail "code of the working folder was run"
# Nor a file three folders above an installed program, where others may write.
mkdir -p installed/bin
cp "$(dirname "$weft")/weft" "$(dirname "$weft")/weft-box" installed/bin
timeout 500 $run "$scratch/installed/bin/weft" box $box --steps 2 --set output.pictures=true --out drawn >said 2>told </dev/null ||
  fail "an installed weft box"
[ ! -e was_run ] || fail "a Python of somebody else's was run"

# Slow pictures do not end a run, even with a short time-out.
if [ "$run" != env ]; then
  printf '#!/bin/sh\nsleep 8\n' >slow_python
  chmod +x slow_python
  WEFT_PYTHON="$scratch/slow_python" WEFT_GIVE_UP_SECONDS=5 runs box $box --steps 2 --set output.pictures=true --out drawn
fi

# A name that is not UTF-8.
odd=$(printf 'b\377d.toml')
if cp case.toml "$odd" 2>/dev/null; then
  runs box "$odd" --set 'box.size=[12,12]' --steps 2 --out odd --json odd.json
  grep -q monitors odd.json || fail "the result of a case with an odd name"
fi

# Sizes too large for any machine, and values without meaning.
refused "100000 x 100000 x 100000 sites would need .* of memory" box "$source/examples/box/taylor-green.toml" --set box.size=[100000,100000,100000]
refused "cells would need .* of memory" wave $wave --set domain.cells=[2048,2048,2048]
[ "$(awk '/MemTotal/ { print $2 }' /proc/meminfo)" -gt 200000000 ] ||
  refused "window of 64 on .* ranks would need .* of memory.*--block" pack - -o m.zst --block 1GiB --window 64
refused "largest speed" box "$source/examples/box/taylor-green.toml" --set start.speed=1e300
refused "would need .* of memory" box "$source/examples/box/taylor-green.toml" --set box.size=[100000,100000,100000] --out asked --json asked/r.json
[ ! -e asked ] || fail "a folder was left by asking"
runs box $box --steps 2 --out asked/ --json asked/r.json
sed '/^\[\[pulse\]\]/,/^$/d; 1i pulse = []' "$source/examples/wave/plane.toml" >still.toml
refused "'pulse' has no entry" wave still.toml

# wave continues from a folder, keeps two files of the earlier run, and removes the remains of a killed run.
runs wave $wave --steps 3 --out waves
echo left >waves/checkpoint_00000009.weft.weft-abcdefghrxih
runs wave $wave --steps 6 --out waves --restart waves
[ "$(cut -d, -f1 waves/monitors.csv | tr '\n' ' ')" = "step 0 1 2 3 4 5 6 " ] || fail "rows: $(cat waves/monitors.csv)"
[ "$(find waves -name 'checkpoint_*' | wc -l)" -eq 2 ] || fail "not two checkpoints: $(ls waves)"
# After a new run with another case, later steps of the older run are ignored.
runs wave $wave --set wave.cfl=0.3 --steps 2 --set checkpoint.every=2 --out other
cp waves/checkpoint_00000006.weft other/checkpoint_00000006.weft
runs wave $wave --set wave.cfl=0.3 --steps 4 --out other --restart
grep -q "warning: .*another case" told || fail "the other case's checkpoint was passed over in silence"
# A pipe is not a checkpoint, and weft does not write into it.
mkdir pipes
mkfifo pipes/checkpoint_00000009.weft
for from in pipes/checkpoint_00000009.weft pipes; do
  refused "checkpoint_00000009.weft is not a usable checkpoint (it is not a regular file)" wave $wave --steps 4 --out other --restart $from
done
once "checkpoint_00000009.weft is not a usable checkpoint (it is not a regular file)" box $box --steps 4 --out drawn --restart pipes
mkdir closed
chmod 0 closed
[ -r closed ] || refused "closed: can't be read (Permission denied)" wave $wave --out other --restart closed
chmod 700 closed

# Only one run uses a folder. (With one rank, since the test can't kill mpirun's processes.)
if [ "$run" = env ]; then
  "$weft" box $box --set "box.size=[200,200]" --steps 1000000000 --out busy >busy.out 2>&1 </dev/null &
  background=$!
  tries=0
  while [ ! -s busy/.weft-lock ]; do
    sleep 0.1
    tries=$((tries + 1))
    [ $tries -lt 300 ] || fail "the run did not begin"
  done
  refused "busy: Another run writes into this folder (process $background on " box $box --steps 2 --out busy
  kill -9 $background
  wait $background 2>/dev/null
  background=
  runs box $box --steps 2 --out busy
  [ ! -e busy/.weft-lock ] || fail "a lock was left"

  # Unreadable input and unwritable output, for every command the same.
  mkdir -p locked
  echo secret >unreadable
  chmod 0 unreadable
  chmod 500 locked
  network="--latency 1ms --rate 1gbit --ranks 16"
  while read -r words; do
    has "${words%% *}" || continue
    for input in missing folder unreadable; do
      case $input in missing) why="No such file or directory" ;; folder) why="Is a directory" ;; *) why="Permission denied" ;; esac
      [ $input = unreadable ] && [ -r unreadable ] && continue
      set -- $words
      for word in "$@"; do
        shift
        [ "$word" = INPUT ] && word=$input
        set -- "$@" "$word"
      done
      refused "$input: This file can't be read ($why)" "$@"
    done
  done <<END
flow INPUT
box INPUT
wave INPUT
fft INPUT --size 8 --type f64 --output s
pack INPUT -o x.zst
unpack INPUT -o x
openings INPUT --no-picture
openings aneurysm.stl --unit mm --no-picture --outlets-from INPUT
import INPUT -o x.toml
predict INPUT $network
bench monitors --case INPUT
END
  [ -w locked ] || while read -r words; do
    has "${words%% *}" && refused "locked.*: This file can't be written (Permission denied)" $words
  done <<END
flow $flow --out locked/out
flow $flow --out out --json locked/r.json
box $box --steps 2 --out locked/out
box $box --steps 2 --out out --json locked/r.json
wave $wave --steps 2 --out locked/out
wave $wave --steps 2 --out out --json locked/r.json
fft f.raw --size 8 --type f64 --output locked/s
fft f.raw --size 8 --type f64 --spectrum locked/s.csv
pack one -o locked/a.zst
pack one -o locked/a.zst --write parallel
unpack a.zst -o locked/a
unpack a.zst -o locked/a --write parallel
openings aneurysm.stl --unit mm --no-picture --write locked/v.toml
openings aneurysm.stl --unit mm --no-picture --json locked/v.json
openings aneurysm.stl --unit mm --picture locked/v.png
import bifurcation.xml -o locked/b.toml
predict steps8.json#1 $network --json locked/r.json
bench core --quick --json locked/r.json
END
  chmod 700 locked

  # A full disk, for every command the same: one line, status 2, no remains. (A limit on the size of files has the same
  # effect.)
  full() {
    (
      ulimit -f "$1"
      shift
      refused "$@"
    ) || exit 1
    [ -z "$(unfinished)" ] || fail "left: $(unfinished)"
  }
  head -c 3000000 /dev/urandom >noise
  full 1000 "n.zst: This file can't be written (File too large)" pack noise -o n.zst
  full 1000 "n.zst: This file can't be written (.*)" pack noise -o n.zst --write parallel
  full 1000 "m: This file can't be written (File too large)" unpack a.zst -o m
  runs pack noise -o small.zst --block 100k
  full 1000 "m: This file can't be written (.*)" unpack small.zst -o m --write parallel
  runs pack noise -o kept.zst
  cp kept.zst kept
  full 1000 "kept.zst: This file can't be written (.*)" pack noise -o kept.zst --write parallel --block 200k --force
  cmp kept kept.zst || fail "an old archive was lost"
  [ ! -e n.zst ] && [ ! -e m ] || fail "an output was left"
  full 20 "full/.*: This file can't be written (File too large" box $box --set 'box.size=[64,64]' --steps 2 --out full
  full 100 "full/.*: This file can't be written (File too large" wave $wave --steps 2 --out full
  full 100 "full/.*: This file can't be written (File too large" flow $flow --out full
  has fft && full 4 "s.raw: This file can't be written (File too large" fft f.raw --size 8 --type f64 --output s.raw
fi
[ "$run" = env ] || ! has bench || refused "missing: This file can't be read (No such file" bench collectives --delayed missing
# The same on any number of ranks, with a device that is always full.
if [ -c /dev/full ]; then
  ln -s /dev/full full.json
  refused "full.json: This file can't be written (No space left on device)" pack one -o full.json
  once "full.json: This file can't be written (No space left on device)" unpack a.zst -o full.json
  refused "full.json: This file can't be written (No space left on device)" box $box --steps 2 --out drawn --json full.json
  once "full.json: This file can't be written (No space left on device)" predict 'steps8.json#1' --run-network same --force --latency 1ms --rate 1gbit --ranks 16 --json full.json
  once "full.json: This file can't be written (No space left on device)" openings aneurysm.stl --unit mm --no-picture --json full.json
  [ -h full.json ] || fail "a link to a device was replaced"
fi
[ -z "$(unfinished)" ] || fail "left: $(unfinished)"
exit 0
