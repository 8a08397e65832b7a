// SPDX-License-Identifier: BSD-3-Clause
//
// Boxes and faces in memory of a device.
#include "bench/device/device.hpp"

#include <algorithm>
#include <cstring>
#include <deque>
#include <memory>
#include <string>
#include <vector>

#include "bench/shared/rotation.hpp"
#include "weft/device/gpu.hpp"
#include "weft/device/test_device.hpp"
#include "weft/error.hpp"
#include "weft/exchange/exchange.hpp"
#include "weft/halo/cartesian_grid.hpp"
#include "weft/timeline/overlap_fraction.hpp"
#include "weft/transport/collectives.hpp"
#include "weft/tune/setting.hpp"
#include "weft/yield.hpp"

namespace weft::bench {
namespace {

std::shared_ptr<device::Device> any_device() {
  for (auto* const make : {&device::cuda, &device::hip}) try {
      return make(-1);
    } catch (const Error&) {
    }
  return device::TestDevice::make({.threads = 1});
}

// A queue of the program.
class Stream {
 public:
  explicit Stream(std::shared_ptr<device::Device> device)
      : device_(std::move(device)), handle_(device_->make_queue()), event_(device_) {}
  ~Stream() { device_->free_queue(handle_); }
  Stream(const Stream&) = delete;
  Stream& operator=(const Stream&) = delete;

  void* handle() const { return handle_; }
  device::Queue queue() const { return {device_, handle_}; }
  void wait() {
    event_.record(handle_);
    while (!event_.is_done()) yield();
  }

 private:
  std::shared_ptr<device::Device> device_;
  void* handle_;
  device::Event event_;
};

// Memory of a device.
class Block {
 public:
  Block(const std::shared_ptr<device::Device>& device, std::size_t doubles)
      : memory_(device->allocate(doubles * sizeof(double)), [device](std::byte* memory) { device->free(memory); }) {}
  double* data() const { return reinterpret_cast<double*>(memory_.get()); }
  std::byte* bytes() const { return memory_.get(); }

 private:
  std::shared_ptr<std::byte> memory_;
};

using Sizes = std::vector<std::size_t>;

// A box of n^3 points is packed within the device, and as many bytes are copied there.
void packing(Transport& world, Report& report, const std::shared_ptr<device::Device>& gpu, std::size_t n,
             double seconds) {
  const std::size_t wide = n + 2, count = n * n * n, bytes = count * sizeof(double);
  const Block from(gpu, wide * wide * wide), to(gpu, count);
  Stream stream(gpu);
  const Region shaped = box(from.data(), {wide, wide, wide}, {1, 1, 1}, {n, n, n});
  const Region straight = contiguous(std::span(from.data(), count));
  const auto box_shape = gpu->prepare(shaped.layout(), bytes), run_shape = gpu->prepare(straight.layout(), bytes);
  const auto run = [&](const device::Shape& shape, bool packs) {
    packs ? gpu->pack(stream.handle(), shape, {0, bytes}, to.bytes())
          : gpu->unpack(stream.handle(), shape, {0, bytes}, to.bytes());
    stream.wait();
  };
  std::vector<Timed> turns{{"copy", [&] { run(*run_shape, true); }},
                           {"pack", [&] { run(*box_shape, true); }},
                           {"unpack", [&] { run(*box_shape, false); }}};
  time_in_turns(world, turns, {.seconds = seconds});
  const auto what = std::to_string(n) + "^3 doubles: ";
  for (const auto& turn : turns)
    report.result(what + turn.name, inverse(turn.spread(), 1e-9 * static_cast<double>(bytes)), "GB/s");
  const auto share = ratio(turns[0], turns[1]);
  report.result(what + "pack, share of the copy's rate", share, "");
  report.figure("pack_share", share);
}

// The faces of a block with one layer of ghost points.
struct Face {
  int peer;
  Key key;  // of the send; the receive has that of the opposite face
  Region send, receive;
};

std::vector<Face> faces_of(Transport& world, double* data, std::size_t n) {
  const CartesianGrid grid(world, {.extent = {n * static_cast<std::size_t>(world.size()), n, n},
                                   .processes = {world.size(), 1, 1},
                                   .periodic = {true, true, true}});
  std::vector<Face> faces;
  for (std::size_t axis = 0; axis < 3; ++axis)
    for (const int side : {-1, 1}) {
      Direction towards{};
      towards[axis] = side;
      const auto slab = [&](std::size_t at) {
        Sizes first(3, 1), counts(3, n);
        first[axis] = at;
        counts[axis] = 1;
        return box(data, Sizes(3, n + 2), first, counts);
      };
      faces.push_back({*grid.neighbour(towards), 2 * axis + (side > 0 ? 1 : 0), slab(side > 0 ? n : 1),
                       slab(side > 0 ? n + 1 : 0)});
    }
  return faces;
}

class WeftFaces {
 public:
  WeftFaces(Transport& world, const std::vector<Face>& faces, const std::shared_ptr<device::Device>& gpu,
            const Setting& setting)
      : exchange_(world, options_of(setting)) {
    auto& client = exchange_.client("faces");
    for (const auto& face : faces) {
      client.send(face.peer, face.key, Region(face.send).on(gpu));
      client.receive(face.peer, face.key ^ 1, Region(face.receive).on(gpu));
    }
    exchange_.commit();
  }
  void start(const device::Queue& queue) {
    started_ = exchange_.start(queue);
    started_.ready_all(0, 0);
  }
  void finish(const device::Queue& queue) { started_.wait(queue); }
  void progress() { started_.progress(); }

