// SPDX-License-Identifier: BSD-3-Clause
#include "geometry/repair.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <numeric>
#include <optional>
#include <utility>

#include "geometry/boundary.hpp"
#include "geometry/detail/components.hpp"
#include "geometry/outside.hpp"
#include "geometry/units.hpp"

namespace weft::geometry {
namespace {

using Triangle = std::array<std::uint32_t, 3>;
using Rim = std::vector<EdgeCheck::Edge>;

constexpr double pinhole_radius = 0.02;     // over the surface's size
constexpr double missing_triangle = 0.1;    // the same for a rim of three edges, which only one triangle can close
constexpr double faces_alike = 0.5;         // cosine between a pinhole's closure and the triangles around it
constexpr std::uint32_t most_parts = 1000;  // with more, a surface is debris, and parts keep their orientation

struct Box {
  Vector low, high;

  static Box around(const Surface& s) {
    Box box{s.vertices[s.triangles.front()[0]], s.vertices[s.triangles.front()[0]]};
    for (const auto& t : s.triangles)
      for (const auto v : t)
        for (std::size_t d = 0; d < 3; ++d) {
          box.low[d] = std::min(box.low[d], s.vertices[v][d]);
          box.high[d] = std::max(box.high[d], s.vertices[v][d]);
        }
    return box;
  }
  double size() const { return length(high - low); }
  bool contains(const Box& other) const {
    for (std::size_t d = 0; d < 3; ++d)
      if (other.low[d] < low[d] || other.high[d] > high[d]) return false;
    return true;
  }
};

Vector middle_of(const Surface& s, const Triangle& t) {
  return (1.0 / 3) * (s.vertices[t[0]] + s.vertices[t[1]] + s.vertices[t[2]]);
}

Vector normal_of(const Surface& s, const Triangle& t) {
  return cross(s.vertices[t[1]] - s.vertices[t[0]], s.vertices[t[2]] - s.vertices[t[0]]);
}

void reverse(Triangle& t) { std::swap(t[1], t[2]); }

Vector middle_of(const Surface& s, const Rim& rim) {
  Vector sum{};
  for (const auto& e : rim) sum = sum + s.vertices[e.from];
  return (1.0 / static_cast<double>(rim.size())) * sum;
}

// One triangle, or a fan around the middle of the rim.
void close_rim(Surface& s, const Rim& rim) {
  if (rim.size() == 3) {
    s.triangles.push_back({rim[2].from, rim[1].from, rim[0].from});
    return;
  }
  const auto middle = static_cast<std::uint32_t>(s.vertices.size());
  s.vertices.push_back(middle_of(s, rim));
  for (const auto& e : rim) s.triangles.push_back({e.to, e.from, middle});
}

// A part of the surface by itself, with its holes closed.
Surface closed_part(const Surface& s, const std::vector<std::uint32_t>& triangles,
                    std::vector<std::uint32_t>& number_of) {
  Surface part;
  for (const auto t : triangles) {
    auto& corners = part.triangles.emplace_back(s.triangles[t]);
    for (auto& v : corners) {
      auto& number = number_of[v];  // of no other part, so it is set once
      if (number == ~0U)
        number = static_cast<std::uint32_t>(part.vertices.size()), part.vertices.push_back(s.vertices[v]);
      v = number;
    }
  }
  for (const auto& rim : join_rims(check_edges(part).open)) close_rim(part, rim);
  return part;
}

class Mender {
 public:
  Mender(Surface& surface, double metres_per_unit, double weld_distance)
      : s_(surface), unit_(metres_per_unit), weld_distance_(weld_distance) {}

  std::vector<Repair> run() {
    if (s_.triangles.empty()) return {};
    size_ = Box::around(s_).size();
    auto edges = check_edges(s_);
    if (!edges.open.empty() && weld(edges)) edges = check_edges(s_);
    if ((!edges.crowded.empty() || !edges.turned.empty()) && drop_doubled()) edges = check_edges(s_);
    orient(edges);
    if (!edges.open.empty() && edges.crowded.empty()) close_pinholes();
    return std::move(done_);
  }

 private:
  template <class... Words>
  void say(const Vector& place, const Words&... words) {
    std::string text;
    (text.append(words), ...);
    done_.push_back({std::move(text), place});
  }
  std::string text_of(const Vector& p) const { return detail::place_text(p, unit_); }

  template <class Keep>
  void keep_if(const Keep& keep) {
    std::size_t kept = 0;
    for (std::size_t t = 0; t < s_.triangles.size(); ++t) {
      if (!keep(t)) continue;
      s_.triangles[kept] = s_.triangles[t];
      if (!s_.solid_of.empty()) s_.solid_of[kept] = s_.solid_of[t];
      ++kept;
    }
    s_.triangles.resize(kept);
    if (!s_.solid_of.empty()) s_.solid_of.resize(kept);
  }

