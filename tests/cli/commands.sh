#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
#
# commands.sh WEFT SOURCE: each command is a program beside weft, and both names run it.
weft=$1
folder=$(mktemp -d) || exit 1
trap 'rm -rf "$folder"' EXIT
status=0
fail() {
  echo "FAILED: $*"
  status=1
}

"$weft" --help >"$folder/help" || fail "weft --help ends with status $?"
OMPI_MCA_pml=nonsense "$weft" flow --help >/dev/null || fail "weft flow --help needs MPI"
OMPI_MCA_pml=nonsense "$weft" flow --nonsense 2>"$folder/wrong"
[ $? -eq 2 ] && grep -q '^error: .*--nonsense' "$folder/wrong" || fail "a wrong option needs MPI"
OMPI_MCA_pml=nonsense "$weft" flow "$2/examples/aneurysm/pulse.toml" --check >"$folder/check" || fail "a check needs MPI"
grep -q '^  run time  .* MLUPS' "$folder/check" || fail "a check without MPI: $(cat "$folder/check")"
OMPI_MCA_pml=nonsense "$weft" flow "$2/nowhere.toml" --check 2>"$folder/wrong"
[ $? -eq 2 ] && grep -q '^error: .*nowhere.toml' "$folder/wrong" || fail "a refused check needs MPI"
for program in "$weft"-*; do
  name=${program#"$weft"-}
  grep -q "^  $name  " "$folder/help" || fail "weft --help does not list $name"
  "$weft" "$name" --help >"$folder/by-weft" || fail "weft $name --help ends with status $?"
  "$program" --help >"$folder/alone" || fail "weft-$name --help ends with status $?"
  grep -q "^Usage: weft $name " "$folder/by-weft" || fail "weft $name --help has no usage"
  cmp -s "$folder/by-weft" "$folder/alone" || fail "weft $name --help is not what weft-$name --help prints"
done
grep -q '^  tune  ' "$folder/help" || fail 'weft --help does not list tune'
"$weft" --version | grep -q '^[0-9]' || fail 'weft --version'

# A weft without programs beside it reports which one is missing.
cp "$weft" "$folder/weft"
"$folder/weft" --help | grep -q '^  flow  ' && fail 'weft --help lists flow, which is not there'
"$folder/weft" flow case.toml 2>"$folder/error"
[ $? = 2 ] || fail 'a missing program has another status than 2'
grep -q "^error: The command 'weft flow' is not installed (there is no .*/weft-flow)" "$folder/error" || fail "a missing program: $(cat "$folder/error")"

# The same for a program that can't be run.
: >"$folder/weft-flow"
"$folder/weft" flow case.toml 2>"$folder/error"
[ $? = 2 ] || fail 'a program that can not be run has another status than 2'
grep -q "^error: The command 'weft flow' can't be run (.*/weft-flow" "$folder/error" || fail "a program that can't be run: $(cat "$folder/error")"
exit $status
