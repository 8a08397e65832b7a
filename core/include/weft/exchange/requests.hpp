// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <type_traits>
#include <vector>

#include "weft/exchange/buffers.hpp"
#include "weft/transport/transport.hpp"

namespace [[gnu::visibility("default")]] weft {

/// A client's identifier of a part, similar to an MPI tag: the same value on both ends.
using Key = std::uint64_t;

/// The handle of one request of a client. Sends, receives and collectives have different types of handles, so that a
/// receive can't be marked ready.
struct Part {
  std::uint32_t client = 0;                      ///< the client's number in the exchange
  std::uint32_t index = 0;                       ///< position in the client's list
  bool operator==(const Part&) const = default;  ///< the same part
};
/// The handle of a send. The program marks it ready.
struct SendPart : Part {};
/// The handle of a receive. With deferred unpacking the program accepts it.
struct ReceivePart : Part {};
/// The handle of a collective. The program marks it ready when its input is complete.
struct CollectivePart : Part {};

/// How received data are put into a part's memory: instead of the values there (no Combine), or combined with them,
/// such as added (`sum<double>()`): value = combine(value, received value).
class Combine {
 public:
  Combine() = default;  ///< received data replace the values
  /// Received data are combined by this reduction.
  template <class T>
  Combine(const Reduction<T>& reduction) : Combine(reduction.of_bytes, ElementType::of<T>()) {}  // NOLINT: implicit
  /// The same for elements of this type.
  Combine(const ReductionOfBytes& reduction, ElementType type) : reduction_(reduction), type_(type) {}

  /// Whether received data are combined.
  explicit operator bool() const { return reduction_.combine != nullptr; }
  const ReductionOfBytes& reduction() const { return reduction_; }  ///< the reduction
  ElementType type() const { return type_; }                        ///< of the elements

 private:
  ReductionOfBytes reduction_{};
  ElementType type_{};
};

/// Options of a receive.
struct ReceiveOptions {
  Combine combine{};  ///< how the data are combined with the values of the part's memory; none: they replace them
  int round = 0;      ///< the round in which it is received
  /// Whether the receives that combine into the same memory may do so in any order, as they arrive. Otherwise they are
  /// combined in the order of rounds, then peers, clients' names and keys, so that rounded sums have the same bits in
  /// every run. A part then waits for parts before it only if they share memory with another.
  bool in_any_order = false;
};

/// One request of a client: a send, a receive or a collective. Made by Requests.
struct Request {
  /// The kind of a request.
  enum class Kind : std::uint8_t { send, receive, collective };
  Kind kind;              ///< send, receive or collective
  int round = 0;          ///< the round in which it is communicated
  int peer = 0;           ///< send, receive: the rank at the other end; it may be this rank
  Key key = 0;            ///< send, receive: the client's key; collective: its number among the client's collectives
  Buffers buffers{};      ///< send, receive: its memory
  bool is_up_to = false;  ///< send, receive: a part of up to n bytes
  Combine combine{};      ///< receive: how its data are combined with the values of its memory
  bool in_any_order = false;  ///< receive: see ReceiveOptions
  Collective collective{};    ///< collective: kind, buffers, root

  /// Its largest size in a message; a part of up to n bytes also sends its number of bytes.
  std::size_t most_bytes() const { return buffers.bytes() + (is_up_to ? sizeof(std::uint64_t) : 0); }
};

/// The list of a client's communication in each start of an exchange, round by round: sends, receives and collectives.
///
/// Regions and spans are borrowed: their memory must stay at its address (except that of parts listed with given()). A
/// peer may be this rank itself; regions may be empty. Two sends of one client to one peer need different keys, also in
/// different rounds. Every rank lists the same collectives in the same order. Commit seals the list: a call that adds
/// to it then throws an Error.
class Requests {
 public:
  /// An empty list. `client`: the client's name; `number`: the client number in its parts. (Exchange::client() makes
  /// it.)
  Requests(std::string client, std::uint32_t number) : client_(std::move(client)), number_(number) {}

