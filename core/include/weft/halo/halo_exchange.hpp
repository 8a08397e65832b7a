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

/// A halo with an exchange of its own, for programs that communicate nothing else.
///
///     HaloExchange exchange(world, halo);
///     for (...) {
///       exchange.start();
///       compute(halo.interior());        // exchange.progress() now and then
///       exchange.finish();
///       for (const auto& box : halo.boundary()) compute(box);
///     }
///
/// Between start() and finish() the program must not change the points within the halo's width of a neighbour, nor read
/// ghost points (in a reverse halo exchange: vice versa). Each face, edge and corner is unpacked as it arrives, with
/// MessageOptions::defer_unpacking only in finish(). The later rounds of by_dimension are sent in finish().
/// Construction, destruction and (with the reference scheme) finish() are collective.
///
/// A failure is final, as in an Exchange. If an exception of the program comes between start() and finish(), call
/// fail(), destroy the object, or let start() find it: then the other ranks learn it.
class HaloExchange {
 public:
  /// Copies the halo; the memory of its fields stays borrowed. Throws Error if the grid has another number of ranks
  /// than the transport, otherwise as Exchange::commit().
  HaloExchange(Transport& transport, const Halo& halo, ExchangeOptions options = {});
  ~HaloExchange();

  /// Sends the points that the neighbours need, and receives into the ghost points from now on. `buffer_index`: as in
  /// Exchange::start().
  void start(std::uint64_t buffer_index = 0);
  /// Sets the address of a field that was added with Field::moves, from the next start on. Not between start() and
  /// finish(); not collective.
  template <class T>
  void rebind(std::size_t field, T* data) {
    move(field, detail::bytes_at(data));
  }
  /// As StartedExchange::progress().
  void progress() { step_.progress(); }
  /// Returns when all ghost points are filled.
  void finish();

  /// As Exchange::fail().
  void fail(const std::string& why) noexcept;
  /// As Exchange::has_failed().
  bool has_failed() const;

  /// A text for the user: the halo and its messages.
  std::string describe() const;

 private:
  void move(std::size_t field, std::byte* data);

  Halo halo_;
  std::vector<std::vector<Part>> parts_;  // by field
  struct Reference;
  std::unique_ptr<Reference> reference_;  // of the reference scheme
  std::optional<Exchange> exchange_;      // of all others
  StartedExchange step_;
};

/// A halo as a client of a StepManager: its messages are aggregated with those of the other clients. Derive from it,
/// and compute the interior in `during` and the boundary in `after`. Both are called once per round of the halo. All
/// ghost points are filled only in `after` of the last round (is_last()).
class HaloClient : public Client {
 public:
  /// The memory of its fields stays borrowed.
  explicit HaloClient(Halo halo) : halo_(std::move(halo)) {}
  void request(Requests& requests) override { parts_ = halo_.request(requests); }
  /// Sets the address of a field that was added with Field::moves, from the next step on. `steps`: the StepManager to
  /// which this client was added. Call it between two steps, as StepManager::rebind(); not collective.
  template <class T>
  void rebind(StepManager& steps, std::size_t field, T* data) {
    move(steps, field, detail::bytes_at(data));
  }
  /// The halo in use.
  const Halo& halo() const { return halo_; }
  /// Replaces the halo. Call it on all ranks between the same steps, and then StepManager::changed() for this client.
  void replace(const Halo& halo) { halo_ = halo; }
  /// Whether this is the halo's last round: in its `after` all ghost points are filled.
  bool is_last(const Step& step) const { return step.round() + 1 == halo_.rounds(); }

 private:
  void move(StepManager& steps, std::size_t field, std::byte* data);

  Halo halo_;
  std::vector<std::vector<Part>> parts_;  // by field
};

}  // namespace weft
