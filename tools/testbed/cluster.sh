#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
#
# An emulated cluster on one Linux machine: network namespaces joined by a user
# space switch (vnet.cpp) that gives every node a link of a chosen latency and
# rate.  MPI ranks on different nodes talk TCP through it, never shared memory.
#
#   cluster.sh up NODES LATENCY RATE [--mtu N] [--no-tso] [--ttl S] [--no-rt]
#   cluster.sh run -n N PROG [ARG...]     MPI program, ranks dealt to the nodes in blocks
#   cluster.sh exec NODE CMD [ARG...]     any command on one node (0, node0)
#   cluster.sh set LATENCY RATE           change the links of a running cluster
#   cluster.sh stats | reset              counters of the switch
#   cluster.sh check                      measure latency and rate with plain TCP
#   cluster.sh status                     exit 0 if up
#   cluster.sh down                       stop it, with every process on its nodes
#   cluster.sh once NODES LATENCY RATE [up options] -- -n N PROG [ARG...]
#                                         up, run, down (also when interrupted)
#
# LATENCY is one way: 1ms, 200us, 0.   RATE per link: 1gbit, 100mbit, inf.
#
# Environment
#   CLUSTER_DIR   state directory           (default /run/vcluster; one per cluster)
#   CLUSTER_TTL   the cluster ends by itself after so many seconds (default 3600)
#   MPIEXEC       mpirun/mpiexec to use     (default: that of the library the program is linked
#                 with, else the one in PATH; Open MPI 4/5, MPICH)
#   MPIEXEC_ARGS  more arguments for it
#   CLUSTER_NET   MPICH only: ofi (default) or ucx
#   CLUSTER_PIN   1: pin rank r to core r mod cores (default), 0: leave it to the kernel
#   VNET_PRIO     nice value of the ranks, e.g. -20 to time on a machine that is not idle;
#                 rt: real time, only for programs whose ranks sleep while they wait
#   VNET          the vnet program          (default: built from vnet.cpp into build/testbed)
set -eu

here=$(cd "$(dirname "$0")" && pwd)
dir=${CLUSTER_DIR:-/run/vcluster}
vnet=${VNET:-$here/../../build/testbed/vnet}

fail() { echo "cluster.sh: $*" >&2; exit 1; }
need_root() {
  [ "$(uname -s)" = Linux ] || fail "Linux only"
  [ "$(id -u)" -eq 0 ] || fail "must be root: '$1' needs CAP_SYS_ADMIN and CAP_NET_ADMIN (try: sudo $0 $1 ...)"
}
build() {
  [ -n "${VNET:-}" ] && { [ -x "$vnet" ] || fail "VNET=$vnet is not executable"; return 0; }
  [ -x "$vnet" ] && [ ! "$here/vnet.cpp" -nt "$vnet" ] && return 0
  command -v "${CXX:-c++}" >/dev/null || fail "no C++ compiler '${CXX:-c++}' to build vnet.cpp"
  mkdir -p "${vnet%/*}"
  "${CXX:-c++}" -O2 -std=c++17 -o "$vnet.$$" "$here/vnet.cpp" && mv "$vnet.$$" "$vnet" ||
    fail "cannot build vnet.cpp"
}

up() {
  need_root up
  [ $# -ge 3 ] || fail "usage: cluster.sh up NODES LATENCY RATE [options]"
  build
  "$vnet" up "$dir" "$1" "$2" "$3" --ttl "${CLUSTER_TTL:-3600}" $(shift 3; echo "$@")
}

# Run in the background and wait: a shell runs its traps only between commands,
# and a signal must end the MPI job at once.  (3 keeps the standard input, which
# the shell would take away from a background command.)
wait_for() {
  exec 3<&0
  "$@" <&3 3<&- &
  p=$!
  exec 3<&-
  got=0
  trap 'got=130; kill -TERM $p 2>/dev/null || :' INT
  trap 'got=143; kill -TERM $p 2>/dev/null || :' TERM HUP
  rc=0
  wait $p || rc=$?
  if [ $got -ne 0 ]; then wait $p || :; rc=$got; fi
  trap - INT TERM HUP
  return $rc
}

nodes() { sed -n 's/^pid .* nodes //p' "$dir/state"; }

run() {
  need_root run
  build
  [ -f "$dir/state" ] || fail "no cluster in $dir (run 'up' first)"
  n=
  while [ $# -gt 0 ]; do
    case $1 in
      -n|-np) [ $# -ge 2 ] || fail "-n needs a number"; n=$2; shift 2 ;;
      --) shift; break ;;
      -*) fail "run: unknown option '$1' (use MPIEXEC_ARGS)" ;;
      *) break ;;
    esac
  done
  case $n in ''|*[!0-9]*|0) fail "usage: cluster.sh run -n N PROG [ARG...]" ;; esac
  [ $# -ge 1 ] || fail "run: no program given"
  command -v "$1" >/dev/null || fail "run: cannot find the program '$1'"

  mpiexec=${MPIEXEC:-}
  # Debian has both libraries side by side: the program tells which launcher it needs.
  [ -n "$mpiexec" ] || case $(ldd "$(command -v "$1")" 2>/dev/null) in
    *libmpich*) mpiexec=$(command -v mpiexec.mpich || :) ;;
    *libmpi.so*) mpiexec=$(command -v mpirun.openmpi || :) ;;
  esac
  [ -n "$mpiexec" ] || mpiexec=$(command -v mpirun || command -v mpiexec) || fail "no mpirun in PATH; set MPIEXEC"
  mpiexec=$(command -v "$mpiexec") || fail "MPIEXEC=${MPIEXEC} not found"
  kind=$("$mpiexec" --version 2>&1 | head -n 2 | tr '\n' ' ')

  k=$(nodes)
  [ "$n" -lt "$k" ] && k=$n
  per=$(( (n + k - 1) / k ))
  hosts= slots= i=0
  while [ $i -lt "$k" ]; do
    hosts=$hosts${hosts:+,}node$i
    slots=$slots${slots:+,}node$i:$per
    i=$((i + 1))
  done

  # stands in for ssh: AGENT [-options] HOST COMMAND...
  agent=$(mktemp "${TMPDIR:-/tmp}/vcluster-agent.XXXXXX")
  trap 'rm -f "$agent"' EXIT
  cat >"$agent" <<END
