// SPDX-License-Identifier: BSD-3-Clause
#include "core/tests/weft/device/device_model.hpp"

#include <algorithm>
#include <array>
#include <deque>
#include <map>
#include <mutex>
#include <numeric>
#include <set>
#include <utility>
#include <vector>

#include "tests/support/core_random.hpp"
#include "tests/support/core_ranks.hpp"
#include "weft/error.hpp"
#include "weft/exchange/exchange.hpp"
#include "weft/progress/progress.hpp"
#include "weft/transport/collectives.hpp"
#include "weft/transport/in_process.hpp"

namespace weft::testing {
namespace {

using device::TestDevice;
using Element = std::uint64_t;
using Spans = std::vector<std::span<const std::byte>>;

constexpr Element poison = 0xdeaddeaddeaddead;
constexpr Element guard = 0xfefefefefefefefe;
constexpr int steps_in_a_run = 3;

Element value_of(int step, Key key, int source, std::size_t i) {
  return hash({static_cast<std::uint64_t>(step), key, static_cast<std::uint64_t>(source), i});
}

// A device with a fault.
class Faulty final : public TestDevice {
 public:
  Faulty(const device::TestDeviceOptions& options, DeviceFault fault)
      : TestDevice(options), fault_(fault), scratch_(std::size_t{1} << 16) {
    if (fault_ == DeviceFault::host_copy) TestDevice::pin(scratch_);
  }
  void* make_queue() override {
    const std::scoped_lock lock(mutex_);
    return queues_.emplace_back(TestDevice::make_queue());
  }
  void record(void* event, void* queue) override {
    if (fault_ == DeviceFault::whole_device_wait) synchronize();
    const std::scoped_lock lock(mutex_);
    queue_of_[event] = queue;
    if (fault_ == DeviceFault::wrong_queue) queue = another(queue);
    TestDevice::record(event, queue);
  }
  void wait(void* queue, void* event) override {
    if (fault_ == DeviceFault::no_event && ++waits_ % 2 == 0) return;
    TestDevice::wait(queue, event);
  }
  bool is_done(void* event) override {
    const bool done = TestDevice::is_done(event);
    const std::scoped_lock lock(mutex_);
    const bool packs = packing_.contains(queue_of_[event]), unpacks = unpacking_.contains(queue_of_[event]);
    return done || (fault_ == DeviceFault::sent_early && packs) || (fault_ == DeviceFault::reused_early && unpacks);
  }
  void pack(void* queue, const device::Shape& shape, device::Range range, std::byte* out) override {
    note(packing_, queue);
    if (fault_ != DeviceFault::host_copy || has(out)) return TestDevice::pack(queue, shape, range, out);
    const auto at = scratch_.data() + used_;
    used_ = (used_ + range.bytes) % (scratch_.size() / 2);
    TestDevice::pack(queue, shape, range, at);
    launch(queue, [=] { std::copy_n(at, range.bytes, out); });
  }
  void unpack(void* queue, const device::Shape& shape, device::Range range, const std::byte* in) override {
    note(unpacking_, queue);
    TestDevice::unpack(queue, shape, range, in);
  }

 private:
  void* another(void* queue) {
    const auto at = static_cast<std::size_t>(std::ranges::find(queues_, queue) - queues_.begin());
    return queues_[(at + 1) % queues_.size()];
  }
  void note(std::set<void*>& queues, void* queue) {
    const std::scoped_lock lock(mutex_);
    queues.insert(queue);
  }

  DeviceFault fault_;
  std::mutex mutex_;
  std::vector<void*> queues_;
  std::set<void*> packing_, unpacking_;
  std::map<void*, void*> queue_of_;  // by event
  std::atomic<unsigned> waits_ = 0;
  std::vector<std::byte> scratch_;
  std::size_t used_ = 0;
};

// A transport that remembers where messages are, and may receive too early.
class Spy final : public Transport {
 public:
  struct Seen {
    Spans sent, received;
  };
  Spy(Transport& inner, std::shared_ptr<Seen> seen, bool early)
      : inner_(inner), seen_(std::move(seen)), early_(early) {}
  Spy(std::unique_ptr<Transport> inner, std::shared_ptr<Seen> seen, bool early)
      : own_(std::move(inner)), inner_(*own_), seen_(std::move(seen)), early_(early) {}

