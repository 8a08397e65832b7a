// SPDX-License-Identifier: BSD-3-Clause
#include "weft/exchange/message_space.hpp"

#include <utility>

namespace weft {

const std::shared_ptr<Transport>& MessageSpace::transport() {
  if (!transport_) {
    transport_ = parent_.duplicate();
    next_ = 0;
  }
  return transport_;
}

int MessageSpace::take(int tags) {
  if (tags > usable_tags(*transport()) - next_) {
    transport_.reset();
    transport();
  }
  return std::exchange(next_, next_ + tags);
}

}  // namespace weft
