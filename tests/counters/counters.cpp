// SPDX-License-Identifier: BSD-3-Clause
//
// Does a fixed piece of work in counted(), of which tools/counters counts the instructions by callgrind, and prints
// what it counts itself: "<name> <number>" lines. "units" are what the instructions are divided by.
//
//     weft_counters NAME
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <memory>
#include <new>
#include <string>
#include <vector>

#include "fft/fft.hpp"
#include "pack/codec.hpp"
#include "tests/support/core_random.hpp"
#include "tests/support/lattice_noise.hpp"
#include "tests/support/lattice_ranks.hpp"
#include "tests/support/shape_catalogue.hpp"
#include "tests/support/watched_transport.hpp"
#include "weft/collective/monitors.hpp"
#include "weft/exchange/exchange.hpp"
#include "weft/halo/halo_exchange.hpp"
#include "weft/step/step_manager.hpp"
#include "weft/transport/collectives.hpp"
#include "weft/transport/in_process.hpp"

namespace {

std::size_t allocations = 0;
bool counts = false;

}  // namespace

void* operator new(std::size_t bytes) {
  allocations += counts ? 1 : 0;
  if (void* const p = std::malloc(bytes)) return p;
  throw std::bad_alloc();
}
void operator delete(void* p) noexcept { std::free(p); }
void operator delete(void* p, std::size_t) noexcept { std::free(p); }

/// The name by which callgrind finds it.
extern "C" [[gnu::noinline]] void weft_counted(const std::function<void()>* work) {
  counts = true;
  (*work)();
  counts = false;
}

