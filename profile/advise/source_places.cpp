// SPDX-License-Identifier: BSD-3-Clause
#include "advise/source_places.hpp"

#include <deque>
#include <map>
#include <mutex>
#include <tuple>

namespace weft::advise {
namespace {

struct Places {
  using Key = std::tuple<std::string, int, std::string, std::uint64_t>;
  std::mutex mutex;
  std::map<Key, std::uint64_t> numbers;
  std::deque<SourcePlace> all;
};

// Never destroyed: hooks may run while the process ends.
Places& places() {
  static auto* const all = new Places;
  return *all;
}

}  // namespace

std::uint64_t source_place(SourcePlace place, std::uint64_t instruction) {
  auto& known = places();
  const std::lock_guard lock(known.mutex);
  const Places::Key key{place.file, place.line, place.function, instruction};
  if (const auto found = known.numbers.find(key); found != known.numbers.end()) return found->second;
  if (known.all.size() == most_source_places) return 0;
  const auto number = source_place_bit | known.all.size();
  known.all.push_back(std::move(place));
  return known.numbers[key] = number;
}

std::optional<SourcePlace> source_place_of(std::uint64_t number) {
  auto& known = places();
  const std::lock_guard lock(known.mutex);
  const auto i = number & ~source_place_bit;
  if (!is_source_place(number) || i >= known.all.size()) return {};
  return known.all[i];
}

}  // namespace weft::advise
