// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <functional>
#include <memory>
#include <vector>

#include "core/tests/weft/exchange/misuse_model.hpp"

namespace weft::testing {

/// The messages of one client, of all kinds, and their memory.
class Moves {
 public:
  struct Shape {
    int rounds = 1;
    bool continuations = false;  ///< a continuation starts each following round
    bool reduces = false;        ///< collectives in each round
    std::size_t turns = 1;       ///< number of buffers per part
    std::size_t largest = 700;   ///< largest number of elements
  };
  Moves(Rank& rank, std::uint64_t number, Shape shape);
  Moves(const Moves&) = delete;
  Moves& operator=(const Moves&) = delete;

  /// With new memory, whose sizes depend on the generation.
  void list(Requests& requests, std::uint64_t generation = 0);
  /// Sets the memory of some parts for the next start.
  void rebind(const std::function<void(Part, Region)>& to);
  void fill(int round, std::uint64_t step);
  /// Marks a part ready. `handle`: a StartedExchange or a Step.
  template <class Handle>
  void mark(Handle& handle, Part part, std::uint64_t step) {
    const auto& end = end_of(part);
    const auto bytes = size(end, step) * sizeof(std::uint64_t);
    if (end.lends)
      handle.ready(SendPart{part}, contiguous(std::span<const std::uint64_t>(*end.lent).first(size(end, step))));
    else if (end.is_up_to)
      handle.ready(SendPart{part}, bytes);
    else
      handle.ready(SendPart{part});
  }
  /// Takes the data of received parts. `from`: an Exchange or a Step.
  template <class From>
  void collect(From& from, int round, std::uint64_t step) {
    for (auto& end : ends_) {
      if (end.is_sent || end.round != round || !end.is_up_to) continue;
      EXPECT_EQ(from.received_bytes(ReceivePart{end.part}), size(end, step) * sizeof(std::uint64_t));
      if (!end.is_taken) continue;
      const auto bytes = from.take_received(ReceivePart{end.part});
      EXPECT_EQ(bytes.size(), size(end, step) * sizeof(std::uint64_t));
      if (!bytes.empty()) std::memcpy(end.places[0]->data(), bytes.data(), bytes.size());
    }
  }
  /// Whether all parts received in this round are right. `collected`: after collect().
  bool is_right(int round, std::uint64_t step, bool collected = true) const;
  /// Overwrites and frees the memory.
  void forget();

  /// Parts that ready_all() would mark wrongly, all that are sent, and all that are received.
  std::vector<Part> specials(int round) const;
  std::vector<Part> sends(int round) const;
  std::vector<Part> receives(int round) const;
  std::vector<CollectivePart> collectives(int round) const;
  bool is_continued(int round) const { return shape.continuations && round > 0; }

  Shape shape;
  static constexpr std::uint64_t no_step = ~std::uint64_t{0};
  std::uint64_t step_of_continuations = no_step;  ///< set before a start
  std::function<void(int)> in_continuation{};

 private:
  using Numbers = std::vector<std::uint64_t>;
  struct End {
    bool is_sent = false, is_up_to = false;
    int peer = 0, round = 0;
    Key key = 0;
    std::size_t n = 0;
    bool is_given = false;  // its memory is set by rebind(), and for some starts by ready()
    bool is_taken = false;  // it has no memory
    bool lends = false;     // in this start
    std::size_t bound = 0;
    Part part{};
    std::vector<std::unique_ptr<Numbers>> places{};  // by buffer index; given: two, of which one is bound
    std::unique_ptr<Numbers> lent{};
    bool is_strided() const { return key % 2 == 1 && !is_up_to; }
  };
  struct Collected {
    bool is_cast = false;
    int root = 0;
    std::vector<std::int64_t> in{}, out{};
    CollectivePart part{};
  };
  std::uint64_t value(int source, Key key, std::uint64_t step, std::size_t i) const;
  std::size_t size(const End& end, std::uint64_t step) const;
  Numbers& place(End& end, std::uint64_t step) const;
  Region region(const End& end, std::size_t place) const;
  void list(Requests& requests, End end);
  const End& end_of(Part part) const;
  template <class Wanted>
  std::vector<Part> parts(int round, const Wanted& wanted) const;

  Rank& rank_;
  std::uint64_t number_;
  std::vector<End> ends_;
  std::vector<Collected> collected_;  // by round
};

}  // namespace weft::testing
