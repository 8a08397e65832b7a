// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "program/kept_failure.hpp"
#include "program/series.hpp"
#include "weft/transport/transport.hpp"

namespace weft::program {

/// A table of a run, which every rank has and rank 0 writes (see SeriesWriter). A write error is kept (see
/// KeptFailure); after it nothing is written, so that no row in between is missing.
class Rows {
 public:
  /// Receives a row; it may throw.
  using OnRow = std::function<void(std::int64_t step, std::span<const double> values)>;

  /// `failure` is borrowed. `on_row` also receives each row, on the ranks that append it. An empty stem: no files.
  /// Collective. Throws InputError on every rank.
  Rows(Transport& transport, KeptFailure& failure, std::filesystem::path stem, std::vector<std::string> columns,
       std::int64_t keep_below, OnRow on_row = {});

  /// As SeriesWriter::append on rank 0; does nothing on the other ranks, which may omit the call. Never throws for an
  /// error of the disk.
  void append(std::int64_t step, std::span<const double> values);
  /// Returns when the rows are on the disk. Not collective.
  void sync();
  /// Writes the whole table as JSON. Not collective.
  void write_json();
  /// The table's two files, if it has any.
  std::vector<std::filesystem::path> files() const;

 private:
  template <class Write>
  void keep(const Write& write);

  KeptFailure* failure_;
  std::filesystem::path stem_;
  OnRow on_row_;
  std::optional<SeriesWriter> series_{};  // on rank 0
};

}  // namespace weft::program
