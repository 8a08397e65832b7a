// SPDX-License-Identifier: BSD-3-Clause
#include "run/report/remedies.hpp"

#include <algorithm>
#include <array>

#include "run/report/text.hpp"

namespace weft::run {
namespace {

using Site = Reading::Site;

std::string name_of(What what) {
  switch (what) {
    case What::post_earlier: return "post earlier";
    case What::start_collective: return "start the collective earlier";
    case What::wait_later: return "wait later";
    case What::one_wait: return "wait once";
    case What::send_together: return "aggregate messages";
    case What::helper_thread: return "progress thread";
  }
  return {};
}

// Whether messages of this site may be in flight while the program is outside MPI.
bool is_posted(const Site& site) {
  if (!site.kind.empty()) return site.kind.rfind("post_", 0) == 0 || is_wait(site);
  return site.call.rfind("MPI_I", 0) == 0 || site.call.rfind("MPI_Start", 0) == 0 || is_wait(site);
}

struct Found {
  const Reading& reading;
  const Hotspots& places;
  std::vector<Remedy> all;

  // The places of these sites, without duplicates.
  std::vector<std::size_t> where(const std::vector<std::size_t>& sites) const {
    std::vector<std::size_t> numbers;
    for (const auto i : sites)
      if (const auto at = places.of_site.find(i);
          at != places.of_site.end() && std::ranges::find(numbers, at->second) == numbers.end())
        numbers.push_back(at->second);
    std::ranges::sort(numbers);
    return numbers;
  }

  void add(What what, std::string because, const std::vector<std::size_t>& sites, double gain) {
    if (gain > 0) all.push_back({what, name_of(what), std::move(because), where(sites), gain});
  }

  std::vector<std::size_t> sites_of(const Reading::Advice& advice) const {
    std::vector<std::size_t> sites;
    for (std::size_t i = 0; i < reading.sites.size(); ++i)
      if (std::ranges::find(advice.places, reading.sites[i].place) != advice.places.end()) sites.push_back(i);
    return sites;
  }

  // Splits the exposed time among blocking calls, blocking collectives, and waits that are too early.
  void not_hidden(const Reading::Advice& advice) {
    std::array<double, 3> weights{};
    std::array<std::vector<std::size_t>, 3> sites;
    auto meant = sites_of(advice);
    if (meant.empty())
      for (std::size_t i = 0; i < reading.sites.size(); ++i) meant.push_back(i);
    for (const auto i : meant) {
      const auto& site = reading.sites[i];
      const double weight = site.step_messages * site.exposed_of_message;
      if (weight <= 0) continue;
      const std::size_t kind = is_posted(site) ? 2 : is_collective(site) ? 1 : 0;
      weights[kind] += weight;
      sites[kind].push_back(i);
    }
    const double sum = weights[0] + weights[1] + weights[2];
    if (sum <= 0)
      return add(What::post_earlier, "The program waits for messages right after it posts them.", meant,
                 advice.gain_seconds);
    add(What::post_earlier, "Blocking calls wait for messages, with computation left that could overlap them.",
        sites[0], advice.gain_seconds * weights[0] / sum);
    add(What::start_collective,
        "The program waits in a blocking collective, with computation left that could overlap it.", sites[1],
        advice.gain_seconds * weights[1] / sum);
    // The waits have to be moved.
    std::vector<std::size_t> waits;
    for (std::size_t i = 0; i < reading.sites.size(); ++i)
      if (is_wait(reading.sites[i]) && reading.sites[i].exposed_seconds > 0) waits.push_back(i);
    add(What::wait_later,
        "The program waits for messages soon after it posts them, with computation left that could overlap them.",
        waits.empty() ? sites[2] : waits, advice.gain_seconds * weights[2] / sum);
  }
};

}  // namespace

std::vector<Remedy> remedies_of(const Reading& reading, const Hotspots& places) {
  Found found{reading, places, {}};
  for (const auto& advice : reading.advice) {
    const auto sites = found.sites_of(advice);
    if (advice.what == "post_earlier") found.not_hidden(advice);
    if (advice.what == "wait_later")
      found.add(What::wait_later, "The program waits for messages soon after it posts them.", sites,
                advice.gain_seconds);
    if (advice.what == "synchronise")
      found.add(What::one_wait,
                (reading.sync_points > 1 ? "A step has " + count(reading.sync_points) + " waits and collectives"
                                         : std::string("Waits and collectives follow each other")) +
                    "; where none depends on the data of another, they can be one wait.",
                sites, advice.gain_seconds);
    if (advice.what == "coalesce")
      found.add(What::send_together, "Several messages go to one rank between two waits; they can be one.", sites,
                advice.gain_seconds);
    if (advice.what == "helper_thread" && !reading.helper_thread && !reading.waits_yield)
      found.add(
          What::helper_thread,
          "Messages were posted early, but made no progress before the wait. A progress thread needs no change of "
          "the program.",
          sites, advice.gain_seconds);
  }
  std::ranges::stable_sort(found.all, std::greater<>(), &Remedy::gain_seconds);
  return found.all;
}

}  // namespace weft::run
