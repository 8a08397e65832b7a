// SPDX-License-Identifier: BSD-3-Clause
#include "lattice/detail/sixteen_bits.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

namespace weft::test {
namespace {

using lattice::detail::Fp16, lattice::detail::Fp16c;

template <class Number>
float value_of(unsigned bits) {
  Number n;
  n.bits = std::uint16_t(bits);
  return static_cast<float>(n);
}

// Every number is found again, and what lies between two is rounded to the nearest, half-way to the even one.
template <class Number>
void check_all(unsigned numbers) {
  for (unsigned bits = 0; bits < numbers; ++bits) {
    const float value = value_of<Number>(bits);
    ASSERT_EQ(Number(value).bits, bits);
    ASSERT_EQ(Number(-value).bits, bits | 0x8000U);
    if (bits == 0) continue;
    const float before = value_of<Number>(bits - 1), middle = (value + before) / 2;
    ASSERT_GT(value, before);
    ASSERT_EQ(Number(middle).bits, bits % 2 == 0 ? bits : bits - 1);
    ASSERT_EQ(Number(std::nextafter(middle, 9.0F)).bits, bits);
    ASSERT_EQ(Number(std::nextafter(middle, -9.0F)).bits, bits - 1);
  }
}

TEST(SixteenBits, round_to_the_nearest) {
  check_all<Fp16>(31U << 10);
  check_all<Fp16c>(1U << 15);
}

TEST(SixteenBits, have_so_many_significant_bits) {
  EXPECT_EQ(value_of<Fp16>(1), 0x1p-39F);
  EXPECT_EQ(value_of<Fp16>(1U << 10), 0x1p-29F);
  EXPECT_EQ(value_of<Fp16>((31U << 10) - 1), 2 - 0x1p-10F);
  EXPECT_EQ(value_of<Fp16c>(1), 0x1p-25F);
  EXPECT_EQ(value_of<Fp16c>(1U << 11), 0x1p-14F);
  EXPECT_EQ(value_of<Fp16c>(0x7fff), 2 - 0x1p-11F);
}

TEST(SixteenBits, show_an_unstable_flow) {
  constexpr float infinity = std::numeric_limits<float>::infinity();
  for (const float large : {2.0F, 1e30F, infinity}) {
    EXPECT_EQ(static_cast<float>(Fp16(large)), infinity);
    EXPECT_EQ(static_cast<float>(Fp16(-large)), -infinity);
    EXPECT_EQ(Fp16c(large).bits, 0x7fff);
    EXPECT_EQ(Fp16c(-large).bits, 0xffff);
  }
  EXPECT_TRUE(std::isnan(static_cast<float>(Fp16(NAN))));
  EXPECT_LT(static_cast<float>(Fp16c(NAN)), -1);
}

}  // namespace
}  // namespace weft::test
