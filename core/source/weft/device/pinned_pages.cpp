// SPDX-License-Identifier: BSD-3-Clause
#include "weft/device/pinned_pages.hpp"

#include <algorithm>
#include <array>

#include "weft/error.hpp"

namespace weft::device {
namespace {

std::byte* host_address(std::uintptr_t number) { return reinterpret_cast<std::byte*>(number); }

// Calls visit(first, end) for the pages that the memory has in part, and for those between them.
template <class Visit>
void for_each_part(std::span<const std::byte> host, std::size_t page, const Visit& visit) {
  if (host.empty()) return;
  const auto first = reinterpret_cast<std::uintptr_t>(host.data()), end = first + host.size();
  const auto down = [&](std::uintptr_t address) { return address / page * page; };
  const auto up = [&](std::uintptr_t address) { return down(address + page - 1); };
  std::array cuts{down(first), up(first), down(end), up(end)};
  std::ranges::sort(cuts);
  for (std::size_t i = 0; i + 1 < cuts.size(); ++i)
    if (cuts[i] < cuts[i + 1]) visit(cuts[i], cuts[i + 1]);
}

}  // namespace

void PinnedPages::pin(std::span<const std::byte> host) {
  const auto* done = host.data();
  try {
    for_each_part(host, page_, [&](std::uintptr_t first, std::uintptr_t end) {
      add(first, end);
      done = std::min<const std::byte*>(host_address(end), host.data() + host.size());
    });
    // A kernel accesses all of the memory by one address.
    if (!host.empty() &&
        inside(host.data() + host.size() - 1) - inside(host.data()) != static_cast<std::ptrdiff_t>(host.size()) - 1)
      throw Error(
          "The driver maps neighbouring pages of pinned memory to addresses that are no neighbours. Pin memory "
          "that begins and ends at a page.");
  } catch (...) {
    unpin(host.first(static_cast<std::size_t>(done - host.data())));
    throw;
  }
}

void PinnedPages::add(std::uintptr_t first, std::uintptr_t end) {
  for (auto at = first; at < end;) {
    const auto next = pieces_.upper_bound(at);
    if (next != pieces_.begin() && std::prev(next)->second.end > at) {
      auto& piece = std::prev(next)->second;
      ++piece.buffers;
      at = piece.end;
      continue;
    }
    const auto gap_end = next == pieces_.end() ? end : std::min(end, next->first);
    try {
      const bool is_own = functions_.add(host_address(at), gap_end - at);
      pieces_[at] = {gap_end, 1, functions_.address(host_address(at)) - host_address(at), is_own};
    } catch (...) {
      release(first, at);
      throw;
    }
    at = gap_end;
  }
}

void PinnedPages::release(std::uintptr_t first, std::uintptr_t end) {
  for (auto at = first; at < end;) {
    const auto found = std::prev(pieces_.upper_bound(at));
    at = found->second.end;
    if (--found->second.buffers > 0) continue;
    if (found->second.is_own) functions_.remove(host_address(found->first));
    pieces_.erase(found);
  }
}

void PinnedPages::unpin(std::span<const std::byte> host) {
  for_each_part(host, page_, [&](std::uintptr_t first, std::uintptr_t end) { release(first, end); });
}

std::byte* PinnedPages::inside(const std::byte* address) const {
  const auto number = reinterpret_cast<std::uintptr_t>(address);
  const auto next = pieces_.upper_bound(number);
  const bool is_pinned = next != pieces_.begin() && std::prev(next)->second.end > number;
  return host_address(number) + (is_pinned ? std::prev(next)->second.shift : 0);
}

}  // namespace weft::device