namespace weft::test {
namespace {

void print(const char* name, double value) { std::printf("%s %.10g\n", name, value); }

void count(double units, const std::function<void()>& work) {
  work();  // the first time allocates
  weft_counted(&work);
  print("units", units);
  print("allocations", static_cast<double>(allocations));
}

// Steps of an exchange of a rank with itself; commits; a unit is a part.
void exchange(std::size_t parts, int steps, bool commits) {
  run_in_process(1, [&](Transport& self) {
    std::vector<double> out(parts, 1), in(parts);
    std::vector<SendPart> sent(parts);
    std::unique_ptr<Exchange> exchange;
    const auto make = [&] {
      exchange = std::make_unique<Exchange>(self);
      auto& client = exchange->client("counted");
      for (std::size_t k = 0; k < parts; ++k) {
        sent[k] = client.send(0, static_cast<int>(k), contiguous(std::span<const double>(&out[k], 1)));
        client.receive(0, static_cast<int>(k), contiguous(std::span(&in[k], 1)));
      }
      exchange->commit();
    };
    make();
    if (commits) return count(static_cast<double>(parts), make);
    count(static_cast<double>(parts) * steps, [&] {
      for (int k = 0; k < steps; ++k) {
        auto started = exchange->start();
        for (const auto& part : sent) started.ready(part);
        started.wait();
      }
    });
  });
}

void halo() {
  run_in_process(1, [&](Transport& self) {
    constexpr std::size_t n = 32, populations = 19, ghosts = (n + 2) * (n + 2) * (n + 2) - n * n * n;
    const CartesianGrid grid(self, {.extent = {n, n, n}, .periodic = {true, true, true}});
    std::vector<double> memory(populations * (n + 2) * (n + 2) * (n + 2));
    Halo of_field(grid);
    of_field.add(structure_of_arrays(memory.data(), populations));
    HaloExchange exchange(self, of_field);
    count(ghosts * populations, [&] {
      exchange.start();
      exchange.finish();
    });
  });
}

// A halo of two fields.
struct Fields {
  explicit Fields(Transport& world) : grid(world, {.extent = {32, 32, 32}, .periodic = {true, true, true}}) {
    for (auto& field : memory) halo.add(structure_of_arrays(field.data(), 4));
  }
  CartesianGrid grid;
  std::vector<std::vector<double>> memory{2, std::vector<double>(4 * 18 * 18 * 18)};
  Halo halo{grid};
};

// What rank 0 of eight sends. No instructions, since the ranks wait for each other.
void messages(const std::function<void(Transport&, const std::function<void(const std::function<void()>&)>&)>& with) {
  run_in_process(8, [&](Transport& world) {
    const auto watch = std::make_shared<testing::Watch>();
    testing::WatchedTransport watched(world, watch);
    with(watched, [&](const std::function<void()>& step) {
      step();
      barrier(world);
      *watch = {};
      step();
      if (world.rank() != 0) return;
      print("messages", static_cast<double>(watch->starts));
      print("sent_bytes", static_cast<double>(watch->started_bytes));
    });
  });
}

void halo_messages(Grouping grouping) {
  messages([&](Transport& world, const auto& count_step) {
    Fields fields(world);
    HaloExchange exchange(world, fields.halo, {.messages = {.grouping = grouping}});
    count_step([&] {
      exchange.start();
      exchange.finish();
    });
  });
}

void step_messages() {
  messages([&](Transport& world, const auto& count_step) {
    Fields one(world), two(world);
    HaloClient first(one.halo), second(two.halo);
    StepManager steps(world);
    steps.add("first", first);
    steps.add("second", second);
    count_step([&] { steps.run_step(); });
  });
}

struct Largest {
  using Value = double;
  double local() { return 1; }
  static double combine(double a, double b) { return larger(a, b); }
  void use(double, std::int64_t) {}
};

// A unit is a step.
void monitors() {
  run_in_process(1, [&](Transport& self) {
    std::vector<Largest> all(3);
    Monitors monitors(self);
    for (auto& monitor : all) monitors.add(monitor);
    StepManager manager(self);
    monitors.start(manager, "monitors", {});
    count(100, [&] {
      for (int k = 0; k < 100; ++k) manager.run_step();
    });
  });
}

// A unit is a point. Pocketfft chooses nothing by time or processor.
void transform() {
  run_in_process(1, [&](Transport& self) {
    fft::Fft<double> fft(self, {64, 64, 64}, {.effort = fft::Effort::estimate, .backend = fft::Backend::pocketfft});
    const std::vector<double> field(fft.field_size(), 1);
    std::vector<std::complex<double>> spectrum(fft.spectrum_size());
    count(static_cast<double>(fft.points()), [&] { fft.forward(field, spectrum); });
  });
}

// A unit is a byte of a text of random words.
void codec(const std::string& name, bool unpacks) {
  testing::Random random(7);
  Bytes text(200000), packed, unpacked;
  for (std::size_t i = 0, word = 0; i < text.size(); ++i) {
    if (i % 8 == 0) word = random.below(1 + random.below(2000));
    text[i] = static_cast<std::byte>('a' + word * (i % 8 + 3) % 26);
  }
  const auto& format = pack::format_named(name);
  const auto codec = pack::make_codec(format.kind, format.default_level);
  codec->set_crc(static_cast<std::uint32_t>(codec->compress(text, packed)));
  count(static_cast<double>(text.size()), [&] {
    unpacks ? codec->decompress(packed, text.size(), unpacked) : static_cast<void>(codec->compress(text, packed));
  });
  print("bytes", static_cast<double>(packed.size()));
}

using lattice::Parameters, lattice::Precision, lattice::Storage;

// A unit is the update of a site in an even and an odd step.
void kernel(Parameters p) {
  p.instruction_set = lattice::InstructionSet::avx2;
  if (!lattice::supported(p.instruction_set)) std::exit(77);
  LatticeRanks ranks(box(41, 37, 35), 1, p);
  ranks.initialise(noisy_density, noisy_velocity);
  const auto& lattice = ranks.ranks()[0];
  count(2.0 * static_cast<double>(lattice.sites()), [&] { ranks.steps(2); });
  print("bytes_per_site", static_cast<double>(lattice.bytes()) / static_cast<double>(lattice.sites()));
}

int run(const std::string& name) {
  if (name == "step")
    exchange(20, 500, false);
  else if (name == "part")
    exchange(1000, 20, false);
  else if (name == "commit")
    exchange(2000, 1, true);
  else if (name == "halo")
    halo();
  else if (name == "halo_messages")
    halo_messages(Grouping::per_peer);
  else if (name == "halo_messages_of_parts")
    halo_messages(Grouping::per_part);
  else if (name == "step_messages")
    step_messages();
  else if (name == "monitors")
    monitors();
  else if (name == "fft")
    transform();
  else if (name.starts_with("pack_") || name.starts_with("unpack_"))
    codec(name.substr(name.find('_') + 1), name.front() == 'u');
  else if (name == "kernel_fp64")
    kernel({.collision = lattice::Collision::trt});
  else if (name == "kernel_fp32")
    kernel({.precision = Precision::fp32, .collision = lattice::Collision::trt});
  else if (name == "kernel_fp16")
    kernel({.precision = Precision::fp32, .storage = Storage::fp16, .collision = lattice::Collision::trt});
  else if (name == "kernel_cumulant")
    kernel({.velocities = lattice::VelocitySet::d3q27, .collision = lattice::Collision::cumulant});
  else
    return 2;
  return 0;
}

}  // namespace
}  // namespace weft::test

int main(int count, char** words) {
  if (count == 2) {
    if (const int status = weft::test::run(words[1]); status != 2) return status;
  }
  std::fputs("weft_counters: Give one of the names in counters.py.\n", stderr);
  return 2;
}