  int rank() const override { return inner_.rank(); }
  int size() const override { return inner_.size(); }
  bool thread_multiple() const override { return inner_.thread_multiple(); }
  std::size_t eager_limit_bytes() const override { return inner_.eager_limit_bytes(); }
  std::size_t piece_bytes() const override { return inner_.piece_bytes(); }
  int last_tag() const override { return inner_.last_tag(); }
  double seconds_to_arrive() const override { return inner_.seconds_to_arrive(); }
  const char* library() const override { return inner_.library(); }
  std::unique_ptr<Transport> duplicate() const override {
    return std::make_unique<Spy>(inner_.duplicate(), seen_, early_);
  }
  bool has(Ability ability) const override { return inner_.has(ability); }
  std::unique_ptr<Operation> send(std::span<const std::byte> data, int peer, int tag, SendMode mode) override {
    seen_->sent.push_back(data);
    return inner_.send(data, peer, tag, mode);
  }
  std::unique_ptr<Operation> receive(std::span<std::byte> data, int peer, int tag) override {
    seen_->received.push_back(data);
    auto receive = inner_.receive(data, peer, tag);
    if (!early_ || tag > last_tag() - 8) return receive;  // not weft's own
    return std::make_unique<Early>(std::move(receive));
  }
  std::optional<Arrival> probe(int tag) override { return inner_.probe(tag); }
  std::unique_ptr<Operation> send_regions(std::span<const Region> regions, int peer, int tag) override {
    return inner_.send_regions(regions, peer, tag);
  }
  std::unique_ptr<Operation> receive_regions(std::span<const Region> regions, int peer, int tag) override {
    return inner_.receive_regions(regions, peer, tag);
  }
  Operations send_partitions(std::span<const std::byte> data, int count, int peer, int tag) override {
    return inner_.send_partitions(data, count, peer, tag);
  }
  Operations receive_partitions(std::span<std::byte> data, int count, int peer, int tag) override {
    return inner_.receive_partitions(data, count, peer, tag);
  }
  std::unique_ptr<Operation> collective(const Collective& what) override { return inner_.collective(what); }
  bool shares_memory_with(int peer) const override { return inner_.shares_memory_with(peer); }
  std::unique_ptr<SharedMemory> share(std::size_t bytes) override { return inner_.share(bytes); }
  bool has_ranks_of(const SharedMemory& memory) const override { return inner_.has_ranks_of(memory); }

 private:
  class Early final : public Operation {
   public:
    explicit Early(std::unique_ptr<Operation> inner) : inner_(std::move(inner)) {}
    void start() override {
      while (!inner_->test()) {  // the last one
      }
      inner_->start();
    }
    bool test() override { return true; }
    bool abandon() noexcept override { return inner_->abandon(); }

   private:
    std::unique_ptr<Operation> inner_;
  };

