// SPDX-License-Identifier: BSD-3-Clause
#include "bench/shared/size_text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <vector>

#include "weft/error.hpp"

namespace weft::bench {

Index parse_size(const std::string& text) {
  std::vector<std::size_t> numbers;
  std::size_t at = 0;
  while (at <= text.size()) {
    const auto end = std::min(text.find('x', at), text.size());
    const auto digits = text.substr(at, end - at);
    if (digits.empty() || digits.size() > 3 || digits.find_first_not_of("0123456789") != std::string::npos) break;
    numbers.push_back(std::stoul(digits));
    at = end + 1;
  }
  const bool whole = at == text.size() + 1 && (numbers.size() == 1 || numbers.size() == 3);
  if (!whole || std::any_of(numbers.begin(), numbers.end(), [](auto n) { return n == 0 || n > 256; }))
    throw InputError(
        "'" + text + "' is not the size of a block. Give 1 to 256 points along each axis, as 64 or 32x48x64.", true);
  return numbers.size() == 1 ? Index{numbers[0], numbers[0], numbers[0]} : Index{numbers[0], numbers[1], numbers[2]};
}

std::string name_of_size(const Index& size) {
  const bool cube = size[0] == size[1] && size[1] == size[2];
  return cube ? fmt::format("{}^3", size[0]) : fmt::format("{}x{}x{}", size[0], size[1], size[2]);
}

}  // namespace weft::bench
