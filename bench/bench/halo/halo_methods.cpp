// SPDX-License-Identifier: BSD-3-Clause
#include "bench/halo/halo_methods.hpp"

#include <deque>
#include <limits>
#include <span>
#include <utility>

#include "lattice/velocity_sets.hpp"
#include "weft/halo/halo_exchange.hpp"

namespace weft::bench {
namespace {

using Scheme = HaloOptions::Scheme;
using Payload = HaloOptions::Payload;
using lattice::D3Q19;

class Weft final : public HaloMethod {
 public:
  Weft(Transport& transport, const Halo& halo, ExchangeOptions options)
      : exchange_(transport, halo, std::move(options)) {}
  void start() override { exchange_.start(); }
  void progress() override { exchange_.progress(); }
  void finish() override { exchange_.finish(); }

 private:
  HaloExchange exchange_;
};

// Only the messages of a one-round halo: no packing, and no messages to the rank itself.
class Bare final : public HaloMethod {
 public:
  Bare(Transport& transport, const Halo& halo, ExchangeOptions options) : exchange_(transport, std::move(options)) {
    Requests all("halo", 0);
    halo.request(all);
    auto& client = exchange_.client("bare");
    for (const auto& r : all.list()) {
      if (r.peer == transport.rank()) continue;
      auto& buffer = buffers_.emplace_back(r.buffers.bytes());
      const auto run = contiguous(std::span(buffer));
      if (r.kind == Request::Kind::send)
        client.send(r.peer, r.key, run);
      else
        client.receive(r.peer, r.key, run);
    }
    exchange_.commit();
  }
  void start() override {
    messages_ = exchange_.start();
    messages_.ready_all(0, 0);
  }
  void progress() override { messages_.progress(); }
  void finish() override { messages_.wait(); }

 private:
  std::deque<std::vector<std::byte>> buffers_;
  Exchange exchange_;
  StartedExchange messages_;
};

// Settings of an exchange's messages, including one for each carrier that the library and this transport have.
struct ExchangeWay {
  std::string name;
  std::function<void(ExchangeOptions&)> set;
  std::vector<Payload> payloads{Payload::whole, Payload::reduced};
};

std::vector<ExchangeWay> ways(const Transport& transport) {
  const std::vector all{Payload::whole, Payload::directions, Payload::reduced};
  std::vector<ExchangeWay> result{
      {"per_peer", [](ExchangeOptions& o) { o.messages.grouping = Grouping::per_peer; }, all},
      {"merged",  // one message per peer and round, whatever its size
       [](ExchangeOptions& o) { o.messages.packed_limit_bytes = std::numeric_limits<std::int32_t>::max(); }, all},
      {"per_part", [](ExchangeOptions& o) { o.messages.grouping = Grouping::per_part; }, all},
  };
  if (transport.has(Ability::shared_memory))
    result.push_back({"shared", [](ExchangeOptions& o) { o.messages.shared_memory = true; }});
  for (const auto carrier : carriers_of(transport))
    if (carrier != Carrier::messages)
      result.push_back({name_of(carrier), [carrier](ExchangeOptions& o) { o.messages.carrier = carrier; }});
  return result;
}

}  // namespace

CartesianGrid grid_of_blocks(const Transport& transport, const Index& block) {
  // The process grid of a large cube, so that it does not depend on the block.
  const auto processes = CartesianGrid(transport, {.extent = {4096, 4096, 4096}}).processes();
  GridOptions options{.extent = {}, .periodic = {true, true, true}};
  for (std::size_t a = 0; a < 3; ++a) {
    options.processes.push_back(processes[a]);
    options.extent.push_back(block[a] * static_cast<std::size_t>(processes[a]));
  }
  return {transport, options};
}

Populations::Populations(const CartesianGrid& grid, Layout layout, std::size_t element_bytes)
    : layout_(layout), element_bytes_(element_bytes) {
  std::size_t points = 1;
  for (const auto n : grid.block().count) points *= n + 2;
  constexpr auto components = static_cast<std::size_t>(D3Q19::directions);
  halo_bytes_ = (points - grid.block().points()) * components * element_bytes;
  memory_.assign((points * components * element_bytes + sizeof(double) - 1) / sizeof(double), 1.0);
}

Field Populations::field() {
  constexpr auto components = static_cast<std::size_t>(D3Q19::directions);
  auto f = layout_ == Layout::aos ? array_of_structures(memory_.data(), components)
                                  : structure_of_arrays(memory_.data(), components);
  f.element_bytes = element_bytes_;
  f.velocities.assign(D3Q19::velocity.begin(), D3Q19::velocity.end());
  return f;
}

HaloVariant weft_variant(Scheme scheme, Payload payload, const std::string& how,
                         std::function<void(ExchangeOptions&)> set) {
  return {.name = std::string(name_of(scheme)) + " " + name_of(payload) + (how.empty() ? "" : " " + how),
          .scheme = scheme,
          .payload = payload,
          .make = [=](mpi::Communicator& world, const CartesianGrid& grid, const Field& field,
                      std::shared_ptr<Progress> progress) {
            Halo halo(grid, {.scheme = scheme, .payload = payload});
            halo.add(field);
            ExchangeOptions options{.progress = std::move(progress)};
            if (set) set(options);
            return std::unique_ptr<HaloMethod>(std::make_unique<Weft>(world, halo, std::move(options)));
          }};
}

HaloVariant bare_variant(Payload payload) {
  return {.name = std::string("messages of direct ") + name_of(payload),
          .scheme = Scheme::direct,
          .payload = payload,
          .make = [=](mpi::Communicator& world, const CartesianGrid& grid, const Field& field,
                      std::shared_ptr<Progress> progress) {
            Halo halo(grid, {.scheme = Scheme::direct, .payload = payload});
            halo.add(field);
            return std::unique_ptr<HaloMethod>(
                std::make_unique<Bare>(world, halo, ExchangeOptions{.progress = std::move(progress)}));
          }};
}

std::vector<HaloVariant> baselines() {
  const auto baseline = [](const char* name, Scheme scheme, auto make) {
    return HaloVariant{.name = name,
                       .scheme = scheme,
                       .payload = Payload::whole,
                       .is_baseline = true,
                       .make = [make](mpi::Communicator& world, const CartesianGrid& grid, const Field& field,
                                      const std::shared_ptr<Progress>&) { return make(world.handle(), grid, field); }};
  };
  return {baseline("baseline by_dimension", Scheme::by_dimension, make_baseline_by_dimension),
          baseline("baseline at once", Scheme::direct, make_baseline_at_once),
          baseline("baseline datatypes", Scheme::direct, make_baseline_datatypes)};
}

std::vector<HaloVariant> all_variants(const Transport& transport, const std::vector<Scheme>& schemes) {
  auto all = baselines();
  for (const auto scheme : schemes)
    for (const auto& way : ways(transport))
      for (const auto payload : way.payloads) all.push_back(weft_variant(scheme, payload, way.name, way.set));
  return all;
}

}  // namespace weft::bench
