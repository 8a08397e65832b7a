// SPDX-License-Identifier: BSD-3-Clause
#include "advise/communicators.hpp"

#include <numeric>

namespace weft::advise {

// Communicators of the same ranks are numbered in the order of their first use, which is the same on all ranks if all
// ranks use them in the same order.
void Communicators::look_at(MPI_Comm comm, Members& members) {
  int between = 0, n = 0;
  MPI_Group group{}, world{};
  PMPI_Comm_test_inter(comm, &between);
  between != 0 ? PMPI_Comm_remote_group(comm, &group) : PMPI_Comm_group(comm, &group);
  if (has_world_) PMPI_Comm_group(MPI_COMM_WORLD, &world);
  PMPI_Group_size(group, &n);
  std::vector<int> ranks(static_cast<std::size_t>(n));
  std::iota(ranks.begin(), ranks.end(), 0);
  auto all = ranks;
  if (n > 0 && has_world_) PMPI_Group_translate_ranks(group, n, ranks.data(), world, all.data());
  PMPI_Comm_rank(comm, &members.own);
  PMPI_Group_free(&group);
  if (has_world_) PMPI_Group_free(&world);
  std::uint64_t hash = mixed(11, all.size());
  for (int& rank : all) {
    if (rank == MPI_UNDEFINED) rank = -1;  // not in this MPI_COMM_WORLD
    hash = mixed(hash, static_cast<std::uint32_t>(rank));
  }
  auto& list = lists_[hash];
  if (list == nullptr || *list != all) list = std::make_shared<const std::vector<int>>(std::move(all));
  members.world = list;
  // Both sides of an intercommunicator must compute the same name, so it does not depend on the members of one side.
  std::uint64_t name = mixed(7, between != 0 ? 1u : list->size());
  if (between == 0)
    for (const int rank : *list) name = mixed(name, static_cast<std::uint32_t>(rank));
  members.name = mixed(name, alike_[name | 1]++) | 1;
}

}  // namespace weft::advise
