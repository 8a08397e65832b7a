// SPDX-License-Identifier: BSD-3-Clause
#include "amr/traffic.hpp"

#include "weft/exchange/exchange.hpp"

namespace weft::amr {
namespace {

class ExchangeTraffic final : public Traffic {
 public:
  ExchangeTraffic(Transport& transport, const std::string& name, const ExchangeOptions& options)
      : exchange_(transport, options), requests_(&exchange_.client(name)) {}

  SendPart send(int peer, Key key, const Region& region) override { return requests_->send(peer, key, region); }
  ReceivePart receive(int peer, Key key, const Region& region) override {
    return requests_->receive(peer, key, region);
  }
  void commit() override { exchange_.commit(); }
  void start() override { messages_ = exchange_.start(); }
  void ready(SendPart part) override { messages_.ready(part); }
  void ready_all() override { messages_.ready_all(0, 0); }
  bool defers_unpacking() const override { return exchange_.defers_unpacking(); }
  void accept(ReceivePart part) override {
    if (exchange_.defers_unpacking()) messages_.accept(part);
  }
  void accept_all() override { messages_.accept_all(0, 0); }
  void progress() override { messages_.progress(); }
  bool arrived(ReceivePart part) const override { return messages_.arrived(part); }
  void test() override { messages_.test(); }
  void wait() override { messages_.wait(); }

 private:
  Exchange exchange_;
  Requests* requests_;
  StartedExchange messages_;
};

}  // namespace

TrafficMaker::TrafficMaker(const ExchangeOptions& options)
    : make_([options](Transport& transport, const std::string& name, bool accepts) {
        auto own = options;
        own.messages.defer_unpacking = accepts && options.messages.defer_unpacking;
        return std::make_unique<ExchangeTraffic>(transport, name, own);
      }) {}

}  // namespace weft::amr
