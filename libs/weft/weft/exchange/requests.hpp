// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <type_traits>
#include <vector>

#include "weft/exchange/places.hpp"
#include "weft/transport/transport.hpp"

namespace weft {

/// A client's name for a part: the same value on both ends.
using Key = std::uint64_t;

/// A handle of what a client asked for: one part that moves, or one collective. Which of them it is shows its type, so
/// that nobody marks ready what is received.
struct Part {
  std::uint32_t client = 0;  ///< its number in the exchange
  std::uint32_t index = 0;   ///< among what the client listed
};
/// Of a part that is sent: it is marked ready.
struct SendPart : Part {};
/// Of a part that is received: it arrives, and may have to be accepted.
struct ReceivePart : Part {};
/// Of a collective: it is marked ready when its input is.
struct CollectivePart : Part {};

/// One thing that a client moves. Made by Requests.
struct Request {
  /// What it is.
  enum class Kind : std::uint8_t { send, receive, collective };
  Kind kind;                ///< what it is
  int round = 0;            ///< in which it moves
  int peer = 0;             ///< send, receive
  Key key = 0;              ///< send, receive: the client's; collective: its number among the client's collectives
  Places places{};          ///< send, receive
  bool is_up_to = false;    ///< send, receive: it may be shorter, as the sender says in each start
  Collective collective{};  ///< collective

  /// What it takes in a message at most: one of up to n bytes also says how many there are.
  std::size_t most_bytes() const { return places.bytes() + (is_up_to ? sizeof(std::uint64_t) : 0); }
};

/// What one client moves in a step, round by round: the parts it sends and receives and the collectives it takes part
/// in.
///
/// Regions and spans are borrowed and must stay in place. A peer may be this rank itself; regions may be empty.
/// Two sends of one client to one peer need different keys. Every rank lists the same collectives in the same order.
/// Once its exchange is committed a list is sealed: it can't grow any more (an Error).
class Requests {
 public:
  /// An empty list. `client` is its name, `number` the one that its parts carry: Exchange::client() gives both.
  Requests(std::string client, std::uint32_t number) : client_(std::move(client)), number_(number) {}

  /// The part may leave when it is marked ready, and must not change from then until its round was waited for.
  SendPart send(int peer, Key key, Places places, int round = 0) {
    return {add_part(Request::Kind::send, peer, key, std::move(places), false, round)};
  }
  /// The target may be overwritten from start() until its round was waited for.
  ReceivePart receive(int peer, Key key, Places places, int round = 0) {
    return {add_part(Request::Kind::receive, peer, key, std::move(places), false, round)};
  }
  /// A part of *up to* as many bytes as the places have, each one run: the first so many of them travel in each start
  /// as ready(part, bytes) says, and the receiver learns how many (Exchange::received_bytes): the number travels in the
  /// message. What is large and alone in its message leaves from where it lies; all else is packed. Memory is taken for
  /// what really travels, not for the bound (in a node's shared memory for the bound, if that is 1 MiB at most).
  SendPart send_up_to(int peer, Key key, Places places, int round = 0) {
    return {add_part(Request::Kind::send, peer, key, std::move(places), true, round)};
  }
  /// The other end of it, which is of up to as many bytes; what is behind those that come is left alone. Listed with
  /// given() it needs no memory: Exchange::take_received() has what came.
  ReceivePart receive_up_to(int peer, Key key, Places places, int round = 0) {
    return {add_part(Request::Kind::receive, peer, key, std::move(places), true, round)};
  }

