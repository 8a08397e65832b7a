// SPDX-License-Identifier: BSD-3-Clause
#include "weft/collective/composite.hpp"

#include <algorithm>
#include <cstring>
#include <map>
#include <mutex>
#include <string>
#include <utility>

#include "weft/error.hpp"
#include "weft/transport/collectives.hpp"

namespace weft {
namespace {

struct Piece {
  ReductionOfBytes::Combine combine;
  std::size_t offset, count;
};
struct CompositeLayout {
  std::size_t bytes;
  std::vector<Piece> pieces;
};

std::mutex mutex;
std::map<std::uint64_t, CompositeLayout> layouts;  // entries do not move
std::uint64_t next_number = 1;

void combine_composite(const void* left, void* inout, std::size_t count) {
  std::uint64_t number = 0;
  const CompositeLayout* layout = nullptr;
  const auto* a = static_cast<const std::byte*>(left);
  auto* b = static_cast<std::byte*>(inout);
  for (; count > 0; --count) {
    if (layout == nullptr) {
      std::memcpy(&number, a, sizeof number);
      const std::lock_guard lock(mutex);
      layout = &layouts.at(number);
    }
    for (const auto& piece : layout->pieces) piece.combine(a + piece.offset, b + piece.offset, piece.count);
    a += layout->bytes;
    b += layout->bytes;
  }
}

constexpr std::size_t alignment = alignof(std::max_align_t);

}  // namespace

Composite::Composite(Transport& transport, const std::vector<Value>& values) {
  CompositeLayout layout{alignment, {}};
  for (const auto& value : values) {
    const auto element = value.reduction.element_bytes;
    if (value.reduction.combine == nullptr || element == 0 || value.bytes % element != 0)
      throw Error("Value " + std::to_string(offsets_.size()) + " of a composite has " + std::to_string(value.bytes) +
                      " bytes, but its reduction has elements of " + std::to_string(element) +
                      " bytes. Give whole elements of the reduction's type.",
                  true);
    offsets_.push_back(layout.bytes);
    layout.pieces.push_back({value.reduction.combine, layout.bytes, value.bytes / element});
    layout.bytes += (value.bytes + alignment - 1) / alignment * alignment;
    commutative_ = commutative_ && value.reduction.commutative;
  }
  bytes_ = layout.bytes;
  std::uint64_t mine = 0;
  {
    const std::lock_guard lock(mutex);
    mine = next_number;
  }
  number_ = all_reduce(transport, mine, maximum<std::uint64_t>());
  const std::lock_guard lock(mutex);
  next_number = std::max(next_number, number_ + 1);
  layouts.try_emplace(number_, std::move(layout));  // if ranks are threads, each adds the same one
}

void Composite::begin(std::byte* buffer) const { std::memcpy(buffer, &number_, sizeof number_); }

ReductionOfBytes Composite::reduction() const {
  return {.element_bytes = bytes_, .combine = &combine_composite, .commutative = commutative_};
}

}  // namespace weft
