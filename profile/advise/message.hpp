// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <cstring>
#include <memory>
#include <vector>

#include "advise/abi/mpi.hpp"
#include "advise/key_map.hpp"
#include "advise/recorder.hpp"

namespace weft::advise {

/// An MPI handle (a pointer or a number, depending on the library) as a word that is not 0.
template <class Handle>
std::uint64_t word_of(Handle handle) {
  std::uint64_t word = 0;
  std::memcpy(&word, &handle, sizeof handle);
  return word == 0 ? ~std::uint64_t{0} : word;
}

/// The program's communicators: a name that is the same on all ranks, and the members. A communicator is registered at
/// its first use, without communication. What is pending when the program frees one keeps its members, never its
/// handle.
class Communicators {
 public:
  /// `has_world`: false for a program that uses only MPI sessions, whose ranks have no number in MPI_COMM_WORLD.
  explicit Communicators(bool has_world) : has_world_(has_world) {}

  struct Members {
    std::uint64_t name = 0;
    std::shared_ptr<const std::vector<int>> world;  ///< rank in MPI_COMM_WORLD of each peer (remote ones, if there are)
    std::uint64_t kept = 0;                         ///< its number, if keep() was called
    int own = -1;                                   ///< rank of this process
    int size() const { return static_cast<int>(world->size()); }
  };
  Members& of(MPI_Comm comm) {
    const auto key = word_of(comm);
    if (key == last_key_) return *last_;
    auto& members = known_[key];
    if (members.name == 0) look_at(comm, members);
    last_key_ = key;
    last_ = &members;
    return members;
  }
  /// A number, not 0, by which the members are found after MPI_Comm_free.
  std::uint64_t keep(MPI_Comm comm) {
    auto& members = of(comm);
    if (members.kept == 0) {
      kept_.push_back(members);
      members.kept = kept_.size();
    }
    return members.kept;
  }
  const Members& kept(std::uint64_t number) const { return kept_[number - 1]; }
  /// The rank in MPI_COMM_WORLD; no_rank for MPI_ANY_SOURCE and MPI_PROC_NULL.
  static int world_rank(const Members& members, int peer) {
    return peer >= 0 && peer < members.size() ? (*members.world)[static_cast<std::size_t>(peer)] : -1;
  }
  /// After MPI_Comm_free: the library may reuse the handle.
  void forget(MPI_Comm comm) {
    known_.erase(word_of(comm));
    last_key_ = 0;
  }

 private:
  void look_at(MPI_Comm comm, Members& members);

  bool has_world_;
  KeyMap<Members> known_{64};
  KeyMap<std::uint64_t> alike_{64};  // number of communicators with these members
  std::uint64_t last_key_ = 0;
  Members* last_ = nullptr;
  std::vector<Members> kept_;
  // The lists of ranks by hash: many communicators have the same.
  KeyMap<std::shared_ptr<const std::vector<int>>> lists_{64};
};

/// A message as the arguments of an MPI call describe it.
struct Message {
  std::int64_t count;
  MPI_Datatype type;
  int peer, tag;
  MPI_Comm comm;

  std::uint64_t bytes() const;
  /// The stream of which this is the next message; no_stream if the source is not known.
  std::uint32_t stream(bool outgoing) const;
  /// Of a receive whose source or tag is not known yet, the number of its communicator (Communicators::keep).
  std::uint64_t open() const;
};

/// What a status tells: the bytes, and of a receive that was open, its stream.
Recorder::Arrived arrived(const MPI_Status& status, std::uint64_t open);

/// This process's rank in a communicator, and the number of its peers.
struct Place {
  int own, size;
};
Place place_in(MPI_Comm comm);
inline int peers(MPI_Comm comm) { return place_in(comm).size; }
/// The number of ranks on this side of an intercommunicator.
int local_size(MPI_Comm comm);

/// Size of `count` elements of a type; 0 if the type is invalid.
std::uint64_t bytes_of(std::int64_t count, MPI_Datatype type);

/// Sizes of a collective's blocks from its counts: the mean over so many peers, or this rank's own. `type_of(i)` is the
/// datatype of each.
template <class Count, class Types>
std::uint64_t mean_bytes(const Count* counts, Types type_of, int peers) {
  std::uint64_t all = 0;
  for (int i = 0; i < peers; ++i) all += bytes_of(counts[i], type_of(i));
  return peers > 0 ? all / static_cast<std::uint64_t>(peers) : 0;
}
template <class Count>
std::uint64_t own_bytes(const Count* counts, MPI_Datatype type, MPI_Comm comm) {
  const auto [own, size] = place_in(comm);
  return own < size ? bytes_of(counts[own], type) : 0;
}

/// All collectives of a communicator are one stream, blocking or not: its ranks call them in the same order.
std::uint32_t collective_stream(MPI_Comm comm);

}  // namespace weft::advise
