// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <complex>
#include <cstddef>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "fft/buffer.hpp"
#include "fft/serial_transform.hpp"
#include "weft/clock.hpp"
#include "weft/exchange/exchange.hpp"
#include "weft/exchange/message_space.hpp"
#include "weft/names.hpp"
#include "weft/pipeline/pipeline.hpp"
#include "weft/timeline/timeline.hpp"
#include "weft/transport/transport.hpp"

namespace [[gnu::visibility("default")]] weft {
namespace fft {

/// How planes are sent: a choice of settings of their exchanges, for benchmarks and the command line.
enum class Carrier : std::uint8_t {
  messages,       ///< one message per peer and tile
  collective,     ///< MPI's all-to-all-v, as in the paper
  shared_memory,  ///< ranks of one node read each other's planes, without MPI; other ranks use messages
};

inline constexpr Names<Carrier> carrier_names("carrier", {{Carrier::messages, "messages"},
                                                          {Carrier::collective, "collective"},
                                                          {Carrier::shared_memory, "shared_memory"}});
/// Whether all ranks are on one node and can share memory. The same on all ranks.
bool shares_memory(const Transport& transport);

/// Seconds that this rank's computing thread spent, since they were last set to zero.
struct Seconds {
  double transform = 0;
  double pack = 0;  ///< copying data into messages and starting them; copying data that stay on this rank
  /// Everything else: starting, progress and waiting; also unpacking by the computing thread (unpacking by a progress
  /// thread is not counted).
  double wait = 0;
  double total() const { return transform + pack + wait; }
};

/// `rows` runs of `length` values, `stride` apart, after the first `first` values.
struct Strip {
  std::size_t first = 0, rows = 0, length = 0, stride = 0;
  std::size_t size() const { return rows * length; }
  bool contiguous() const { return rows <= 1 || stride == length; }
};

/// The data that a rank sends to a peer from each plane, and where it puts the data received from each of the peer's
/// planes. Both have rows of the same length, that of the data sent.
struct Lane {
  int peer = 0;
  Strip give;                   ///< in this rank's plane
  std::size_t planes = 0;       ///< number of planes of the peer
  std::size_t first = 0;        ///< the position of its plane 0 in the result
  Strip take;                   ///< of its plane 0, in the result
  std::size_t take_stride = 0;  ///< from one plane to the next
};

/// One stage of a distributed transform: each plane of this rank is transformed, cut and sent while the next one is
/// transformed; received data are put into the result, or transformed into it. Without lanes, planes are only
/// transformed.
template <class Real>
struct PassPlan {
  using Complex = std::complex<Real>;
  std::size_t planes = 0;                          ///< of this rank
  std::size_t fewest_planes = 0, most_planes = 0;  ///< of any rank
  std::size_t in_bytes = 0;                        ///< from one plane to the next, in the input
  std::size_t plane = 0;                           ///< complex numbers of a plane to send
  SerialTransform<Real> before;                    ///< of each plane; none: it is sent unchanged
  bool scaled = false;                             ///< then multiplied by the factor of the run
  std::vector<Lane> lanes;                         ///< one for each rank, with this rank itself
  std::size_t out_bytes = 0;     ///< without lanes, with `arrive` or `after`: between planes of the result
  SerialTransform<Real> arrive;  ///< of the data received of one plane: from a strip into the result
  SerialTransform<Real> after;   ///< of each complete plane: from `work` into the result
};

struct PassOptions {
  std::size_t tile = 1, window = 2;
  Carrier carrier = Carrier::messages;
  Timeline* timeline = nullptr;  ///< see Options
};

/// The arguments of a run.
struct Run {
  const void* in = nullptr;
  void* out = nullptr;
  void* work = nullptr;  ///< the target of strips if there is an `after`
  double factor = 1;
  Progress* progress = nullptr;
  bool compute = true, communicate = true;  ///< off: for measuring the other one alone; the result is then wrong
  Seconds* seconds = nullptr;
  std::function<void()> need{};             ///< may be none; called before planes of the input are read
  std::function<void(std::size_t)> give{};  ///< the same when the first n planes of the result are complete
};

/// A PassPlan that can be run: a pipeline of tiles, each of which is an exchange.
///
/// Each slot of the pipeline has one exchange, which its tiles share, because every rank has the same number of planes
/// in each of them. In the last tile ranks may differ by one plane, so it has its own exchange.
template <class Real>
class Pass {
 public:
  using Complex = std::complex<Real>;

