// SPDX-License-Identifier: BSD-3-Clause
#include "box_program/image_writer.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "weft/error.hpp"
#include "weft/transport/collectives.hpp"

namespace weft::box_program {

using namespace program;

namespace {

constexpr std::size_t batch_bytes = std::size_t{8} << 20;

/// Lines [first, second) of a batch: those written by one member of a row.
std::pair<std::size_t, std::size_t> part(std::size_t lines, std::size_t member, std::size_t members) {
  return {lines * member / members, lines * (member + 1) / members};
}

/// The slowest axis first. For a single plane VTK requires the axis of size one to be omitted.
std::vector<std::uint64_t> shape_of(const Index& extent) {
  return {extent.rbegin() + (extent[2] == 1 ? 1 : 0), extent.rend()};
}

}  // namespace

ImageWriter::ImageWriter(mpi::Communicator& communicator, std::filesystem::path directory, const Space& space,
                         std::string name)
    : communicator_(communicator), series_(communicator, std::move(directory), std::move(name)), space_(space) {
  const auto& mine = space.block;
  const auto boxes = all_gather(communicator, mine);
  for (std::size_t r = 0; r < boxes.size(); ++r) {
    const auto& b = boxes[r];
    most_lines_ = std::max(most_lines_, b.count[1] * b.count[2]);
    widest_ = std::max(widest_, b.count[0]);
    cut_ = cut_ || b.count[0] != space.extent[0];
    if (b.first[1] == mine.first[1] && b.first[2] == mine.first[2])
      row_.push_back({static_cast<int>(r), b.first[0], b.count[0]});
  }
  std::sort(row_.begin(), row_.end(), [](const Neighbour& a, const Neighbour& b) { return a.first < b.first; });
}

std::filesystem::path ImageWriter::write(std::int64_t step, std::span<const double> density,
                                         std::span<const std::array<double, 3>> velocity,
                                         std::span<const std::uint8_t> solid) {
  together(communicator_, [&] {
    const auto sites = space_.block.points();
    if (density.size() != sites || velocity.size() != sites || solid.size() != sites)
      throw Error(fmt::format(
          "An image has {} densities, {} velocities and {} solid flags for {} sites. Give one of each per site.",
          density.size(), velocity.size(), solid.size(), sites));
  });
  const auto put_all = [&](SharedFile& out, std::span<const std::int64_t> offsets) {
    put<double>(out, offsets[0], 1, [&](std::size_t site, double* to) { *to = density[site]; });
    put<double>(out, offsets[1], 3,
                [&](std::size_t site, double* to) { std::copy(velocity[site].begin(), velocity[site].end(), to); });
    put<std::uint8_t>(out, offsets[2], 1, [&](std::size_t site, std::uint8_t* to) { *to = solid[site]; });
    put<std::int32_t>(out, offsets[3], 1, [&](std::size_t, std::int32_t* to) { *to = communicator_.rank(); });
    together(communicator_, [&] {
      if (communicator_.rank() == 0) out.write(offsets[4], std::as_bytes(std::span(&step, 1)));
    });
  };
  return series_.write(
      step, static_cast<double>(step), enough_bytes(), [&](hdf5::Layout& layout) { lay_out(layout); }, put_all);
}

/// Adds the datasets in the order of write().
void ImageWriter::lay_out(hdf5::Layout& layout) const {
  std::vector<std::int64_t> whole(6);  // first and last along each axis
  for (std::size_t a = 0; a < 3; ++a) whole[2 * a + 1] = static_cast<std::int64_t>(space_.extent[a]) - 1;
  layout.add_group("VTKHDF");
  layout.set_integers("VTKHDF", "Version", {1, 0});
  layout.set_text("VTKHDF", "Type", "ImageData");
  layout.set_integers("VTKHDF", "WholeExtent", whole);
  layout.set_numbers("VTKHDF", "Origin", {0, 0, 0});
  layout.set_numbers("VTKHDF", "Spacing", {1, 1, 1});
  layout.set_numbers("VTKHDF", "Direction", {1, 0, 0, 0, 1, 0, 0, 0, 1});
  layout.add_group("VTKHDF/PointData");
  layout.add_group("VTKHDF/FieldData");
  const auto scalars = shape_of(space_.extent);
  auto vectors = scalars;
  vectors.push_back(3);
  layout.add_dataset("VTKHDF/PointData/density", H5T_NATIVE_DOUBLE, scalars);
  layout.add_dataset("VTKHDF/PointData/velocity", H5T_NATIVE_DOUBLE, vectors);
  layout.add_dataset("VTKHDF/PointData/solid", H5T_NATIVE_UINT8, scalars);
  layout.add_dataset("VTKHDF/PointData/rank", H5T_NATIVE_INT32, scalars);
  layout.add_dataset("VTKHDF/FieldData/step", H5T_NATIVE_INT64, 1);
}

std::int64_t ImageWriter::enough_bytes() const {
  const auto sites = space_.extent[0] * space_.extent[1] * space_.extent[2];
  constexpr std::size_t site_bytes = 4 * sizeof(double) + sizeof(std::uint8_t) + sizeof(std::int32_t);
  return static_cast<std::int64_t>(sites * site_bytes + (std::size_t{1} << 17));
}

/// Writes one dataset. `fill(site, out)` stores the values of a site of the block. All ranks do the same number of
/// batches, so that each may be collective and all stop at the first failure.
template <class T, class Fill>
void ImageWriter::put(SharedFile& out, std::int64_t offset, std::size_t columns, const Fill& fill) {
  const auto& n = space_.block.count;
  const auto lines = n[1] * n[2];
  const auto batch = std::max<std::size_t>(1, batch_bytes / (widest_ * columns * sizeof(T)));
  std::vector<T> values;
  for (std::size_t at = 0; at < most_lines_; at += batch) {
    const auto first = std::min(at, lines), count = std::min(at + batch, lines) - first;
    values.resize(count * n[0] * columns);
    auto* to = values.data();
    for (auto line = first; line < first + count; ++line) {
      auto site = line % n[1] * n[2] + line / n[1];  // lines are counted along y first, as in VTK
      for (std::size_t x = 0; x < n[0]; ++x, site += lines, to += columns) fill(site, to);
    }
    auto mine = first;
    if (cut_) {
      values = whole_lines(values, count, columns);
      const auto place =
          std::find_if(row_.begin(), row_.end(), [&](const Neighbour& m) { return m.rank == communicator_.rank(); });
      mine += part(count, static_cast<std::size_t>(place - row_.begin()), row_.size()).first;
    }
    together(communicator_, [&] { write_lines<T>(out, offset, values, mine, columns); });
  }
}

/// Gives every rank of a row its part of the lines, complete.
template <class T>
std::vector<T> ImageWriter::whole_lines(const std::vector<T>& parts, std::size_t lines, std::size_t columns) {
  const auto rank_count = static_cast<std::size_t>(communicator_.size());
  const auto width = space_.block.count[0] * columns;
  std::vector<std::vector<T>> leaving(rank_count);
  for (std::size_t m = 0; m < row_.size(); ++m) {
    const auto [first, last] = part(lines, m, row_.size());
    leaving[static_cast<std::size_t>(row_[m].rank)].assign(parts.begin() + static_cast<std::ptrdiff_t>(first * width),
                                                           parts.begin() + static_cast<std::ptrdiff_t>(last * width));
  }
  const auto arriving = all_to_all(communicator_, leaving);
  const auto pitch = space_.extent[0] * columns;
  const auto mine = arriving[static_cast<std::size_t>(communicator_.rank())].size() / width;
  std::vector<T> whole(mine * pitch);
  for (const auto& member : row_) {
    const auto piece = static_cast<std::ptrdiff_t>(member.count * columns);
    auto from = arriving[static_cast<std::size_t>(member.rank)].begin();
    for (std::size_t line = 0; line < mine; ++line, from += piece)
      std::copy_n(from, piece, whole.begin() + static_cast<std::ptrdiff_t>(line * pitch + member.first * columns));
  }
  return whole;
}

/// Adjacent lines of the box are written at once.
template <class T>
void ImageWriter::write_lines(SharedFile& out, std::int64_t offset, std::span<const T> values, std::size_t first,
                              std::size_t columns) const {
  const auto pitch = space_.extent[0] * columns, lines = values.size() / pitch;
  for (std::size_t done = 0, run = 0; done < lines; done += run) {
    const auto start = line_in_box(first + done);
    for (run = 1; done + run < lines && line_in_box(first + done + run) == start + run;) ++run;
    out.write(offset + static_cast<std::int64_t>(start * pitch * sizeof(T)),
              std::as_bytes(values.subspan(done * pitch, run * pitch)));
  }
}

std::size_t ImageWriter::line_in_box(std::size_t line) const {
  const auto& b = space_.block;
  return (b.first[2] + line / b.count[1]) * space_.extent[1] + b.first[1] + line % b.count[1];
}

}  // namespace weft::box_program
