// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "program/series.hpp"
#include "weft/transport/transport.hpp"

namespace [[gnu::visibility("default")]] weft {
namespace program {

/// A write error of this rank, kept until all ranks can learn of it at the same place. So one rank can write its rows
/// inside a step, and a full disk costs no extra synchronisation.
class KeptFailure {
 public:
  /// Runs `write` on this rank. Keeps an InputError that no other rank knows of (the first one); other exceptions pass.
  void keep(const std::function<void()>& write);
  /// Whether this rank keeps an error.
  bool any() const { return !text_.empty(); }
  /// To be called on every rank in the same step, after a reduction gave the number of ranks that keep an error. Does
  /// not throw: a rank that leaves a step early would cancel messages that other ranks still wait for.
  void learn(std::int64_t ranks) { is_known_ = is_known_ || ranks > 0; }
  /// Throws the error on all ranks if they have learnt of one. To be called between steps.
  void check() const;
  /// Throws on every rank an error that one of them keeps. Collective.
  void agree(Transport& transport) const;

 private:
  std::string text_{};
  bool is_known_ = false;  // all ranks know that one keeps an error
};

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

}  // namespace program
}  // namespace weft
