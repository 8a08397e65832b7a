// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <utility>

#include "weft/exchange/options.hpp"
#include "weft/exchange/requests.hpp"
#include "weft/transport/transport.hpp"

namespace [[gnu::visibility("default")]] weft {
namespace amr {

/// The communication of one plan (SiblingGhosts, CoarseToFine, Restriction and others): all functions of an exchange
/// that a plan needs, so that a benchmark can use another implementation. There is at most one call per part, never one
/// per cell.
///
///     const auto out = traffic->send(peer, key, region);   // listed once; parts and Key as in weft::Requests
///     traffic->receive(peer, key, other_region);
///     traffic->commit();
///     for (...) {
///       traffic->start();
///       traffic->ready(out);        // the data must not change until wait() has returned
///       traffic->progress();        // while something else is computed
///       traffic->wait();            // all data have arrived
///     }
///
/// Commit and destruction are collective; all ranks start and wait for all plans in one order. An object may be
/// destroyed between start() and wait(), and then ends its communication. Belongs to one thread.
class Traffic {
 public:
  Traffic() = default;
  Traffic(const Traffic&) = delete;
  Traffic& operator=(const Traffic&) = delete;
  virtual ~Traffic() = default;

  /// Regions are borrowed and must not move. Key: the same on both ends, unique per peer and direction.
  virtual SendPart send(int peer, Key key, const Region& region) = 0;
  virtual ReceivePart receive(int peer, Key key, const Region& region) = 0;
  virtual void commit() = 0;

  /// Targets of receives may be overwritten from now on (with deferred unpacking: after accept).
  virtual void start() = 0;
  virtual void ready(SendPart part) = 0;
  /// Marks all parts ready that are not ready yet.
  virtual void ready_all() = 0;
  /// Whether received parts wait for accept(). If not, accept() does nothing and need not be called.
  virtual bool defers_unpacking() const { return false; }
  /// Permits unpacking of a received part: its target is no longer read. Each part once between start() and wait().
  virtual void accept(ReceivePart part) { static_cast<void>(part); }
  /// Accepts all parts that are not accepted yet.
  virtual void accept_all() {}
  virtual void progress() = 0;
  /// Whether a received part was unpacked.
  virtual bool arrived(ReceivePart part) const = 0;
  /// Makes progress on the messages in flight; for a caller that can only wait for some part to arrive.
  virtual void test() = 0;
  virtual void wait() = 0;
};

/// Creates the traffic of every plan. The usual one is a weft::Exchange; its options convert to the maker.
class TrafficMaker {
 public:
  /// `name`: what the plan communicates, for messages to the user. `accepts`: the plan calls accept(), so unpacking may
  /// be deferred.
  using Make = std::function<std::unique_ptr<Traffic>(Transport& transport, const std::string& name, bool accepts)>;

  /// Exchanges with these options. Option `defer_unpacking` applies only to plans that call accept().
  TrafficMaker(const ExchangeOptions& options = {});
  explicit TrafficMaker(Make make) : make_(std::move(make)) {}

  /// Collective.
  std::unique_ptr<Traffic> operator()(Transport& transport, const std::string& name, bool accepts = false) const {
    return make_(transport, name, accepts);
  }

 private:
  Make make_;
};

}  // namespace amr
}  // namespace weft
