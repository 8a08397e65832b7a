// SPDX-License-Identifier: BSD-3-Clause
#include "bench/collectives/delay_pattern.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <random>
#include <sstream>
#include <utility>

#include "weft/error.hpp"
#include "weft/file/read_text.hpp"
#include "weft/transport/collectives.hpp"

namespace weft::bench::collectives {
namespace {

// Nothing if it has more digits than a rank can have.
std::optional<int> number(const std::string& text) {
  if (text.empty() || text.size() > 8 || text.find_first_not_of("0123456789") != std::string::npos) return {};
  return std::stoi(text);
}

DelayPattern random_pattern(int ranks, int late, std::uint64_t seed) {
  constexpr std::size_t rows = 101;  // prime, so that each batch uses other rows
  std::mt19937_64 numbers(seed);     // the same on all ranks
  DelayPattern pattern;
  for (std::size_t row = 0; row < rows; ++row) {
    std::vector<double> shares(static_cast<std::size_t>(ranks), 0.0);
    std::fill_n(shares.begin(), late, 1.0);
    for (std::size_t i = shares.size(); i > 1; --i) std::swap(shares[i - 1], shares[numbers() % i]);
    pattern.push_back(std::move(shares));
  }
  return pattern;
}

}  // namespace

DelayPattern read_delay_pattern(const std::string& text, int ranks) {
  DelayPattern pattern;
  std::istringstream lines(text);
  std::size_t at = 0;
  for (std::string line; std::getline(lines, line);) {
    ++at;
    line = line.substr(0, line.find('#'));
    if (line.find_first_not_of(" \t\r") == std::string::npos) continue;
    std::istringstream words(line);
    std::vector<double> shares;
    for (double share = 0; words >> share;) shares.push_back(share);
    if (!words.eof())
      throw InputError(
          fmt::format("Line {} of the delay pattern has something other than numbers. Give one number per rank.", at));
    if (shares.size() != static_cast<std::size_t>(ranks))
      throw InputError(
          fmt::format("Line {} of the delay pattern has {} numbers, but there are {} ranks. Give one number per rank.",
                      at, shares.size(), ranks));
    const auto [least, most] = std::minmax_element(shares.begin(), shares.end());
    if (*least != 0 || *most != 1)
      throw InputError(fmt::format(
          "Line {} of the delay pattern goes from {} to {} (the numbers are shares of the delay; one rank must "
          "be in time and one fully late). Let it go from 0 to 1.",
          at, *least, *most));
    pattern.push_back(std::move(shares));
  }
  if (pattern.empty()) throw InputError("The delay pattern has no line with numbers. Give one line per run.");
  return pattern;
}

DelayPattern delay_pattern(Transport& transport, const std::string& delayed, std::uint64_t seed) {
  const int ranks = transport.size();
  if (const auto rank = number(delayed)) {
    if (*rank >= ranks)
      throw InputError(fmt::format("Rank {} can't be delayed (there are {} ranks). Give 0 to {} as --delayed.", *rank,
                                   ranks, ranks - 1),
                       true);
    DelayPattern pattern(1, std::vector<double>(static_cast<std::size_t>(ranks), 0.0));
    pattern[0][static_cast<std::size_t>(*rank)] = 1;
    return pattern;
  }
  if (delayed.starts_with("random:")) {
    const auto late = number(delayed.substr(7));
    if (!late || *late == 0 || *late >= ranks)
      throw InputError(fmt::format("--delayed is '{}', but there are {} ranks. Give random:N with N from 1 to {}.",
                                   delayed, ranks, ranks - 1),
                       true);
    return random_pattern(ranks, *late, seed);
  }
  std::string text;
  on_root(transport, [&] {
    text = read_text(delayed, "Give a rank, random:N or a file with a delay pattern.");
    try {
      read_delay_pattern(text, ranks);
    } catch (const InputError& e) {
      throw InputError(fmt::format("{}: {}", delayed, e.what()));
    }
  });
  return read_delay_pattern(broadcast(transport, text), ranks);
}

}  // namespace weft::bench::collectives
