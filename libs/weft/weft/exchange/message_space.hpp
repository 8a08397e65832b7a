// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <memory>

#include "weft/transport/transport.hpp"

namespace weft {

/// The last tags of a transport, which no exchange's messages have: last_tag() is the commit's handshake, the one
/// before it tells where messages lie in shared memory.
constexpr int reserved_tags = 2;

/// How many tags a transport has for the messages of exchanges, from 0.
inline int usable_tags(const Transport& transport) { return transport.last_tag() + 1 - reserved_tags; }

/// One duplicate of a transport that several exchanges share, instead of a duplicate for each: an MPI library has a few
/// thousand communicators, and to make one takes as long as a commit or longer.
///
/// Each exchange gets a range of tags that no other one has or had, so what an exchange that is gone has left under way
/// meets nobody. When the tags of a duplicate are used up, the space makes another one; exchanges keep the one that
/// they have.
///
/// Collectives have no tags: MPI pairs them by the order in which they are started. So exchanges of one space are
/// committed and started one after the other, in the same order on all ranks, as a StepManager does; one that was let
/// go is settled before.
class MessageSpace {
 public:
  /// `parent` is borrowed, and only duplicated.
  explicit MessageSpace(Transport& parent) : parent_(parent) {}

  /// The duplicate in use. Collective, since the first call makes it.
  const std::shared_ptr<Transport>& transport();
  /// The first of so many new tags of transport(), which may be another one from now on. Collective: all ranks ask for
  /// the same number, at most usable_tags().
  int take(int tags);
  /// What take() will return, if the tags of this duplicate are enough.
  int next() const { return next_; }

 private:
  Transport& parent_;
  std::shared_ptr<Transport> transport_;
  int next_ = 0;
};

}  // namespace weft