 private:
  static ExchangeOptions options_of(const Setting& setting) {
    ExchangeOptions options;
    apply(setting, options);
    return options;
  }
  Exchange exchange_;
  StartedExchange started_;
};

// As programs do without weft: each face is packed and copied to the host, the host waits, then MPI; likewise back.
class PlainFaces {
 public:
  PlainFaces(mpi::Communicator& world, const std::vector<Face>& faces, std::shared_ptr<device::Device> gpu)
      : world_(world), gpu_(std::move(gpu)) {
    for (const auto& face : faces) {
      const auto bytes = face.send.bytes();
      faces_.push_back({face, std::vector<std::byte>(bytes), std::vector<std::byte>(bytes),
                        gpu_->prepare(face.send.layout(), bytes), gpu_->prepare(face.receive.layout(), bytes)});
    }
    for (auto& face : faces_)
      for (auto* buffer : {&face.out, &face.in}) gpu_->pin(*buffer);
  }
  ~PlainFaces() {
    for (auto& face : faces_)
      for (auto* buffer : {&face.out, &face.in}) gpu_->unpin(*buffer);
  }
  PlainFaces(const PlainFaces&) = delete;
  PlainFaces& operator=(const PlainFaces&) = delete;

  void run(Stream& stream) {
    for (auto& face : faces_) gpu_->pack(stream.handle(), *face.from, {0, face.out.size()}, face.out.data());
    stream.wait();
    std::vector<MPI_Request> requests;
    for (auto& face : faces_) {
      const int count = static_cast<int>(face.out.size());
      MPI_Irecv(face.in.data(), count, MPI_BYTE, face.of.peer, static_cast<int>(face.of.key ^ 1), world_.handle(),
                &requests.emplace_back());
    }
    for (auto& face : faces_) {
      const int count = static_cast<int>(face.out.size());
      MPI_Isend(face.out.data(), count, MPI_BYTE, face.of.peer, static_cast<int>(face.of.key), world_.handle(),
                &requests.emplace_back());
    }
    MPI_Waitall(static_cast<int>(requests.size()), requests.data(), MPI_STATUSES_IGNORE);
    for (auto& face : faces_) gpu_->unpack(stream.handle(), *face.to, {0, face.in.size()}, face.in.data());
    stream.wait();
  }

