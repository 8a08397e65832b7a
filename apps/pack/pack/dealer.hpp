// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <deque>
#include <exception>
#include <list>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "pack/ordered_map.hpp"
#include "weft/progress/progress.hpp"
#include "weft/transport/transport.hpp"

namespace weft::pack {

/// What travels between rank 0, which deals the blocks out, and the others, which work on them.
struct Ticket {
  Block block;
  std::uint64_t data_bytes = 0;  ///< that follow, if rank 0 reads for all
  std::uint8_t last = 0;         ///< no block; none comes after it
};
struct Header {
  enum class Kind : std::uint8_t { result, held, failed, refused };  ///< the last two carry an error's text
  Block block;
  std::uint64_t bytes = 0;
  Kind kind = Kind::result;
  std::uint8_t wants_more = 0;  ///< the sender has one block less to work on
};
enum Tag : int { tag_ticket, tag_data, tag_header, tag_result, tag_place };
/// A rank waits for several places at once.
inline int place_tag(std::uint64_t index) { return tag_place + static_cast<int>(index % 4096); }

/// Bytes as messages of the transport's piece size (those leave without waiting for their receiver), or of 1 GiB at
/// most.
Operations send_bytes(Transport& transport, View bytes, int peer, int tag);
Operations receive_bytes(Transport& transport, std::span<std::byte> bytes, int peer, int tag);
/// Starts all of them.
Operations& start(Operations& operations);
bool test(Operations& operations);

/// Rank 0's part of an ordered map: gives each rank a block to work on and one ahead, puts results into order, writes
/// them or tells where they go. Never more than `limit` blocks are between the first that is missing and the last that
/// was dealt.
///
/// drive() does what can be done without waiting. Thread-safe: a helper thread may drive while rank 0 computes.
class Dealer final : public Driven {
 public:
  Dealer(Transport& transport, const Work& work, const MapOptions& options);

  Result drive() noexcept override;
  /// A block for rank 0 itself, with its data if rank 0 reads for all; waits while too many are under way.
  std::optional<Block> take(Bytes& data);
  /// What became of it. In parallel, the place that place_of will know is waited for by test and yield.
  void submit(const Header& header, View result);
  std::optional<std::uint64_t> place_of(std::uint64_t index);
  /// Once every block is in order and every rank knows that it is the last.
  bool finished();
  /// The first error of any rank, if there was one.
  void rethrow();

 private:
  struct Peer {
    Header header;
    std::unique_ptr<Operation> receive_header;
    bool listening = false;  // for a header
    bool receiving = false;  // the result of `header`
    Bytes result;
    Operations receive_result;
    std::size_t credits = 0, outstanding = 0;
    bool told_last = false;
  };
  struct Sending {
    Ticket ticket;
    std::uint64_t place = 0;
    Bytes data;
    Operations operations;
  };
  struct Arrived {
    Header header;
    Bytes bytes;
    int rank = 0;
  };
  bool drive_peer(int rank, Peer& peer);
  bool deal(int rank, Peer& peer);
  void arrived(int rank, const Header& header, Bytes bytes);
  void put_in_order();
  void put_in_order(int rank, const Header& header, View bytes);
  std::optional<Block> next(Bytes& data);
  void send_place(int rank, std::uint64_t index, std::uint64_t place);
  void fail(const std::string& text, bool input);
  void check() const {
    if (broken_) std::rethrow_exception(broken_);
  }

  Transport& transport_;
  const Work& work_;
  const bool parallel_;
  const std::size_t limit_;
  std::mutex mutex_;  // guards all that follows; drive() tries it and goes away
  std::deque<Peer> peers_;
  std::list<Sending> sending_;
  std::map<std::uint64_t, Arrived> waiting_;       // results that came before their turn
  std::map<std::uint64_t, std::uint64_t> places_;  // of rank 0's own blocks
  std::uint64_t dealt_ = 0, in_order_ = 0, written_bytes_ = 0;
  bool exhausted_ = false, failed_ = false, failed_input_ = false;
  std::string failure_;
  std::exception_ptr broken_;  // the transport failed
};

}  // namespace weft::pack
