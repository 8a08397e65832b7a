#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
#
# weft pack and unpack compared with the standard tools.   pack.sh WEFT SOURCE LAUNCHER...
# Without mpirun (LAUNCHER is env) all tests; on several ranks those that depend on the number of ranks.
. "$(dirname -- "$0")/common.sh"

same() { cmp "$1" "$2" || fail "$3"; }
# Refused, without an output file.
none() {
  refused "$@"
  [ -z "$(find . -name none -o -name 'none.*')" ] || fail "left an output: $*"
}

cat "$weft" "$source"/flow/*/*.cpp "$source"/bench/*/*/*.cpp "$source"/core/*/*/*/*.cpp | head -c 1200000 >one
printf 'last' >two
: >empty
cat one empty two >all

# MPICH 4.0's launcher fails with a large standard input, whatever the program does.
pipes=$($run wc -c <all 2>/dev/null | awk '{ sum += $1 } END { print sum }')
[ "$pipes" = "$(wc -c <all)" ] || echo "not tested: standard input (the launcher does not pass it on)"

for kind in zstd:zst:"zstd -dc" bzip2:bz2:"bzip2 -dc" xz:xz:"xz -dc" gzip:gz:"gzip -dc"; do
  codec=${kind%%:*} rest=${kind#*:}
  end=${rest%%:*} tool=${rest#*:}
  command -v ${tool% *} >/dev/null || continue
  level=1
  for write in gather parallel; do
    runs pack one empty two -o all.$end --block 100k --level $level --write $write --force
    $tool all.$end | cmp - all || fail "$tool of $codec, --write $write"
    runs unpack all.$end -o back --write $write --force
    same back all "unpack of $codec, --write $write"
  done
  case $codec in xz | gzip) [ "$run" = env ] || continue ;; esac
  runs unpack all.$end -o part --range 150000:450001 --force
  tail -c +150001 all | head -c 300001 | cmp - part || fail "a range of $codec"
  # Data through pipes, without an index for bzip2.
  if [ "$pipes" = "$(wc -c <all)" ]; then
    # mpirun 4.1 itself sometimes crashes with a standard input, whatever the program does.
    for try in 1 2 3 4; do
      $run "$weft" pack - -o - --codec $codec --block 100k --quiet <all >piped.$end 2>err
      status=$?
      [ $status -eq 139 ] || break
    done
    [ $status -eq 0 ] || fail "pack of a pipe, $codec"
    $tool piped.$end | cmp - all || fail "$tool of a pipe, $codec"
    $run "$weft" unpack piped.$end -o - --quiet >back 2>err </dev/null || fail "unpack to a pipe, $codec"
    same back all "unpack to a pipe, $codec"
    [ "$run" != env ] || "$weft" unpack - --quiet <piped.$end | cmp - all || fail "unpack of a pipe, $codec"
  fi
  ls -A >before
  runs unpack all.$end --test
  ls -A | cmp before - || fail "a test of $codec wrote something"
  half=$(($(wc -c <all.$end) / 2))
  { head -c $half all.$end; printf 'XXXXXXXX'; tail -c +$((half + 9)) all.$end; } >bad.$end
  [ ! -e all.$end.index ] || cp all.$end.index bad.$end.index
  none "bad.$end: .*damaged" unpack bad.$end -o none
  [ "$run" = env ] || continue
  runs unpack all.$end -o part --range 1199990: --force
  tail -c +1199991 all | cmp - part || fail "the end of $codec"
  runs unpack piped.$end -o part --range 5:77 --force
  tail -c +6 all | head -c 72 | cmp - part || fail "a range of $codec without an index"
  runs pack empty -o empty.$end --force
  $tool empty.$end | cmp - empty || fail "nothing, $codec"
  # A file of the standard tool.
  case $codec in zstd) zstd -qc all ;; bzip2) bzip2 -c1 all ;; xz) xz -c0 all ;; gzip) gzip -nc all ;; esac >theirs.$end
  runs unpack theirs.$end -o back --force
  same back all "unpack of $codec's own file"
  [ $codec = zstd ] || {  # data that a tool skips, and data that it does not skip
    { cat theirs.$end; printf 'some more'; } >more.$end
    $tool more.$end >back 2>err
    status=$?
    if [ $status -eq 0 ] || [ $codec = gzip ]; then  # gzip warns, with status 2
      runs unpack more.$end -o more --force
      same more all "$codec with something behind it"
      grep -q "warning: more.$end: The last 9 bytes" told || fail "no warning of what was passed over"
    else
      none "more.$end" unpack more.$end -o none
    fi
  }
  if [ $codec = bzip2 ]; then  # before another stream it is damage
    { cat theirs.$end; printf 'some more'; cat theirs.$end; } >inside.$end
    none "inside.$end: .*damaged" unpack inside.$end -o none
  fi
  if [ $codec = xz ]; then
    xz -0c --format=lzma all >all.lzma
    runs unpack all.lzma -o back --force
    same back all ".lzma"
  fi
  head -c $half all.$end >cut.$end
  none "cut.$end: .*truncated" unpack cut.$end -o none
  none "cut.$end: .*truncated" unpack cut.$end --test
  none "bad.$end: .*damaged" unpack bad.$end --test
  # Cut between two blocks, as a broken pipe cuts.
  case $codec in
  zstd) between=$(($(wc -c <all.$end) - $(tail -c 9 all.$end | od -A n -t u4 -N 4) * 8 - 17)) ;;
  bzip2) between=$(awk 'NR < 7 && NR > 1 { sum += $1 } END { print sum }' all.$end.index) ;;
  gzip) between=$(($(wc -c <all.$end) - 10 - 34 - 13 * 12)) ;;  # before the last deflate block, which is empty
  xz) between=$(xz -lvv all.$end | awk '$1 == 1 && $2 == 6 { print $3 }') ;;
  esac
  head -c $between all.$end >cut.$end
  "$weft" unpack - <cut.$end >back 2>told
  [ $? -eq 2 ] && grep -q '^error: -: .*truncated' told || fail "a pipe that was cut, $codec"
  none "cut.$end: .*truncated" unpack cut.$end -o none
  [ $codec = bzip2 ] || [ $codec = gzip ] || none "cut.$end: .*truncated" unpack cut.$end -o none --range 0:1
  [ $codec = zstd ] || ! $tool cut.$end >back 2>err || fail "$tool accepts what was cut"
done

none "nowhere" pack nowhere -o none
[ "$run" = env ] || exit 0
none "core: This file can't be read (Is a directory)" pack "$source/core" -o none
none "codec 'rar' is unknown.*zstd" pack one -o none --codec rar
none "none.lz4: The ending .lz4 is that of another format (which weft pack does not write)" pack one -o none.lz4
none "none.XZ: The ending .xz is that of another format (the codec is gzip)" pack one -o none.XZ --codec gzip
for name in x.tgz:gzip x.TBZ2:bzip2 x.tzst:zstd x:zstd; do
  runs pack one -o ${name%:*} --json how.json --force
  grep -q "\"codec\": \"${name#*:}\"" how.json || fail "the codec of $name"
done
runs unpack x.tgz
same x.tar one "the name of the content of x.tgz"
none "zstd has no level 40.*1 to 19" pack one -o none --level 40
none "block of 17 bytes" pack one -o none --block 17
none "all.zst: This file exists already.*force" pack one -o all.zst
none "one: This file is read, so it" pack one -o one --force
none "standard output" pack one -o - --write parallel
none "This file can't be written" pack one -o one/none
none "one: The format of this archive is unknown" unpack one -o none
none "empty: The file is empty" unpack empty -o none
none "-: The file is empty" unpack - -o none
none "name of the output can't be derived" unpack all
none "'x:y' is not a range of bytes" unpack all.zst -o none --range x:y
none "ends before" unpack all.zst -o none --range 9:3
none "has no bytes" unpack all.zst -o none --range 0:99999999
cp all.bz2 other.bz2 && printf 'weft-index 1 bzip2 5 5\n5 5\n' >other.bz2.index
none "other.bz2.index: This is not the index" unpack other.bz2 -o none
# Who may use the input may use the output, from its first byte on, as with gzip, xz and zstd.
umask 022
modes() { stat -c %a "$@" | tr '\n' ' '; }
cp one secret && cp two open && chmod 640 secret && chmod 644 open
for codec in zstd bzip2 gzip xz; do
  runs pack secret -o secret.packed --codec $codec --force --quiet
  chmod 600 secret.packed  # as if it had been moved
  runs unpack secret.packed -o back --force --quiet
  [ "$(modes secret secret.packed back)" = "640 600 600 " ] || fail "modes with $codec: $(modes secret secret.packed back)"
  runs pack secret open -o both.packed --codec $codec --force --quiet
  [ "$(modes both.packed)" = "640 " ] || fail "the mode of two files with $codec"
done
[ "$(modes both.packed.index)" = "640 " ] || fail "the mode of an index"
# A limit of the batch system for files is an error, not a signal.
head -c 3000000 /dev/zero >zeros
runs pack zeros -o zeros.zst --quiet
(ulimit -f 1000; none "none: This file can't be written (File too large)" unpack zeros.zst -o none) || exit 1
(ulimit -f 10; refused "can't be written (File too large)" pack one -o none.xz) || exit 1
# A test verifies more than what it would unpack: the checksum at the end of a stream that an index describes.
{ head -c $(($(wc -c <all.bz2) - 4)) all.bz2; printf XXXX; } >end.bz2
cp all.bz2.index end.bz2.index
none "end.bz2: .*damaged" unpack end.bz2 --test
"$weft" unpack --test - <all.xz 2>told || fail "a test of a pipe"
lists() {
  runs unpack --list $1
  grep -q "$2" said || fail "the list of $1: no '$2'"
}
lists all.zst "^all.zst: zstd, 13 parts, .* (1200004 bytes), ratio"
lists all.bz2 "^all.bz2: bzip2, 13 parts, .* (1200004 bytes), ratio"
lists all.xz "^all.xz: xz, 13 parts, .* (1200004 bytes), ratio"
lists all.gz "^all.gz: gzip, 13 parts, .* (1200004 bytes), ratio"
lists theirs.gz "^theirs.gz: gzip, 1 part, .* content of unknown size"
none "input can't be listed" unpack --list -
none "excludes" unpack --list all.zst -o none
# Pipes by name: with a writer they are read, without one they are refused.
mkfifo pipe
cat all.zst >pipe &
runs unpack pipe -o back --force
same back all "unpack of a pipe with a name"
none "pipe: This file can't be read (no program writes into this pipe)" unpack pipe -o none
none "pipe: This file can't be read (no program writes into this pipe)" pack pipe -o none
# Ctrl-C leaves nothing.
mkdir interrupted
mkfifo slow
(cat all; sleep 60) >slow &
background=$!
"$weft" pack slow -o interrupted/all.zst --block 4KiB --quiet &
packing=$!
for try in $(seq 200); do
  is_writing "$scratch/interrupted" && break
  sleep 0.1
done
kill -TERM $packing
wait $packing
[ $? -eq 143 ] || fail "pack was not ended by the signal"
[ -z "$(ls -A interrupted)" ] || fail "a signal left $(ls -A interrupted)"
kill $background 2>/dev/null
background=
# What is intact, but not for this program, is not called damaged.
if command -v zstd >/dev/null; then
  zstd -qc --long=30 <all >long.zst
  none "long.zst: .*window of more than 128 MiB.*zstd -d --long=31" unpack long.zst -o none
  split -n 300 all sample.
  zstd -q --train sample.* -o dictionary 2>told
  zstd -qc -D dictionary one >with.zst
  none "with.zst: .*need the dictionary.*zstd -d -D" unpack with.zst -o none
fi
# Cut after the first letters of a stream's head.
bzip2 -c1 one >first.bz2
bzip2 -c1 two >second.bz2
for letters in 1 2 3 4 9; do
  { cat first.bz2; head -c $letters second.bz2; } >head.bz2
  none "head.bz2: .*truncated" unpack head.bz2 -o none
done
exit 0
