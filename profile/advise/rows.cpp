// SPDX-License-Identifier: BSD-3-Clause
#include "advise/rows.hpp"

#include <algorithm>
#include <cstring>

namespace weft::advise {
namespace {

void add(Row& to, const Row& from) {
  to.total_calls += from.total_calls;
  to.total_bytes += from.total_bytes;
  to.total_seconds += from.total_seconds;
  to.total_fruitless += from.total_fruitless;
  to.steps += from.steps;
  to.blocks += from.blocks;
}

class Writer {
 public:
  void put(const std::string& text) {
    put(static_cast<std::uint64_t>(text.size()));
    all += text;
  }
  void put(const CallSite& place) {
    put(place.module);
    put(place.offset);
    put(place.function);
  }
  template <class T>
  void put(const T& value) {
    static_assert(std::is_trivially_copyable_v<T>);
    all.append(reinterpret_cast<const char*>(&value), sizeof value);
  }
  std::string all;
};

// Reads the output of Writer (of the same build).
class Reader {
 public:
  explicit Reader(std::string_view text) : rest_(text) {}
  bool empty() const { return rest_.empty(); }
  template <class T>
  T get() {
    T value;
    std::memcpy(&value, rest_.data(), sizeof value);
    rest_.remove_prefix(sizeof value);
    return value;
  }
  std::string text() {
    const auto size = get<std::uint64_t>();
    std::string result(rest_.substr(0, size));
    rest_.remove_prefix(size);
    return result;
  }
  CallSite place() {
    CallSite p;
    p.module = text();
    p.offset = get<std::uint64_t>();
    p.function = text();
    return p;
  }

 private:
  std::string_view rest_;
};

struct Sums {
  Kind kind;
  double calls, bytes, seconds, fruitless;
  SiteVerdict steps;
  Blocks blocks;
};

}  // namespace

void Rows::Entry::add_caller(const CallSite& where, double seconds) {
  auto& known = callers[{where.module, where.offset}];
  known.first = where;
  known.second += seconds;
}

void Rows::add(const Entry& entry) {
  const auto [it, is_new] = entries_.try_emplace({entry.place.module, entry.place.offset, entry.call}, entry);
  if (is_new) return;
  advise::add(it->second.sums, entry.sums);
  for (const auto& [key, caller] : entry.callers) it->second.add_caller(caller.first, caller.second);
}

void Rows::add(const Rows& others) {
  for (const auto& [key, entry] : others.entries_) add(entry);
}

std::string Rows::packed() const {
  Writer out;
  for (const auto& [key, entry] : entries_) {
    out.put(entry.place);
    out.put(entry.call);
    const auto& s = entry.sums;
    out.put(Sums{s.kind, s.total_calls, s.total_bytes, s.total_seconds, s.total_fruitless, s.steps, s.blocks});
    out.put(static_cast<std::uint64_t>(entry.callers.size()));
    for (const auto& [where, caller] : entry.callers) {
      out.put(caller.first);
      out.put(caller.second);
    }
  }
  return std::move(out.all);
}

Rows Rows::unpacked(std::string_view text) {
  Rows rows;
  for (Reader in(text); !in.empty();) {
    Entry entry;
    entry.place = in.place();
    entry.call = in.text();
    const auto s = in.get<Sums>();
    entry.sums.kind = s.kind;
    entry.sums.total_calls = s.calls;
    entry.sums.total_bytes = s.bytes;
    entry.sums.total_seconds = s.seconds;
    entry.sums.total_fruitless = s.fruitless;
    entry.sums.steps = s.steps;
    entry.sums.blocks = s.blocks;
    for (auto callers = in.get<std::uint64_t>(); callers > 0; --callers) {
      const auto place = in.place();
      entry.add_caller(place, in.get<double>());
    }
    rows.add(entry);
  }
  return rows;
}

std::vector<Row> Rows::take_regions() {
  std::vector<Row> regions;
  std::erase_if(entries_, [&](const auto& one) {
    const Entry& entry = one.second;
    if (entry.sums.kind != Kind::region) return false;
    regions.push_back(entry.sums);
    regions.back().name.text = entry.call;
    return true;
  });
  return regions;
}

std::vector<Row> Rows::named(const Naming& naming) const {
  std::vector<CallSite> places;
  for (const auto& [key, entry] : entries_) {
    places.push_back(entry.place);
    for (const auto& [where, caller] : entry.callers) places.push_back(caller.first);
  }
  const auto names = naming.names_of(places);
  // A compiler may create several call instructions for one line.
  std::map<std::pair<std::string, std::string>, std::size_t> by_name;
  std::vector<Row> result;
  std::vector<std::map<std::string, double>> callers;
  std::size_t n = 0;
  for (const auto& [key, entry] : entries_) {
    const auto& name = names[n++];
    const auto [it, is_new] = by_name.try_emplace({name.text, entry.call}, result.size());
    if (is_new) {
      result.push_back(entry.sums);
      auto& row = result.back();
      row.call = entry.call;
      row.name = name;
      row.module = entry.place.module;
      callers.emplace_back();
    } else {
      advise::add(result[it->second], entry.sums);
    }
    for (const auto& [where, caller] : entry.callers) callers[it->second][names[n++].text] += caller.second;
  }
  for (std::size_t i = 0; i < result.size(); ++i) {
    double all = 0;
    for (const auto& [name, seconds] : callers[i]) all += seconds;
    for (const auto& [name, seconds] : callers[i]) result[i].callers.push_back({name, seconds / all});
    std::ranges::sort(result[i].callers, [](const auto& a, const auto& b) { return a.share > b.share; });
    if (result[i].callers.size() > Callers::most) result[i].callers.resize(Callers::most);
  }
  return result;
}

}  // namespace weft::advise
