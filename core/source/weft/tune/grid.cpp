// SPDX-License-Identifier: BSD-3-Clause
#include "weft/tune/grid.hpp"

#include <algorithm>
#include <charconv>
#include <memory>
#include <utility>

#include "weft/error.hpp"
#include "weft/halo/halo_exchange.hpp"
#include "weft/halo/rank_order.hpp"

namespace weft {
namespace {

template <class T>
std::string crossed(const std::vector<T>& numbers) {
  std::string text;
  for (const auto n : numbers) text += (text.empty() ? "" : "x") + std::to_string(n);
  return text;
}

std::vector<int> processes_in(const std::string& text) {
  std::vector<int> processes;
  const char *at = text.data(), *end = at + text.size();
  for (;; ++at) {
    int n = 0;
    const auto [next, error] = std::from_chars(at, end, n);
    if (error != std::errc{} || n < 0 || (next != end && *next != 'x'))
      throw InputError("Processes can't be '" + text + "'. Give ranks along each axis, such as 4x2x1.");
    processes.push_back(n);
    if (next == end) return processes;
    at = next;
  }
}

// Whether a halo of this width reaches no farther than the neighbour.
bool has_room(const CartesianGrid& grid, std::size_t width) {
  for (std::size_t a = 0; a < grid.dimensions(); ++a)
    if (grid.is_linked(a) && grid.shortest(a) < width) return false;
  return true;
}

}  // namespace

std::vector<Setting> grid_candidates(Transport& transport, const GridOptions& options, std::size_t width,
                                     std::size_t most) {
  const auto nodes = nodes_of(transport);
  std::vector<Setting> all;
  std::size_t grids = 0;
  const auto possible = process_grids(transport.size(), options);
  for (const auto& [processes, surface] : possible) {
    auto with = options;
    with.ranks.clear();
    with.processes.assign(processes.begin(), processes.end());
    if (with.lengths.empty()) with.processes.resize(with.extent.size());
    if (!with.lengths.empty()) with.processes.resize(with.lengths.size());
    const CartesianGrid grid(transport, with);
    const bool first = grids == 0;
    if (!first && (grids >= most || surface > 2 * possible.front().surface || !has_room(grid, width))) continue;
    ++grids;
    Setting setting{{"processes", crossed(with.processes)}, {"rank_order", rank_order_names.of(RankOrder::row_major)}};
    all.push_back(setting);
    if (ranks_by_node(nodes, grid).empty()) continue;
    setting["rank_order"] = rank_order_names.of(RankOrder::by_node);
    all.push_back(std::move(setting));
  }
  return all;
}

void apply(const Setting& setting, Transport& transport, GridOptions& options) {
  if (const auto found = setting.find("processes"); found != setting.end())
    options.processes = processes_in(found->second);
  if (const auto found = setting.find("rank_order"); found != setting.end()) {
    options.ranks.clear();
    if (rank_order_names.named(found->second) == RankOrder::by_node)
      options.ranks = ranks_by_node(nodes_of(transport), CartesianGrid(transport, options));
  }
}

std::string tune(Transport& transport, GridOptions& options, const HaloOptions& halo, std::size_t bytes,
                 const Tuning::Options& how) {
  const CartesianGrid chosen(transport, options);
  std::vector<std::size_t> extent;
  std::string periodic;
  for (std::size_t a = 0; a < chosen.dimensions(); ++a) {
    extent.push_back(chosen.extent()[a]);
    if (chosen.is_periodic(a)) periodic += (periodic.empty() ? " periodic " : "x") + std::to_string(a);
  }
  const auto problem = "grid " + crossed(extent) + periodic + " halo " + std::to_string(halo.layers()) + " " +
                       name_of(halo.scheme) + " " + std::to_string(bytes) + " bytes" +
                       (options.processes.empty() ? "" : " of " + crossed(options.processes));
  Tuning tuning(transport, problem, grid_candidates(transport, options, halo.layers()), how);
  std::vector<std::byte> field;
  std::unique_ptr<HaloExchange> exchange;
  tuning.dry_run(
      [&](const Setting& setting) {
        exchange.reset();
        if (tuning.settled()) return;
        auto with = options;
        apply(setting, transport, with);
        Halo of(CartesianGrid(transport, with), halo);
        std::size_t points = 1;
        for (std::size_t a = 0; a < of.grid().dimensions(); ++a)
          points *= of.grid().block().count[a] + 2 * halo.layers();
        field.assign(points * bytes, std::byte{});
        of.add({.data = field.data(), .element_bytes = bytes});
        exchange = std::make_unique<HaloExchange>(transport, of);
      },
      [&] {
        exchange->start();
        exchange->finish();
      });
  if (tuning.chosen()) apply(*tuning.chosen(), transport, options);
  return tuning.text();
}

}  // namespace weft
