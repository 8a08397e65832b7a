// SPDX-License-Identifier: BSD-3-Clause
#include "pack/ordered_map.hpp"

#include <sched.h>

#include <algorithm>
#include <deque>
#include <exception>
#include <string>
#include <utility>

#include "pack/dealer.hpp"
#include "weft/error.hpp"
#include "weft/pipeline/pipeline.hpp"
#include "weft/transport/collectives.hpp"

namespace weft::pack {
namespace {

using Way = MapOptions::Way;

// What a rank holds of one block.
struct Slot {
  Bytes in, out;
  Header header;
  std::uint64_t place = Codec::unknown;
};

// Transforms slot.in (reading it first where each rank reads) and says in slot.header what became of it.
void compute(const Work& work, const Block& block, Slot& slot) {
  slot.place = Codec::unknown;
  slot.header = {.block = block, .wants_more = 1};
  const auto failed = [&](Header::Kind kind, const std::string& text) {
    slot.header.kind = kind;
    const auto bytes = std::as_bytes(std::span(text));
    slot.out.assign(bytes.begin(), bytes.end());
  };
  try {
    if (work.read) work.read(block, slot.in);
    work.transform(block, slot.in, slot.out);
  } catch (const InputError& e) {
    failed(Header::Kind::refused, e.what());
  } catch (const std::exception& e) {
    failed(Header::Kind::failed, e.what());
  }
  slot.header.bytes = slot.out.size();
}

// The end of one rank: what it still has to write, and its first error in doing so.
class Writer {
 public:
  explicit Writer(const Work& work) : work_(work) {}
  void write(const Slot& slot) {
    if (slot.header.kind != Header::Kind::result || slot.place == Codec::unknown || error_) return;
    try {
      work_.write_at(slot.place, slot.out);
    } catch (...) {
      error_ = std::current_exception();
    }
  }
  void rethrow() const {
    if (error_) std::rethrow_exception(error_);
  }

 private:
  const Work& work_;
  std::exception_ptr error_;
};

// What comes from rank 0: tickets, with data where it reads for all.
class Tickets {
 public:
  explicit Tickets(Transport& transport)
      : transport_(transport),
        receive_(transport.receive(std::as_writable_bytes(std::span(&ticket_, 1)), 0, tag_ticket)) {}

  bool take(const Tile& tile, Block& block, Bytes& data, bool with_data) {
    receive_->start();
    while (!receive_->test()) idle(tile);
    if (ticket_.last) return false;
    block = ticket_.block;
    if (!with_data) return true;
    data.resize(ticket_.data_bytes);
    auto pieces = receive_bytes(transport_, data, 0, tag_data);
    start(pieces);
    while (!test(pieces)) idle(tile);
    return true;
  }

 private:
  static void idle(const Tile& tile) {
    tile.progress();
    sched_yield();
  }
  Transport& transport_;
  Ticket ticket_;
  std::unique_ptr<Operation> receive_;
};

Operations send_result(Transport& transport, Slot& slot, bool with_bytes) {
  auto operations = send_bytes(transport, std::as_bytes(std::span(&slot.header, 1)), 0, tag_header);
  if (with_bytes)
    for (auto& piece : send_bytes(transport, slot.out, 0, tag_result)) operations.push_back(std::move(piece));
  return operations;
}

void run_worker(Transport& transport, const Work& work, const MapOptions& options, Writer& writer) {
  Tickets tickets(transport);
  std::deque<Slot> held;
  pipeline<Slot>(
      transport, endless, {.window = options.window, .progress = options.progress, .tiles = endless},
      [&](const Tile& tile, Slot& slot) {
        Block block;
        if (!tickets.take(tile, block, slot.in, !work.read)) return false;
        compute(work, block, slot);
        return true;
      },
      [&](const Tile&, Slot& slot) {
        const bool good = slot.header.kind == Header::Kind::result;
        Operations operations;
        if (good && options.way == Way::after) {
          held.push_back({.in = {}, .out = std::exchange(slot.out, {}), .header = slot.header});
          held.back().header.wants_more = 0;
          slot.header.kind = Header::Kind::held;
          operations = send_result(transport, slot, false);
        } else {
          operations = send_result(transport, slot, !good || options.way != Way::parallel);
          if (good && options.way == Way::parallel)
            operations.push_back(transport.receive(std::as_writable_bytes(std::span(&slot.place, 1)), 0,
                                                   place_tag(slot.header.block.index)));
        }
        start(operations);
        return operations;
      },
      [&](const Tile&, Slot& slot) { writer.write(slot); });
  // Rank 0 takes them one after the other.
  const std::size_t window = held.size();
  pipeline<char>(
      transport, held.size(), {.window = window, .tiles = std::max<std::size_t>(1, held.size())},
      [](const Tile&, char&) {},
      [&](const Tile& tile, char&) {
        Operations operations;
        if (!tile.empty()) operations = send_result(transport, held[tile.first], true);
        start(operations);
        return operations;
      },
      [](const Tile&, char&) {});
}

// Complete when the dealer knows where one of rank 0's own blocks goes.
class Place final : public Operation {
 public:
  Place(Dealer& dealer, Slot& slot) : dealer_(dealer), slot_(slot) {}
  void start() override {}
  bool test() override {
    if (found_) return true;
    if (const auto place = dealer_.place_of(slot_.header.block.index)) {
      slot_.place = *place;
      found_ = true;
    }
    return found_;
  }

 private:
  Dealer& dealer_;
  Slot& slot_;
  bool found_ = false;
};

// Drives the dealer too, where there is somebody who drives.
struct Attached {
  Attached(Progress* p, Driven& d) : progress(p), driven(d) {
    if (!progress) return;
    progress->attach(driven);
    progress->wake();
  }
  ~Attached() {
    if (progress) progress->detach(driven);
  }
  Attached(const Attached&) = delete;
  Attached& operator=(const Attached&) = delete;
  Progress* progress;
  Driven& driven;
};

void run_root(Transport& transport, const Work& work, const MapOptions& options, Writer& writer) {
  Dealer dealer(transport, work, options);
  const Attached attached(options.progress, dealer);
  std::deque<Slot> held;
  pipeline<Slot>(
      transport, endless, {.window = options.window, .tiles = endless},
      [&](const Tile&, Slot& slot) {
        const auto block = dealer.take(slot.in);
        if (block) compute(work, *block, slot);
        return block.has_value();
      },
      [&](const Tile&, Slot& slot) {
        Operations operations;
        const bool good = slot.header.kind == Header::Kind::result;
        if (good && options.way == Way::after)
          held.push_back({.in = {}, .out = std::exchange(slot.out, {}), .header = slot.header});
        else
          dealer.submit(slot.header, slot.out);
        if (good && options.way == Way::parallel) operations.push_back(std::make_unique<Place>(dealer, slot));
        return operations;
      },
      [&](const Tile&, Slot& slot) { writer.write(slot); });
  for (; !held.empty(); held.pop_front()) dealer.submit(held.front().header, held.front().out);
  while (!dealer.finished()) sched_yield();
  dealer.rethrow();
}

}  // namespace

void ordered_map(Transport& transport, const Work& work, const MapOptions& options) {
  const auto own = transport.duplicate();
  Writer writer(work);
  together(*own, [&] {
    if (own->rank() == 0)
      run_root(*own, work, options, writer);
    else
      run_worker(*own, work, options, writer);
    writer.rethrow();
  });
}

}  // namespace weft::pack
