// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <mpi.h>

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <utility>
#include <vector>

#include "weft/exchange/requests.hpp"
#include "weft/step/client.hpp"

namespace weft::bench {

/// The opponent of weft: the messages of a step as a careful programmer writes them in plain MPI. All requests are
/// persistent, all receives are posted before the step computes, a message is packed by hand and sent as soon as its
/// last part is complete, MPI_Testsome is called during the computation, and one wait ends the step.
///
/// A message has the parts of one module for one peer, ordered by their keys. The module's number is its tag, so
/// objects that communicate at the same time need modules with different numbers. Belongs to one thread.
class PlainMessages {
 public:
  /// Keeps the communicator, but does not own it.
  explicit PlainMessages(MPI_Comm comm) : comm_(comm) {}
  PlainMessages(const PlainMessages&) = delete;
  PlainMessages& operator=(const PlainMessages&) = delete;
  /// Completes what is in flight.
  ~PlainMessages();

  /// Lists a part, which is borrowed, and returns its number among the sends (or receives).
  std::uint32_t send(int module, int peer, Key key, const Region& region) {
    return list(sends_, module, peer, key, region);
  }
  std::uint32_t receive(int module, int peer, Key key, const Region& region) {
    return list(receives_, module, peer, key, region);
  }
  /// Lists an all-reduce (MPI_Iallreduce). All user-defined reductions of a process must have the same function.
  void all_reduce(int module, const Collective& what);
  /// Makes the requests; afterwards nothing can be listed.
  void commit();

  /// Posts all receives.
  void start();
  /// The part is complete. The last part of a message sends it.
  void ready(std::uint32_t send);
  /// All parts and reductions of a module are complete.
  void ready_module(int module);
  void ready_all();
  /// Tests all requests, and unpacks what has arrived.
  void test();
  void wait();
  bool is_active() const { return active_; }
  /// Whether a receive was unpacked.
  bool arrived(std::uint32_t receive) const;

 private:
  struct Message {
    int module, peer;
    std::vector<std::pair<Key, Region>> parts{};
    std::vector<std::byte> buffer{};  // empty: one contiguous part, sent from (received in) its own memory
    std::size_t missing = 0;          // send: parts that are not ready
    bool is_done = true;              // receive: was unpacked
  };
  struct List {
    std::vector<Message> messages;
    std::vector<std::size_t> of_part;  // a part's message
  };
  struct Reduce {
    int module;
    Collective what;
    MPI_Datatype type;
    MPI_Op op;
    bool is_started = false;
  };

  static std::uint32_t list(List& list, int module, int peer, Key key, const Region& region);
  static std::byte* memory(Message& message);
  void start_send(std::size_t k);
  void start_reduce(std::size_t k);
  void unpack(Message& message);

  MPI_Comm comm_;
  List sends_, receives_;
  std::vector<Reduce> reduces_;
  std::vector<MPI_Request> requests_;  // receives, sends, reduces
  std::vector<int> completed_;
  bool active_ = false;
};

/// Runs clients of a StepManager with PlainMessages, for a manager that itself sends nothing. Add begin() first, then
/// each client as wrapped by add(): receives are posted before the first client, every client's messages are sent when
/// its `before` returns, tests are made between the clients, and begin()'s `after` waits once for all. Parts of up to n
/// bytes, parts listed with given(), continuations, several rounds, and collectives other than all-reduces are refused.
class PlainStep {
 public:
  explicit PlainStep(MPI_Comm comm);
  ~PlainStep();
  Client& begin();
  /// `during`: instead of the client's own, a computation that calls test() where the client calls Step::progress().
  Client& add(Client& client, std::function<void()> during = {});
  void test() { messages_.test(); }

 private:
  class Begin;
  class Module;
  PlainMessages messages_;
  std::unique_ptr<Begin> begin_;
  std::vector<std::unique_ptr<Module>> modules_;
};

}  // namespace weft::bench