  /// out[i] = reduction over all ranks of in[i], on every rank. `in` and `out` must not overlap.
  template <class T>
  CollectivePart all_reduce(std::span<const T> in, std::span<T> out,
                            const Reduction<std::type_identity_t<T>>& reduction, int round = 0) {
    return collective(Collective::all_reduce(in, out, reduction), round);
  }
  /// The same, on the root only; elsewhere `out` may be empty.
  template <class T>
  CollectivePart reduce(int root, std::span<const T> in, std::span<T> out,
                        const Reduction<std::type_identity_t<T>>& reduction, int round = 0) {
    return collective(Collective::reduce(root, in, out, reduction), round);
  }
  /// The root's data, on every rank.
  template <class T>
  CollectivePart broadcast(int root, std::span<T> data, int round = 0) {
    return collective({.kind = Collective::Kind::broadcast, .out = std::as_writable_bytes(data), .root = root}, round);
  }
  /// counts[r] elements of each rank r, one after the other on the root; elsewhere `out` and `counts` may be empty.
  template <class T>
  CollectivePart gather(int root, std::span<const T> in, std::span<T> out, const std::vector<std::size_t>& counts,
                        int round = 0) {
    return collective({.kind = Collective::Kind::gather,
                       .in = std::as_bytes(in),
                       .out = std::as_writable_bytes(out),
                       .root = root,
                       .out_bytes = to_bytes<T>(counts)},
                      round);
  }
  /// counts[r] elements of each rank r, one after the other on every rank.
  template <class T>
  CollectivePart all_gather(std::span<const T> in, std::span<T> out, const std::vector<std::size_t>& counts,
                            int round = 0) {
    return collective({.kind = Collective::Kind::all_gather,
                       .in = std::as_bytes(in),
                       .out = std::as_writable_bytes(out),
                       .out_bytes = to_bytes<T>(counts)},
                      round);
  }
  /// in_counts[r] elements to each rank r, out_counts[r] from it, one after the other.
  template <class T>
  CollectivePart all_to_all(std::span<const T> in, const std::vector<std::size_t>& in_counts, std::span<T> out,
                            const std::vector<std::size_t>& out_counts, int round = 0) {
    return collective({.kind = Collective::Kind::all_to_all,
                       .in = std::as_bytes(in),
                       .out = std::as_writable_bytes(out),
                       .in_bytes = to_bytes<T>(in_counts),
                       .out_bytes = to_bytes<T>(out_counts)},
                      round);
  }
  /// Complete when every rank has marked it ready.
  CollectivePart barrier(int round = 0) { return collective({}, round); }
  /// Any collective, told in bytes: what the calls above are made of.
  CollectivePart collective(Collective what, int round = 0);

  /// The rounds after `round` go on without the computation: when all parts that this client sends and receives in
  /// `round` are done, `then` is called by whoever drives the exchange (a helper thread too), and what the client sends
  /// in the next round leaves; nobody marks it ready. Relays are a chain that begins in round 0, in order; they move
  /// parts, no collectives.
  void relay(int round, std::function<void()> then);

  /// Where a part that was listed with given() lies; sealed or not. (Exchange::rebind does it for one that is
  /// committed.) Throws an Error that names the part if it was not, or the size is another.
  void rebind(Part part, Region region);
  /// It has no memory any more.
  void unbind(Part part) { list_.at(part.index).places.take_back(); }
  /// It is committed: what would make it grow throws from now on.
  void seal() { sealed_ = true; }
  /// A copy that may grow, under another number.
  Requests renumbered(std::uint32_t number) const;

  /// The client's name.
  const std::string& client() const { return client_; }
  /// What was asked for, in order: Part::index counts here.
  const std::vector<Request>& list() const { return list_; }
  /// By round, from 0.
  const std::vector<std::function<void()>>& relays() const { return relays_; }
  /// Whether `round` begins without the computation.
  bool is_relayed(int round) const { return round > 0 && static_cast<std::size_t>(round) <= relays_.size(); }
  /// One more than the largest round, at least 1.
  int all_rounds() const { return rounds_; }
  /// The same, without rounds that are reached by relay alone: those in which the client computes.
  int rounds() const { return relays_.empty() ? rounds_ : 1; }

 private:
  Part add(Request request);
  Part add_part(Request::Kind kind, int peer, Key key, Places places, bool is_up_to, int round);
  void check_open() const;
  template <class T>
  static std::vector<std::size_t> to_bytes(std::vector<std::size_t> counts) {
    for (auto& n : counts) n *= sizeof(T);
    return counts;
  }

  std::string client_;
  std::uint32_t number_;
  std::vector<Request> list_;
  std::vector<std::function<void()>> relays_;
  Key collectives_ = 0;
  int rounds_ = 1;
  bool sealed_ = false;
};

}  // namespace weft
