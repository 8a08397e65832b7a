// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "weft/exchange/exchange.hpp"
#include "weft/halo/halo.hpp"
#include "weft/step/client.hpp"

namespace weft {

class StepManager;

/// A halo with an exchange of its own, for a program that moves nothing else.
///
///     HaloExchange exchange(world, halo);
///     for (...) {
///       exchange.start();
///       compute(halo.interior());        // exchange.progress() now and then
///       exchange.finish();
///       for (const auto& box : halo.boundary()) compute(box);
///     }
///
/// Between start() and finish() the points within the halo's width of a neighbour must not change, and ghosts may at
/// any time (with MessageOptions::held only in finish()): each face, edge and corner is unpacked as it arrives. The
/// later rounds of by_dimension leave in finish().
/// Construction, destruction and (with the reference scheme) finish() are collective.
class HaloExchange {
 public:
  /// Copies the halo; its fields stay borrowed. Throws Error if the grid has other ranks than the transport, else as
  /// Exchange::commit().
  HaloExchange(Transport& transport, const Halo& halo, ExchangeOptions options = {});

  /// Sends what the neighbours need of this block, and receives into the ghosts from now on. Of fields that take turns,
  /// it is this one's.
  void start(std::uint64_t turn = 0);
  /// The array of a field that moves (Field::moves) lies there from the next start on. Not between start() and
  /// finish(); not collective.
  template <class T>
  void rebind(std::size_t field, T* data) {
    move(field, detail::bytes_at(data));
  }
  /// As StartedExchange::progress().
  void progress() { step_.progress(); }
  /// Returns when all ghosts are filled.
  void finish();

  /// For a person: the halo, and the messages that carry it.
  std::string describe() const;

 private:
  void move(std::size_t field, std::byte* data);

  Halo halo_;
  std::vector<std::vector<Part>> parts_;  // by field
  std::unique_ptr<Transport> transport_;
  std::optional<Exchange> exchange_;  // none: the reference scheme
  StartedExchange step_;
};

/// A halo as a client of a step: its messages are shared with those of the other clients. Derive from it to compute:
/// `during` the interior, `after` the boundary. Each is called once a round; only after the last one are all ghosts
/// filled.
class HaloClient : public Client {
 public:
  /// Its fields stay borrowed.
  explicit HaloClient(Halo halo) : halo_(std::move(halo)) {}
  void request(Requests& requests) override { parts_ = halo_.request(requests); }
  /// The array of a field that moves (Field::moves) lies there from the next step on. Between two steps of `steps`,
  /// which this client was added to; not collective.
  template <class T>
  void rebind(StepManager& steps, std::size_t field, T* data) {
    move(steps, field, detail::bytes_at(data));
  }
  /// The one in use.
  const Halo& halo() const { return halo_; }
  /// Then tell the StepManager that this client has changed(), on all ranks between the same steps.
  void replace(const Halo& halo) { halo_ = halo; }
  /// Whether this is the halo's last round: after it all ghosts are filled.
  bool is_last(const Step& step) const { return step.round() + 1 == halo_.rounds(); }

 private:
  void move(StepManager& steps, std::size_t field, std::byte* data);

  Halo halo_;
  std::vector<std::vector<Part>> parts_;  // by field
};

}  // namespace weft
