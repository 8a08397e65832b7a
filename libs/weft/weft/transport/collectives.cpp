// SPDX-License-Identifier: BSD-3-Clause
#include "weft/transport/collectives.hpp"

#include "weft/error.hpp"

namespace weft {

const char* name_of(Collective::Kind kind) {
  switch (kind) {
    case Collective::Kind::barrier: return "barrier";
    case Collective::Kind::broadcast: return "broadcast";
    case Collective::Kind::reduce: return "reduce";
    case Collective::Kind::all_reduce: return "all_reduce";
    case Collective::Kind::gather: return "gather";
    case Collective::Kind::all_gather: return "all_gather";
    case Collective::Kind::all_to_all: return "all_to_all";
  }
  return "?";
}

#if !defined(WEFT_SIMULATED)  // else it is in libs/simgrid/simgrid/set_up.cpp
void detail::run_collective(Transport& transport, const Collective& what) { complete(*transport.collective(what)); }
#endif

void barrier(Transport& transport) { detail::run_collective(transport, {}); }

std::string broadcast(Transport& transport, const std::string& text, int root) {
  const auto all = broadcast(transport, std::vector<char>(text.begin(), text.end()), root);
  return {all.begin(), all.end()};
}

std::vector<std::string> all_gather(Transport& transport, const std::string& text) {
  const auto counts = all_gather(transport, text.size());
  const auto joined = all_gather(transport, std::vector<char>(text.begin(), text.end()));
  std::vector<std::string> result;
  auto from = joined.begin();
  for (const auto n : counts) {
    result.emplace_back(from, from + static_cast<std::ptrdiff_t>(n));
    from += static_cast<std::ptrdiff_t>(n);
  }
  return result;
}

namespace {

// An error as text that travels: its kind in the first letter ('i'nput, 'o'ther), then its message.
std::string caught(const std::function<void()>& action) {
  try {
    action();
  } catch (const InputError& e) {
    return std::string("i") + e.what();
  } catch (const std::exception& e) {
    return std::string("o") + e.what();
  }
  return {};
}

void rethrow(const std::string& travelled) {
  if (travelled.empty()) return;
  const auto text = travelled.substr(1);
  if (travelled.front() == 'i') throw InputError(text, true);
  throw Error(text, true);
}

}  // namespace

void together(Transport& transport, const std::function<void()>& action) {
  const auto mine = caught(action);
  // One small reduction in the good case; the texts travel only when there is one.
  if (all_reduce<int>(transport, mine.empty() ? 0 : 1, maximum<int>()) == 0) return;
  for (const auto& text : all_gather(transport, mine)) rethrow(text);
}

void on_root(Transport& transport, const std::function<void()>& action) {
  together(transport, [&] {
    if (transport.rank() == 0) action();
  });
}

}  // namespace weft