  /// Adds a send. The part is sent after the program has marked it ready. From then on its data must not change until
  /// its round was waited for.
  SendPart send(int peer, Key key, Buffers buffers, int round = 0) {
    return {add_part(Request::Kind::send, peer, key, std::move(buffers), false, round)};
  }
  /// Adds a receive. weft may write to the memory at any time from start() until the round was waited for.
  ReceivePart receive(int peer, Key key, Buffers buffers, int round = 0) {
    return {add_part(Request::Kind::receive, peer, key, std::move(buffers), false, round)};
  }
  /// The same with options. Receives of one round may share memory if all of them combine.
  ReceivePart receive(int peer, Key key, Buffers buffers, const ReceiveOptions& options);
  /// Adds a send of *up to* n bytes, where n is the size of `buffers`, which must be contiguous. In each start
  /// ready(part, bytes) chooses the number of bytes, which the message tells to the receiver
  /// (Exchange::received_bytes()). A large part that has a message of its own is sent from its own memory; all others
  /// are packed. weft allocates memory for the bytes that are sent, not for n (in a node's shared memory for n, if n is
  /// at most 1 MiB).
  SendPart send_up_to(int peer, Key key, Buffers buffers, int round = 0) {
    return {add_part(Request::Kind::send, peer, key, std::move(buffers), true, round)};
  }
  /// Adds the receive for a send_up_to(), with the same n. Bytes of the target after the received ones stay unchanged.
  /// A part listed with given() needs no memory: Exchange::take_received() returns the received data.
  ReceivePart receive_up_to(int peer, Key key, Buffers buffers, int round = 0) {
    return {add_part(Request::Kind::receive, peer, key, std::move(buffers), true, round)};
  }

  /// out[i] = reduction over all ranks of in[i], on every rank. `in` and `out` must not overlap.
  template <class T>
  CollectivePart all_reduce(std::span<const T> in, std::span<T> out,
                            const Reduction<std::type_identity_t<T>>& reduction, int round = 0) {
    return collective(Collective::all_reduce(in, out, reduction), round);
  }
  /// The same, on the root only. On other ranks `out` may be empty.
  template <class T>
  CollectivePart reduce(int root, std::span<const T> in, std::span<T> out,
                        const Reduction<std::type_identity_t<T>>& reduction, int round = 0) {
    return collective(Collective::reduce(root, in, out, reduction), round);
  }
  /// Broadcasts the root's `data` to the `data` of every rank.
  template <class T>
  CollectivePart broadcast(int root, std::span<T> data, int round = 0) {
    return collective({.kind = Collective::Kind::broadcast,
                       .out = std::as_writable_bytes(data),
                       .type = ElementType::of<T>(),
                       .root = root},
                      round);
  }
  /// Gathers counts[r] elements of each rank r on the root, in the order of ranks. On other ranks `out` and `counts`
  /// may be empty.
  template <class T>
  CollectivePart gather(int root, std::span<const T> in, std::span<T> out, const std::vector<std::size_t>& counts,
                        int round = 0) {
    return collective({.kind = Collective::Kind::gather,
                       .in = std::as_bytes(in),
                       .out = std::as_writable_bytes(out),
                       .type = ElementType::of<T>(),
                       .root = root,
                       .out_bytes = to_bytes<T>(counts)},
                      round);
  }
  /// Gathers counts[r] elements of each rank r on every rank, in the order of ranks.
  template <class T>
  CollectivePart all_gather(std::span<const T> in, std::span<T> out, const std::vector<std::size_t>& counts,
                            int round = 0) {
    return collective({.kind = Collective::Kind::all_gather,
                       .in = std::as_bytes(in),
                       .out = std::as_writable_bytes(out),
                       .type = ElementType::of<T>(),
                       .out_bytes = to_bytes<T>(counts)},
                      round);
  }
  /// Sends in_counts[r] elements to each rank r, and receives out_counts[r] from it, in the order of ranks.
  template <class T>
  CollectivePart all_to_all(std::span<const T> in, const std::vector<std::size_t>& in_counts, std::span<T> out,
                            const std::vector<std::size_t>& out_counts, int round = 0) {
    return collective({.kind = Collective::Kind::all_to_all,
                       .in = std::as_bytes(in),
                       .out = std::as_writable_bytes(out),
                       .type = ElementType::of<T>(),
                       .in_bytes = to_bytes<T>(in_counts),
                       .out_bytes = to_bytes<T>(out_counts)},
                      round);
  }
  /// A barrier, complete when every rank has marked it ready.
  CollectivePart barrier(int round = 0) { return collective({}, round); }
  /// Adds any collective, described in bytes. The functions above call this one.
  CollectivePart collective(Collective what, int round = 0);

