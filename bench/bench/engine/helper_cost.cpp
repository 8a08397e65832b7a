// SPDX-License-Identifier: BSD-3-Clause
#include "bench/engine/helper_cost.hpp"

#include <fmt/format.h>

#include <array>
#include <memory>
#include <span>
#include <string>

#include "amr/hierarchy.hpp"
#include "bench/shared/rotation.hpp"
#include "wave/kernels.hpp"
#include "weft/exchange/exchange.hpp"

namespace weft::bench {
namespace {

// Sends one number around the ring, when finish() is called.
class Ring {
 public:
  Ring(Transport& transport, const ProgressOptions& helpers) : exchange_(transport, options(transport, helpers)) {
    const int n = transport.size();
    auto& client = exchange_.client("ring");
    part_ = client.send((transport.rank() + 1) % n, 0, contiguous(std::span<const double>(out_)));
    client.receive((transport.rank() + n - 1) % n, 0, contiguous(std::span<double>(in_)));
    exchange_.commit();
  }
  bool active() const { return !messages_.is_over(); }
  void start() { messages_ = exchange_.start(); }
  void finish() {
    messages_.ready(part_);
    messages_.wait();
  }

 private:
  static ExchangeOptions options(Transport& transport, const ProgressOptions& helpers) {
    ExchangeOptions o;
    o.progress = std::make_shared<Progress>(transport, helpers);
    return o;
  }
  std::array<double, 1> in_{}, out_{};
  Exchange exchange_;
  SendPart part_;
  StartedExchange messages_;
};

}  // namespace

std::vector<HelperCost> helper_costs(Transport& transport, const std::vector<ProgressOptions>& helpers,
                                     double seconds) {
  amr::Domain domain;
  domain.blocks = {2, 2, 2 * transport.size()};
  amr::Hierarchy hierarchy(transport, amr::Tree(domain, {}, transport.size()), weft::wave::fields);
  const auto blocks = hierarchy.local(0);
  const auto compute = [&] {  // about 20 ms
    for (int sweep = 0; sweep < 40; ++sweep)
      for (const auto& block : blocks) {
        weft::wave::first_sweep(block, {});
        weft::wave::second_sweep(block, {}, 0);
      }
  };
  std::vector<std::unique_ptr<Ring>> rings;
  std::vector<Timed> turns{{.name = "nothing in flight", .run = compute}};
  for (const auto& helper : helpers) {
    auto& ring = *rings.emplace_back(std::make_unique<Ring>(transport, helper));
    const auto name =
        helper.kind == ProgressOptions::Kind::send_receive_threads
            ? fmt::format("{}, {} thread{}", name_of(helper.kind), helper.helpers, helper.helpers == 1 ? "" : "s")
            : std::string(name_of(helper.kind));
    turns.push_back({.name = name,
                     .run =
                         [&] {
                           if (!ring.active()) ring.start();
                           compute();
                         },
                     .settle = [&] { ring.finish(); }});
  }
  time_in_turns(transport, turns, {.seconds = seconds});
  std::vector<HelperCost> result;
  for (std::size_t k = 1; k < turns.size(); ++k) result.push_back({turns[k].name, ratio(turns[k], turns[0])});
  return result;
}

}  // namespace weft::bench