  bool weld(const EdgeCheck& edges) {
    std::vector<std::uint32_t> rim;
    for (const auto& e : edges.open) rim.insert(rim.end(), {e.from, e.to});
    // Sorted along a direction in which the points of a flat rim differ.
    const Vector along = normalised({0.8017, 0.4873, 0.3467});
    const auto at = [&](std::uint32_t v) { return dot(s_.vertices[v], along); };
    std::sort(rim.begin(), rim.end(), [&](auto a, auto b) { return std::pair(at(a), a) < std::pair(at(b), b); });
    rim.erase(std::unique(rim.begin(), rim.end()), rim.end());
    const double near = weld_distance_ * size_;
    detail::DisjointSets same(s_.vertices.size()), chain(s_.vertices.size());
    for (const auto& e : edges.open)  // short edges of one rim are no error
      if (length(s_.vertices[e.to] - s_.vertices[e.from]) <= near) chain.join(e.from, e.to);
    std::size_t welded = 0;
    double widest = 0;
    std::optional<Vector> first;
    for (std::size_t i = 0; i < rim.size(); ++i)
      for (auto j = i + 1; j < rim.size() && at(rim[j]) - at(rim[i]) <= near; ++j) {
        const double apart = length(s_.vertices[rim[j]] - s_.vertices[rim[i]]);
        if (apart > near || same.find(rim[i]) == same.find(rim[j]) || chain.find(rim[i]) == chain.find(rim[j]))
          continue;
        same.join(rim[i], rim[j]);
        ++welded;
        widest = std::max(widest, apart);
        if (!first) first = s_.vertices[rim[i]];
      }
    if (welded == 0) return false;
    const auto before = s_;
    for (auto& t : s_.triangles)
      for (auto& v : t) v = same.find(v);
    keep_if([&](std::size_t k) {
      const auto& t = s_.triangles[k];
      return t[0] != t[1] && t[1] != t[2] && t[2] != t[0];
    });
    if (s_.triangles.empty() || check_edges(s_).crowded.size() > edges.crowded.size()) {  // not patches of one surface
      s_ = before;
      return false;
    }
    say(*first, std::to_string(welded), " vertices of rims nearly coincided with others, the first at ",
        text_of(*first), " (at most ", detail::number_text(widest, unit_), " apart). They are welded.");
    return true;
  }

  bool drop_doubled() {
    std::vector<std::pair<Triangle, std::uint32_t>> sorted;
    sorted.reserve(s_.triangles.size());
    for (std::uint32_t t = 0; t < s_.triangles.size(); ++t) {
      auto corners = s_.triangles[t];
      std::sort(corners.begin(), corners.end());
      sorted.emplace_back(corners, t);
    }
    std::sort(sorted.begin(), sorted.end());
    std::vector<bool> doubled(s_.triangles.size(), false);
    std::optional<std::uint32_t> first;
    for (std::size_t i = 1; i < sorted.size(); ++i)
      if (sorted[i].first == sorted[i - 1].first) {
        doubled[sorted[i].second] = true;
        first = std::min(first.value_or(sorted[i].second), sorted[i].second);
      }
    if (!first) return false;
    const auto place = middle_of(s_, s_.triangles[*first]);
    const auto before = s_.triangles.size();
    keep_if([&](std::size_t t) { return !doubled[t]; });
    say(place, std::to_string(before - s_.triangles.size()), " of ", std::to_string(before),
        " triangles were doubled, the first near ", text_of(place), ". One of each is kept.");
    return true;
  }

  void orient(const EdgeCheck& edges) {
    std::vector<bool> is_reversed(s_.triangles.size(), false);
    const auto turn = [&](std::uint32_t t) {
      reverse(s_.triangles[t]);
      is_reversed[t] = !is_reversed[t];
    };
    if (!edges.turned.empty()) {
      const auto wrong = wrong_triangles(s_);
      if (wrong.empty()) return;  // one-sided
      for (const auto t : wrong) turn(t);
    }
    orient_parts(!edges.turned.empty(), turn);
    const auto count = std::count(is_reversed.begin(), is_reversed.end(), true);
    if (count == 0) return;
    const auto first = std::find(is_reversed.begin(), is_reversed.end(), true) - is_reversed.begin();
    const auto place = middle_of(s_, s_.triangles[static_cast<std::size_t>(first)]);
    say(place, std::to_string(count), " of ", std::to_string(is_reversed.size()),
        " triangles had the wrong orientation, the first near ", text_of(place), ". They are reversed.");
  }