  std::unique_ptr<Transport> own_;
  Transport& inner_;
  std::shared_ptr<Seen> seen_;
  bool early_;
};

struct Wish {
  int source, target, round;
  Key key;
  std::array<std::size_t, 3> count;  // elements along each dimension
  bool combines;
  std::size_t elements() const { return count[0] * count[1] * count[2]; }
};

struct Scenario {
  int ranks = 1, nodes_of = 0, rounds = 1;
  std::vector<Wish> wishes;
  MessageOptions messages{};
  ProgressOptions::Kind progress{};
  int threads = 0;     // of each device
  bool plain = false;  // only messages between ranks, which the Spy sees
  bool synchronous = false, from_host = false;
  int canceller = -1;  // the rank that gives up in the last step
};

Scenario scenario_of(std::uint64_t seed) {
  Random random(hash({seed, 62}));
  Scenario s;
  s.plain = seed % 8 == 0;
  s.ranks = s.plain ? 2 : 1 + random.below(3);
  s.nodes_of = random.below(3);
  s.rounds = 1 + random.below(2);
  s.synchronous = random.chance(3);
  s.threads = random.chance(4) ? 1 + random.below(2) : 0;
  s.from_host = random.chance(3);
  using K = ProgressOptions::Kind;
  s.progress = std::array{K::passive, K::polling, K::thread, K::send_receive_threads}[random.size_below(4)];
  auto& m = s.messages;
  m.grouping = std::array{Grouping::per_peer, Grouping::per_part, Grouping::by_size,
                          Grouping::per_node}[s.plain ? 0 : random.size_below(4)];
  m.packed_limit_bytes = std::array<std::size_t, 3>{1, 400, 1 << 20}[random.size_below(3)];
  m.by_size_bytes = 200;
  m.piece_bytes = random.chance(2) ? 64 + random.size_below(500) : 0;
  m.carrier = std::array{Carrier::messages, Carrier::synchronous, Carrier::datatypes,
                         Carrier::partitioned}[s.plain ? 0 : random.size_below(4)];
  m.shared_memory = !s.plain && random.chance(3);
  m.defer_unpacking = random.chance(3);
  m.most_requests = random.chance(5) ? 1 + random.size_below(3) : 0;
  for (int parts = 1 + random.below(3 * s.ranks), p = 0; p < parts; ++p) {
    Wish w{random.below(s.ranks),
           random.below(s.ranks),
           random.below(s.rounds),
           static_cast<Key>(p),
           {1 + random.size_below(3), 1 + random.size_below(3), 1 + random.size_below(20)},
           random.chance(4)};
    if (s.plain) w.target = 1 - w.source;
    s.wishes.push_back(w);
  }
  if (random.chance(6)) s.canceller = random.below(s.ranks);
  return s;
}

// Memory of a rank's device, or of the host.
class Array {
 public:
  Array() = default;
  Array(const std::shared_ptr<TestDevice>& device, std::size_t elements) : device_(device), elements_(elements) {
    const auto bytes = elements * sizeof(Element);
    if (device)
      memory_ = {device->allocate(bytes), [weak = device_](std::byte* memory) {
                   if (const auto of = weak.lock()) of->free(memory);
                 }};
    else
      memory_ = {new std::byte[bytes], std::default_delete<std::byte[]>()};
    inside_ = device ? device->inside(user()) : user();
    std::fill_n(inside(), elements, guard);
  }
  Element* user() const { return reinterpret_cast<Element*>(memory_.get()); }
  Element* inside() const { return inside_; }
  std::size_t size() const { return elements_; }
  std::shared_ptr<TestDevice> device() const { return device_.lock(); }

 private:
  std::weak_ptr<TestDevice> device_;  // since the device's queues keep kernels, which keep this
  std::shared_ptr<std::byte> memory_;
  Element* inside_ = nullptr;
  std::size_t elements_ = 0;
};

// An array of which a region of a random kind is used, and where its elements are.
struct Place {
  Array array;
  std::vector<std::size_t> index;
  Region region;

