// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <memory>
#include <vector>

#include "weft/exchange/inside/messages.hpp"
#include "weft/transport/transport.hpp"

namespace weft::inside {

/// Makes what messages travel by. There is one for each Carrier, one for a node's shared memory, and one for what goes
/// to this rank itself; each is in a file of its own.
class Maker {
 public:
  virtual ~Maker() = default;
  /// Appends this message, or keeps it in mind for finish().
  virtual void take(const MessagePlan& plan) = 0;
  /// All messages are known. This rank's own work ends here: up to now it may throw alone.
  virtual void finish() {}
  /// What ranks make together. Collective.
  virtual void meet() {}
};

/// Packed messages (or one run of memory), whole or in pieces; MPI-4's partitions. Tags begin at `first_tag`. All that
/// have parts of up to n bytes are these.
std::unique_ptr<Maker> make_pieces(Messages& messages, Transport& transport, int first_tag);
/// Messages of which MPI knows where their parts lie.
std::unique_ptr<Maker> make_datatypes(Messages& messages, Transport& transport, int first_tag);
/// All messages of a round as one collective.
std::unique_ptr<Maker> make_neighbourhoods(Messages& messages, Transport& transport);
/// Memory that the ranks of a node share.
std::unique_ptr<Maker> make_shared_memory(Messages& messages, Transport& transport);
/// Copies within this rank.
std::unique_ptr<Maker> make_copies(Messages& messages);

/// Makes all messages of a layout, in two steps.
class Builder {
 public:
  /// This rank's own work, which may throw alone.
  Builder(Messages& messages, Transport& transport, int first_tag);
  /// What ranks make together. Collective.
  void meet();

 private:
  Messages& messages_;
  Transport& transport_;
  std::unique_ptr<Maker> copies_, shared_, packed_, carried_;
};

}  // namespace weft::inside