  /// Local work: allocates memory. `transport` must outlive it.
  Pass(Transport& transport, PassPlan<Real> plan, const PassOptions& options);
  /// Creates the exchanges. Collective, as is destruction.
  void commit(MessageSpace& space);
  Pass(const Pass&) = delete;
  Pass& operator=(const Pass&) = delete;
  /// Collective. Allocates no memory of the size of the data.
  void run(const Run& r);

 private:
  // Adds its lifetime to a sum, and to a track of a timeline if there is one.
  class Watch {
   public:
    Watch(double& sum, Timeline* timeline, std::size_t track, Activity activity)
        : sum_(sum), timeline_(timeline), track_(track), activity_(activity), from_(now_seconds()) {}
    ~Watch() {
      const double until = now_seconds();
      sum_ += until - from_;
      if (timeline_ != nullptr) timeline_->add(track_, activity_, from_, until);
    }
    Watch(const Watch&) = delete;
    Watch& operator=(const Watch&) = delete;

   private:
    double& sum_;
    Timeline* timeline_;
    std::size_t track_;
    Activity activity_;
    double from_;
  };
  struct Slot {
    Complex* planes = nullptr;      // where planes are transformed, if they are
    Buffer<Complex> own_planes;     // the same, unless that is shared memory
    Buffer<Complex> send, receive;  // of collectives; or data that are transformed as they arrive
  };
  struct TileExchange {
    TileExchange(MessageSpace& space, const ExchangeOptions& options) : exchange(space, options) {}
    Exchange exchange;
    std::vector<std::optional<SendPart>> sends;        // by lane; none: empty
    std::vector<std::optional<ReceivePart>> receives;  // likewise
    std::optional<CollectivePart> all_to_all;
  };
  bool is_collective() const { return options_.carrier == Carrier::collective; }
  bool is_shared() const { return options_.carrier == Carrier::shared_memory; }
  std::size_t planes_of(std::size_t planes, std::size_t tile) const;
  void share_planes();
  TileExchange& exchange_of(std::size_t tile);
  void add_exchange(MessageSpace& space, std::size_t tile);
  void add_messages(TileExchange& to, std::size_t tile);
  void add_all_to_all(TileExchange& to, std::size_t tile);
  Region given_region(const Lane& lane, const Complex* planes, std::size_t count) const;
  Region taken_region(const Run& r, const Lane& lane, std::size_t first, std::size_t count) const;
  const Complex* planes_to_send(const Run& r, const Tile& tile, const Slot& slot) const;
  void run_locally(const Run& r) const;
  void compute(const Run& r, const Tile& tile, Slot& slot) const;
  void keep(const Run& r, std::size_t number, const Complex* plane) const;
  StartedExchange communicate(const Run& r, const Tile& tile, Slot& slot);
  void leave(const Run& r, const Tile& tile, const Slot& slot, const TileExchange& now, StartedExchange& started) const;
  void leave_together(const Run& r, const Tile& tile, const Slot& slot, const TileExchange& now,
                      StartedExchange& started) const;
  void consume(const Run& r, const Tile& tile, const Slot& slot) const;
  void take(const Run& r, const Tile& tile, const Slot& slot) const;
  void scale(const Run& r, Complex* plane) const;
  Watch transforms(const Run& r) const;
  Watch packs(const Run& r) const;

  Transport& transport_;
  PassPlan<Real> plan_;      // its lanes are those to other ranks
  std::optional<Lane> own_;  // the lane to this rank itself; none: nothing is sent
  PassOptions options_;
  std::size_t tiles_ = 0, full_tiles_ = 0;
  std::shared_ptr<SharedMemory> memory_;  // of the slots' planes
  std::shared_ptr<std::vector<Slot>> shared_slots_ = std::make_shared<std::vector<Slot>>();
  std::vector<Slot>& slots_ = *shared_slots_;
  std::vector<std::unique_ptr<TileExchange>> exchanges_;
  std::size_t transform_track_ = 0, planes_track_ = 0;  // if there is a timeline
};

}  // namespace fft
}  // namespace weft
