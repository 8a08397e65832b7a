// SPDX-License-Identifier: BSD-3-Clause
//
// Regions of multidimensional views. The compiler has no std::mdspan and no Kokkos, so these views have their members.
#include "weft/transport/view.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <numeric>
#include <vector>

namespace weft {
namespace {

using ::testing::ElementsAre;

template <class T, std::size_t Axes>
struct LikeMdspan {
  T* address;
  std::array<std::size_t, Axes> extents, strides;
  static constexpr std::size_t rank() { return Axes; }
  T* data_handle() const { return address; }
  std::size_t extent(std::size_t axis) const { return extents[axis]; }
  std::size_t stride(std::size_t axis) const { return strides[axis]; }
};

template <class T>
struct LikeKokkos {
  static constexpr unsigned rank = 2;
  T* address;
  std::array<int, 2> extents, strides;
  T* data() const { return address; }
  int extent(std::size_t axis) const { return extents[axis]; }
  int stride(std::size_t axis) const { return strides[axis]; }
};

struct Diagonal {
  double* first;
  std::size_t n;
};

template <class T>
std::vector<T> packed(const Region& region) {
  std::vector<T> values(region.bytes() / sizeof(T));
  region.pack(reinterpret_cast<std::byte*>(values.data()));
  return values;
}

}  // namespace

template <>
struct ViewTraits<Diagonal> {
  static double* data(const Diagonal& d) { return d.first; }
  static constexpr std::size_t rank() { return 1; }
  static std::size_t extent(const Diagonal& d, std::size_t) { return d.n; }
  static std::size_t stride(const Diagonal& d, std::size_t) { return d.n + 1; }
};

namespace {

TEST(View, has_its_elements_in_the_order_of_indices) {
  std::vector<double> array(12);
  std::iota(array.begin(), array.end(), 0);
  const LikeMdspan<double, 2> right{array.data() + 1, {2, 3}, {4, 1}}, left{array.data() + 1, {2, 3}, {1, 4}};
  EXPECT_THAT(packed<double>(region(right)), ElementsAre(1, 2, 3, 5, 6, 7));
  EXPECT_THAT(packed<double>(region(left)), ElementsAre(1, 5, 9, 2, 6, 10));
  EXPECT_EQ(region(right).type(), ElementType::of<double>());
  EXPECT_TRUE(region(LikeMdspan<double, 2>{array.data(), {3, 4}, {4, 1}}).is_contiguous());
  EXPECT_EQ(region(LikeMdspan<double, 2>{array.data(), {0, 4}, {4, 1}}).bytes(), 0u);
  EXPECT_THAT(packed<double>(region(LikeMdspan<double, 0>{array.data() + 7, {}, {}})), ElementsAre(7));
  EXPECT_THAT(packed<double>(region(Diagonal{array.data(), 3})), ElementsAre(0, 4, 8));
}

TEST(View, of_constant_elements_can_only_be_sent) {
  const std::vector<int> array{1, 2, 3, 4, 5, 6};
  const auto columns = region(LikeKokkos<const int>{array.data(), {2, 2}, {3, 2}});
  EXPECT_THAT(packed<int>(columns), ElementsAre(1, 3, 4, 6));
  EXPECT_FALSE(columns.is_writable());
  static_assert(!MultidimensionalView<std::vector<int>>);
}

}  // namespace
}  // namespace weft
