// SPDX-License-Identifier: BSD-3-Clause
// The kernels' index arithmetic, on the host, against Region's own loops. On a device the same source runs.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <numeric>
#include <vector>

#include "core/tests/weft/device/host_kernels.hpp"
#include "core/tests/weft/device/random_layout.hpp"
#include "tests/support/core_random.hpp"
#include "weft/device/launch.hpp"
#include "weft/transport/region.hpp"

namespace weft::device {
namespace {

using namespace weft::testing;

// A device faults where this is false; the host does not.
bool is_aligned(const KernelWork& work, std::size_t unit) {
  auto distances = reinterpret_cast<std::uintptr_t>(work.base) | reinterpret_cast<std::uintptr_t>(work.packed);
  for (unsigned l = 0; l <= work.levels; ++l) {
    distances |= work.level[l].stride_bytes;
    for (std::size_t i = 0; l == work.offsets_level && i < work.level[l].count; ++i) distances |= work.offsets[i];
  }
  return distances % unit == 0;
}

// Runs the kernels for a range.
void run(const Form& form, Task task, Range range, std::byte* packed, const ReductionOfBytes* reduction = nullptr) {
  for (int launches = 0; range.bytes > 0; ++launches) {
    ASSERT_LT(launches, 5);
    const auto bytes = range.bytes;
    const auto launch = form.next(task, range, packed, reduction);
    ASSERT_GT(launch.blocks, 0U);
    if (launch.work.is_aligned != 0 || task != Task::combine) {
      ASSERT_TRUE(is_aligned(launch.work, (bytes - range.bytes) / launch.work.count));
    }
    run_on_host(host_kernels().at(kernel_names().at(static_cast<std::size_t>(launch.kernel))), launch.work,
                launch.blocks);
  }
}

Form form_of(const Region& region, std::vector<unsigned long long>& offsets, Random& random) {
  const auto layout = region.layout();
  offsets.assign(layout.offsets.begin(), layout.offsets.end());
  return Form(layout, region.bytes(), offsets.data(), random.chance(4) ? 1 : std::uint64_t{1} << 31);
}

void expect_as_on_the_host(Random& random, int most_loops) {
  const auto layout = random_layout(random, random_element(random), most_loops);
  if (layout.extent > 1 << 20) return;
  const std::size_t shift = random.chance(2) ? 0 : random.size_below(17);  // most arrays are aligned
  auto array = random_bytes(layout.extent + shift + 64, random);
  const auto region = layout.at(array.data() + shift);
  if (region.bytes() == 0) return;
  std::vector<unsigned long long> offsets;
  const auto form = form_of(region, offsets, random);
  SCOPED_TRACE(::testing::Message() << "elements of " << layout.element << ", loops " << region.layout().loops.size()
                                    << ", offsets " << offsets.size() << ", bytes " << region.bytes() << ", shift "
                                    << shift);

  const std::size_t before = random.chance(2) ? 0 : random.size_below(33);
  auto expected = random_bytes(region.bytes() + before + 16, random), packed = expected;
  region.pack(expected.data() + before);
  for (const auto range : random_ranges(random, region.bytes(), random.chance(2) ? 16 : 1))
    run(form, Task::pack, range, packed.data() + before + range.first);
  ASSERT_EQ(packed, expected);

  packed = random_bytes(packed.size(), random);
  const auto old = array;
  region.unpack(packed.data() + before);
  const auto unpacked = array;
  std::copy(old.begin(), old.end(), array.begin());
  for (const auto range : random_ranges(random, region.bytes(), random.chance(2) ? 16 : 1))
    run(form, Task::unpack, range, packed.data() + before + range.first);
  ASSERT_EQ(array, unpacked);
}

TEST(Kernels, random_layouts_are_packed_and_unpacked_as_on_the_host) {
  Random random(1);
  for (int repeat = 0; repeat < 3000; ++repeat) {
    SCOPED_TRACE(repeat);
    expect_as_on_the_host(random, repeat % 10 == 0 ? 10 : 5);
    if (::testing::Test::HasFatalFailure()) return;
  }
}

TEST(Kernels, sixteen_loops_with_offsets_are_traversed) {
  for (const bool innermost : {false, true}) {
    std::vector<Loop> loops(16);
    for (std::size_t d = 16, stride = 40; d-- > 0; stride = 2 * stride + 8) loops[d] = {2, stride};
    std::vector<std::byte> array(8 << 20);
    for (std::size_t i = 0; i < array.size(); ++i) array[i] = static_cast<std::byte>(mix(i));
    const auto region = make_strided(array.data(), 8, loops, true, std::vector<std::size_t>{0, 24, 8}, innermost);
    ASSERT_EQ(region.layout().loops.size(), 16U);
    ASSERT_TRUE(region.lies_in(array.data(), array.size()));
    Random random(2);
    std::vector<unsigned long long> offsets;
    const auto form = form_of(region, offsets, random);
    std::vector<std::byte> expected(region.bytes()), packed(region.bytes());
    region.pack(expected.data());
    run(form, Task::pack, {0, region.bytes()}, packed.data());
    ASSERT_TRUE(packed == expected);
  }
}

template <class T>
void expect_combined(Random& random, const Reduction<T>& reduction) {
  const auto layout = random_layout(random, sizeof(T) * (1 + random.size_below(3)), 5);
  if (layout.extent > 1 << 20) return;
  const std::size_t shift = random.chance(2) ? 0 : random.size_below(17), before = random.chance(2) ? 0 : 3;
  auto array = random_bytes(layout.extent + shift + 64, random);
  const auto region = layout.at(array.data() + shift);
  if (region.bytes() == 0) return;
  auto packed = random_bytes(region.bytes() + before, random);
  std::vector<T> values(region.bytes() / sizeof(T));
  for (auto& value : values) value = static_cast<T>(random.below(1000)) / 7;
  region.unpack(reinterpret_cast<const std::byte*>(values.data()));
  for (auto& value : values) value = static_cast<T>(random.below(1000) - 500) / 3;
  if (std::is_floating_point_v<T>)  // only here: which of two NaNs is the sum is the processor's choice
    for (auto& value : values) value = random.chance(9) ? std::numeric_limits<T>::quiet_NaN() : value;
  std::memcpy(packed.data() + before, values.data(), region.bytes());
  std::vector<unsigned long long> offsets;
  const auto form = form_of(region, offsets, random);
  const auto old = array;
  region.combine(packed.data() + before, reduction.of_bytes);
  const auto expected = array;
  std::copy(old.begin(), old.end(), array.begin());
  for (const auto range : random_ranges(random, region.bytes(), sizeof(T)))
    run(form, Task::combine, range, packed.data() + before + range.first, &reduction.of_bytes);
  ASSERT_EQ(array, expected);
}

template <class T>
void expect_all_combined() {
  Random random(sizeof(T));
  for (int repeat = 0; repeat < 300; ++repeat) {
    expect_combined(random, sum<T>());
    expect_combined(random, minimum<T>());
    expect_combined(random, maximum<T>());
    if (::testing::Test::HasFatalFailure()) return;
  }
}

TEST(Kernels, built_in_reductions_have_the_bits_of_the_host) {
  expect_all_combined<std::int32_t>();
  expect_all_combined<std::int64_t>();
  expect_all_combined<std::uint64_t>();
  expect_all_combined<float>();
  expect_all_combined<double>();
}

// Indices of 32 bits up to their limit: their division by multiplication is exact.
TEST(Kernels, division_by_multiplication_is_exact) {
  Random random(3);
  for (int repeat = 0; repeat < 2000; ++repeat) {
    const auto count = repeat < 70 ? static_cast<std::size_t>(repeat) + 2
                                   : std::max<std::size_t>(2, random.next() >> (33 + random.below(31)));
    std::byte byte{};
    const auto region = make_strided(&byte, 1, std::vector<Loop>{{2, 4 * count}, {count, 2}}, true);
    Range range{0, 2};
    auto* packed = &byte;
    const auto launch = Form(region.layout(), region.bytes(), nullptr).next(Task::pack, range, packed);
    ASSERT_EQ(launch.work.level[0].count, count);
    for (int k = 0; k < 50; ++k) {
      const auto near = static_cast<std::uint64_t>(count) * random.size_below((std::uint64_t{1} << 31) / count + 1);
      for (const auto i : {near - 1, near, near + 1, random.next() >> 33, (std::uint64_t{1} << 31) - 1})
        if (i < std::uint64_t{1} << 31) {
          ASSERT_EQ(quotient(static_cast<unsigned>(i), launch.work.level[0]), i / count) << i << " / " << count;
        }
    }
  }
}

// The units that make a box fast: 16 bytes where address, run and strides allow.
TEST(Kernels, units_are_as_large_as_addresses_and_strides_allow) {
  alignas(16) std::byte array[4096];
  const auto name = [&](const Region& region, std::size_t from) {
    alignas(16) std::byte out[16];
    Range range{0, region.bytes()};
    auto* packed = out + from;
    return kernel_names()[static_cast<std::size_t>(
        Form(region.layout(), region.bytes(), nullptr).next(Task::pack, range, packed).kernel)];
  };
  auto* const doubles = reinterpret_cast<double*>(array);
  EXPECT_EQ(name(box(doubles, {8, 8}, {2, 2}, {4, 4}), 0), "weft_pack_16");
  EXPECT_EQ(name(box(doubles, {8, 8}, {2, 2}, {4, 4}), 8), "weft_pack_8");
  EXPECT_EQ(name(box(doubles, {8, 8}, {2, 1}, {4, 4}), 0), "weft_pack_8");
  EXPECT_EQ(name(box(doubles, {8, 9}, {2, 2}, {4, 4}), 0), "weft_pack_8");
  EXPECT_EQ(name(box(doubles, {8, 8}, {2, 2}, {4, 1}), 0), "weft_pack_8");
  EXPECT_EQ(name(contiguous(std::span(array, 1001)), 0), "weft_pack_16");
  EXPECT_EQ(name(contiguous(std::span(array + 1, 1001)), 0), "weft_pack_1");
  EXPECT_EQ(name(contiguous(std::span(array, 3)), 0), "weft_pack_2");
}

}  // namespace
}  // namespace weft::device