 private:
  struct Buffers {
    Face of;
    std::vector<std::byte> out, in;
    std::unique_ptr<device::Shape> from, to;
  };
  mpi::Communicator& world_;
  std::shared_ptr<device::Device> gpu_;
  std::vector<Buffers> faces_;
};

void check_faces(Transport& world, const std::vector<Face>& faces, const std::shared_ptr<device::Device>& gpu) {
  bool is_right = true;
  for (const auto& face : faces) {
    std::vector<double> seen(face.receive.bytes() / sizeof(double));
    device::read(Region(face.receive).on(gpu), reinterpret_cast<std::byte*>(seen.data()));
    is_right = is_right && std::ranges::all_of(seen, [&](double x) { return x == face.peer + 1; });
  }
  if (all_reduce(world, is_right ? 1 : 0, minimum<int>()) == 0)
    throw Error("The ghost points on the device are wrong after an exchange.", true);
}

void faces(mpi::Communicator& world, Report& report, const std::shared_ptr<device::Device>& gpu, std::size_t n,
           double seconds) {
  const std::size_t points = (n + 2) * (n + 2) * (n + 2);
  const Block block(gpu, points), other(gpu, points);
  const auto all = faces_of(world, block.data(), n);
  const std::vector<double> mine(points, world.rank() + 1), none(points);
  const auto fill = [&](const std::vector<double>& values, const Region& region) {
    device::write(Region(region).on(gpu), reinterpret_cast<const std::byte*>(values.data()));
  };
  fill(mine, contiguous(std::span(block.data(), points)));
  Stream stream(gpu);
  std::deque<WeftFaces> ways;
  PlainFaces plain(world, all, gpu);
  std::vector<Timed> turns{{"plain MPI, waits for each copy", [&] { plain.run(stream); }}};
  for (const auto& setting : device_candidates(world, {Setting{}})) {
    auto& way = ways.emplace_back(world, all, gpu, setting);
    turns.push_back({"weft, " + value_of(setting, "device", ""), [&] {
                       way.start(stream.queue());
                       way.finish(stream.queue());
                       stream.wait();
                     }});
  }
  for (const auto& turn : turns) {
    for (const auto& face : all) fill(none, face.receive);
    turn.run();
    check_faces(world, all, gpu);
  }
  time_in_turns(world, turns, {.seconds = 2 * seconds / 3});
  for (const auto& turn : turns) report.result("six faces: " + turn.name, scaled(turn.spread(), 1e6), "us");
  std::size_t fastest = 1;
  for (std::size_t i = 2; i < turns.size(); ++i)
    if (turns[i].spread().median < turns[fastest].spread().median) fastest = i;
  report.figure("weft_over_plain", ratio(turns[fastest], turns[0]));

  // Work of the device on other memory, about as long as the exchange.
  const auto whole = contiguous(std::span(other.data(), points));
  const auto shape = gpu->prepare(whole.layout(), whole.bytes());
  const Block target(gpu, points);
  const auto work = [&](int turns_of_work) {
    for (int i = 0; i < turns_of_work; ++i) gpu->pack(stream.handle(), *shape, {0, whole.bytes()}, target.bytes());
  };
  const auto one = slowest(world,
                           [&] {
                             work(8);
                             stream.wait();
                           }) /
                   8;
  const int repeats = std::max(1, static_cast<int>(turns[fastest].spread().median / one));
  auto& way = ways[fastest - 1];
  std::vector<Timed> both{{"exchange", turns[fastest].run},
                          {"work",
                           [&] {
                             work(repeats);
                             stream.wait();
                           }},
                          {"both", [&] {
                             way.start(stream.queue());
                             work(repeats);
                             way.finish(stream.queue());
                             stream.wait();
                           }}};
  time_in_turns(world, both, {.seconds = seconds / 3});
  std::vector<double> fractions;
  for (std::size_t i = 0; i < both[0].seconds.size(); ++i)
    fractions.push_back(overlap_fraction(both[0].seconds[i], both[1].seconds[i], both[2].seconds[i]));
  const auto fraction = spread_of(fractions);
  report.result("overlap fraction with work on the device", fraction, "");
  report.figure("overlap_fraction", fraction);
}

}  // namespace

void device(mpi::Communicator& world, const DeviceOptions& options) {
  Report report("device", world, options);
  const auto gpu = any_device();
  report.setting("device", gpu->name());
  report.setting("points", options.points);
  if (dynamic_cast<device::TestDevice*>(gpu.get()) != nullptr)
    report.note("There is no CUDA and no HIP: these are times of weft's test device, for orientation only.");
  const double seconds = options.seconds_or(4, 20);
  packing(world, report, gpu, options.points, seconds / 4);
  faces(world, report, gpu, options.points, 3 * seconds / 4);
  report.finish(world);
}

}  // namespace weft::bench
