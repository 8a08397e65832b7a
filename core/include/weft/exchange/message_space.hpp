// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <memory>
#include <string>

#include "weft/transport/failure.hpp"
#include "weft/transport/transport.hpp"

namespace [[gnu::visibility("default")]] weft {

/// How many of a transport's last tags exchanges use for other purposes than their messages: last_tag() and
/// last_tag() - 1 in commit, last_tag() - 2 for notices of failures.
constexpr int reserved_tags = 3;

/// The number of a transport's tags, from 0, for the messages of exchanges.
inline int usable_tags(const Transport& transport) { return transport.last_tag() + 1 - reserved_tags; }

/// One duplicate of a transport that several exchanges share: an MPI library has only a few thousand communicators, and
/// creating one takes at least as long as a commit.
///
/// Each exchange gets a range of tags that no other exchange has or had, so messages that a destroyed exchange has left
/// in flight match no later receive. When the tags are used up, the space creates another duplicate; committed
/// exchanges keep the one that they have.
///
/// Collectives have no tags: MPI matches them by the order in which they are started. So the exchanges of one space are
/// committed, and their collectives started, in the same order on all ranks, as a StepManager does. If one exchange
/// fails, all have failed.
class MessageSpace {
 public:
  /// Duplicates `parent`, which is not used afterwards. `who`: the subject of error messages. Collective.
  explicit MessageSpace(Transport& parent, const std::string& who = "The exchange");

  /// The current duplicate.
  const std::shared_ptr<Transport>& transport() const { return transport_; }
  /// Reserves `tags` tags of transport() and returns the first. If too few are left, transport() first becomes a new
  /// duplicate. Collective: all ranks pass the same number, at most usable_tags().
  int take(int tags);
  /// The tag that take() will return if the current duplicate has enough tags left.
  int next() const { return next_; }
  /// The failure state that all exchanges of this space share.
  const std::shared_ptr<Failure>& failure() const { return failure_; }

 private:
  std::shared_ptr<Transport> first_, transport_;
  std::shared_ptr<Failure> failure_;
  int next_ = 0;
};

}  // namespace weft