  /// Registers a continuation: when all parts that this client sends and receives in `round` are complete, weft calls
  /// `then` and sends the client's parts of the next round; don't call ready() for these. The thread that completes the
  /// round calls `then`: perhaps a progress thread. Register continuations in order, from round 0 on. A round that a
  /// continuation starts can't have collectives, and the exchange can't defer unpacking.
  void continuation(int round, std::function<void()> then);

  /// Adds a text that must be the same on all ranks for this client's parts to match, such as "grid of 64 x 64 points".
  /// If the texts differ, commit() throws an Error that shows both, instead of an Error about parts without another
  /// end.
  void agree_on(const std::string& text) { agreed_ += (agreed_.empty() ? "" : "; ") + text; }

  /// Sets the memory of a part that was listed with given(), also in a sealed list. (For a committed exchange call
  /// Exchange::rebind.) Throws an Error that names the part if the part was not listed with given(), or if the size of
  /// the region differs.
  void rebind(Part part, Region region);
  /// Removes the memory of a part that was listed with given().
  void unbind(Part part) { list_.at(part.index).buffers.take_back(); }
  /// Seals the list: adding to it throws an Error from now on.
  void seal() { sealed_ = true; }
  /// An unsealed copy with another client number.
  Requests renumbered(std::uint32_t number) const;

  /// The client's name.
  const std::string& client() const { return client_; }
  /// The texts of agree_on(), separated by "; ".
  const std::string& agreed() const { return agreed_; }
  /// The requests, in order: Part::index is the position in this list.
  const std::vector<Request>& list() const { return list_; }
  /// The continuations, by round from 0.
  const std::vector<std::function<void()>>& continuations() const { return continuations_; }
  /// Whether a continuation starts this round.
  bool is_continued(int round) const { return round > 0 && static_cast<std::size_t>(round) <= continuations_.size(); }
  /// The number of rounds, at least 1.
  int all_rounds() const { return rounds_; }
  /// The number of rounds that the client itself begins: 1 if it has continuations, which begin the other rounds;
  /// otherwise all_rounds().
  int rounds() const { return continuations_.empty() ? rounds_ : 1; }

 private:
  Part add(Request request);
  Part add_part(Request::Kind kind, int peer, Key key, Buffers buffers, bool is_up_to, int round);
  void check_open() const;
  void check_combine(Key key, const Combine& combine, const Region& region) const;
  void check_whole_elements(Key key, const Combine& combine, std::size_t run) const;
  template <class T>
  static std::vector<std::size_t> to_bytes(std::vector<std::size_t> counts) {
    for (auto& n : counts) n *= sizeof(T);
    return counts;
  }

  std::string client_, agreed_;
  std::uint32_t number_;
  std::vector<Request> list_;
  std::vector<std::function<void()>> continuations_;
  Key collectives_ = 0;
  int rounds_ = 1;
  bool sealed_ = false;
};

}  // namespace weft
