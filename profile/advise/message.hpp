// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>

#include "advise/communicators.hpp"
#include "advise/recorder.hpp"

namespace weft::advise {

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