  template <class Turn>
  void orient_parts(bool was_mixed, const Turn& turn) {
    const auto part_of = parts_of_triangles(s_);
    const auto count = 1 + *std::max_element(part_of.begin(), part_of.end());
    if (count > most_parts || (count == 1 && !was_mixed)) return;
    std::vector<std::vector<std::uint32_t>> members(count);
    for (std::uint32_t t = 0; t < part_of.size(); ++t) members[part_of[t]].push_back(t);
    std::vector<std::uint32_t> number_of(s_.vertices.size(), ~0U);
    std::vector<Surface> parts;
    std::vector<Box> boxes;
    std::vector<double> volumes;
    for (const auto& triangles : members) {
      parts.push_back(closed_part(s_, triangles, number_of));
      boxes.push_back(Box::around(parts.back()));
      const double volume = signed_volume(parts.back()), size = boxes.back().size();
      volumes.push_back(std::abs(volume) < 1e-9 * size * size * size ? 0 : volume);  // a flat patch has no inside
    }
    // The outermost part around each part: the one with the largest box, since boxes of parts that contain each other
    // do.
    std::vector<std::uint32_t> outermost(count);
    for (std::uint32_t k = 0; k < count; ++k) {
      outermost[k] = k;
      for (std::uint32_t other = 0; other < count; ++other)
        if (other != k && volumes[other] != 0 && boxes[other].contains(boxes[k]) &&
            boxes[other].size() > boxes[outermost[k]].size() &&
            std::abs(winding_number(parts[other], parts[k].vertices.front())) > 0.5)
          outermost[k] = other;
    }
    const auto is_wrong = [&](std::uint32_t k) { return volumes[outermost[k]] < 0; };
    bool some_right = false;
    for (std::uint32_t k = 0; k < count; ++k) some_right = some_right || (outermost[k] == k && volumes[k] > 0);
    if (!some_right && !was_mixed) return;  // consistent, and inside out as a whole
    for (std::uint32_t k = 0; k < count; ++k)
      if (is_wrong(k))
        for (const auto t : members[k]) turn(t);
  }

  bool is_pinhole(const Rim& rim) const {
    const auto middle = middle_of(s_, rim);
    const double widest = (rim.size() == 3 ? missing_triangle : pinhole_radius) * size_;
    Vector twice{};
    for (const auto& e : rim) {
      const auto a = s_.vertices[e.from] - middle, b = s_.vertices[e.to] - middle;
      if (length(a) > widest) return false;
      twice = twice - cross(a, b);
    }
    const double size = length(twice);
    double around = 0, alike = 0;
    for (const auto& e : rim) {
      const auto normal = normal_of(s_, s_.triangles[e.triangle]);
      const double edge = length(s_.vertices[e.to] - s_.vertices[e.from]);
      around += edge;
      if (dot(normal, twice) >= faces_alike * length(normal) * size) alike += edge;
    }
    return rim.size() == 3 || alike > 0.5 * around;
  }

  void close_pinholes() {
    std::size_t closed = 0;
    double widest = 0;
    std::optional<Vector> first;
    for (const auto& rim : join_rims(check_edges(s_).open)) {
      if (!is_pinhole(rim)) continue;
      const auto middle = middle_of(s_, rim);
      for (const auto& e : rim) widest = std::max(widest, length(s_.vertices[e.from] - middle));
      if (!first) first = middle;
      ++closed;
      close_rim(s_, rim);
    }
    if (closed == 0) return;
    say(*first, std::to_string(closed), closed == 1 ? " pinhole" : " pinholes", " in the wall, the first at ",
        text_of(*first), ", of a radius of at most ", detail::number_text(widest, unit_),
        closed == 1 ? ". It is closed." : ". They are closed.");
  }

  Surface& s_;
  double unit_, weld_distance_, size_ = 0;
  std::vector<Repair> done_;
};

}  // namespace

std::vector<std::uint32_t> parts_of_triangles(const Surface& surface) {
  detail::DisjointSets vertices(surface.vertices.size());
  for (const auto& t : surface.triangles)
    for (std::size_t k = 1; k < 3; ++k) vertices.join(t[0], t[k]);
  std::vector<std::uint32_t> number(surface.vertices.size(), ~0U), part;
  part.reserve(surface.triangles.size());
  std::uint32_t next = 0;
  for (const auto& t : surface.triangles) {
    auto& its = number[vertices.find(t[0])];
    if (its == ~0U) its = next++;
    part.push_back(its);
  }
  return part;
}

std::vector<Repair> repair_surface(Surface& surface, double metres_per_unit, double weld_distance) {
  return Mender(surface, metres_per_unit, weld_distance).run();
}

}  // namespace weft::geometry
