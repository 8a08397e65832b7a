// SPDX-License-Identifier: BSD-3-Clause
#include "geometry/detail/triangle_index.hpp"

#include <embree3/rtcore.h>

#include <algorithm>
#include <limits>
#include <tuple>

#include "weft/error.hpp"

namespace weft::geometry::detail {

struct TriangleIndex::Search {
  std::vector<Vector> vertices;  // in sites
  std::vector<std::array<std::uint32_t, 3>> triangles;
  double slack = 0;  // more than the rounding of any coordinate to single precision
  RTCDevice device = nullptr;
  RTCScene scene = nullptr;

  // What the search in progress collects, set before it and read after it.
  std::array<std::int32_t, 2> line{};
  std::vector<Crossing>* crossings = nullptr;
  Box box{};
  std::vector<std::uint32_t>* near = nullptr;

  ~Search() {
    if (scene != nullptr) rtcReleaseScene(scene);
    if (device != nullptr) rtcReleaseDevice(device);
  }

  std::array<Vector, 3> corners(std::uint32_t triangle) const {
    const auto& t = triangles[triangle];
    return {vertices[t[0]], vertices[t[1]], vertices[t[2]]};
  }

  std::array<Vector, 2> bounds(std::uint32_t triangle) const {
    const auto c = corners(triangle);
    std::array<Vector, 2> b{};
    for (std::size_t k = 0; k < 3; ++k) std::tie(b[0][k], b[1][k]) = std::minmax({c[0][k], c[1][k], c[2][k]});
    return b;
  }

  void check(const char* doing) const {
    const auto code = rtcGetDeviceError(device);
    if (code != RTC_ERROR_NONE)
      throw Error("Embree failed while " + std::string(doing) + " (error " + std::to_string(static_cast<int>(code)) +
                  ", " + std::to_string(triangles.size()) + " triangles). Is there enough memory?");
  }

  static void bounds_of(const RTCBoundsFunctionArguments* args) {
    const auto* self = static_cast<const Search*>(args->geometryUserPtr);
    const auto b = self->bounds(args->primID);
    const auto low = [&](std::size_t k) { return static_cast<float>(b[0][k] - self->slack); };
    const auto high = [&](std::size_t k) { return static_cast<float>(b[1][k] + self->slack); };
    *args->bounds_o = {low(0), low(1), low(2), 0, high(0), high(1), high(2), 0};
  }

  // Called for each triangle near the ray. Leaves the ray as long as it is, so that all are visited.
  static void meet_line(const RTCIntersectFunctionNArguments* args) {
    if (args->valid[0] == 0) return;
    auto* self = static_cast<Search*>(args->geometryUserPtr);
    Crossing crossing;
    crossing.triangle = args->primID;
    if (crosses(project(upwards(), self->corners(args->primID)), self->line[0], self->line[1], crossing))
      self->crossings->push_back(crossing);
  }

  static bool meet_box(RTCPointQueryFunctionArguments* args) {
    auto* self = static_cast<Search*>(args->userPtr);
    const auto b = self->bounds(args->primID);
    bool touches = true;
    for (std::size_t k = 0; k < 3; ++k)
      touches = touches && b[0][k] <= self->box.high[k] && b[1][k] >= self->box.low[k];
    if (touches) self->near->push_back(args->primID);
    return false;  // the radius stays
  }
};

TriangleIndex::TriangleIndex(const Surface& surface, const Grid& grid) : search_(std::make_unique<Search>()) {
  auto& s = *search_;
  s.triangles = surface.triangles;
  s.vertices.reserve(surface.vertices.size());
  for (const auto& v : surface.vertices) s.vertices.push_back((1.0 / grid.voxel) * (v - grid.origin));
  s.slack = 1e-3 + 1e-6 * std::max({grid.extent[0], grid.extent[1], grid.extent[2]});

  // One thread: the ranks are the parallelism.
  s.device = rtcNewDevice("threads=1,set_affinity=0");
  if (s.device == nullptr) throw Error("Embree can't start (no device). Check its installation.");
  const RTCGeometry geometry = rtcNewGeometry(s.device, RTC_GEOMETRY_TYPE_USER);
  rtcSetGeometryUserPrimitiveCount(geometry, static_cast<unsigned>(s.triangles.size()));
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

void TriangleIndex::column(std::int32_t x, std::int32_t y, std::vector<Crossing>& crossings) {
  crossings.clear();
  search_->line = {x, y};
  search_->crossings = &crossings;
  RTCIntersectContext context;
  rtcInitIntersectContext(&context);
  RTCRayHit ray{};
  ray.ray.org_x = static_cast<float>(x);
  ray.ray.org_y = static_cast<float>(y);
  ray.ray.org_z = static_cast<float>(-2 - search_->slack);  // below the grid
  ray.ray.dir_z = 1;
  ray.ray.tfar = std::numeric_limits<float>::infinity();
  ray.ray.mask = ~0U;
  ray.hit.geomID = RTC_INVALID_GEOMETRY_ID;
  rtcIntersect1(search_->scene, &context, &ray);
  std::sort(crossings.begin(), crossings.end(), [](const Crossing& a, const Crossing& b) {
    return std::tie(a.height, a.triangle) < std::tie(b.height, b.triangle);
  });
}

void TriangleIndex::near(const Box& box, std::vector<std::uint32_t>& triangles) {
  triangles.clear();
  search_->box = box;
  search_->near = &triangles;
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
  rtcPointQuery(search_->scene, &query, &context, &Search::meet_box, search_.get());
  std::sort(triangles.begin(), triangles.end());
}

std::array<Vector, 3> TriangleIndex::corners(std::uint32_t triangle) const { return search_->corners(triangle); }

Vector TriangleIndex::normal(std::uint32_t triangle) const {
  const auto c = corners(triangle);
  return cross(c[1] - c[0], c[2] - c[0]);
}

}  // namespace weft::geometry::detail
