// SPDX-License-Identifier: BSD-3-Clause
#include "pack/ordered_map.hpp"

#include <deque>
#include <exception>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "pack/dealer.hpp"
#include "pack/lane.hpp"
#include "weft/clock.hpp"
#include "weft/error.hpp"
#include "weft/pipeline/pipeline.hpp"
#include "weft/transport/collectives.hpp"
#include "weft/yield.hpp"

namespace weft::pack {
namespace {

using Way = MapOptions::Way;

constexpr const char* client_name = "block";  // the same as for the lanes' exchanges

PipelineOptions pipeline_options(const MapOptions& options) {
  return {.window = options.window, .tiles = endless, .timeline = options.timeline, .client = client_name};
}

// A rank's data of one block.
struct Slot {
  Bytes in, out;
  Header header{};
  std::uint64_t place = Codec::unknown;
};

// Records a block's computation, if there is a timeline.
class Watch {
 public:
  explicit Watch(Timeline* timeline) : timeline_(timeline), from_(timeline != nullptr ? now_seconds() : 0) {}
  ~Watch() {
    if (timeline_ != nullptr) timeline_->add(timeline_->track(client_name), Activity::compute, from_, now_seconds());
  }
  Watch(const Watch&) = delete;
  Watch& operator=(const Watch&) = delete;

 private:
  Timeline* timeline_;
  double from_;
};

// Transforms the slot's input (reading it first if each rank reads) and stores the outcome in slot.header.
void compute(const Work& work, const Block& block, Slot& slot, Timeline* timeline) {
  const Watch watch(timeline);
  slot.header = {.block = block, .kind = Header::Kind::result};
  const auto failed = [&](Header::Kind kind, const std::string& text) {
    slot.header.kind = kind;
    const auto bytes = std::as_bytes(std::span(text));
    slot.out.assign(bytes.begin(), bytes.end());
  };
  try {
    if (work.read) work.read(block, slot.in);
    work.transform(slot.header.block, slot.in, slot.out);
  } catch (const InputError& e) {
    failed(Header::Kind::refused, e.what());
  } catch (const std::exception& e) {
    failed(Header::Kind::failed, e.what());
  }
  slot.header.bytes = slot.out.size();
}

// Results that a rank keeps until all are computed.
class Kept {
 public:
  explicit Kept(Way way) : keeps_(way == Way::after) {}
  // Whether it keeps the result of the slot; never an error.
  bool keep(Slot& slot) {
    if (!keeps_ || slot.header.kind != Header::Kind::result) return false;
    kept_.push_back({slot.header, std::exchange(slot.out, {})});
    slot.header.kind = Header::Kind::kept;
    return true;
  }
  bool empty() const { return kept_.empty(); }
  // Returns the first result.
  void give(Slot& slot) {
    slot.header = kept_.front().header;
    slot.out = std::move(kept_.front().out);
    kept_.pop_front();
  }

 private:
  struct Result {
    Header header;
    Bytes out;
  };
  const bool keeps_;
  std::deque<Result> kept_;
};

// The end of one rank: its remaining writes, and its first error in them.
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
  const std::exception_ptr& failure() const { return error_; }

 private:
  const Work& work_;
  std::exception_ptr error_;
};

// The next ticket and its data arrive while a rank works on this one.
void run_worker(Transport& transport, std::deque<WorkerLane>& lanes, std::span<Slot> slots, const Work& work,
                const MapOptions& options, Writer& writer) {
  const auto lane = [&](std::size_t ticket) -> WorkerLane& { return lanes[ticket % lanes.size()]; };
  Kept kept(options.way);
  lane(0).start();
  pipeline(
      transport, endless, pipeline_options(options), slots,
      [&](const Tile& tile, Slot& slot) {
        const auto ticket = lane(tile.index).take(slot.in);
        if (ticket.kind == Ticket::Kind::last) {
          lane(tile.index).answer({}, {}).wait();
          return false;
        }
        lane(tile.index + 1).start();
        if (ticket.kind == Ticket::Kind::give) {
          kept.give(slot);
        } else {
          compute(work, ticket.block, slot, options.timeline);
          kept.keep(slot);
        }
        return true;
      },
      [&](const Tile& tile, Slot& slot) {
        const bool stays = options.way == Way::parallel && slot.header.kind == Header::Kind::result;
        return lane(tile.index).answer(slot.header, stays ? View() : View(slot.out));
      },
      [&](const Tile& tile, Slot& slot) {
        slot.place = lane(tile.index).place();
        writer.write(slot);
      });
}

// Complete when the dealer has the position of one of rank 0's own blocks.
struct OffsetWait {
  bool test() {
    if (dealer == nullptr) return true;
    const auto place = dealer->offset_of(slot->header.block.index);
    if (place) slot->place = *place;
    return place.has_value();
  }
  Dealer* dealer = nullptr;  // none: no position
  Slot* slot = nullptr;
};

// Attaches the dealer to the progress, if there is one.
struct Attached {
  Attached(Progress* p, Progressable& d) : progress(p), driven(d) {
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
  Progressable& driven;
};

std::exception_ptr run_root(Transport& transport, Lanes& lanes, std::span<Slot> slots, const Work& work,
                            const MapOptions& options, Writer& writer) {
  Dealer dealer(lanes, work, options);
  const Attached attached(options.progress, dealer);
  Kept kept(options.way);
  pipeline(
      transport, endless, pipeline_options(options), slots,
      [&](const Tile&, Slot& slot) {
        const auto block = dealer.take(slot.in);
        if (block) compute(work, *block, slot, options.timeline);
        return block.has_value();
      },
      [&](const Tile&, Slot& slot) {
        slot.place = Codec::unknown;
        const bool waits = options.way == Way::parallel && slot.header.kind == Header::Kind::result;
        if (!kept.keep(slot)) dealer.submit(slot.header, slot.out);
        return waits ? OffsetWait{&dealer, &slot} : OffsetWait{};
      },
      [&](const Tile&, Slot& slot) { writer.write(slot); });
  for (Slot slot; !kept.empty(); dealer.submit(slot.header, slot.out)) kept.give(slot);
  while (!dealer.finished()) yield();
  return dealer.failure();
}

}  // namespace

void ordered_map(Transport& transport, const Work& work, const MapOptions& options) {
  std::vector<Slot> slots(options.window + 1);  // must outlive the lanes, which send from them
  std::optional<Lanes> lanes;
  Writer writer(work);
  together(transport, [&] {
    std::exception_ptr failure;  // an error in a block, which leaves nothing in flight
    // A rank that is still here when another one fails gets the error here. A worker has `window` results in flight,
    // works on one block, and has one ahead.
    lanes.emplace(transport, options.window + 2,
                  LaneOptions{.with_data = !work.read, .with_places = options.way == Way::parallel}, options.progress,
                  options.timeline);
    try {
      if (transport.rank() == 0)
        failure = run_root(transport, *lanes, slots, work, options, writer);
      else
        run_worker(transport, lanes->mine, slots, work, options, writer);
    } catch (...) {
      lanes->fail(std::current_exception());
      throw;
    }
    if (!failure) failure = writer.failure();
    if (failure) std::rethrow_exception(failure);
  });
}

}  // namespace weft::pack
