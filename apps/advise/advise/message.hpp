// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>

#include "advise/communicators.hpp"

namespace weft::advise {

/// A message, in the program's own words.
struct Message {
  std::int64_t count;
  MPI_Datatype type;
  int peer, tag;
  MPI_Comm comm;

  std::uint64_t bytes() const;
  /// The stream that it is the next one of; no_stream where it is not known from whom it comes.
  std::uint32_t stream(bool outgoing) const;
  /// Of what came from any rank or with any tag.
  std::uint32_t stream_of(const MPI_Status& status) const;
};

/// Size of `count` elements of a type; 0 where there is none.
std::uint64_t bytes_of(std::int64_t count, MPI_Datatype type);

/// All collectives of a communicator are one stream, blocking or not: its ranks call them in the same order.
std::uint32_t collective_stream(MPI_Comm comm);

}  // namespace weft::advise