  Place() = default;
  Place(const std::shared_ptr<TestDevice>& device, const Wish& w, Random& random) {
    const auto n = w.elements();
    const int kind = random.below(4);
    if (kind == 0) {
      array = Array(device, n + 3);
      for (std::size_t i = 0; i < n; ++i) index.push_back(1 + i);
      region = contiguous(std::span(array.user() + 1, n));
    } else if (kind == 1) {
      array = Array(device, 2 * n + 1);
      index.resize(array.size());
      std::iota(index.begin(), index.end(), std::size_t{0});
      random.shuffle(index);
      index.resize(n);
      region = indexed(array.user(), index);
    } else if (kind == 2) {
      std::vector<std::size_t> extent, first;
      for (const auto c : w.count) {
        first.push_back(random.size_below(2));
        extent.push_back(first.back() + c + random.size_below(2));
      }
      array = Array(device, extent[0] * extent[1] * extent[2]);
      region = box(array.user(), extent, first, {w.count.begin(), w.count.end()});
      for (std::size_t i = 0; i < n; ++i) {
        const auto z = i % w.count[2], y = i / w.count[2] % w.count[1], x = i / w.count[2] / w.count[1];
        index.push_back(((first[0] + x) * extent[1] + first[1] + y) * extent[2] + first[2] + z);
      }
    } else {
      // Loops of count[0] and count[2]; count[1] offsets inside or outside of them.
      const bool inside = random.chance(2);
      const auto [a, b, c] = w.count;
      const std::size_t element_stride = b + 1, row = c * element_stride + random.size_below(3);
      std::vector<std::size_t> offsets(b + 1);
      std::iota(offsets.begin(), offsets.end(), std::size_t{0});
      random.shuffle(offsets);
      offsets.resize(b);
      array = Array(device, a * row + element_stride);
      const auto add = [&](std::size_t x, std::size_t y, std::size_t z) {
        index.push_back(x * row + z * element_stride + offsets[y]);
      };
      for (std::size_t outer = 0; outer < (inside ? 1 : b); ++outer)
        for (std::size_t x = 0; x < a; ++x)
          for (std::size_t z = 0; z < c; ++z)
            for (std::size_t inner = 0; inner < (inside ? b : 1); ++inner) add(x, outer + inner, z);
      auto bytes = offsets;
      for (auto& offset : bytes) offset *= sizeof(Element);
      const std::array loops{Loop{a, row * sizeof(Element)}, Loop{c, element_stride * sizeof(Element)}};
      region = make_strided(detail::bytes_at(array.user()), sizeof(Element), loops, true, bytes, inside)
                   .as(ElementType::of<Element>());
    }
    region = std::move(region).on(device);
    fill(poison);
  }
  // For kernels: without the region, which keeps the device.
  Place used() const {
    Place copy;
    copy.array = array;
    copy.index = index;
    return copy;
  }
  void fill(Element value) const {
    for (const auto i : index) array.inside()[i] = value;
  }
  bool guards_are_whole() const {
    std::vector<Element> copy(array.inside(), array.inside() + array.size());
    for (const auto i : index) copy[i] = guard;
    return std::ranges::all_of(copy, [](Element e) { return e == guard; });
  }
};

struct Moving {
  const Wish* wish;
  bool is_given;
  void* queue;  // in which the program uses its memory
  Place place{};
  SendPart sent{};
  ReceivePart received{};
};

// One rank.
class Rank {
 public:
  Rank(Transport& world, const Scenario& scenario, const DeviceProgram& program)
      : s_(scenario), fault_(program.fault), rank_(world.rank()),
        random_(hash({program.seed, static_cast<std::uint64_t>(world.rank())})),
        gpu_(std::make_shared<Faulty>(
            device::TestDeviceOptions{.seed = random_.next(), .threads = scenario.threads, .keep_copies = true},
            program.fault)),
        queues_{gpu_->make_queue(), gpu_->make_queue()}, seen_(std::make_shared<Spy::Seen>()),
        spy_(world, seen_, fault_ == DeviceFault::unpacked_early), pool_(any_device(), pool_elements) {}

  std::string run() {
    {
      const auto progress =
          std::make_shared<Progress>(spy_, ProgressOptions{.kind = s_.progress, .interval_seconds = 1e-6});
      Exchange exchange(spy_, {.messages = s_.messages, .progress = progress});
      list(exchange);
      exchange.commit();
      for (int i = 0; i < steps_in_a_run; ++i) {
        const bool is_cancelled = s_.canceller >= 0 && i + 1 == steps_in_a_run;
        if (is_cancelled)
          cancel(exchange, i);
        else
          step(exchange, i);
      }
    }
    for (auto* queue : queues_) gpu_->synchronize(queue);
    if (gpu_->whole_device_waits() > 0) complain("the whole device was waited for");
    if (!gpu_->problem().empty()) complain(gpu_->problem());
    if (s_.plain) check_copies();
    for (auto* all : {&sends_, &receives_})
      for (const auto& moving : *all)
        if (!moving.wish->combines && !moving.place.guards_are_whole()) complain("something beside a part was changed");
    for (auto* queue : queues_) gpu_->free_queue(queue);
    const std::scoped_lock lock(mutex_);
    return problems_;
  }

