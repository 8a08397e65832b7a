// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <string>
#include <vector>

#include "weft/exchange/inside/agreement.hpp"
#include "weft/exchange/options.hpp"
#include "weft/exchange/plan.hpp"
#include "weft/exchange/requests.hpp"

namespace weft::inside {

/// A value for each part that the clients have listed.
template <class T>
class ByPart {
 public:
  ByPart() = default;
  ByPart(const std::deque<Requests>& clients, const T& value) {
    for (const auto& client : clients) all_.emplace_back(client.list().size(), value);
  }
  T& operator[](Part part) { return all_[part.client][part.index]; }
  const T& operator[](Part part) const { return all_[part.client][part.index]; }
  void fill(const T& value) {
    for (auto& of_client : all_) std::fill(of_client.begin(), of_client.end(), value);
  }

 private:
  std::vector<std::vector<T>> all_;
};

/// What an exchange moves and how: the clients' lists, the options in force, the plan. Once it is committed it does not
/// change, but for the memory of parts that were listed without. Knows no messages.
struct Layout {
  /// Sizes that the options leave to the transport are taken from it.
  Layout(ExchangeOptions options, const Transport& transport);

  /// A copy of a list, under its number here.
  std::uint32_t add(const Requests& requests);
  /// Where a part lies whose memory is given at each start.
  void rebind(Part part, Region region);
  void unbind(Part part) { clients[part.client].unbind(part); }
  /// Whether a message travels in memory that the ranks of a node share.
  bool is_in_shared_memory(const MessagePlan& message, const Transport& transport) const;
  /// The lists do not grow any more.
  void seal();
  /// Makes the plan. Throws an Error if this rank can't keep to it.
  void make_plan(const Agreement& agreement, const Transport& transport);

  /// What the client asked for.
  const Request& request(Part part) const { return clients[part.client].list()[part.index]; }
  /// Whether it leaves when a relay says so, and not when it is marked ready.
  bool leaves_by_relay(Part part) const {
    const auto& of_part = request(part);
    return of_part.kind == Request::Kind::send && clients[part.client].is_relayed(of_part.round);
  }
  /// Throws an Error if there is no such part; `done` says what was to be done with it.
  void check(Part part, const char* done) const;
  /// Throws an Error if there is no such client.
  void check_client(std::uint32_t client) const;
  /// As an error names a part.
  std::string describe(Part part) const;
  /// For a person: neighbours, messages, parts, bytes.
  std::string describe() const;

  ExchangeOptions options;
  std::deque<Requests> clients;
  Plan plan;
  int rank = 0, size = 1;
  int all_rounds = 1;         ///< the most of any rank
  std::size_t turns = 1;      ///< after which the places of parts begin again
  std::vector<Part> given{};  ///< parts whose memory is given at each start
  bool queues = false;        ///< what is ready leaves through a queue
};

}  // namespace weft::inside
