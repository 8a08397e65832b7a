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

namespace [[gnu::visibility("default")]] weft {

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
/// Between start() and finish() the program must not use ghost points, nor change points of its block that are within
/// the halo's layers() of a neighbour. (In a reverse halo exchange, HaloOptions::Flow, it must not use these points,
/// nor change ghost points.) Each face, edge and corner is unpacked as it arrives; with MessageOptions::defer_unpacking
/// all are unpacked in finish(). finish() also sends the later rounds of HaloOptions::Scheme::by_dimension.
/// Construction, destruction and (with Scheme::reference) finish() are collective.
///
/// A failure is final, as in an Exchange. After an exception between start() and finish(), call fail() or destroy the
/// object, so that the other ranks learn of it; otherwise the next start() fails on all ranks and throws an Error.
class HaloExchange {
 public:
  /// Copies the halo; the memory of its fields stays borrowed. Throws Error as Exchange::commit(), and if the grid has
  /// another number of ranks than the transport.
  HaloExchange(Transport& transport, const Halo& halo, ExchangeOptions options = {});
  ~HaloExchange();

  /// Sends the points that the neighbours need. From now on weft may overwrite ghost points. `buffer_index`: as in
  /// Exchange::start().
  void start(std::uint64_t buffer_index = 0);
  /// The same for fields in memory of a device: points are sent after the work that the queue holds now, and ghost
  /// points are overwritten after it.
  void start(const device::Queue& queue, std::uint64_t buffer_index = 0);
  /// Sets the address of a field that was added with Field::moves, from the next start on. Not between start() and
  /// finish(); not collective.
  template <class T>
  void rebind(std::size_t field, T* data) {
    move(field, detail::bytes_at(data));
  }
  /// As StartedExchange::progress().
  void progress() { step_.progress(); }
  /// Returns when all ghost points are filled (reverse: when their owners have the values).
  void finish();
  /// For fields in memory of a device: the queue, not the host, waits until ghost points are filled.
  void finish(const device::Queue& queue);

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
  device::Queue queue_;  // of this start
};

/// A halo as a client of a StepManager: its messages are aggregated with those of the other clients. Derive from it.
/// `during` and `after` are called once per round: compute the interior in `during` of round 0, and the boundary in
/// `after` of the last round (is_last()), when all ghost points are filled.
class HaloClient : public Client {
 public:
  /// Takes the halo; the memory of its fields stays borrowed.
  explicit HaloClient(Halo halo) : halo_(std::move(halo)) {}
  void request(Requests& requests) override { parts_ = halo_.request(requests); }
  /// Sets the address of a field that was added with Field::moves, from the next step on. `steps`: the StepManager that
  /// has this client. Call it between two steps; not collective.
  template <class T>
  void rebind(StepManager& steps, std::size_t field, T* data) {
    move(steps, field, detail::bytes_at(data));
  }
  /// The halo in use.
  const Halo& halo() const { return halo_; }
  /// Replaces the halo. Call it on all ranks between the same steps, then StepManager::changed() for this client.
  void replace(const Halo& halo) { halo_ = halo; }
  /// Whether this is the halo's last round: in its `after` all ghost points are filled.
  bool is_last(const Step& step) const { return step.round() + 1 == halo_.rounds(); }

 private:
  void move(StepManager& steps, std::size_t field, std::byte* data);

  Halo halo_;
  std::vector<std::vector<Part>> parts_;  // by field
};

}  // namespace weft