 private:
  static constexpr std::size_t pool_elements = 60;

  std::shared_ptr<TestDevice> any_device() {
    if (s_.from_host && random_.chance(2)) return nullptr;
    return gpu_;
  }
  void complain(const std::string& what) {
    const std::scoped_lock lock(mutex_);
    if (problems_.size() < 500) problems_ += "rank " + std::to_string(rank_) + ": " + what + "\n";
  }
  Place place_of(const Moving& moving, const std::shared_ptr<TestDevice>& gpu) {
    return Place(gpu, *moving.wish, random_);
  }
  // A region of the pool, without an element twice.
  Place in_pool(const Wish& w) {
    Place place;
    place.array = pool_;
    const auto n = std::min(w.elements(), pool_elements);
    place.index.resize(pool_elements);
    std::iota(place.index.begin(), place.index.end(), std::size_t{0});
    random_.shuffle(place.index);
    place.index.resize(n);
    place.region = indexed(pool_.user(), place.index).on(pool_.device());
    return place;
  }

  void list(Exchange& exchange) {
    auto& client = exchange.client("a");
    for (const auto& wish : s_.wishes) {
      if (wish.source == rank_) sends_.push_back(listed(wish, true));
      if (wish.target == rank_) receives_.push_back(listed(wish, false));
    }
    for (auto& m : sends_) {
      const auto& w = *m.wish;
      const auto bytes = m.place.region.bytes();
      m.sent = client.send(w.target, w.key,
                           m.is_given ? given(bytes, m.place.region.device()) : Buffers(m.place.region), w.round);
    }
    for (auto& m : receives_) {
      const auto& w = *m.wish;
      const auto bytes = m.place.region.bytes();
      const auto buffers = m.is_given ? given(bytes, m.place.region.device()) : Buffers(m.place.region);
      m.received = w.combines ? client.receive(w.source, w.key, buffers, {.combine = sum<Element>(), .round = w.round})
                              : client.receive(w.source, w.key, buffers, w.round);
    }
    expected_.resize(pool_elements);
    begin_pool(0);
  }
  Moving listed(const Wish& wish, bool sends) {
    const bool pooled = wish.combines && !sends;
    Moving m{&wish, random_.chance(4) && !pooled,
             queues_[pooled || !s_.messages.defer_unpacking ? 0 : random_.size_below(2)]};
    if (sends) m.queue = queues_[random_.size_below(2)];
    Wish sized = wish;
    if (wish.combines) sized.count = {1, 1, std::min(wish.elements(), pool_elements)};
    m.place = pooled ? in_pool(sized) : Place(any_device(), sized, random_);
    return m;
  }

  void begin_pool(int step) {
    for (std::size_t i = 0; i < pool_elements; ++i) pool_.inside()[i] = expected_[i] = value_of(step, 1000, rank_, i);
    for (const auto& m : receives_) {
      if (!m.wish->combines) continue;  // its place may change meanwhile
      for (std::size_t k = 0; k < m.place.index.size(); ++k)
        expected_[m.place.index[k]] += value_of(step, m.wish->key, m.wish->source, k);
    }
  }
  int last_combining_round() const {
    int last = -1;
    for (const auto& m : receives_)
      if (m.wish->combines) last = std::max(last, m.wish->round);
    return last;
  }

  // In a queue, or at once for memory of the host.
  void use(const Array& array, void* queue, const std::function<void()>& kernel) {
    if (array.device())
      gpu_->launch(queue, kernel);
    else
      kernel();
  }

  void rebind_all(Exchange& exchange) {
    for (auto* all : {&sends_, &receives_})
      for (auto& m : *all) {
        if (!m.is_given) continue;
        Wish sized = *m.wish;
        if (m.wish->combines) sized.count = {1, 1, std::min(m.wish->elements(), pool_elements)};
        m.place = Place(m.place.array.device(), sized, random_);
        const Part part = all == &sends_ ? Part(m.sent) : Part(m.received);
        exchange.rebind(part, m.place.region);
      }
  }

