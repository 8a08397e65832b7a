// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>

#include "weft/transport/transport.hpp"

namespace weft::testing {

/// Observations of a WatchedTransport and its duplicates, and callbacks that make them fail.
struct Watch {
  int duplicates = 0;                         ///< number of duplicates that were made
  std::size_t sent_bytes = 0;                 ///< in sends that were made
  std::size_t starts = 0, started_bytes = 0;  ///< of sends
  std::function<void(int tag)> before_make;   ///< called before a send or receive is made; may throw
  std::function<void()> before_start;         ///< called before one is started; may throw
  /// Called after memory was shared ("share"), or a collective was made (its name); may throw.
  std::function<void(const std::string& what)> after_set_up;
};

/// Wraps another transport and observes it.
class WatchedTransport final : public Transport {
 public:
  WatchedTransport(const Transport& world, std::shared_ptr<Watch> watch)
      : WatchedTransport(world.duplicate(), std::move(watch)) {}

  int rank() const override { return inner_->rank(); }
  int size() const override { return inner_->size(); }
  bool thread_multiple() const override { return inner_->thread_multiple(); }
  std::size_t eager_limit_bytes() const override { return inner_->eager_limit_bytes(); }
  std::size_t piece_bytes() const override { return inner_->piece_bytes(); }
  int last_tag() const override { return inner_->last_tag(); }
  double seconds_to_arrive() const override { return inner_->seconds_to_arrive(); }
  bool has_ended() const override { return inner_->has_ended(); }
  const char* library() const override { return inner_->library(); }
  std::unique_ptr<Transport> duplicate() const override {
    ++watch_->duplicates;
    return std::unique_ptr<Transport>(new WatchedTransport(inner_->duplicate(), watch_));
  }
  bool has(Ability ability) const override { return inner_->has(ability); }
  std::unique_ptr<Operation> send(std::span<const std::byte> data, int peer, int tag, SendMode mode) override {
    watch_->sent_bytes += data.size();
    return watched(inner_->send(data, peer, tag, mode), tag, data.size());
  }
  std::unique_ptr<Operation> receive(std::span<std::byte> data, int peer, int tag) override {
    return watched(inner_->receive(data, peer, tag), tag);
  }
  std::optional<Arrival> probe(int tag) override { return inner_->probe(tag); }
  std::unique_ptr<Operation> collective(const Collective& what) override {
    return set_up(inner_->collective(what), name_of(what.kind));
  }
  bool shares_memory_with(int peer) const override { return inner_->shares_memory_with(peer); }
  std::unique_ptr<SharedMemory> share(std::size_t bytes) override { return set_up(inner_->share(bytes), "share"); }
  bool has_ranks_of(const SharedMemory& memory) const override { return inner_->has_ranks_of(memory); }

 private:
  class Watched final : public Operation {
   public:
    Watched(std::unique_ptr<Operation> inner, std::shared_ptr<Watch> watch, std::optional<std::size_t> sends)
        : inner_(std::move(inner)), watch_(std::move(watch)), sends_(sends) {}
    void start() override {
      if (sends_) ++watch_->starts;
      watch_->started_bytes += sends_.value_or(0);
      if (watch_->before_start) watch_->before_start();
      inner_->start();
    }
    bool test() override { return inner_->test(); }
    bool abandon() noexcept override { return inner_->abandon(); }

   private:
    std::unique_ptr<Operation> inner_;
    std::shared_ptr<Watch> watch_;
    std::optional<std::size_t> sends_;  // bytes
  };

  WatchedTransport(std::unique_ptr<Transport> inner, std::shared_ptr<Watch> watch)
      : inner_(std::move(inner)), watch_(std::move(watch)) {}
  std::unique_ptr<Operation> watched(std::unique_ptr<Operation> operation, int tag,
                                     std::optional<std::size_t> sends = {}) {
    if (watch_->before_make) watch_->before_make(tag);
    return std::make_unique<Watched>(std::move(operation), watch_, sends);
  }

  template <class T>
  T set_up(T made, const char* what) {
    if (watch_->after_set_up) watch_->after_set_up(what);
    return made;
  }

  std::unique_ptr<Transport> inner_;
  std::shared_ptr<Watch> watch_;
};

}  // namespace weft::testing