#!/bin/sh
while :; do case \$1 in -*) shift ;; *) break ;; esac; done
h=\$1; shift
exec '$vnet' exec '$dir' "\$h" /bin/sh -c "\$*"
END
  chmod +x "$agent"

  pin="$vnet pin"
  [ "${CLUSTER_PIN:-1}" = 1 ] || [ -n "${VNET_PRIO:-}" ] || pin=
  extra=${MPIEXEC_ARGS:-}
  case $kind in
    *"Open MPI) 4."*|*"OpenRTE) 4."*|*"Open MPI) 3."*|*"OpenRTE) 3."*)
      export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1
      set -- --host "$slots" -n "$n" --bind-to none --map-by slot \
        --mca plm_rsh_agent "$agent" --mca plm_rsh_no_tree_spawn 1 \
        --mca oob_tcp_if_include vnet0 --mca pml ob1 --mca btl tcp,self --mca btl_tcp_if_include vnet0 \
        $extra $pin "$@" ;;
    *"Open MPI"*|*prterun*|*PRTE*)
      export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1
      export PRTE_ALLOW_RUN_AS_ROOT=1 PRTE_ALLOW_RUN_AS_ROOT_CONFIRM=1
      set -- --host "$slots" -n "$n" --bind-to none --map-by slot \
        --prtemca plm_ssh_agent "$agent" --prtemca plm_ssh_no_tree_spawn 1 \
        --prtemca prte_if_include vnet0 \
        --mca pml ob1 --mca btl tcp,self --mca btl_tcp_if_include vnet0 \
        $extra $pin "$@" ;;
    *HYDRA*|*[Hh]ydra*|*MPICH*)
      export FI_PROVIDER="${FI_PROVIDER:-tcp}" FI_TCP_IFACE=vnet0
      export UCX_TLS="${UCX_TLS:-tcp,self}" UCX_NET_DEVICES=vnet0
      export MPIR_CVAR_CH4_NETMOD="${CLUSTER_NET:-ofi}"
      set -- -launcher ssh -launcher-exec "$agent" -hosts "$hosts" -iface vnet0 -ppn "$per" -n "$n" \
        $extra $pin "$@" ;;
    *) fail "do not know this mpirun: $mpiexec says '$kind'" ;;
  esac
  wait_for "$vnet" exec "$dir" node0 "$mpiexec" "$@"
}

cmd=${1:-help}
[ $# -gt 0 ] && shift
case $cmd in
  up) up "$@" ;;
  run) run "$@" ;;
  exec) need_root exec; build; exec "$vnet" exec "$dir" "$@" ;;
  set) build; exec "$vnet" ctl "$dir" set "$@" ;;
  stats|reset) build; exec "$vnet" ctl "$dir" "$cmd" ;;
  check) need_root check; build; exec "$vnet" check "$dir" ;;
  status) build; "$vnet" ctl "$dir" stats >/dev/null 2>&1 && echo "up, $(nodes) nodes, $dir" || { echo down; exit 1; } ;;
  down) build; exec "$vnet" down "$dir" ;;
  once)
    need_root once
    a=
    while [ $# -gt 0 ] && [ "$1" != -- ]; do a="$a $1"; shift; done
    [ $# -gt 1 ] || fail "usage: cluster.sh once NODES LATENCY RATE [up options] -- -n N PROG [ARG...]"
    shift
    [ -n "${CLUSTER_DIR:-}" ] || { dir=/run/vcluster-$$; CLUSTER_DIR=$dir; export CLUSTER_DIR; }
    build
    trap '"$vnet" down "$dir"' EXIT
    up $a
    wait_for "$0" run "$@" ;;
  help|-h|--help) sed -n '4,/^set -eu/{/^#/s/^# \{0,1\}//p}' "$0" ;;
  *) fail "unknown command '$cmd' (cluster.sh help)" ;;
esac
