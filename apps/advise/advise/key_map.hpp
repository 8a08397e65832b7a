// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

namespace weft::advise {

/// Mixes a word into a hash, so that all of its bits matter.
constexpr std::uint64_t mixed(std::uint64_t hash, std::uint64_t word) {
  hash = (hash ^ word) * 0x9E3779B97F4A7C15u;
  return hash ^ (hash >> 29);
}

/// A map from a word that is not 0, by open addressing: a look-up is a few nanoseconds, and memory is only asked for
/// when there is more in it than ever before. Pointers last until the next insert or erase.
template <class Value>
class KeyMap {
 public:
  explicit KeyMap(std::size_t capacity = 64) : slots_(capacity) {}

  Value* find(std::uint64_t key) {
    for (std::size_t i = home(key);; i = next(i)) {
      if (slots_[i].first == key) return &slots_[i].second;
      if (slots_[i].first == 0) return nullptr;
    }
  }
  /// The value of that key, a new one if there was none.
  Value& operator[](std::uint64_t key) {
    if (auto* found = find(key)) return *found;
    if (2 * (size_ + 1) > slots_.size()) grow();
    ++size_;
    return put(key, Value{});
  }
  void erase(std::uint64_t key) {
    std::size_t hole = home(key);
    for (; slots_[hole].first != key; hole = next(hole))
      if (slots_[hole].first == 0) return;
    --size_;
    // What follows without a gap moves up if its home is not behind the hole.
    for (std::size_t i = next(hole); slots_[i].first != 0; i = next(i)) {
      const auto distance = [&](std::size_t from, std::size_t to) { return (to - from) & (slots_.size() - 1); };
      if (distance(home(slots_[i].first), i) < distance(hole, i)) continue;
      slots_[hole] = std::move(slots_[i]);
      hole = i;
    }
    slots_[hole] = {};
  }
  template <class Visit>
  void for_each(Visit visit) const {
    for (const auto& [key, value] : slots_)
      if (key != 0) visit(key, value);
  }
  std::size_t size() const { return size_; }

 private:
  using Slot = std::pair<std::uint64_t, Value>;
  std::size_t home(std::uint64_t key) const { return mixed(0, key) & (slots_.size() - 1); }
  std::size_t next(std::size_t i) const { return (i + 1) & (slots_.size() - 1); }
  Value& put(std::uint64_t key, Value value) {
    std::size_t i = home(key);
    while (slots_[i].first != 0) i = next(i);
    slots_[i] = {key, std::move(value)};
    return slots_[i].second;
  }
  void grow() {
    std::vector<Slot> old(2 * slots_.size());
    old.swap(slots_);
    for (auto& slot : old)
      if (slot.first != 0) put(slot.first, std::move(slot.second));
  }

  std::vector<Slot> slots_;  // a power of two
  std::size_t size_ = 0;
};

}  // namespace weft::advise
