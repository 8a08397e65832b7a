// SPDX-License-Identifier: BSD-3-Clause
#include "bench/workload/small_client.hpp"

#include <algorithm>
#include <string>
#include <utility>

#include "weft/error.hpp"

namespace weft::bench {

SmallClient::SmallClient(int number, int rank, std::vector<int> peers, std::size_t bytes)
    : number_(number), rank_(rank), peers_(std::move(peers)), local_(4), global_(4) {
  const auto values = std::max<std::size_t>(1, bytes / sizeof(double));
  out_.assign(peers_.size(), std::vector<double>(values));
  in_ = out_;
}

void SmallClient::request(Requests& requests) {
  for (std::size_t i = 0; i < peers_.size(); ++i) {
    requests.send(peers_[i], 0, contiguous(std::span<const double>(out_[i])));
    requests.receive(peers_[i], 0, contiguous(std::span<double>(in_[i])));
  }
  if (number_ % 2 == 1) requests.all_reduce(std::span<const double>(local_), std::span<double>(global_), sum<double>());
}

void SmallClient::before(Step&) {
  for (auto& out : out_) std::fill(out.begin(), out.end(), rank_);
  for (auto& value : local_) value += 1;
}

void SmallClient::after(Step&) {
  for (std::size_t i = 0; i < peers_.size(); ++i)
    if (in_[i].back() != 0 && in_[i].back() != peers_[i])
      throw Error("Small client " + std::to_string(number_) + " received other data than rank " +
                  std::to_string(peers_[i]) + " sent.");
}

}  // namespace weft::bench
