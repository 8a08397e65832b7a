# SPDX-License-Identifier: BSD-3-Clause
#
# Included by the tests of programs as users run them, with the arguments WEFT SOURCE LAUNCHER... It changes to a
# scratch folder.
weft=$1 source=$2
shift 2
run="$*"
scratch=$(mktemp -d) || exit 1
background=
trap '[ -z "$background" ] || kill -9 $background 2>/dev/null; rm -rf "$scratch"' EXIT
cd "$scratch" || exit 1

fail() { echo "FAILED: $*"; cat said told 2>/dev/null; exit 1; }
runs() { timeout 500 $run "$weft" "$@" >said 2>told </dev/null || fail "weft $*"; }
# refused TEXT ARGUMENT...: one line that begins with "error" and contains TEXT, and status 2.
refused() {
  text=$1
  shift
  timeout 500 $run "$weft" "$@" >said 2>told </dev/null
  status=$?
  [ $status -eq 2 ] || fail "weft $*: status $status (2 is right)"
  [ "$(grep -c '^error' told)" -eq 1 ] || fail "weft $*: not one error line"
  grep -q "^error.*$text" told || fail "weft $*: no '$text'"
}
# Whether a process has a file open in this folder that is not complete: most file systems give it no name.
is_writing() { find /proc/[0-9]*/fd \( -lname "$1/#*" -o -lname "$1/*.weft-????????????" \) 2>/dev/null | grep -q .; }
has() { "$weft" --help | grep -q "^  $1 "; }
