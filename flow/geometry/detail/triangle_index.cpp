// SPDX-License-Identifier: BSD-3-Clause
#include "geometry/detail/triangle_index.hpp"

#include <embree3/rtcore.h>

#include <algorithm>
#include <limits>
#include <tuple>

#include "weft/error.hpp"

#ifdef __SANITIZE_THREAD__
// The synchronisation of Embree and its threads is not instrumented: the thread sanitizer would report races inside it.
extern "C" const char* __tsan_default_suppressions() {
  return "called_from_lib:libembree3.so\nrace:libembree3.so\nmutex:libembree3.so\ncalled_from_lib:libtbb.so\nrace:"
         "libtbb.so\nmutex:libtbb.so\n";
}
#endif

namespace weft::geometry::detail {

namespace {

// A box around a part of a triangle. A long slanted triangle has several small boxes instead of one nearly empty box,
// so that few searches visit it in vain.
struct Piece {
  std::array<float, 3> low, high;
  std::uint32_t triangle;
};

// The length of a piece in sites: that of a few blocks, or more if there would be too many pieces.
double piece_length(const std::vector<std::array<Vector, 3>>& triangles) {
  constexpr double most_pieces = 4e6;
  double length_of_piece = 16;
  for (;; length_of_piece *= 2) {
    double pieces = 0;
    for (const auto& c : triangles) {
      const double edges = length(c[1] - c[0]) + length(c[2] - c[1]) + length(c[0] - c[2]);
      const double area = 0.5 * length(cross(c[1] - c[0], c[2] - c[0]));
      pieces += 4 * area / (length_of_piece * length_of_piece) + 2 * edges / length_of_piece;
    }
    if (pieces < most_pieces) return length_of_piece;
  }
}

// Halves the longest edge until it is short enough.
void cut_up(const std::array<Vector, 3>& corners, std::uint32_t triangle, double longest, double slack,
            std::vector<Piece>& pieces) {
  std::size_t k = 0;
  double most = 0;
  for (std::size_t i = 0; i < 3; ++i) {
    const double edge = length(corners[(i + 1) % 3] - corners[i]);
    if (edge > most) {
      most = edge;
      k = i;
    }
  }
  if (most > longest) {
    const auto& from = corners[k];
    const auto& to = corners[(k + 1) % 3];
    const auto& apex = corners[(k + 2) % 3];
    const Vector middle = 0.5 * (from + to);
    cut_up({from, middle, apex}, triangle, longest, slack, pieces);
    cut_up({middle, to, apex}, triangle, longest, slack, pieces);
    return;
  }
  auto& piece = pieces.emplace_back();
  piece.triangle = triangle;
  for (std::size_t i = 0; i < 3; ++i) {
    const auto [low, high] = std::minmax({corners[0][i], corners[1][i], corners[2][i]});
    piece.low[i] = static_cast<float>(low - slack);
    piece.high[i] = static_cast<float>(high + slack);
  }
}

}  // namespace

struct TriangleIndex::Search {
  std::vector<std::array<Vector, 3>> triangles;  // in sites
  std::vector<Piece> pieces;
  double slack = 0;  // more than the rounding of any coordinate to single precision
  RTCDevice device = nullptr;
  RTCScene scene = nullptr;

  struct Line : RTCIntersectContext {  // which Embree passes on
    std::array<std::int32_t, 2> at;
    std::vector<Crossing>* crossings;
  };
  struct Near {
    const Search* search;
    Box box;
    std::vector<std::uint32_t>* triangles;
  };

  ~Search() {
    if (scene != nullptr) rtcReleaseScene(scene);
    if (device != nullptr) rtcReleaseDevice(device);
  }

  void check(const char* doing) const {
    const auto code = rtcGetDeviceError(device);
    if (code != RTC_ERROR_NONE)
      throw Error("Embree failed while " + std::string(doing) + " (error " + std::to_string(static_cast<int>(code)) +
                  ", " + std::to_string(triangles.size()) + " triangles). Check that there is enough memory.");
  }

  static void bounds_of(const RTCBoundsFunctionArguments* args) {
    const auto* self = static_cast<const Search*>(args->geometryUserPtr);
    const auto& [low, high, triangle] = self->pieces[args->primID];
    *args->bounds_o = {low[0], low[1], low[2], 0, high[0], high[1], high[2], 0};
  }

  // Called for each piece near the ray. Does not shorten the ray, so that all pieces are visited.
  static void meet_line(const RTCIntersectFunctionNArguments* args) {
    if (args->valid[0] == 0) return;
    const auto* self = static_cast<const Search*>(args->geometryUserPtr);
    const auto* line = static_cast<const Line*>(args->context);
    Crossing crossing;
    crossing.triangle = self->pieces[args->primID].triangle;
    if (crosses(project(upwards(), self->triangles[crossing.triangle]), line->at[0], line->at[1], crossing))
      line->crossings->push_back(crossing);
  }

