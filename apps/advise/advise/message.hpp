// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>

#include "advise/communicators.hpp"

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
  /// The stream of a message that was received from any rank or with any tag.
  std::uint32_t stream_of(const MPI_Status& status) const;
};

/// Size of `count` elements of a type; 0 if the type is invalid.
std::uint64_t bytes_of(std::int64_t count, MPI_Datatype type);

/// All collectives of a communicator are one stream, blocking or not: its ranks call them in the same order.
std::uint32_t collective_stream(MPI_Comm comm);

}  // namespace weft::advise
