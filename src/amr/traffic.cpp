// SPDX-License-Identifier: BSD-3-Clause
#include "amr/traffic.hpp"

#include "weft/exchange/exchange.hpp"

namespace weft::amr {
namespace {

class ExchangeTraffic final : public Traffic {
 public:
  ExchangeTraffic(Transport& transport, const std::string& name, const ExchangeOptions& options)
      : exchange_(transport, options), requests_(&exchange_.client(name)) {}

  Part send(int peer, Key key, const Region& region) override { return requests_->send(peer, key, region); }
  Part receive(int peer, Key key, const Region& region) override { return requests_->receive(peer, key, region); }
  void commit() override { exchange_.commit(); }
  void start() override { exchange_.start(); }
  void ready(Part part) override { exchange_.ready(part); }
  void ready_all() override { exchange_.ready_all(0, 0); }
  bool holds() const override { return exchange_.holds(); }
  void accept(Part part) override {
    if (exchange_.holds()) exchange_.accept(part);
  }
  void accept_all() override { exchange_.accept_all(0, 0); }
  void progress() override { exchange_.progress(); }
  bool arrived(Part part) const override { return exchange_.arrived(part); }
  void test() override { exchange_.test(); }
  void wait() override { exchange_.wait(); }

 private:
  Exchange exchange_;
  Requests* requests_;
};

}  // namespace

TrafficMaker::TrafficMaker(const ExchangeOptions& options)
    : make_([options](Transport& transport, const std::string& name, bool accepts) {
        auto own = options;
        own.held = accepts && options.held;
        return std::make_unique<ExchangeTraffic>(transport, name, own);
      }) {}

}  // namespace weft::amr
