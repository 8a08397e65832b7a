// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "weft/step/client.hpp"

namespace weft::bench {

/// Does a client's computation without messages, to measure the cost of the same steps without communication.
class Silent final : public Client {
 public:
  explicit Silent(Client& client) : client_(client) {}

  void request(Requests&) override {}
  void before(Step& step) override { client_.before(step); }
  void during(Step& step) override { client_.during(step); }
  void after(Step& step) override { client_.after(step); }

 private:
  Client& client_;
};

}  // namespace weft::bench
