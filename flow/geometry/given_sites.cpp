// SPDX-License-Identifier: BSD-3-Clause
#include "geometry/given_sites.hpp"

#include <algorithm>
#include <bit>
#include <limits>
#include <numeric>
#include <optional>
#include <tuple>

#include "geometry/detail/decompose.hpp"
#include "geometry/detail/share.hpp"
#include "weft/clock.hpp"
#include "weft/error.hpp"
#include "weft/transport/collectives.hpp"

namespace weft::geometry {

namespace {

using detail::Share, detail::Tiling;

std::vector<Columns> columns_of(const Tiling& tiling, const Grid& grid, int rank) {
  std::vector<Columns> result;
  for (std::int64_t tile = 0; tile < tiling.tiles(); ++tile) {
    if (tiling.rank_of(tile) != rank) continue;
    const auto low = tiling.origin(tile);
    result.push_back(
        {low, {std::min(low[0] + tiling.width(), grid.extent[0]), std::min(low[1] + tiling.width(), grid.extent[1])}});
  }
  return result;
}

// Sorts the sites into the order of a share and finds its runs.
class ShareMaker {
 public:
  ShareMaker(const GivenSites& given, const Tiling& tiling) : given_(given), tiling_(tiling) {
    constexpr auto most = static_cast<std::size_t>(std::numeric_limits<std::uint32_t>::max());
    if (given.positions.size() > most)
      throw InputError("One rank has more than 2^32 sites (a rank numbers its sites with 32 bits). Use more ranks.");
    share_.tile_index.assign(static_cast<std::size_t>(tiling.tiles()), -1);
  }

  Share make() {
    std::vector<std::uint32_t> order(given_.positions.size());
    std::iota(order.begin(), order.end(), 0U);
    const auto key = [&](std::uint32_t i) {
      const auto& p = given_.positions[i];
      return std::tuple(tiling_.tile_of(p[0], p[1]), p[1], p[0], p[2]);
    };
    std::sort(order.begin(), order.end(), [&](auto a, auto b) { return key(a) < key(b); });
    std::vector<std::size_t> first_cut(order.size() + 1, 0);
    for (std::size_t i = 0; i < order.size(); ++i)
      first_cut[i + 1] = first_cut[i] + static_cast<std::size_t>(26 - std::popcount(given_.fluid[i]));
    share_.fluid.reserve(order.size());
    share_.cuts.reserve(given_.cuts.size());
    for (const auto i : order) {
      add(given_.positions[i], given_.fluid[i]);
      for (auto c = first_cut[i]; c < first_cut[i + 1]; ++c) {
        share_.cuts.push_back(given_.cuts[c]);
        share_.cuts.back().site = static_cast<std::uint32_t>(share_.fluid.size() - 1);
      }
    }
    finish_tile();
    return std::move(share_);
  }

 private:
  void add(const Position& p, std::uint32_t fluid) {
    const auto number = tiling_.tile_of(p[0], p[1]);
    if (share_.tiles.empty() || share_.tiles.back().number != number) {
      finish_tile();
      share_.tile_index[static_cast<std::size_t>(number)] = static_cast<std::int32_t>(share_.tiles.size());
      share_.tiles.push_back({number, {}});
    }
    constexpr std::uint32_t upwards_bit = 1U << link_index(0, 0, 1);
    const auto site = static_cast<std::uint32_t>(share_.fluid.size());
    const auto origin = tiling_.origin(number);
    const auto line = static_cast<std::size_t>((p[1] - origin[1]) * tiling_.width() + p[0] - origin[0]);
    auto& runs_of = share_.tiles.back().line_runs;
    const bool is_new = runs_of.size() <= line;
    while (runs_of.size() <= line) runs_of.push_back(static_cast<std::uint32_t>(share_.runs.size()));
    const bool joined = !is_new && (share_.fluid.back() & upwards_bit) != 0 && share_.runs.back().last_z() + 1 == p[2];
    if (joined) {
      ++share_.runs.back().count;
    } else {
      share_.runs.push_back({p, site, 1});
    }
    share_.fluid.push_back(fluid);
  }

  void finish_tile() {
    if (share_.tiles.empty()) return;
    const auto lines = static_cast<std::size_t>(tiling_.width()) * static_cast<std::size_t>(tiling_.width());
    share_.tiles.back().line_runs.resize(lines + 1, static_cast<std::uint32_t>(share_.runs.size()));
  }