  void send(StartedExchange& messages, Moving& m, int step) {
    const auto& w = *m.wish;
    use(m.place.array, m.queue, [place = m.place.used(), step, key = w.key, rank = rank_] {
      for (std::size_t k = 0; k < place.index.size(); ++k)
        place.array.inside()[place.index[k]] = value_of(step, key, rank, k);
    });
    if (!m.place.array.device() || (m.queue == queues_[0] && random_.chance(2)))
      messages.ready(m.sent);
    else
      messages.ready(m.sent, gpu_->queue(m.queue));
  }

  void accept(StartedExchange& messages, Moving& m) {
    if (!m.wish->combines)
      use(m.place.array, m.queue, [this, place = m.place.used(), key = m.wish->key] {
        for (const auto i : place.index)
          if (place.array.inside()[i] != poison)
            return complain("held key " + std::to_string(key) + " was overwritten");
      });
    if (m.place.array.device() && m.queue != queues_[0])
      messages.accept(m.received, gpu_->queue(m.queue));
    else
      messages.accept(m.received);
  }

  void check(Moving& m, int step, bool now) {
    const auto& w = *m.wish;
    const auto kernel = [this, place = m.place.used(), &w, step] {
      for (std::size_t k = 0; k < place.index.size(); ++k)
        if (place.array.inside()[place.index[k]] != value_of(step, w.key, w.source, k))
          return complain("step " + std::to_string(step) + ", key " + std::to_string(w.key) + ", element " +
                          std::to_string(k) + " is wrong");
    };
    const auto clear = [place = m.place.used()] { place.fill(poison); };
    if (now) {
      kernel();
      use(m.place.array, m.queue, clear);
    } else {
      // The queue that waits is the first; the other is ordered behind it by the program.
      use(m.place.array, queues_[0], kernel);
      order();
      use(m.place.array, m.queue, clear);
    }
  }
  // What the second queue gets from now on runs after what the first has.
  void order() {
    void* const event = gpu_->make_event();
    gpu_->TestDevice::record(event, queues_[0]);
    gpu_->TestDevice::wait(queues_[1], event);
    gpu_->free_event(event);
  }

  void step(Exchange& exchange, int number) {
    rebind_all(exchange);
    auto messages = exchange.start(gpu_->queue(queues_[0]));
    for (int round = 0; round < s_.rounds && !messages.is_over(); ++round) {
      std::vector<Moving*> out, in;
      for (auto& m : sends_)
        if (m.wish->round == round) out.push_back(&m);
      for (auto& m : receives_)
        if (m.wish->round == round) in.push_back(&m);
      random_.shuffle(out);
      random_.shuffle(in);
      for (auto* m : out) {
        send(messages, *m, number);
        if (random_.chance(3)) messages.progress();
      }
      for (auto* m : in) {
        if (!s_.messages.defer_unpacking) break;
        accept(messages, *m);
        if (random_.chance(3)) messages.progress();
      }
      const bool on_queue = fault_ == DeviceFault::reused_early || random_.chance(2);
      on_queue ? messages.wait(round, gpu_->queue(queues_[0])) : messages.wait(round);
      for (auto* m : in)
        if (!m->wish->combines) check(*m, number, !on_queue || !m->place.array.device());
      if (round == last_combining_round()) {
        const auto kernel = [this, number] {
          if (!std::equal(expected_.begin(), expected_.end(), pool_.inside()))
            complain("step " + std::to_string(number) + ": the sums are wrong");
          begin_pool(number + 1);
        };
        use(pool_, queues_[0], kernel);
      }
      for (auto* m : out) use(m->place.array, m->queue, [place = m->place.used()] { place.fill(poison); });
    }
  }

