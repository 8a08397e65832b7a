// SPDX-License-Identifier: BSD-3-Clause
#include "program/rows.hpp"

#include <utility>

#include "weft/transport/collectives.hpp"

namespace weft::program {

Rows::Rows(Transport& transport, KeptFailure& failure, std::filesystem::path stem, std::vector<std::string> columns,
           std::int64_t keep_below, OnRow on_row)
    : failure_(&failure), stem_(std::move(stem)), on_row_(std::move(on_row)) {
  if (stem_.empty()) return;
  on_root(transport, [&] { series_.emplace(stem_, std::move(columns), keep_below); });
}

template <class Write>
void Rows::keep(const Write& write) {
  if (series_ && !failure_->any()) failure_->keep(write);
}

void Rows::append(std::int64_t step, std::span<const double> values) {
  if (on_row_) on_row_(step, values);
  keep([&] { series_->append(step, values); });
}

void Rows::sync() {
  keep([&] { series_->sync(); });
}

void Rows::write_json() {
  keep([&] { series_->write_json(); });
}

std::vector<std::filesystem::path> Rows::files() const {
  if (stem_.empty()) return {};
  return {stem_.string() + ".csv", stem_.string() + ".json"};
}

}  // namespace weft::program