  const GivenSites& given_;
  const Tiling& tiling_;
  Share share_;
};

// A message: "your site here must be fluid, and its link here must not be cut".
struct Question {
  Position site;
  std::int32_t link;
};

class LinkCheck {
 public:
  LinkCheck(const Share& share, const Tiling& tiling, const Grid& grid, const std::string& source)
      : share_(share), tiling_(tiling), grid_(grid), source_(source) {}

  void run(Transport& transport) {
    std::vector<std::vector<Question>> questions(static_cast<std::size_t>(transport.size()));
    together(transport, [&] {
      for (const auto& run : share_.runs)
        for (std::uint32_t i = 0; i < run.count; ++i)
          ask(run.position(i), share_.fluid[run.site + i], transport.rank(), questions);
    });
    questions = all_to_all(transport, questions);
    together(transport, [&] {
      for (const auto& part : questions)
        for (const auto& question : part) answer(question);
    });
  }

 private:
  static Position end_of(const Position& p, int link) {
    const auto step = link_offset(link);
    return {p[0] + step[0], p[1] + step[1], p[2] + step[2]};
  }

  void ask(const Position& p, std::uint32_t fluid, int rank, std::vector<std::vector<Question>>& questions) const {
    for (auto links = fluid; links != 0; links &= links - 1) {
      const int link = std::countr_zero(links);
      const Question question{end_of(p, link), 26 - link};
      for (std::size_t k = 0; k < 3; ++k)
        if (question.site[k] < 0 || question.site[k] >= grid_.extent[k])
          refuse(question, "lies outside of the lattice");
      const int owner = tiling_.rank_of(tiling_.tile_of(question.site[0], question.site[1]));
      if (owner == rank) {
        answer(question);
      } else {
        questions[static_cast<std::size_t>(owner)].push_back(question);
      }
    }
  }

  void answer(const Question& question) const {
    const auto fluid = fluid_at(question.site);
    if (!fluid) refuse(question, "is not fluid");
    if ((*fluid >> question.link & 1U) == 0) refuse(question, "states that it is cut");
  }

  std::optional<std::uint32_t> fluid_at(const Position& p) const {
    const auto [first, last] = share_.line(tiling_, p[0], p[1]);
    const auto begin = share_.runs.begin();
    const auto after = std::upper_bound(begin + first, begin + last, p[2],
                                        [](std::int32_t z, const detail::Run& run) { return z < run.first[2]; });
    if (after == begin + first || p[2] > (after - 1)->last_z()) return std::nullopt;
    const auto& run = *(after - 1);
    return share_.fluid[run.site + static_cast<std::uint32_t>(p[2] - run.first[2])];
  }

  [[noreturn]] void refuse(const Question& question, const char* why) const {
    const auto text = [](const Position& p) {
      return std::to_string(p[0]) + ", " + std::to_string(p[1]) + ", " + std::to_string(p[2]);
    };
    const auto from = end_of(question.site, question.link);
    throw InputError(source_ + ": The link from site (" + text(from) + ") to (" + text(question.site) +
                     ") is not cut, but the second site " + why +
                     " (a link is cut, or both its ends are fluid sites). Generate the file again.");
  }

  const Share& share_;
  const Tiling& tiling_;
  const Grid& grid_;
  const std::string& source_;
};

}  // namespace

Domain make_domain(Transport& transport, const Grid& grid, const std::vector<Opening>& openings,
                   const std::string& source, const ReadSites& read, SetupReport& report) {
  const double start = now_seconds();
  Domain domain;
  domain.grid = grid;
  domain.openings = openings;
  report = {};
  const Tiling tiling(grid, transport.size());
  Share share;
  {
    const auto mine = columns_of(tiling, grid, transport.rank());
    const auto given = read(mine);
    together(transport, [&] { share = ShareMaker(given, tiling).make(); });
  }
  if (all_reduce(transport, static_cast<std::int64_t>(share.fluid.size()), sum<std::int64_t>()) == 0)
    throw InputError(source + ": No site is fluid (nothing would flow). Generate the file again.", true);
  LinkCheck(share, tiling, grid, source).run(transport);
  report.opening_sites = detail::sites_at_openings(transport, share, openings.size());
  for (std::size_t o = 0; o < openings.size(); ++o)
    if (report.opening_sites[o] == 0)
      throw InputError(source + ": No link is cut at opening \"" + openings[o].name +
                           "\" (inlets and outlets are counted separately from 0, as in the file). Remove the opening, "
                           "or correct the order.",
                       true);
  detail::divide_share(transport, share, tiling, start, domain, report);
  return domain;
}

}  // namespace weft::geometry
