// SPDX-License-Identifier: BSD-3-Clause
#include "advise/key_map.hpp"

#include <gtest/gtest.h>

#include <random>
#include <unordered_map>

namespace weft::advise {
namespace {

TEST(KeyMap, holds_what_a_map_holds) {
  std::mt19937 random(5);
  KeyMap<int> map(4);
  std::unordered_map<std::uint64_t, int> reference;
  for (int i = 0; i < 20000; ++i) {
    const std::uint64_t key = (1 + random() % 300) * 0x10000;  // handles have the same low bits
    if (random() % 3 == 0) {
      map.erase(key);
      reference.erase(key);
    } else {
      map[key] = i;
      reference[key] = i;
    }
    const std::uint64_t asked = (1 + random() % 300) * 0x10000;
    const auto found = reference.find(asked);
    ASSERT_EQ(map.find(asked) != nullptr, found != reference.end());
    if (found != reference.end()) {
      ASSERT_EQ(*map.find(asked), found->second);
    }
    ASSERT_EQ(map.size(), reference.size());
  }
}

}  // namespace
}  // namespace weft::advise
