// SPDX-License-Identifier: BSD-3-Clause
#include "amr/files/amr_writer.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <span>
#include <utility>

#include "weft/error.hpp"
#include "weft/transport/collectives.hpp"

namespace weft::amr {

using namespace program;

namespace {

constexpr std::uint8_t refined_cell = 8;  // vtkDataSetAttributes::REFINEDCELL
constexpr std::size_t own_datasets = 3;   // of a level: AMRBox, vtkGhostType, rank

std::size_t cells_of(const Tree& tree) {
  const auto n = static_cast<std::size_t>(tree.domain().cells);
  return n * n * n;
}

std::array<std::int64_t, 6> box_of(const BlockKey& key, int n) {
  std::array<std::int64_t, 6> box{};
  for (std::size_t a = 0; a < 3; ++a) {
    box[2 * a] = std::int64_t{key.at[a]} * n;
    box[2 * a + 1] = box[2 * a] + n - 1;
  }
  return box;
}

}  // namespace

std::vector<Run> runs_of(const Hierarchy& hierarchy, int level) {
  std::vector<Run> runs;
  const auto local = hierarchy.local(level);
  for (std::size_t b = 0; b < local.size(); ++b) {
    if (!runs.empty() && runs.back().first + runs.back().count == local[b].index) {
      ++runs.back().count;
    } else {
      runs.push_back({local[b].index, 1, b});
    }
  }
  return runs;
}

AmrWriter::AmrWriter(mpi::Communicator& communicator, std::filesystem::path directory, std::vector<NamedField> fields,
                     std::string name)
    : communicator_(communicator), series_(communicator, std::move(directory), std::move(name)),
      fields_(std::move(fields)) {}

std::filesystem::path AmrWriter::write(std::int64_t step, double time, const Hierarchy& hierarchy) {
  together(communicator_, [&] {
    for (const auto& f : fields_) {
      if (f.field < 0 || f.field >= hierarchy.fields())
        throw Error(fmt::format("Field {} ({}) can't be written (the hierarchy has {} fields). Name one of these.",
                                f.field, f.name, hierarchy.fields()));
    }
  });
  const auto& tree = hierarchy.tree();
  const auto put_all = [&](SharedFile& out, std::span<const std::int64_t> offsets) {
    together(communicator_, [&] {
      const auto per_level = own_datasets + fields_.size();
      for (int l = 0; l < tree.levels(); ++l)
        put(out, offsets.data() + static_cast<std::size_t>(l) * per_level, hierarchy, l);
      if (communicator_.rank() != 0) return;
      const auto last = offsets.last(2);
      out.write(last[0], std::as_bytes(std::span(&step, 1)));
      out.write(last[1], std::as_bytes(std::span(&time, 1)));
    });
  };
  return series_.write(
      step, time, enough_bytes(tree), [&](hdf5::Layout& layout) { lay_out(layout, tree); }, put_all);
}

/// Adds the datasets in the order of put().
void AmrWriter::lay_out(hdf5::Layout& layout, const Tree& tree) const {
  const auto& low = tree.domain().low;
  layout.add_group("VTKHDF");
  layout.set_integers("VTKHDF", "Version", {1, 0});
  layout.set_text("VTKHDF", "Type", "OverlappingAMR");
  layout.set_text("VTKHDF", "GridDescription", "XYZ");
  layout.set_numbers("VTKHDF", "Origin", {low.begin(), low.end()});
  for (int l = 0; l < tree.levels(); ++l) {
    const auto group = fmt::format("VTKHDF/Level{}", l);
    const auto blocks = tree.level(l).size();
    const auto cells = blocks * cells_of(tree);
    layout.add_group(group);
    layout.set_numbers(group, "Spacing", std::vector<double>(3, tree.domain().spacing_of(l)));
    layout.add_dataset(group + "/AMRBox", H5T_NATIVE_INT64, blocks, 6);
    layout.add_group(group + "/CellData");
    layout.add_dataset(group + "/CellData/vtkGhostType", H5T_NATIVE_UINT8, cells);
    layout.add_dataset(group + "/CellData/rank", H5T_NATIVE_INT32, cells);
    for (const auto& f : fields_) layout.add_dataset(group + "/CellData/" + f.name, H5T_NATIVE_DOUBLE, cells);
  }
  layout.add_group("VTKHDF/FieldData");
  layout.add_dataset("VTKHDF/FieldData/step", H5T_NATIVE_INT64, 1);
  layout.add_dataset("VTKHDF/FieldData/time", H5T_NATIVE_DOUBLE, 1);
}

void AmrWriter::put(SharedFile& out, const std::int64_t* offsets, const Hierarchy& hierarchy, int level) const {
  const auto& tree = hierarchy.tree();
  const int n = tree.domain().cells;
  const auto cells = cells_of(tree);
  const auto local = hierarchy.local(level);
  for (const auto& run : runs_of(hierarchy, level)) {
    const auto key = [&](std::size_t b) { return local[run.local + b].key; };
    const auto at = [&](std::size_t dataset, std::size_t block_bytes) {
      return offsets[dataset] + static_cast<std::int64_t>(run.first * block_bytes);
    };
    out.write_rows<std::int64_t>(at(0, 6 * sizeof(std::int64_t)), run.count, 6, [&](std::size_t b, std::int64_t* to) {
      const auto box = box_of(key(b), n);
      std::copy(box.begin(), box.end(), to);
    });
    // A refined block has all its children, so it is covered as a whole.
    out.write_rows<std::uint8_t>(at(1, cells), run.count, cells, [&](std::size_t b, std::uint8_t* to) {
      std::fill_n(to, cells, tree.is_refined(key(b)) ? refined_cell : std::uint8_t{0});
    });
    out.write_rows<std::int32_t>(at(2, cells * sizeof(std::int32_t)), run.count, cells,
                                 [&](std::size_t, std::int32_t* to) { std::fill_n(to, cells, communicator_.rank()); });
    for (std::size_t f = 0; f < fields_.size(); ++f)
      out.write_rows<double>(at(own_datasets + f, cells * sizeof(double)), run.count, cells,
                             [&](std::size_t b, double* to) {
                               const auto& block = local[run.local + b];
                               const double* from = block.field(fields_[f].field);
                               for (int k = 0; k < n; ++k)
                                 for (int j = 0; j < n; ++j, to += n)
                                   std::copy_n(from + block.shape->at(0, j, k), n, to);
                             });
  }
}

std::int64_t AmrWriter::enough_bytes(const Tree& tree) const {
  const auto cell_bytes = sizeof(double) * fields_.size() + sizeof(std::uint8_t) + sizeof(std::int32_t);
  const auto block_bytes = cells_of(tree) * cell_bytes + 6 * sizeof(std::int64_t);
  // Headers and alignment of each dataset, and those of the file.
  const auto level_bytes = (own_datasets + fields_.size()) * (std::size_t{1} << 13);
  return static_cast<std::int64_t>(tree.blocks() * block_bytes + static_cast<std::size_t>(tree.levels()) * level_bytes +
                                   (std::size_t{1} << 17));
}

}  // namespace weft::amr
