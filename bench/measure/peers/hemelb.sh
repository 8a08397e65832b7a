#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
#
# Measures the site updates per second of HemeLB, to be compared with `weft flow`: a straight cylinder of 212,400 sites
# between two pressures, one rank. It runs a program that you have built; it doesn't build HemeLB. This script was
# written from HemeLB's sources and tried with a stand-in for the program only, not with HemeLB itself.
#
#   bench/measure/peers/hemelb.sh PROGRAM GEOMETRY
#
#   PROGRAM     hemelb, installed, since it reads the templates of its report
#   GEOMETRY    the cylinder of HemeLB's own tests: Code/tests/resources/cyl_l100_r5.gmy
#
# Environment
#   STEPS       time steps (default: 1000)
#   LAUNCH      starts the program on one rank (default: mpirun -n 1 --bind-to core)
#   REPORT      a file for HemeLB's report (default: none)
#
# What the documents' figures (7.4 and 8.3) are of, as far as recorded, and what is left to a new measurement
#   HemeLB      commit 432d3386e32571487a1521f88a407db5dc9ca171 of hemelb-codes/hemelb (14 May 2025)
#   options     D3Q19 (HEMELB_LATTICE; HemeLB's default is D3Q15); the rest are defaults: LBGK, SSE3 (x86_64), simple
#               bounce-back, zeroth-order pressure openings, no red blood cells
#   compiler    not recorded; for a new measurement g++ 12 of Debian 12, CMake's Release, -O3 -march=native
#   MPI         Open MPI of Debian 12 (openmpi-bin)
#
# The case is made here (HemeLB's XML, version 5): the cylinder's voxel, origin, and openings as in cyl_l100_r5.xml, a
# pressure of 1 mmHg at the inlet, HemeLB's check of densities and velocities (incompressibility) in each step as in its
# tests, no cells, no output. Relaxation time 2.5; a site costs the same with any.
#
# Site updates are sites x steps, both from HemeLB's report. Divided by "Simulation total" they are the rate of whole
# steps, which is the result; divided by "LB calc only" the rate of the lattice alone, which is printed before it. The
# report has three digits. The last line is a JSON object: {"million cell updates per second": X, "version": "..."}
# Documentation: docs/results/lattice.md
set -eu
case ${1:-} in -h | --help) sed -n '4,/^set -eu/{/^#/s/^# \{0,1\}//p}' "$0"; exit ;; esac
fail() { echo "hemelb: $1" >&2; exit "${2:-1}"; }
[ $# -eq 2 ] || fail "Two arguments are needed: HemeLB's program and cyl_l100_r5.gmy. See --help." 2
[ -f "$1" ] && [ -x "$1" ] || fail "$1 is not a program. Give hemelb." 2
[ -f "$2" ] || fail "$2 is not a file. Give HemeLB's Code/tests/resources/cyl_l100_r5.gmy." 2
program=$(CDPATH='' cd -- "$(dirname -- "$1")" && pwd)/$(basename -- "$1")
steps=${STEPS:-1000}
case $steps in '' | 0 | *[!0-9]*) fail "STEPS is $steps. It must be a positive number." 2 ;; esac
launch=${LAUNCH:-mpirun -n 1 --bind-to core}

folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
trap 'exit 1' HUP INT TERM

# opening NAME PRESSURE NORMAL POSITION: an opening with a constant pressure in mmHg
opening() {
  cat <<END
  <${1}s>
    <$1>
      <condition type="pressure" subtype="cosine">
        <amplitude value="0" units="mmHg"/>
        <mean value="$2" units="mmHg"/>
        <phase value="0" units="rad"/>
        <period value="1" units="s"/>
      </condition>
      <normal value="(0,0,$3)" units="dimensionless"/>
      <position value="(0,0,$4)" units="m"/>
    </$1>
  </${1}s>
END
}

cp "$2" "$folder/cylinder.gmy"
cat >"$folder/case.xml" <<END
<?xml version="1.0"?>
<hemelbsettings version="5">
  <simulation>
    <step_length value="1.852e-8" units="s"/>
    <steps value="$steps" units="lattice"/>
    <stresstype value="1"/>
    <voxel_size value="3.333e-7" units="m"/>
    <origin value="(-5.16615e-6,-5.16615e-6,-5.016165e-5)" units="m"/>
  </simulation>
  <geometry>
    <datafile path="cylinder.gmy"/>
  </geometry>
$(opening inlet 1 -1 5e-5)
$(opening outlet 0 1 -5e-5)
  <initialconditions>
    <pressure>
      <uniform value="0" units="mmHg"/>
    </pressure>
  </initialconditions>
  <monitoring>
    <incompressibility/>
  </monitoring>
</hemelbsettings>
END

output=$folder/output
began=$(date +%s)
(cd "$folder" && $launch "$program" -in case.xml -out results) >"$output" 2>&1 || {
  tail -n 20 "$output" >&2
  fail "The program failed. See above for the end of its output."
}
report=$folder/results/report.txt
[ -f "$report" ] || fail "HemeLB wrote no report. It is written from a template, so HemeLB must be installed."
[ -z "${REPORT:-}" ] || cp "$report" "$REPORT"
echo "hemelb: $steps steps, $(($(date +%s) - began)) s"

grep -E '^(Build type|Optimisation level|Use SSE3|Lattice|Kernel):' "$report" | sed 's/^/hemelb: /'
grep -q 'Simulation was unstable' "$report" && fail "The simulation was unstable."
grep -q '^Lattice: *D3Q19' "$report" || fail "This HemeLB isn't one for D3Q19. Set HEMELB_LATTICE to it."
awk '
  /site geometry\.$/ { for (i = 2; i < NF; ++i) if ($i == "site") sites = $(i - 1) }
  /^Ran for [0-9]+ steps/ { steps = $3 }
  /^LB calc only / { lattice = $NF }
  /^Simulation total / { whole = $NF }
  /^Revision number:/ { sub(/^Revision number: */, ""); version = $0 }
  END {
    if (sites != 212400) { print "hemelb: The geometry has " sites + 0 " sites, not 212,400." >"/dev/stderr"; exit 1 }
    if (!(steps * lattice * whole)) { print "hemelb: The report lacks steps or times." >"/dev/stderr"; exit 1 }
    printf "hemelb: the lattice alone, %.2f million site updates per second\n", sites * steps / lattice / 1e6
    printf "{\"million cell updates per second\": %.2f, ", sites * steps / whole / 1e6
    printf "\"version\": \"HemeLB %s\"}\n", version
  }' "$report"
