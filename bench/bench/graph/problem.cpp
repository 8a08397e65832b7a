// SPDX-License-Identifier: BSD-3-Clause
#include "bench/graph/problem.hpp"

#include <algorithm>
#include <cmath>
#include <random>

#include "weft/halo/cartesian_grid.hpp"

namespace weft::bench {

GraphProblem random_graph(const Transport& world) {
  constexpr std::uint64_t owned = 100000, wanted = 20000;
  GraphProblem problem{"random", false};
  const auto ranks = static_cast<std::uint64_t>(world.size());
  std::mt19937_64 dealt(1), own(2 + static_cast<std::uint64_t>(world.rank()));
  for (std::uint64_t number = 0; number < owned * ranks; ++number)
    if (dealt() % ranks == static_cast<std::uint64_t>(world.rank())) problem.owned.push_back(number);
  for (std::uint64_t i = 0; i < wanted; ++i) problem.wanted.push_back(own() % (owned * ranks));
  return problem;
}

GraphProblem stencil_graph(const Transport& world) {
  constexpr std::size_t n = 64;
  GraphProblem problem{"27-point", true};
  const auto size = static_cast<std::size_t>(world.size());
  const auto processes = CartesianGrid(world, {.extent = {n * size, n * size, n * size}}).processes();
  std::vector<std::size_t> extent;
  for (const int p : processes) extent.push_back(n * static_cast<std::size_t>(p));
  const CartesianGrid grid(world, {.extent = extent, .processes = {processes.begin(), processes.end()}});
  const auto block = grid.block();
  for (std::uint64_t i = 0; i < n * n * n; ++i)
    problem.owned.push_back(static_cast<std::uint64_t>(world.rank()) * n * n * n + i);
  const auto [first, count] = block;
  const auto number_of = [&](const Index& point) {
    const auto owner = (point[0] / n * static_cast<std::size_t>(processes[1]) + point[1] / n) *
                           static_cast<std::size_t>(processes[2]) +
                       point[2] / n;
    return owner * n * n * n + (point[0] % n * n + point[1] % n) * n + point[2] % n;
  };
  const auto low = [&](std::size_t a) { return first[a] - (first[a] > 0 ? 1 : 0); };
  const auto high = [&](std::size_t a) { return std::min(first[a] + count[a] + 1, extent[a]); };
  const auto is_own = [&](std::size_t a, std::size_t at) { return at >= first[a] && at < first[a] + count[a]; };
  Index p;
  for (p[0] = low(0); p[0] < high(0); ++p[0])
    for (p[1] = low(1); p[1] < high(1); ++p[1])
      for (p[2] = low(2); p[2] < high(2); ++p[2])
        if (!is_own(0, p[0]) || !is_own(1, p[1]) || !is_own(2, p[2])) problem.wanted.push_back(number_of(p));
  std::ranges::sort(problem.wanted);
  return problem;
}

GraphProblem mesh_graph(const Transport& world) {
  constexpr int n = 48;  // nodes along each axis, and elements along z per rank
  constexpr int margin = 8;
  GraphProblem problem{"finite element", false};
  const int rank = world.rank(), ranks = world.size(), length = n * ranks;
  const auto owner_of_element = [&](int x, int y, int z) {
    return std::clamp(static_cast<int>(std::floor((z + 3 * std::sin(x / 5.0) + 3 * std::cos(y / 7.0)) / n)), 0,
                      ranks - 1);
  };
  for (int x = 0; x <= n; ++x)
    for (int y = 0; y <= n; ++y)
      for (int z = std::max(0, rank * n - margin); z <= std::min(length, (rank + 1) * n + margin); ++z) {
        int owner = ranks;
        bool is_mine = false;  // some element of the node
        for (int i = std::max(x - 1, 0); i <= std::min(x, n - 1); ++i)
          for (int j = std::max(y - 1, 0); j <= std::min(y, n - 1); ++j)
            for (int k = std::max(z - 1, 0); k <= std::min(z, length - 1); ++k) {
              const int of = owner_of_element(i, j, k);
              owner = std::min(owner, of);
              is_mine = is_mine || of == rank;
            }
        const auto number = static_cast<std::uint64_t>((x * (n + 1) + y) * (length + 1) + z);
        if (owner == rank)
          problem.owned.push_back(number);
        else if (is_mine)
          problem.wanted.push_back(number);
      }
  return problem;
}

}  // namespace weft::bench
