// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <cstdint>
#include <map>
#include <utility>

#include "weft/halo/halo.hpp"

namespace weft {
namespace {

template <class T>
std::string product(const T& values, std::size_t n) {
  std::string text;
  for (std::size_t a = 0; a < n; ++a) text += (a ? " x " : "") + std::to_string(values[a]);
  return text;
}

std::string direction_text(const Direction& d, std::size_t n) {
  std::string text;
  for (std::size_t a = 0; a < n; ++a) text += d[a] < 0 ? '-' : d[a] > 0 ? '+' : '0';
  return text;
}

std::string count_text(std::size_t n, const std::string& what) {
  return std::to_string(n) + " " + what + (n == 1 ? "" : "s");
}

const char* words_for(HaloOptions::Scheme scheme) {
  return scheme == HaloOptions::Scheme::by_dimension ? "by dimension" : name_of(scheme);
}

const char* words_for(HaloOptions::Payload payload) {
  switch (payload) {
    case HaloOptions::Payload::whole: return "whole";
    case HaloOptions::Payload::directions: return "the directions that are read";
    case HaloOptions::Payload::reduced: return "the components that are read";
  }
  return "";
}

}  // namespace

const char* name_of(HaloOptions::Scheme scheme) { return halo_scheme_names.of(scheme); }

const char* name_of(HaloOptions::Payload payload) { return halo_payload_names.of(payload); }

const char* name_of(HaloOptions::Flow flow) {
  return flow == HaloOptions::Flow::fill ? "halo exchange" : "reverse halo exchange";
}

std::string Halo::options_text() const {
  return "halo of width " + std::to_string(options_.width) +
         (options_.steps > 1 ? " for " + std::to_string(options_.steps) + " steps" : std::string()) + ", " +
         words_for(options_.scheme) + ", " + words_for(options_.payload) +
         (options_.flow == HaloOptions::Flow::fill ? std::string() : std::string(", ") + name_of(options_.flow));
}

std::string Halo::grid_text() const {
  const auto n = grid_.dimensions();
  std::string periodic;
  for (std::size_t a = 0; a < n; ++a)
    if (grid_.is_periodic(a)) periodic += (periodic.empty() ? ", periodic along " : " and ") + std::to_string(a);
  std::string text = "grid of " + product(grid_.extent(), n) + " points" + periodic + ", on " +
                     product(grid_.processes(), n) + " ranks";
  for (std::size_t a = 0; a < n; ++a) {
    const auto& bounds = grid_.bounds(a);
    const auto p = bounds.size() - 1;
    std::string blocks;
    bool differ = false;
    for (std::size_t i = 0; i < p; ++i) {
      blocks += (i == 0 ? "" : " + ") + std::to_string(bounds[i + 1] - bounds[i]);
      differ = differ || bounds[i] != i * grid_.extent()[a] / p;
    }
    if (differ) text += ", blocks along " + std::to_string(a) + ": " + blocks;
  }
  if (const auto& order = grid_.order(); !order.empty()) {
    std::uint64_t sum = 0;  // ranks compare this text, which must not be as long as the list
    for (const auto r : order) sum = sum * 1'000'003 + static_cast<std::uint64_t>(r);
    text += ", placed as";
    for (std::size_t k = 0; k < std::min<std::size_t>(order.size(), 8); ++k) text += " " + std::to_string(order[k]);
    if (order.size() > 8) text += " ... (" + std::to_string(sum) + ")";
  }
  return text;
}

std::string Halo::describe() const {
  const auto n = grid_.dimensions();
  std::string text = options_text() + "\n  " + grid_text() + "\n  rank " + std::to_string(grid_.rank()) + " at (" +
                     [&] {
                       std::string at;
                       for (std::size_t a = 0; a < n; ++a)
                         at += (a ? ", " : "") + std::to_string(grid_.coordinates()[a]);
                       return at;
                     }() +
                     "): " + product(grid_.block().count, n) + " points, " + std::to_string(interior().points()) +
                     " of them interior\n";
  if (options_.scheme == HaloOptions::Scheme::reference) return text + "  all data to all ranks\n";

  struct Sum {
    std::string directions;
    std::size_t parts = 0, bytes = 0;
  };
  std::map<std::pair<int, int>, Sum> sums;  // by round and peer
  std::size_t bytes = 0, whole_bytes = 0, to_self = 0;
  auto everything = *this;
  everything.options_.payload = HaloOptions::Payload::whole;
  everything.options_.flow = HaloOptions::Flow::fill;
  for (std::size_t f = 0; f < fields_.size(); ++f) {
    const auto element = fields_[f].field().element_bytes;
    for (const auto& t : everything.transfers(f)) whole_bytes += t.send.points() * t.send_components.size() * element;
    for (const auto& t : transfers(f)) {
      const auto part = t.send.points() * t.send_components.size() * element;
      if (part == 0) continue;
      auto& sum = sums[{t.round, t.peer}];
      const auto name = direction_text(t.direction, n);
      if (sum.directions.find(name) == std::string::npos) sum.directions += " " + name;
      ++sum.parts;
      sum.bytes += part;
      bytes += part;
      if (t.peer == grid_.rank()) to_self += part;
    }
  }
  for (const auto& [where, sum] : sums)
    text += "  round " + std::to_string(where.first) + " to " +
            (where.second == grid_.rank() ? std::string("itself") : "rank " + std::to_string(where.second)) + ": " +
            count_text(sum.bytes, "byte") + " in " + count_text(sum.parts, "part") + ", directions" + sum.directions +
            "\n";
  text += "  sends " + count_text(bytes, "byte") + (to_self > 0 ? " (" + std::to_string(to_self) + " to itself)" : "") +
          " of " + count_text(fields_.size(), "field") + " in " +
          count_text(static_cast<std::size_t>(rounds()), "round") + "; whole: " + count_text(whole_bytes, "byte");
  if (whole_bytes > bytes) text += " (" + std::to_string(100 * (whole_bytes - bytes) / whole_bytes) + " % saved)";
  return text + "\n";
}

}  // namespace weft
