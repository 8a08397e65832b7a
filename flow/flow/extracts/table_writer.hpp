// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <span>
#include <vector>

#include "flow/case/extract_case.hpp"
#include "flow/extracts/vtkhdf.hpp"
#include "geometry/domain.hpp"
#include "program/series.hpp"
#include "weft/transport/transport.hpp"

namespace weft::flow {

/// A CSV file to which each written step adds one row per site, in an order that does not depend on the ranks: along a
/// line, otherwise by site. Rank 0 gathers and writes the rows: for small parts of a vessel.
class TableWriter {
 public:
  /// `world` is borrowed. An earlier run's rows of steps below `keep_below` stay, if it had the same columns.
  /// Collective; throws InputError on every rank.
  TableWriter(Transport& world, const std::filesystem::path& stem, const ExtractCase& extract,
              const geometry::Domain& domain, std::span<const std::uint32_t> sites, std::int64_t keep_below);

  /// Like FieldWriter::write.
  std::filesystem::path write(std::int64_t step, double time_s, std::span<const CellValues> values);

 private:
  /// A site's constant values in each of its rows: sort key, then columns.
  struct TablePoint {
    double order;
    std::vector<double> columns;  ///< x, y, z, and along a line
  };
  Transport& world_;
  std::filesystem::path file_;
  std::vector<TablePoint> places_;
  std::optional<program::SeriesWriter> series_{};  // on rank 0
};

}  // namespace weft::flow
