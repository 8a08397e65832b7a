// SPDX-License-Identifier: BSD-3-Clause
#include "flow/extracts/table_writer.hpp"

#include <algorithm>

#include "weft/error.hpp"
#include "weft/transport/collectives.hpp"

namespace weft::flow {

namespace {

std::vector<std::string> columns_of(const ExtractCase& extract) {
  std::vector<std::string> columns = {"step", "time_s", "x_m", "y_m", "z_m"};
  if (extract.shape == ExtractCase::Shape::line) columns.emplace_back("along_m");
  for (const auto quantity : extract.quantities)
    for (auto& name : column_names(quantity)) columns.push_back(std::move(name));
  if (extract.shape == ExtractCase::Shape::surface) columns.insert(columns.end(), {"normal_x", "normal_y", "normal_z"});
  return columns;
}

}  // namespace

TableWriter::TableWriter(Transport& world, const std::filesystem::path& stem, const ExtractCase& extract,
                         const geometry::Domain& domain, std::span<const std::uint32_t> sites, std::int64_t keep_below)
    : world_(world), file_(stem.string() + ".csv") {
  using geometry::operator-;
  const bool is_line = extract.shape == ExtractCase::Shape::line;
  const auto way = extract.to - extract.at;
  for (const auto site : sites) {
    const auto& p = domain.sites[site];
    const auto at = domain.grid.centre(p);
    TablePoint place{static_cast<double>(domain.grid.site_id(p)), {at[0], at[1], at[2]}};
    if (is_line) {
      const double length = geometry::length(way);
      place.order = length > 0 ? geometry::dot(at - extract.at, way) / length : 0;
      place.columns.push_back(place.order);
    }
    places_.push_back(std::move(place));
  }
  on_root(world, [&] { series_.emplace(stem, columns_of(extract), keep_below); });
}

std::filesystem::path TableWriter::write(std::int64_t step, double time_s, std::span<const CellValues> values) {
  std::vector<double> mine;
  for (std::size_t k = 0; k < places_.size(); ++k) {
    mine.push_back(places_[k].order);
    mine.insert(mine.end(), places_[k].columns.begin(), places_[k].columns.end());
    for (const auto& v : values)
      mine.insert(mine.end(), v.values.begin() + std::ptrdiff_t(k * v.components),
                  v.values.begin() + std::ptrdiff_t((k + 1) * v.components));
  }
  const auto width =
      all_reduce(world_, places_.empty() ? std::size_t{0} : mine.size() / places_.size(), maximum<std::size_t>());
  const auto all = gather(world_, mine);
  on_root(world_, [&] {
    std::vector<std::span<const double>> rows;
    for (const auto& of_rank : all)
      for (std::size_t k = 0; k + width <= of_rank.size(); k += width) rows.emplace_back(of_rank.data() + k, width);
    std::ranges::sort(rows, [](const auto& a, const auto& b) {
      return std::ranges::lexicographical_compare(a.first(4), b.first(4));
    });
    std::vector<double> columns;
    for (const auto& row : rows) {
      columns = {time_s};
      columns.insert(columns.end(), row.begin() + 1, row.end());
      series_->append(step, columns);
    }
    series_->sync();
  });
  return file_;
}

}  // namespace weft::flow
