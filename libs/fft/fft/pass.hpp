// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <complex>
#include <cstddef>
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

namespace weft::fft {

/// What planes travel as: a choice of settings of their exchanges. A benchmark's and the command line's.
enum class Carrier : std::uint8_t {
  messages,       ///< a message a peer and tile
  collective,     ///< MPI's all-to-all-v, as the paper has it
  shared_memory,  ///< ranks of one node read each other's planes, without MPI; others have messages
};

inline constexpr Names<Carrier> carrier_names("carrier", {{Carrier::messages, "messages"},
                                                          {Carrier::collective, "collective"},
                                                          {Carrier::shared_memory, "shared_memory"}});
const char* name_of(Carrier carrier);
/// Whether all ranks are on one node and can share memory. The same on all ranks.
bool shares_memory(const Transport& transport);
/// The carrier of a name; an InputError that lists the names otherwise.
Carrier carrier_named(const std::string& name);

/// Seconds that this rank's computing thread spent, since they were last set to zero.
struct Seconds {
  double transform = 0;
  double pack = 0;  ///< copying what leaves into messages and starting them; copying what stays on the rank
  /// All else: starting, driving and waiting; also putting in place what has arrived, which is done by whoever drives
  /// (by a helper thread: it is not counted).
  double wait = 0;
  double total() const { return transform + pack + wait; }
};

/// `rows` runs of `length` values, `stride` apart, `first` in front of them.
struct Strip {
  std::size_t first = 0, rows = 0, length = 0, stride = 0;
  std::size_t size() const { return rows * length; }
  bool contiguous() const { return rows <= 1 || stride == length; }
};

/// What a rank gives to a peer of each plane, and where it puts what it gets of each of the peer's planes. Both have
/// rows of one length, which is that of what travels.
struct Lane {
  int peer = 0;
  Strip give;                   ///< in this rank's plane
  std::size_t planes = 0;       ///< that the peer has
  std::size_t first = 0;        ///< the number of its plane 0 in the result
  Strip take;                   ///< of its plane 0, in the result
  std::size_t take_stride = 0;  ///< from one plane to the next
};

/// One part of a distributed transform: each plane that this rank has is transformed, cut and sent; the next one is
/// transformed meanwhile; what arrives is put in its place, or transformed into it. Without lanes, planes are
/// transformed, and that is all.
template <class Real>
struct PassPlan {
  using Complex = std::complex<Real>;
  std::size_t planes = 0;                          ///< of this rank
  std::size_t fewest_planes = 0, most_planes = 0;  ///< of any rank
  std::size_t in_bytes = 0;                        ///< from one plane to the next, in the input
  std::size_t plane = 0;                           ///< complex numbers of a plane that is to be sent
  SerialTransform<Real> before;                    ///< of each plane; none: it is sent as it is
  bool scaled = false;                             ///< afterwards multiplied by the factor of the run
  std::vector<Lane> lanes;                         ///< by rank; also that to oneself
  std::size_t out_bytes = 0;     ///< without lanes, with `arrive` or `after`: between planes of the result
  SerialTransform<Real> arrive;  ///< of what came of one plane: from a strip into the result
  SerialTransform<Real> after;   ///< of each plane once it is complete: from `work` into the result
};

struct PassOptions {
  std::size_t tile = 1, window = 2;
  Carrier carrier = Carrier::messages;
  Timeline* timeline = nullptr;  ///< see Options
};

/// What a pass is run with.
struct Run {
  const void* in = nullptr;
  void* out = nullptr;
  void* work = nullptr;  ///< where strips are put if there is an `after`
  double factor = 1;
  Progress* progress = nullptr;
  bool compute = true, communicate = true;  ///< off: for measuring the other one alone; the result is then wrong
  Seconds* seconds = nullptr;
};

/// A PassPlan that can be run: a pipeline of tiles, of which each is an exchange.
///
/// Each slot of the pipeline has an exchange, which its tiles share, since ranks have equally many planes in them. They
/// may differ by a plane in the last tile, which has an exchange of its own.
template <class Real>
class Pass {
 public:
  using Complex = std::complex<Real>;

  /// This rank's own work: memory. `transport` outlives it.
  Pass(Transport& transport, PassPlan<Real> plan, const PassOptions& options);
  /// Makes the exchanges. Collective, as is destruction.
  void commit(MessageSpace& space);
  /// Collective. Allocates nothing of the data's size.
  void run(const Run& r);
  /// Its exchanges, of which all are let go if a run has failed on this rank, in this pass or in another one.
  void list(std::vector<Exchange*>& all);
  /// Before anything is run after that.
  void settle();

 private:
  // Adds the time of its life to a sum, and to a track of a timeline if there is one.
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
    Complex* planes = nullptr;      // where they are transformed, if they are
    Buffer<Complex> own_planes;     // the same, unless that is shared memory
    Buffer<Complex> send, receive;  // of collectives; what is transformed as it arrives
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
  std::optional<Lane> own_;  // that to oneself; none: nothing is sent
  PassOptions options_;
  std::size_t tiles_ = 0, full_tiles_ = 0;
  std::shared_ptr<SharedMemory> memory_;  // of the slots' planes
  std::vector<Slot> slots_;
  std::vector<std::unique_ptr<TileExchange>> exchanges_;
  std::size_t transform_track_ = 0, planes_track_ = 0;  // if there is a timeline
};

}  // namespace weft::fft
