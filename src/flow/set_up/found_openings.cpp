// SPDX-License-Identifier: BSD-3-Clause
#include "flow/set_up/found_openings.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <numbers>

#include "weft/error.hpp"
#include <fmt/format.h>

namespace weft::flow {
using namespace geometry;
double enclosed_volume(const geometry::Surface& surface) {
  double six = 0;
  const auto o = surface.vertices.empty() ? Vector{} : surface.vertices.front();
  for (const auto& t : surface.triangles)
    six += dot(surface.vertices[t[0]] - o, cross(surface.vertices[t[1]] - o, surface.vertices[t[2]] - o));
  return std::abs(six) / 6;
}
FoundVessel find_vessel(const std::filesystem::path& file) {
  FoundVessel r;
  r.surface = read_stl(file, 1);
  std::map<std::pair<std::uint32_t, std::uint32_t>, int> edges;
  for (const auto& t : r.surface.triangles)
    for (int k = 0; k < 3; ++k) ++edges[{t[k], t[(k + 1) % 3]}];
  std::map<std::uint32_t, std::uint32_t> next;
  for (const auto& [e, n] : edges)
    if (!edges.contains({e.second, e.first})) next[e.first] = e.second;
  while (!next.empty()) {
    std::vector<std::uint32_t> loop;
    auto at = next.begin()->first;
    while (next.contains(at)) { loop.push_back(at); const auto to = next[at]; next.erase(at); at = to; }
    Vector c{}, area{};
    for (auto v : loop) c = c + (1.0 / static_cast<double>(loop.size())) * r.surface.vertices[v];
    for (std::size_t i = 0; i < loop.size(); ++i)
      area = area + 0.5 * cross(r.surface.vertices[loop[i]] - c, r.surface.vertices[loop[(i + 1) % loop.size()]] - c);
    FoundOpening f{"open end", c, normalised(area), length(area), std::sqrt(length(area) / std::numbers::pi), true};
    r.openings.push_back(f);
  }
  std::ranges::sort(r.openings, std::greater{}, &FoundOpening::area);
  r.volume = enclosed_volume(r.surface);
  auto& p = r.proposal;
  p.title = file.stem().string();
  p.file = file.stem().string() + ".toml";
  for (std::size_t i = 0; i < r.openings.size(); ++i) {
    OpeningChoice o;
    o.use = i == 0 ? OpeningChoice::Use::inlet : OpeningChoice::Use::outlet;
    o.name = i == 0 ? "in" : fmt::format("out{}", i);
    o.condition = i == 0 ? OpeningChoice::Condition::flow : OpeningChoice::Condition::pressure;
    if (i == 0) o.value = 1, o.pulse = "carotid";
    p.openings.push_back(o);
  }
  return r;
}
}  // namespace weft::flow
