// SPDX-License-Identifier: BSD-3-Clause
#include "weft/names.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdint>

namespace weft {
namespace {

using ::testing::ElementsAre;

enum class Fruit : std::uint8_t { apple, pear, Plum };
constexpr Names<Fruit> fruits("fruit", {{Fruit::apple, "apple"}, {Fruit::Plum, "Plum"}, {Fruit::pear, "pear"}});

TEST(Names, go_both_ways) {
  for (const auto& fruit : fruits) {
    EXPECT_EQ(fruits.named(fruit.name), fruit.value);
    EXPECT_STREQ(fruits.of(fruit.value), fruit.name);
  }
  EXPECT_STREQ(fruits.of(static_cast<Fruit>(7)), "?");
  EXPECT_EQ(fruits.find("plum"), std::nullopt);
  EXPECT_EQ(fruits.find_in_any_case("pLUM"), Fruit::Plum);
  EXPECT_EQ(fruits.find_in_any_case("plums"), std::nullopt);
}

TEST(Names, are_listed_in_their_order) {
  EXPECT_EQ(fruits.list(), "apple, Plum, pear");
  EXPECT_THAT(fruits.all(), ElementsAre("apple", "Plum", "pear"));
}

TEST(Names, an_unknown_one_is_refused_with_all_that_there_are) {
  try {
    fruits.named("nut");
    ADD_FAILURE() << "no error";
  } catch (const InputError& e) {
    EXPECT_STREQ(e.what(), "Unknown fruit 'nut'. Use one of: apple, Plum, pear.");
    EXPECT_TRUE(e.everywhere());
  }
}

TEST(Names, some_can_be_left_out) {
  constexpr auto rest = fruits.without(Fruit::Plum);
  EXPECT_EQ(rest.list(), "apple, pear");
  EXPECT_EQ(rest.find("Plum"), std::nullopt);
  EXPECT_EQ(rest.find("pear"), Fruit::pear);
}

}  // namespace
}  // namespace weft
