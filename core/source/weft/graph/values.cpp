// SPDX-License-Identifier: BSD-3-Clause
#include "weft/graph/values.hpp"

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstring>
#include <limits>
#include <numeric>
#include <string>

#include "weft/error.hpp"

namespace weft {

Places::Places(std::span<const std::size_t> positions) : count_(positions.size()) {
  if (count_ == 0) return;
  first_ = positions.front();
  if (positions.back() - first_ == count_ - 1) {  // mostly all are consecutive: a loop without branches
    std::size_t differ = 0;
    for (std::size_t i = 0; i < count_; ++i) differ |= positions[i] ^ (first_ + i);
    if (differ == 0) {
      run_ = count_;
      return;
    }
  }
  std::size_t common = 0;  // divisor of the lengths of all runs
  for (std::size_t i = 1, start = 0; i <= count_; ++i)
    if (i == count_ || positions[i] != positions[i - 1] + 1) {
      common = std::gcd(common, i - start);
      start = i;
      if (common == 1) break;
    }
  run_ = common;
  if (run_ == count_) return;
  distance_ = positions[run_] - first_;
  bool is_regular = positions[run_] > first_;
  for (std::size_t i = run_; is_regular && i < count_; i += run_)
    is_regular = positions[i] == positions[i - run_] + distance_;
  if (is_regular) return;
  starts_.reserve(count_ / run_);
  for (std::size_t i = 0; i < count_; i += run_) starts_.push_back(positions[i]);
}

std::vector<std::size_t> Places::list() const {
  std::vector<std::size_t> all(count_);
  for (std::size_t i = 0; i < count_; ++i) all[i] = (*this)[i];
  return all;
}

std::vector<std::byte> Places::bytes() const {
  constexpr auto narrow = std::numeric_limits<std::uint32_t>::max();
  const bool is_narrow = std::ranges::all_of(starts_, [](std::size_t start) { return start <= narrow; });
  const std::array<std::uint64_t, 5> head{count_, run_, first_, distance_, is_narrow ? 1U : 0U};
  std::vector<std::byte> bytes(sizeof head + starts_.size() * (is_narrow ? 4 : 8));
  std::memcpy(bytes.data(), head.data(), sizeof head);
  const auto write = [&]<class Word>(Word) {
    auto* at = bytes.data() + sizeof head;
    for (const auto start : starts_) {
      const auto word = static_cast<Word>(start);
      std::memcpy(at, &word, sizeof word);
      at += sizeof word;
    }
  };
  is_narrow ? write(std::uint32_t()) : write(std::uint64_t());
  return bytes;
}

Places Places::of_bytes(std::span<const std::byte> bytes) {
  std::array<std::uint64_t, 5> head{};
  std::memcpy(head.data(), bytes.data(), sizeof head);
  Places places;
  places.count_ = head[0];
  places.run_ = head[1];
  places.first_ = head[2];
  places.distance_ = head[3];
  const auto read = [&]<class Word>(Word word) {
    places.starts_.resize((bytes.size() - sizeof head) / sizeof word);
    const auto* at = bytes.data() + sizeof head;
    for (auto& start : places.starts_) {
      std::memcpy(&word, at, sizeof word);
      start = word;
      at += sizeof word;
    }
  };
  head[4] != 0 ? read(std::uint32_t()) : read(std::uint64_t());
  return places;
}

Values::Values(const Region& array, std::size_t element_bytes, const ValueLayout& layout)
    : array_(array), element_bytes_(element_bytes), layout_(layout) {
  if (layout.components == 0 || element_bytes == 0)
    throw Error("An array of a graph has values of size 0, or no components. Use 1 or more.");
  if (!array.is_contiguous())
    throw Error("An array of a graph is not contiguous. Give the whole array, and its strides in the layout.");
  if (layout_.stride == 0) layout_.stride = layout.components;
}

void Values::check(std::size_t numbers, const char* what) const {
  if (numbers == 0) return;
  const auto [components, stride, component_stride] = layout_;
  const auto has = array_.bytes() / element_bytes_;
  const auto reach = [](std::size_t steps, std::size_t by) {  // a product that is too large stays too large
    std::size_t product = 0;
    constexpr auto most = SIZE_MAX / 4;
    return __builtin_mul_overflow(steps, by, &product) ? most : std::min(product, most);
  };
  const auto over_numbers = reach(numbers - 1, stride), over_components = reach(components - 1, component_stride);
  const auto needed = over_numbers + over_components + 1;
  const auto shape = " (" + std::to_string(numbers) + " numbers of " + std::to_string(components) +
                     (components == 1 ? " component" : " components") + ", stride " + std::to_string(stride) +
                     ", component stride " + std::to_string(component_stride) + ")";
  if (has < needed)
    throw Error(std::string(what) + " are in an array of " + std::to_string(has) + " elements, which is too short" +
                shape + ". Give at least " + std::to_string(needed) + " elements.");
  const bool by_number = stride > over_components && (components == 1 || component_stride > 0);
  const bool by_component = component_stride > over_numbers;
  if (!by_number && !by_component)
    throw Error(std::string(what) + " have strides with which values share elements" + shape +
                ". Give each component of each number an element of its own.");
}

Region Values::region(const Places& numbers, bool by_component) const {
  const auto stride = layout_.stride * element_bytes_;
  const Loop components{layout_.components, layout_.component_stride * element_bytes_};
  std::vector<std::size_t> starts = numbers.starts_;
  auto run = numbers.run_, bytes = element_bytes_;
  if (by_component && !starts.empty() && run > 1) {  // the starts become the innermost level
    if (layout_.stride == 1) {
      bytes *= run;
    } else {
      starts = numbers.list();
    }
    run = 1;
  }
  for (auto& start : starts) start *= stride;
  std::vector<Loop> loops;
  std::byte* base = array_.run().data();
  if (by_component) loops.push_back(components);
  if (starts.empty() && numbers.count_ > 0) {
    base += numbers.first_ * stride;
    loops.push_back({numbers.count_ / run, numbers.distance_ * stride});
  }
  if (run > 1) loops.push_back({run, stride});
  if (!by_component) loops.push_back(components);
  if (numbers.count_ == 0) return make_contiguous(base, 0, array_.is_writable()).as(type()).on(array_.device());
  return make_strided(base, bytes, loops, array_.is_writable(), starts, by_component).as(type()).on(array_.device());
}

}  // namespace weft
