// SPDX-License-Identifier: BSD-3-Clause
#include <array>
#include <cstdlib>
#include <string_view>

#include "bench/collectives/entries.hpp"
#include "bench/collectives/known_data.hpp"
#include "weft/error.hpp"

namespace weft::bench::collectives {

const char* name_of(Kind kind) {
  switch (kind) {
    case Kind::blocking: return "blocking";
    case Kind::nonblocking: return "nonblocking";
    case Kind::persistent: return "persistent";
    case Kind::rounds: return "rounds";
  }
  return "?";
}

Kind kind_named(const std::string& name) {
  for (const auto kind : {Kind::blocking, Kind::nonblocking, Kind::persistent, Kind::rounds})
    if (name == name_of(kind)) return kind;
  throw InputError("'" + name + "' is not a kind of collective. Use blocking, nonblocking, persistent or rounds.",
                   true);
}

bool have_persistent() {
#if defined(WEFT_MPI4_AT_RUN_TIME) && defined(WEFT_HAVE_MPI_PERSISTENT_COLLECTIVES)
  return MPI_Allreduce_init != nullptr;
#elif defined(WEFT_HAVE_MPI_PERSISTENT_COLLECTIVES) || defined(WEFT_HAVE_MPIX_PERSISTENT_COLLECTIVES)
  return true;
#else
  return false;
#endif
}

namespace {

bool mpich_before_5() {
  std::array<char, MPI_MAX_LIBRARY_VERSION_STRING> text{};
  int length = 0;
  MPI_Get_library_version(text.data(), &length);
  const std::string_view version(text.data());
  constexpr std::string_view before = "MPICH Version:";
  if (!version.starts_with(before)) return false;
  return std::atoi(version.substr(before.size()).data()) < 5;  // atoi skips blanks and stops at the point
}

}  // namespace

bool can(const Entry& entry, Kind kind) {
  if (kind == Kind::rounds) return entry.has_rounds;
  if (kind != Kind::persistent) return true;
  if (!have_persistent()) return false;
  static const bool some_are_wrong = mpich_before_5();
  return !some_are_wrong || (entry.name != "gather" && entry.name != "scatter" && entry.name != "allgather");
}

const std::vector<Entry>& operations() {
  static const std::vector<Entry> all = {
      barrier_entry(),  bcast_entry(),     reduce_entry(),         allreduce_entry(), gather_entry(),
      gatherv_entry(),  scatter_entry(),   scatterv_entry(),       allgather_entry(), allgatherv_entry(),
      alltoall_entry(), alltoallv_entry(), reduce_scatter_entry(), scan_entry(),      neighbor_alltoall_entry(),
  };
  return all;
}

}  // namespace weft::bench::collectives
