// SPDX-License-Identifier: BSD-3-Clause
#include "weft/exchange/message_space.hpp"

#include <utility>

namespace weft {

MessageSpace::MessageSpace(Transport& parent, const std::string& who)
    : first_(parent.duplicate()), transport_(first_), failure_(std::make_shared<Failure>(first_, who)) {}

// Duplicates its own transport, not the parent: if a rank has failed, the others leave the collectives that they began.
int MessageSpace::take(int tags) {
  if (tags > usable_tags(*transport_) - next_) {
    transport_ = first_->duplicate();
    failure_->add(transport_);
    next_ = 0;
  }
  return std::exchange(next_, next_ + tags);
}

}  // namespace weft
