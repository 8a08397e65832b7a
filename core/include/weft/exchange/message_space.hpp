// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <memory>
#include <string>

#include "weft/transport/failure.hpp"
#include "weft/transport/transport.hpp"

namespace weft {

/// The last tags of a transport, which no exchange's messages use: last_tag() is for the handshake of commit, the one
/// before it for the positions of messages in shared memory, the one before that for notices of failures.
constexpr int reserved_tags = 3;

/// The number of tags, from 0, that a transport has for the messages of exchanges.
inline int usable_tags(const Transport& transport) { return transport.last_tag() + 1 - reserved_tags; }

/// One duplicate of a transport that several exchanges share, instead of one duplicate per exchange: an MPI library has
/// a few thousand communicators, and creating one takes as long as a commit or longer.
///
/// Each exchange gets a range of tags that no other exchange has or had, so messages that a destroyed exchange has left
/// in flight match no later receive. When the tags of a duplicate are used up, the space creates another one; exchanges
/// keep the one that they have.
///
/// Collectives have no tags: MPI matches them by the order in which they are started. So exchanges of one space are
/// committed and started one after the other, in the same order on all ranks, as a StepManager does. If one of them
/// fails, all have failed.
class MessageSpace {
 public:
  /// Duplicates `parent`, which is not used afterwards. Collective. `who` names the exchanges in error messages.
  explicit MessageSpace(Transport& parent, const std::string& who = "The exchange");

  /// The duplicate in use.
  const std::shared_ptr<Transport>& transport() const { return transport_; }
  /// Reserves `tags` new tags of transport(), which may be another duplicate from now on, and returns the first.
  /// Collective: all ranks pass the same number, at most usable_tags().
  int take(int tags);
  /// The tag that take() will return, if the tags of this duplicate are enough.
  int next() const { return next_; }
  /// The failure of all exchanges.
  const std::shared_ptr<Failure>& failure() const { return failure_; }

 private:
  std::shared_ptr<Transport> first_, transport_;
  std::shared_ptr<Failure> failure_;
  int next_ = 0;
};

}  // namespace weft
