// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <vector>

#include "weft/step/client.hpp"

namespace weft::bench {

/// A module with little communication, like a renderer, a coupling or a steering server in most steps: some bytes to
/// each neighbour, and (every other such client) a small reduction. It checks the received data.
class SmallClient final : public Client {
 public:
  SmallClient(int number, int rank, std::vector<int> peers, std::size_t bytes);

  void request(Requests& requests) override;
  void before(Step& step) override;
  void after(Step& step) override;

 private:
  int number_, rank_;
  std::vector<int> peers_;
  std::vector<std::vector<double>> out_, in_;
  std::vector<double> local_, global_;
};

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
