// SPDX-License-Identifier: BSD-3-Clause
#include "advise/message.hpp"

#include <numeric>

#include "advise/session.hpp"

namespace weft::advise {
namespace {

constexpr int collective_tag = -1;

}  // namespace

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

std::uint64_t bytes_of(std::int64_t count, MPI_Datatype type) {
  int size = 0;
  if (count <= 0 || type == MPI_DATATYPE_NULL || type == MPI_Datatype{} || PMPI_Type_size(type, &size) != MPI_SUCCESS ||
      size < 0)
    return 0;
  return static_cast<std::uint64_t>(count) * static_cast<std::uint64_t>(size);
}

std::uint64_t Message::bytes() const { return peer == MPI_PROC_NULL ? 0 : bytes_of(count, type); }

std::uint32_t Message::stream(bool outgoing) const {
  if (peer == MPI_PROC_NULL || (!outgoing && (peer == MPI_ANY_SOURCE || tag == MPI_ANY_TAG))) return no_stream;
  const auto word = word_of(comm);
  auto& cached = session->streams.at(word, peer, tag, outgoing);
  if (cached.is(word, peer, tag, outgoing)) return cached.stream;
  const auto& members = session->communicators.of(comm);
  const auto stream = session->recorder.stream(members.name, Communicators::world_rank(members, peer), tag, outgoing);
  cached = {word, peer, tag, outgoing, stream};
  return stream;
}

std::uint64_t Message::open() const {
  const bool is_open = peer != MPI_PROC_NULL && (peer == MPI_ANY_SOURCE || tag == MPI_ANY_TAG);
  return is_open ? session->communicators.keep(comm) : 0;
}

Recorder::Arrived arrived(const MPI_Status& status, std::uint64_t open) {
  Recorder::Arrived all;
  int bytes = 0;
  int cancelled = 0;
  if (PMPI_Test_cancelled(&status, &cancelled) == MPI_SUCCESS && cancelled != 0) return {no_stream, 0, true};
  if (PMPI_Get_count(&status, MPI_BYTE, &bytes) == MPI_SUCCESS && bytes >= 0)
    all.bytes = static_cast<std::uint64_t>(bytes);
  if (open == 0) return all;
  const auto& members = session->communicators.kept(open);
  const int peer = Communicators::world_rank(members, status.MPI_SOURCE);
  if (peer >= 0) all.stream = session->recorder.stream(members.name, peer, status.MPI_TAG, false);
  return all;
}

int local_size(MPI_Comm comm) {
  int size = 0;
  PMPI_Comm_size(comm, &size);
  return size;
}

Place place_in(MPI_Comm comm) {
  const Writing writing;
  const auto& members = session->communicators.of(comm);
  return {members.own, members.size()};
}

// Does not use Message::stream: in MPICH, MPI_PROC_NULL has the same value as no_rank.
std::uint32_t collective_stream(MPI_Comm comm) {
  const auto word = word_of(comm);
  auto& cached = session->streams.at(word, no_rank, collective_tag, true);
  if (cached.is(word, no_rank, collective_tag, true)) return cached.stream;
  const auto stream = session->recorder.stream(session->communicators.of(comm).name, no_rank, collective_tag, true);
  cached = {word, no_rank, collective_tag, true, stream};
  return stream;
}

}  // namespace weft::advise
