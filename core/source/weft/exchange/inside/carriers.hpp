// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <memory>
#include <vector>

#include "weft/exchange/inside/messages.hpp"
#include "weft/transport/transport.hpp"

namespace weft::inside {

/// Creates the operations of messages. There is one class per Carrier, one for a node's shared memory, and one for
/// copies within this rank, each in its own file.
class Maker {
 public:
  virtual ~Maker() = default;
  /// Appends this message, or stores it for finish().
  virtual void take(const MessagePlan& plan) = 0;
  /// All messages are known. The local work ends here: up to now it may throw on this rank alone.
  virtual void finish() {}
  /// The collective part of the set-up. Collective: an error of one rank in a step of it is thrown on every rank,
  /// before the next step.
  virtual void meet() {}
};

/// Packed messages (or one contiguous part), whole or in pieces; MPI-4's partitions. Tags begin at `first_tag`. All
/// messages with parts of up to n bytes are made here.
std::unique_ptr<Maker> make_pieces(Messages& messages, Transport& transport, int first_tag);
/// Messages with MPI datatypes of their parts.
std::unique_ptr<Maker> make_datatypes(Messages& messages, Transport& transport, int first_tag);
/// Memory that the ranks of a node share.
std::unique_ptr<Maker> make_shared_memory(Messages& messages, Transport& transport);
/// Messages between nodes for Grouping::per_node. Tags begin at `first_tag`.
std::unique_ptr<Maker> make_by_node(Messages& messages, Transport& transport, int first_tag);
/// Copies within this rank.
std::unique_ptr<Maker> make_copies(Messages& messages);

/// Creates all messages of a layout, in two steps.
class Builder {
 public:
  /// The local work, which may throw on this rank alone.
  Builder(Messages& messages, Transport& transport, int first_tag);
  /// The collective part of the set-up. Collective.
  void meet();

 private:
  Messages& messages_;
  Transport& transport_;
  std::unique_ptr<Maker> copies_, shared_, by_node_, packed_, carried_;
};

}  // namespace weft::inside
