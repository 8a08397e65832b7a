// SPDX-License-Identifier: BSD-3-Clause
#include "program/rows.hpp"

#include <utility>

#include "weft/error.hpp"
#include "weft/transport/collectives.hpp"

namespace weft::program {

void KeptFailure::keep(const std::function<void()>& write) {
  try {
    write();
  } catch (const InputError& e) {
    if (e.everywhere()) throw;
    if (text_.empty()) text_ = e.what();
  }
}

void KeptFailure::check() const {
  if (!is_known_) return;
  throw InputError(
      text_.empty()
          ? "Another rank could not write its files. Check the space and the permissions of the output folder."
          : text_,
      true);
}

void KeptFailure::agree(Transport& transport) const {
  together(transport, [&] {
    if (any()) throw InputError(text_);
  });
}

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
