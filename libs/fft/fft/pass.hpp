// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <complex>
#include <cstddef>
#include <memory>
#include <string>
#include <vector>

#include "fft/buffer.hpp"
#include "fft/serial_transform.hpp"
#include "weft/pipeline/pipeline.hpp"
#include "weft/transport/shared_message.hpp"
#include "weft/transport/transport.hpp"

namespace weft::fft {

/// What moves the planes between ranks.
enum class Carrier : std::uint8_t {
  messages,       ///< a message a peer and tile; what stays on the rank is copied once
  collective,     ///< MPI's all-to-all-v, as the paper has it
  shared_memory,  ///< ranks of one node read each other's planes, without MPI; others have messages
};

const char* name_of(Carrier carrier);
/// Whether all ranks are on one node and can share memory. The same on all ranks.
bool shares_memory(const Transport& transport);
/// The carrier of that name; an InputError that lists them otherwise.
Carrier carrier_named(const std::string& name);

/// Seconds that this rank spent, since they were last set to zero.
struct Seconds {
  double transform = 0, pack = 0, unpack = 0, wait = 0;
  double total() const { return transform + pack + unpack + wait; }
};

/// `rows` runs of `length` values, `stride` apart, `first` in front of them.
struct Strip {
  std::size_t first = 0, rows = 0, length = 0, stride = 0;
  std::size_t size() const { return rows * length; }
  bool contiguous() const { return rows <= 1 || stride == length; }
};

/// What a rank gives to a peer of each plane, and where it puts what it gets of each of the peer's planes.
struct Lane {
  int peer = 0;
  Strip give;                   ///< in this rank's plane
  std::size_t planes = 0;       ///< that the peer has
  std::size_t first = 0;        ///< the number of its plane 0 in the result
  std::size_t row = 0;          ///< values of a row of what it gives, as it travels
  Strip take;                   ///< of its plane 0, in the result
  std::size_t take_stride = 0;  ///< from one plane to the next

  std::size_t taken() const { return take.rows * row; }
};

/// One part of a distributed transform: each plane that this rank has is transformed, cut and sent; the next one is
/// transformed meanwhile; what arrives is put in its place, or transformed into it. Without lanes, planes are
/// transformed, and that is all.
template <class Real>
struct PassPlan {
  using Complex = std::complex<Real>;
  std::size_t planes = 0, most_planes = 0;  ///< of this rank; of the rank with most
  std::size_t in_bytes = 0;                 ///< from one plane to the next, in the input
  std::size_t plane = 0;                    ///< complex numbers of a plane that is to be sent
  SerialTransform<Real> before;             ///< of each plane; none: it is sent as it is
  bool scaled = false;                      ///< afterwards multiplied by the factor of the run
  std::vector<Lane> lanes;                  ///< by rank; also that to oneself
  std::size_t out_bytes = 0;                ///< without lanes, with `arrive` or `after`: between planes of the result
  SerialTransform<Real> arrive;             ///< of what came of one plane: from a strip into the result
  SerialTransform<Real> after;              ///< of each plane once it is complete: from `work` into the result
};

struct PassOptions {
  std::size_t tile = 1, window = 2;
  Carrier carrier = Carrier::messages;
  int tag = 0;
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

template <class Real>
class Pass {
 public:
  using Complex = std::complex<Real>;

  /// Collective if the carrier is, as is destruction with shared memory. `transport` outlives it.
  Pass(Transport& transport, PassPlan<Real> plan, const PassOptions& options);
  /// Collective. Allocates nothing of the data's size.
  void run(const Run& r);

 private:
  /// Where a lane's planes lie in the memory of the rank that gives them: what its peer is told.
  struct Place {
    std::size_t slot_bytes = 0, header = 0, data = 0;  ///< bytes from one slot to the next, and within the first
    std::size_t row = 0, plane = 0;                    ///< complex numbers from one to the next
  };
  struct SharedLane {
    std::unique_ptr<SharedSend> send;  ///< null: a lane of messages
    std::unique_ptr<SharedReceive> receive;
    const Complex* from = nullptr;  ///< the peer's plane 0
    Complex* to = nullptr;          ///< this rank's
  };
  struct Slot {
    Buffer<Complex> own_planes, send, receive;
    Complex* planes = nullptr;
    std::vector<SharedLane> shared;  ///< by lane
  };
  /// All messages of a tile. Tiles of full size share those of their slot.
  struct Messages {
    Operations operations;
    std::vector<SharedSend*> shared_sends;
    std::vector<SharedReceive*> shared_receives;
    std::vector<std::size_t> send_at, receive_at;  // by lane
    bool active = true;
    void start();
    bool test();
  };
  std::size_t planes_of(std::size_t planes, std::size_t tile) const;
  std::unique_ptr<Messages> make_messages(std::size_t tile);
  Messages& messages(std::size_t tile);
  bool from_planes(const Lane& lane) const;
  bool is_shared(const Lane& lane) const;
  void share_slots();
  void wait_for_readers(const Tile& tile, const Slot& slot) const;
  void run_locally(const Run& r) const;
  void compute(const Run& r, const Tile& tile, Slot& slot);
  void consume(const Run& r, const Tile& tile, Slot& slot);
  void put(const Run& r, const Lane& lane, std::size_t plane, const Complex* from, std::size_t stride) const;
  void scale(const Run& r, Complex* plane) const;

  Transport& transport_;
  PassPlan<Real> plan_;
  PassOptions options_;
  std::size_t tiles_ = 0, full_tiles_ = 0;
  std::unique_ptr<SharedMemory> memory_;  // outlives what is in it
  std::vector<Place> places_;             // of what this rank is given, by lane
  std::vector<Slot> slots_;
  std::vector<std::unique_ptr<Messages>> messages_;
};

}  // namespace weft::fft
