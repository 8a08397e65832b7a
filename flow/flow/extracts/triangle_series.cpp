// SPDX-License-Identifier: BSD-3-Clause
#include "flow/extracts/triangle_series.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <numeric>
#include <system_error>
#include <utility>

#include "weft/error.hpp"
#include "weft/file/beside.hpp"
#include "weft/transport/collectives.hpp"

namespace weft::flow {

using program::hdf5::Rows;

namespace fs = std::filesystem;

namespace {

constexpr std::array kinds_of_cells = {"Vertices", "Lines", "Polygons", "Strips"};
constexpr std::string_view in_cells = "VTKHDF/CellData/", of_cells = "VTKHDF/Steps/CellDataOffsets/",
                           of_fields = "VTKHDF/Steps/FieldDataOffsets/";
constexpr std::array<const char*, 2> numbers_of_file = {"metres_per_unit", "voxel"};

std::string dataset_in(std::string_view folder, std::string_view name) {
  return std::string(folder) + std::string(name);
}

std::vector<std::int64_t> multiples(std::uint64_t of, std::uint64_t count) {
  std::vector<std::int64_t> result;
  for (std::uint64_t k = 0; k < count; ++k) result.push_back(static_cast<std::int64_t>(k * of));
  return result;
}

}  // namespace

TriangleSeries::TriangleSeries(Transport& world, fs::path file, const geometry::Surface& triangles, Options options)
    : world_(world), file_(std::move(file)), options_(options) {
  if (world.rank() != 0) return;
  for (const auto& v : triangles.vertices)
    for (const double x : v) points_.push_back(static_cast<float>(x / options.metres_per_unit));
  for (const auto& t : triangles.triangles)
    corners_of_triangles_.insert(corners_of_triangles_.end(), t.begin(), t.end());
}

void TriangleSeries::lay_out(program::hdf5::Layout& layout, std::uint64_t steps, std::uint64_t capacity,
                             std::span<const CellValues> values) const {
  const auto count = triangle_count();
  layout.add_group("VTKHDF");
  layout.set_integers("VTKHDF", "Version", {2, 0});
  layout.set_text("VTKHDF", "Type", "PolyData");
  for (const auto* group : {"CellData", "FieldData", "Steps", "Steps/CellDataOffsets", "Steps/FieldDataOffsets"})
    layout.add_group(dataset_in("VTKHDF/", group));
  layout.set_integers("VTKHDF/Steps", "NSteps", {static_cast<std::int64_t>(steps)});
  layout.add_growing("VTKHDF/Steps/Values", H5T_NATIVE_DOUBLE, steps, capacity);
  layout.add_dataset("VTKHDF/NumberOfPoints", H5T_NATIVE_INT64, 1);
  layout.add_dataset("VTKHDF/Points", H5T_NATIVE_FLOAT, points_.size() / 3, 3);
  for (const auto* kind : kinds_of_cells) {
    const auto group = dataset_in("VTKHDF/", kind);
    const auto cells = std::string_view(kind) == "Polygons" ? count : 0;
    layout.add_group(group);
    layout.add_dataset(group + "/NumberOfCells", H5T_NATIVE_INT64, 1);
    layout.add_dataset(group + "/NumberOfConnectivityIds", H5T_NATIVE_INT64, 1);
    layout.add_dataset(group + "/Offsets", H5T_NATIVE_INT64, cells + 1);
    layout.add_dataset(group + "/Connectivity", H5T_NATIVE_INT64, 3 * cells);
  }
  for (const auto* offsets : {"NumberOfParts", "PartOffsets", "PointOffsets"})
    layout.add_dataset(dataset_in("VTKHDF/Steps/", offsets), H5T_NATIVE_INT64, capacity);
  for (const auto* offsets : {"CellOffsets", "ConnectivityIdOffsets"})
    layout.add_dataset(dataset_in("VTKHDF/Steps/", offsets), H5T_NATIVE_INT64, capacity, kinds_of_cells.size());
  layout.add_dataset("VTKHDF/FieldData/step", H5T_NATIVE_INT64, capacity);
  layout.add_dataset(dataset_in(of_fields, "step"), H5T_NATIVE_INT64, capacity);
  for (const auto* name : numbers_of_file) {
    layout.add_dataset(dataset_in("VTKHDF/FieldData/", name), H5T_NATIVE_DOUBLE, 1);
    layout.add_dataset(dataset_in(of_fields, name), H5T_NATIVE_INT64, capacity);
  }
  for (const auto& v : values) {
    layout.add_dataset(dataset_in(in_cells, v.name), H5T_NATIVE_DOUBLE, count * capacity, v.components);
    layout.add_dataset(dataset_in(of_cells, v.name), H5T_NATIVE_INT64, capacity);
  }
}

void TriangleSeries::fill(Rows& out, std::uint64_t capacity, std::span<const CellValues> values) const {
  using Integers = std::vector<std::int64_t>;
  const auto count = triangle_count();
  const Integers zeros(capacity, 0), zeros_of_kinds(capacity * kinds_of_cells.size(), 0);
  out.write("VTKHDF/NumberOfPoints", 0, Integers{static_cast<std::int64_t>(points_.size() / 3)});
  out.write("VTKHDF/Points", 0, points_);
  for (const auto* kind : kinds_of_cells) {
    const auto group = dataset_in("VTKHDF/", kind);
    const bool is_ours = std::string_view(kind) == "Polygons";
    const auto cells = is_ours ? count : 0;
    out.write(group + "/NumberOfCells", 0, Integers{static_cast<std::int64_t>(cells)});
    out.write(group + "/NumberOfConnectivityIds", 0, Integers{static_cast<std::int64_t>(3 * cells)});
    out.write(group + "/Offsets", 0, multiples(3, cells + 1));
    if (is_ours) out.write(group + "/Connectivity", 0, corners_of_triangles_);
  }
  out.write("VTKHDF/Steps/NumberOfParts", 0, Integers(capacity, 1));
  out.write("VTKHDF/Steps/PartOffsets", 0, zeros);
  out.write("VTKHDF/Steps/PointOffsets", 0, zeros);
  out.write("VTKHDF/Steps/CellOffsets", 0, zeros_of_kinds);
  out.write("VTKHDF/Steps/ConnectivityIdOffsets", 0, zeros_of_kinds);
  out.write("VTKHDF/FieldData/metres_per_unit", 0, std::vector{options_.metres_per_unit});
  out.write("VTKHDF/FieldData/voxel", 0, std::vector{options_.voxel});
  for (const auto* name : numbers_of_file) out.write(dataset_in(of_fields, name), 0, zeros);
  out.write(dataset_in(of_fields, "step"), 0, multiples(1, capacity));
  for (const auto& v : values) out.write(dataset_in(of_cells, v.name), 0, multiples(count, capacity));
}

void TriangleSeries::put(Rows& out, std::uint64_t at, std::int64_t step, double time_s,
                         std::span<const CellValues> values) const {
  for (const auto& v : values) out.write(dataset_in(in_cells, v.name), at * triangle_count(), v.values);
  out.write("VTKHDF/FieldData/step", at, std::vector{step});
  out.sync();
  // A reader allocates as many times as NSteps counts, so the count is written before the time is added.
  out.set_integer("VTKHDF/Steps", "NSteps", static_cast<std::int64_t>(at + 1));
  out.sync();
  out.resize("VTKHDF/Steps/Values", at + 1);
  out.write("VTKHDF/Steps/Values", at, std::vector{time_s});
  out.sync();
}

/// Number of steps to keep of an earlier run's file; 0 if it has other triangles or quantities.
std::uint64_t TriangleSeries::kept_steps(std::span<const CellValues> values) const {
  if (options_.keep_below <= 0 || !fs::exists(file_)) return 0;
  try {
    const Rows before(file_, Rows::Way::read);
    const auto count = triangle_count();
    const auto steps = std::min(before.extent("VTKHDF/Steps/Values").at(0),
                                static_cast<std::uint64_t>(before.integer("VTKHDF/Steps", "NSteps")));
    if (before.extent("VTKHDF/Points").at(0) != points_.size() / 3 ||
        before.extent("VTKHDF/Polygons/Connectivity").at(0) != corners_of_triangles_.size())
      return 0;
    if (before.read<float>("VTKHDF/Points", 0, points_.size() / 3) != points_ ||
        before.read<std::int64_t>("VTKHDF/Polygons/Connectivity", 0, corners_of_triangles_.size()) !=
            corners_of_triangles_)
      return 0;
    for (const auto& v : values) {
      const auto extent = before.extent(dataset_in(in_cells, v.name));
      if (extent.at(0) < steps * count || (extent.size() > 1 ? extent[1] : 1) != v.components) return 0;
    }
    const auto numbers = before.read<std::int64_t>("VTKHDF/FieldData/step", 0, steps);
    return static_cast<std::uint64_t>(std::ranges::lower_bound(numbers, options_.keep_below) - numbers.begin());
  } catch (const Error&) {
    return 0;
  }
}

void TriangleSeries::make(std::uint64_t kept, std::uint64_t capacity, std::int64_t step, double time_s,
                          std::span<const CellValues> values) {
  std::error_code error;
  fs::create_directories(file_.parent_path(), error);
  if (error) throw cannot_write(file_, error.message());
  const auto count = triangle_count();
  std::uint64_t a_step = 16 * sizeof(std::int64_t);
  for (const auto& v : values) a_step += (count * v.components + 1) * sizeof(double);
  const auto bytes = static_cast<std::int64_t>(points_.size() * sizeof(float) + (4 * count + 1) * sizeof(std::int64_t) +
                                               capacity * a_step + (std::uint64_t{1} << 20));
  Beside beside(file_);
  const auto& unfinished = beside.share();
  try {
    program::hdf5::make_with_room(file_, unfinished, bytes,
                                  [&](program::hdf5::Layout& layout) { lay_out(layout, kept + 1, capacity, values); });
    Rows out(unfinished, Rows::Way::write);
    fill(out, capacity, values);
    if (kept > 0) {
      const Rows before(file_, Rows::Way::read);
      out.write("VTKHDF/Steps/Values", 0, before.read<double>("VTKHDF/Steps/Values", 0, kept));
      out.write("VTKHDF/FieldData/step", 0, before.read<std::int64_t>("VTKHDF/FieldData/step", 0, kept));
      for (const auto& v : values)
        for (std::uint64_t k = 0; k < kept; ++k)
          out.write(dataset_in(in_cells, v.name), k * count,
                    before.read<double>(dataset_in(in_cells, v.name), k * count, count));
    }
    put(out, kept, step, time_s, values);
  } catch (const Error& e) {
    if (dynamic_cast<const InputError*>(&e) != nullptr) throw;
    throw cannot_write(file_, e.what());
  }
  beside.commit();
}

fs::path TriangleSeries::write(std::int64_t step, double time_s, std::span<const CellValues> values) {
  on_root(world_, [&] {
    for (const auto& v : values)
      if (v.values.size() != triangle_count() * v.components)
        throw Error(fmt::format("{} numbers of {} were given for {} triangles. Give {} for each.", v.values.size(),
                                v.name, triangle_count(), v.components));
    if (!is_there_) steps_ = kept_steps(values);
    if (!is_there_ || steps_ == capacity_) {
      constexpr std::uint64_t first_capacity = 8;
      const auto expected =
          std::max(steps_ + 1, static_cast<std::uint64_t>(std::max<std::int64_t>(options_.most_steps, 1)));
      const auto capacity = std::min(std::max(first_capacity, 2 * steps_), expected);
      make(steps_, capacity, step, time_s, values);
      is_there_ = true, capacity_ = capacity;
    } else {
      try {
        Rows out(file_, Rows::Way::write);
        put(out, steps_, step, time_s, values);
      } catch (const Error& e) {
        throw cannot_write(file_, e.what());
      }
    }
    ++steps_;
  });
  return file_;
}

}  // namespace weft::flow
