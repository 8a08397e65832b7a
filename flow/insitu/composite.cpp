// SPDX-License-Identifier: BSD-3-Clause
#include "insitu/composite.hpp"

#include <bit>
#include <cstring>

#include "weft/error.hpp"

namespace weft::insitu {
namespace {

std::uint32_t share(std::uint32_t pixels, int of, int ranks) {
  return static_cast<std::uint32_t>(std::uint64_t{pixels} * static_cast<std::uint64_t>(of) /
                                    static_cast<std::uint64_t>(ranks));
}

void add_direct_send(std::vector<CompositeStage>& stages, int rank, int ranks, std::uint32_t pixels) {
  CompositeStage stage;
  for (int r = 0; r < ranks; ++r) {
    if (r == rank) continue;
    stage.sends.push_back({r, share(pixels, r, ranks), share(pixels, r + 1, ranks)});
    stage.receives.push_back(r);
  }
  stage.first = share(pixels, rank, ranks);
  stage.last = share(pixels, rank + 1, ranks);
  stages.push_back(std::move(stage));
}

void add_binary_swap(std::vector<CompositeStage>& stages, int rank, int ranks, std::uint32_t pixels) {
  const int swapping = static_cast<int>(std::bit_floor(static_cast<unsigned>(ranks)));
  std::uint32_t first = 0, last = rank < swapping ? pixels : 0;
  if (swapping < ranks) {
    CompositeStage stage;
    if (rank >= swapping) stage.sends.push_back({rank - swapping, 0, pixels});
    if (rank + swapping < ranks) stage.receives.push_back(rank + swapping);
    stage.first = first;
    stage.last = last;
    stages.push_back(std::move(stage));
  }
  for (int half = swapping / 2; half > 0; half /= 2) {
    CompositeStage stage;
    if (rank < swapping) {
      const int partner = rank ^ half;
      const auto middle = first + (last - first) / 2;
      const bool keeps_first = rank < partner;
      stage.sends.push_back(keeps_first ? CompositeStage::Send{partner, middle, last}
                                        : CompositeStage::Send{partner, first, middle});
      stage.receives.push_back(partner);
      (keeps_first ? last : first) = middle;
    }
    stage.first = first;
    stage.last = last;
    stages.push_back(std::move(stage));
  }
}

struct Run {
  std::uint32_t first, count;
};

std::size_t bytes_of(bool with_depths) { return with_depths ? 16 : 8; }

template <class T>
void put(std::vector<std::byte>& out, const T& value) {
  const auto at = out.size();
  out.resize(at + sizeof value);
  std::memcpy(out.data() + at, &value, sizeof value);
}

}  // namespace

std::vector<CompositeStage> composite_stages(CompositeWay way, int rank, int ranks, std::uint32_t pixels) {
  std::vector<CompositeStage> stages;
  if (ranks == 1) return stages;
  if (way == CompositeWay::direct_send)
    add_direct_send(stages, rank, ranks, pixels);
  else
    add_binary_swap(stages, rank, ranks, pixels);
  CompositeStage gather;
  gather.is_last = true;
  if (rank == 0) {
    for (int r = 1; r < ranks; ++r) gather.receives.push_back(r);
    gather.last = pixels;
  } else {
    gather.sends.push_back({0, stages.back().first, stages.back().last});
  }
  stages.push_back(std::move(gather));
  return stages;
}

std::vector<std::byte> pack(std::span<const Segment> segments, bool with_depths) {
  std::vector<std::byte> out;
  out.reserve(segments.size() * bytes_of(with_depths) + 1024);
  for (std::size_t i = 0; i < segments.size();) {
    std::size_t end = i + 1;
    while (end < segments.size() && segments[end].pixel == segments[end - 1].pixel + 1) ++end;
    put(out, Run{segments[i].pixel, static_cast<std::uint32_t>(end - i)});
    auto at = out.size();
    out.resize(at + (end - i) * bytes_of(with_depths));
    for (; i < end; ++i) {
      const auto& s = segments[i];
      if (with_depths) {
        std::memcpy(out.data() + at, &s.begin, 8);
        at += 8;
      }
      std::memcpy(out.data() + at, s.colour.data(), 8);
      at += 8;
    }
  }
  return out;
}

Segments unpack(std::span<const std::byte> bytes, bool with_depths) {
  Segments segments;
  segments.reserve(bytes.size() / bytes_of(with_depths));
  while (!bytes.empty()) {
    Run run{};
    if (bytes.size() < sizeof run)
      throw Error("A rank received a truncated segment of a picture (an error of weft). Please report it.");
    std::memcpy(&run, bytes.data(), sizeof run);
    bytes = bytes.subspan(sizeof run);
    if (bytes.size() / bytes_of(with_depths) < run.count)
      throw Error("A rank received a truncated segment of a picture (an error of weft). Please report it.");
    for (std::uint32_t i = 0; i < run.count; ++i) {
      Segment s{run.first + i, 0, 0, {}};
      if (with_depths) {
        std::memcpy(&s.begin, bytes.data(), 8);
        bytes = bytes.subspan(8);
      }
      std::memcpy(s.colour.data(), bytes.data(), 8);
      bytes = bytes.subspan(8);
      segments.push_back(s);
    }
  }
  return segments;
}

const char* name_of(CompositeWay way) { return composite_way_names.of(way); }

CompositeWay composite_way(const std::string& name) { return composite_way_names.named(name); }

}  // namespace weft::insitu