  // In a step that one rank gives up, no memory changes after the call that has failed.
  void cancel(Exchange& exchange, int number) {
    barrier(spy_);  // a rank that is in an earlier step would get the failure there
    try {
      rebind_all(exchange);
      auto messages = exchange.start(gpu_->queue(queues_[0]));
      const bool gives_up = rank_ == s_.canceller;
      for (auto& m : sends_)
        if (m.wish->round == 0 && (!gives_up || random_.chance(2))) send(messages, m, number);
      if (gives_up) {
        messages.fail("given up");
      } else {
        for (int round = 0; round < s_.rounds; ++round) {
          for (auto& m : sends_)
            if (m.wish->round == round && round > 0) send(messages, m, number);
          messages.accept_all(0, round);
          messages.wait(round);
        }
      }
    } catch (const Error&) {
    }
    for (auto* queue : queues_) gpu_->synchronize(queue);
    constexpr Element mine = 0x1111;
    for (auto& m : receives_) m.place.fill(mine);
    void* const event = gpu_->make_event();
    gpu_->TestDevice::record(event, queues_[0]);
    for (int i = 0; i < 50; ++i) static_cast<void>(gpu_->TestDevice::is_done(event));
    gpu_->free_event(event);
    for (auto& m : receives_)
      for (const auto i : m.place.index)
        if (m.place.array.inside()[i] != mine) return complain("memory has changed after a failure");
  }

  // Kernels pack to where messages are sent from, and unpack from where they were received.
  void check_copies() {
    using Kind = device::TestDeviceCopy::Kind;
    for (const auto& copy : gpu_->copies()) {
      const auto& spans = copy.kind == Kind::pack ? seen_->sent : seen_->received;
      const auto holds = [&](std::span<const std::byte> span) {
        return copy.host >= span.data() && copy.host + copy.bytes <= span.data() + span.size();
      };
      // Pieces of one buffer follow each other.
      const auto begins = [&](std::span<const std::byte> span) {
        return copy.host >= span.data() && copy.host < span.data() + span.size();
      };
      if (std::ranges::none_of(
              spans, copy.kind == Kind::pack ? std::function<bool(std::span<const std::byte>)>(holds) : begins))
        return complain("the host copies what the device could");
    }
  }

  const Scenario& s_;
  DeviceFault fault_;
  int rank_;
  Random random_;
  std::shared_ptr<Faulty> gpu_;
  std::array<void*, 2> queues_;
  std::shared_ptr<Spy::Seen> seen_;
  Spy spy_;
  Array pool_;
  std::vector<Element> expected_;  // of the pool
  std::deque<Moving> sends_, receives_;
  std::mutex mutex_;
  std::string problems_;
};

}  // namespace

std::string name_of_device_program(std::uint64_t seed) {
  const auto s = scenario_of(seed);
  return "seed " + std::to_string(seed) + ": " + std::to_string(s.ranks) + " ranks, " +
         std::to_string(s.wishes.size()) + " parts, " + weft::name_of(s.messages.grouping) + " up to " +
         std::to_string(s.messages.packed_limit_bytes) + ", pieces of " + std::to_string(*s.messages.piece_bytes) +
         ", " + weft::name_of(s.messages.carrier) + ", " + weft::name_of(s.progress) +
         (s.messages.shared_memory ? ", shared memory" : "") + (s.messages.defer_unpacking ? ", held" : "") +
         (s.messages.most_requests > 0 ? ", limited" : "") + (s.threads > 0 ? ", with device threads" : "") +
         (s.canceller >= 0 ? ", cancelled" : "");
}

std::string run_device_program(const DeviceProgram& program) {
  const auto scenario = scenario_of(program.seed);
  auto options = program.seed % 3 == 0 ? InProcessOptions{} : random_arrival(program.seed);
  options.synchronous = scenario.synchronous;
  options.ranks_per_node = scenario.nodes_of;
  std::mutex mutex;
  std::string problems;
  try {
    run_in_process(
        scenario.ranks,
        [&](Transport& world) {
          Rank rank(world, scenario, program);
          const auto found = rank.run();
          const std::scoped_lock lock(mutex);
          problems += found;
        },
        options);
  } catch (const std::exception& e) {
    problems += e.what();
  }
  return problems;
}

}  // namespace weft::testing
