// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <utility>

#include "weft/exchange/options.hpp"
#include "weft/exchange/requests.hpp"
#include "weft/transport/transport.hpp"

namespace weft::amr {

/// What moves between ranks for one plan (SiblingGhosts, CoarseToFine, Restriction and others): all that a plan asks of
/// an exchange, so that a benchmark can put something else in its place. Calls are one a part at most, never one a
/// cell.
///
///     const auto out = traffic->send(peer, key, region);   // listed once; parts and Key as in weft::Requests
///     traffic->receive(peer, key, other_region);
///     traffic->commit();
///     for (...) {
///       traffic->start();
///       traffic->ready(out);        // what is sent does not change from now until wait() has returned
///       traffic->progress();        // while something else is computed
///       traffic->wait();            // everything is in place
///     }
///
/// Commit and destruction are collective; all ranks start and wait for all plans in one order. One may be destroyed
/// between start() and wait(), and then ends itself. Belongs to one thread.
class Traffic {
 public:
  Traffic() = default;
  Traffic(const Traffic&) = delete;
  Traffic& operator=(const Traffic&) = delete;
  virtual ~Traffic() = default;

  /// Regions are borrowed and stay in place. Key: the same on both ends, once for a peer and direction.
  virtual SendPart send(int peer, Key key, const Region& region) = 0;
  virtual ReceivePart receive(int peer, Key key, const Region& region) = 0;
  virtual void commit() = 0;

  /// What is received may be overwritten from now on (if the traffic holds: from accept on).
  virtual void start() = 0;
  virtual void ready(SendPart part) = 0;
  /// All parts that are not yet ready.
  virtual void ready_all() = 0;
  /// Whether what arrives waits until its part is accepted. If not, accept() does nothing and need not be called.
  virtual bool holds() const { return false; }
  /// Nobody reads the target of the part, which is received, any more. Each once between start() and wait().
  virtual void accept(ReceivePart part) { static_cast<void>(part); }
  /// All parts that are not yet accepted.
  virtual void accept_all() {}
  virtual void progress() = 0;
  /// Whether a part, which is received, is in place.
  virtual bool arrived(ReceivePart part) const = 0;
  /// Drives what is on its way; for who has nothing left to do until some part has arrived.
  virtual void test() = 0;
  virtual void wait() = 0;
};

/// Makes the traffic of every plan. The usual one is a weft::Exchange; its options convert to the maker.
class TrafficMaker {
 public:
  /// `name` says what the plan moves, for messages to people. `accepts`: the plan calls accept(), so arrivals may be
  /// held.
  using Make = std::function<std::unique_ptr<Traffic>(Transport& transport, const std::string& name, bool accepts)>;

  /// Exchanges with these options. Only those of plans that accept are held, if the options say so.
  TrafficMaker(const ExchangeOptions& options = {});
  explicit TrafficMaker(Make make) : make_(std::move(make)) {}

  /// Collective.
  std::unique_ptr<Traffic> operator()(Transport& transport, const std::string& name, bool accepts = false) const {
    return make_(transport, name, accepts);
  }

 private:
  Make make_;
};

}  // namespace weft::amr
