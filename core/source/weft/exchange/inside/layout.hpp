// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "weft/exchange/inside/agreement.hpp"
#include "weft/exchange/options.hpp"
#include "weft/exchange/plan.hpp"
#include "weft/exchange/requests.hpp"

namespace weft::inside {

/// One value per part that the clients have listed.
template <class T>
class ByPart {
 public:
  ByPart() = default;
  ByPart(const std::deque<Requests>& clients, const T& value) {
    for (const auto& client : clients) all_.emplace_back(client.list().size(), value);
  }
  bool has(Part part) const { return part.client < all_.size() && part.index < all_[part.client].size(); }
  /// Of a client, by part.
  const std::vector<T>& of(std::uint32_t client) const { return all_[client]; }
  T& operator[](Part part) { return all_[part.client][part.index]; }
  const T& operator[](Part part) const { return all_[part.client][part.index]; }
  void fill(const T& value) {
    for (auto& of_client : all_) std::fill(of_client.begin(), of_client.end(), value);
  }

 private:
  std::vector<std::vector<T>> all_;
};

/// What an exchange communicates and how: the clients' lists, the options in use, the plan. Constant after commit,
/// except for the memory of parts that were listed with given(). It has no messages.
struct Layout {
  /// Takes sizes that the options leave open from the transport.
  Layout(ExchangeOptions options, const Transport& transport);

  /// Adds a copy of a list, with a client number.
  std::uint32_t add(const Requests& requests);
  /// Whether a message goes through the shared memory of a node.
  bool is_in_shared_memory(const MessagePlan& message, const Transport& transport) const;
  /// Whether a message is part of one between nodes.
  bool goes_by_node(const MessagePlan& message, const Transport& transport) const;
  /// Whether a part of the message is in memory of a device.
  bool is_on_device(const MessagePlan& message) const {
    return std::ranges::any_of(message.parts, [this](Part part) { return request(part).buffers.device() != nullptr; });
  }
  /// Throws an Error if a part's memory is not where its region says, where that can be known. `address`: of it; may be
  /// null.
  void check_side(Part part, const void* address, const device::Device* device) const;
  /// Seals the lists.
  void seal();
  /// Makes the plan, and adds the parts of `indices`. Throws an Error if this rank can't follow it.
  void make_plan(const Agreement& agreement, const Transport& transport);
  /// After make_plan(): as before it, since not all ranks have made theirs.
  void drop_plan();

  /// The client's request.
  const Request& request(Part part) const { return clients[part.client].list()[part.index]; }
  /// Whether a continuation sends it, and not ready().
  bool leaves_by_continuation(Part part) const {
    const auto& of_part = request(part);
    return of_part.kind == Request::Kind::send && clients[part.client].is_continued(of_part.round);
  }
  /// Throws an Error if there is no such part; `done`: what the caller does with it.
  void check(Part part, const char* done) const;
  /// Throws an Error if there is no such client.
  void check_client(std::uint32_t client) const;
  /// A part's name for error messages.
  std::string describe(Part part) const;
  /// The clients' names, for error messages.
  std::string names() const;
  /// A text for the user: neighbours, messages, parts, bytes.
  std::string describe() const;

  ExchangeOptions options;
  std::deque<Requests> clients;
  Plan plan;
  int rank = 0, size = 1;
  std::size_t buffer_count = 1;  ///< period of the buffer rotation
  std::vector<Part> turns{};     ///< receives that combine into memory that they share, in the order of combining
  std::vector<Part> given{};     ///< parts that were listed with given()
  /// Those on which the parts of this rank are.
  std::set<std::shared_ptr<device::Device>> devices{};
  bool queues = false;  ///< whether sends go through a queue

  /// The buffer index of a start, which each peer of this rank gets, too: parts of a client without a name, which no
  /// client of the program can be.
  struct Indices {
    std::uint64_t mine = 0;
    std::deque<std::uint64_t> of_peers{};   ///< by receive
    std::vector<Part> sends{}, receives{};  ///< one per peer, in the first round that has a message with it
  };
  Indices indices{};

 private:
  void add_indices();
  void check_devices();
  void limit(const Transport& transport);
};

}  // namespace weft::inside