  static bool meet_box(RTCPointQueryFunctionArguments* args) {
    const auto* near = static_cast<const Near*>(args->userPtr);
    const auto& piece = near->search->pieces[args->primID];
    bool touches = true;
    for (std::size_t k = 0; k < 3; ++k)
      touches = touches && double{piece.low[k]} <= near->box.high[k] && double{piece.high[k]} >= near->box.low[k];
    if (touches) near->triangles->push_back(piece.triangle);
    return false;  // the radius stays
  }
};

TriangleIndex::TriangleIndex(const Surface& surface, const Grid& grid) : search_(std::make_unique<Search>()) {
  auto& s = *search_;
  s.triangles.reserve(surface.triangles.size());
  for (const auto& t : surface.triangles) {
    const auto in_sites = [&](std::size_t k) { return (1.0 / grid.voxel) * (surface.vertices[t[k]] - grid.origin); };
    s.triangles.push_back({in_sites(0), in_sites(1), in_sites(2)});
  }
  s.slack = 1e-3 + 1e-6 * std::max({grid.extent[0], grid.extent[1], grid.extent[2]});
  const double longest = piece_length(s.triangles);
  for (std::uint32_t t = 0; t < s.triangles.size(); ++t) cut_up(s.triangles[t], t, longest, s.slack, s.pieces);

  // One thread: the ranks are the parallelism.
  s.device = rtcNewDevice("threads=1,set_affinity=0");
  if (s.device == nullptr) throw Error("Embree can't start (no device). Check its installation.");
  const RTCGeometry geometry = rtcNewGeometry(s.device, RTC_GEOMETRY_TYPE_USER);
  rtcSetGeometryUserPrimitiveCount(geometry, static_cast<unsigned>(s.pieces.size()));
  rtcSetGeometryUserData(geometry, &s);
  rtcSetGeometryBoundsFunction(geometry, &Search::bounds_of, nullptr);
  rtcSetGeometryIntersectFunction(geometry, &Search::meet_line);
  rtcCommitGeometry(geometry);
  s.scene = rtcNewScene(s.device);
  rtcSetSceneFlags(s.scene, RTC_SCENE_FLAG_ROBUST);
  rtcAttachGeometry(s.scene, geometry);
  rtcReleaseGeometry(geometry);
  rtcCommitScene(s.scene);
  s.check("sorting the triangles");
}

TriangleIndex::~TriangleIndex() = default;

void TriangleIndex::column(std::int32_t x, std::int32_t y, std::vector<Crossing>& crossings) const {
  crossings.clear();
  Search::Line line;
  rtcInitIntersectContext(&line);
  line.at = {x, y};
  line.crossings = &crossings;
  RTCRayHit ray{};
  ray.ray.org_x = static_cast<float>(x);
  ray.ray.org_y = static_cast<float>(y);
  ray.ray.org_z = static_cast<float>(-2 - search_->slack);  // below the grid
  ray.ray.dir_z = 1;
  ray.ray.tfar = std::numeric_limits<float>::infinity();
  ray.ray.mask = ~0U;
  ray.hit.geomID = RTC_INVALID_GEOMETRY_ID;
  rtcIntersect1(search_->scene, &line, &ray);
  std::sort(crossings.begin(), crossings.end(), [](const Crossing& a, const Crossing& b) {
    return std::tie(a.height, a.triangle) < std::tie(b.height, b.triangle);
  });
  // The boxes of one triangle's pieces overlap.
  crossings.erase(std::unique(crossings.begin(), crossings.end(),
                              [](const Crossing& a, const Crossing& b) { return a.triangle == b.triangle; }),
                  crossings.end());
}

void TriangleIndex::near(const Box& box, std::vector<std::uint32_t>& triangles) const {
  triangles.clear();
  Search::Near near{search_.get(), box, &triangles};
  Vector centre{};
  Vector half{};
  for (std::size_t k = 0; k < 3; ++k) {
    centre[k] = 0.5 * (box.low[k] + box.high[k]);
    half[k] = 0.5 * (box.high[k] - box.low[k]);
  }
  RTCPointQueryContext context;
  rtcInitPointQueryContext(&context);
  RTCPointQuery query{};
  query.x = static_cast<float>(centre[0]);
  query.y = static_cast<float>(centre[1]);
  query.z = static_cast<float>(centre[2]);
  query.radius = static_cast<float>(length(half) + search_->slack);
  rtcPointQuery(search_->scene, &query, &context, &Search::meet_box, &near);
  std::sort(triangles.begin(), triangles.end());
  triangles.erase(std::unique(triangles.begin(), triangles.end()), triangles.end());
}

const std::array<Vector, 3>& TriangleIndex::corners(std::uint32_t triangle) const {
  return search_->triangles[triangle];
}

Vector TriangleIndex::normal(std::uint32_t triangle) const {
  const auto& c = corners(triangle);
  return cross(c[1] - c[0], c[2] - c[0]);
}

}  // namespace weft::geometry::detail
