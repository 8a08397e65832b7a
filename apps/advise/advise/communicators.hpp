// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <cstring>
#include <vector>

#include "advise/abi/mpi.hpp"
#include "advise/key_map.hpp"

namespace weft::advise {

/// An MPI handle (a pointer or a number, depending on the library) as a word that is not 0.
template <class Handle>
std::uint64_t word_of(Handle handle) {
  std::uint64_t word = 0;
  std::memcpy(&word, &handle, sizeof handle);
  return word == 0 ? ~std::uint64_t{0} : word;
}

/// The program's communicators: a name that is the same on all ranks, and the members. A communicator is registered at
/// its first use, without communication.
class Communicators {
 public:
  /// `has_world`: false for a program that uses only MPI sessions, whose ranks have no number in MPI_COMM_WORLD.
  explicit Communicators(bool has_world) : has_world_(has_world) {}

  struct Members {
    std::uint64_t name = 0;
    std::vector<int> world;  ///< rank in MPI_COMM_WORLD of each peer (of an intercommunicator: on the remote side)
    int size() const { return static_cast<int>(world.size()); }
  };
  const Members& of(MPI_Comm comm) {
    const auto key = word_of(comm);
    if (key == last_key_) return *last_;
    auto& members = known_[key];
    if (members.name == 0) look_at(comm, members);
    last_key_ = key;
    last_ = &members;
    return members;
  }
  /// The rank in MPI_COMM_WORLD; no_rank for MPI_ANY_SOURCE and MPI_PROC_NULL.
  static int world_rank(const Members& members, int peer) {
    return peer >= 0 && peer < members.size() ? members.world[static_cast<std::size_t>(peer)] : -1;
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
  const Members* last_ = nullptr;
};

}  // namespace weft::advise
