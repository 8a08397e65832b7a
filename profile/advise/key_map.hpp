// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <cstdint>

#include <tsl/robin_map.h>

namespace weft::advise {

/// Mixes a word into a hash, so that all of its bits matter.
constexpr std::uint64_t mixed(std::uint64_t hash, std::uint64_t word) {
  hash = (hash ^ word) * 0x9E3779B97F4A7C15u;
  return hash ^ (hash >> 29);
}

/// A map with words as keys, open-addressed (tsl::robin_map): a look-up takes a few nanoseconds, and its memory only
/// grows. Pointers are valid until the next insert or erase.
template <class Value>
class KeyMap {
 public:
  explicit KeyMap(std::size_t capacity = 64) : values_(capacity) {}

  Value* find(std::uint64_t key) {
    const auto found = values_.find(key);
    return found == values_.end() ? nullptr : &found.value();
  }
  /// The value of that key; inserts a new one if there is none.
  Value& operator[](std::uint64_t key) { return values_[key]; }
  void erase(std::uint64_t key) { values_.erase(key); }
  template <class Visit>
  void for_each(Visit visit) const {
    for (const auto& [key, value] : values_) visit(key, value);
  }
  std::size_t size() const { return values_.size(); }

 private:
  struct Hash {
    std::size_t operator()(std::uint64_t key) const { return mixed(0, key); }
  };
  tsl::robin_map<std::uint64_t, Value, Hash> values_;
};

}  // namespace weft::advise
