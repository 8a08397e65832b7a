// SPDX-License-Identifier: BSD-3-Clause
#include "weft/pipeline/pipeline.hpp"

#include "c/objects.hpp"

namespace weft::c {

struct TileObject {
  const Tile* tile = nullptr;  // of the callback that runs
};

namespace {

// The handle of a tile's communication, as pipeline() uses it (weft/pipeline/in_flight.hpp): an exchange that was
// started, or an MPI request.
class Communication {
 public:
  Communication() = default;
  explicit Communication(const weft_communication& of) : exchange_(share_if(of.exchange)), request_(of.request) {
    if (exchange_) request_ = MPI_REQUEST_NULL;
    if (exchange_ && exchange_->started.is_over())
      throw Error(
          "The exchange that communicate() of a pipeline gives is not started. Call weft_exchange_start in it.");
  }

  bool test() { return exchange_ ? exchange_->started.test() : test_handle(request_); }
  void wait() {
    if (exchange_ && !exchange_->started.is_over()) exchange_->started.wait();
  }
  void check_ready() const {
    if (exchange_) exchange_->started.check_ready();
  }
  void watch() {
    if (exchange_) exchange_->started.watch();
  }
  bool abandon() noexcept {
    if (!exchange_) return abandon_handle(request_, "");
    exchange_->started.fail("a pipeline has failed");
    return true;
  }
  std::shared_ptr<Failure> failure() const { return exchange_ ? exchange_->started.failure() : nullptr; }

 private:
  std::shared_ptr<ExchangeObject> exchange_;
  MPI_Request request_ = MPI_REQUEST_NULL;
};

}  // namespace
}  // namespace weft::c

using namespace weft::c;

int weft_tile_progress(const weft_tile* tile) {
  return call(__func__, [&] {
    const auto* running = get(reinterpret_cast<weft_tile_inside>(at(tile, "The tile").inside)).tile;
    need(running, "The tile of a callback that has returned")->progress();
  });
}

int weft_pipeline_run(weft_comm comm, const weft_pipeline_options* given) {
  return call(__func__, [&] {
    const auto of = options_of<weft_pipeline_options>(need(given, "The description"), "weft_pipeline_options");
    need(of.compute, "The function compute of a pipeline");
    need(of.communicate, "The function communicate of a pipeline");
    need(of.consume, "The function consume of a pipeline");
    const auto transport = transport_of(comm);
    const auto progress = share_if(of.progress);
    const auto timeline = share_if(of.timeline);
    const weft::PipelineOptions options{.tile = of.tile == 0 ? 1 : of.tile,
                                        .window = of.window,
                                        .progress = progress.get(),
                                        .tiles = of.tiles,
                                        .timeline = timeline.get(),
                                        .client = of.client != nullptr ? of.client : ""};
    TileObject inside;
    const Lent<weft_tile_inside> handle(inside);
    const auto back = [&](const char* name, auto* function, const weft::Tile& tile, auto... rest) {
      inside.tile = &tile;
      const weft_tile seen{sizeof(weft_tile), tile.index, tile.first, tile.count, tile.slot, handle.get()};
      call_back(
          nullptr, [&] { return "'" + std::string(name) + "' of a pipeline"; }, function, of.context, &seen, rest...);
      inside.tile = nullptr;
    };
    // The program has the buffers; these stand for them.
    std::vector<char> buffers(weft::detail::slots_of(options, std::vector<char>().max_size()));
    weft::pipeline(
        *transport, of.iterations, options, std::span(buffers),
        [&](const weft::Tile& tile, char&) { back("compute", of.compute, tile); },
        [&](const weft::Tile& tile, char&) {
          weft_communication started{sizeof started, nullptr, MPI_REQUEST_NULL};
          back("communicate", of.communicate, tile, &started);
          return Communication(started);
        },
        [&](const weft::Tile& tile, char&) { back("consume", of.consume, tile); });
  });
}
