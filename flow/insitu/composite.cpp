// SPDX-License-Identifier: BSD-3-Clause
#include "insitu/composite.hpp"

#include <algorithm>
#include <bit>
#include <cstring>
#include <memory>

#include "weft/error.hpp"

namespace weft::insitu {

namespace {

using Colour4 = float __attribute__((vector_size(16)));

// Red, green, blue out of 65535, and the light that is left. Pixels start over in groups, when one of them is first
// used.
class Pixels {
 public:
  static constexpr std::size_t width = 64;
  struct Group {
    std::array<Colour4, width> pixels;
  };

  Pixels(std::size_t first, std::size_t last)
      : first_(first / width), is_used_(last / width - first_ + 1),
        groups_(std::make_unique_for_overwrite<Group[]>(is_used_.size())) {}
  Colour4* at(std::size_t pixel) {
    const auto group = pixel / width - first_;
    auto& pixels = groups_[group].pixels;
    if (is_used_[group] == 0) pixels.fill(Colour4{0, 0, 0, 1});
    is_used_[group] = 1;
    return &pixels[pixel % width];
  }
  template <class Call>
  void for_each(const Call& call) const {
    for (std::size_t g = 0; g < is_used_.size(); ++g)
      for (std::size_t i = 0; is_used_[g] != 0 && i < width; ++i)
        call(static_cast<std::uint32_t>((first_ + g) * width + i), groups_[g].pixels[i]);
  }

 private:
  std::size_t first_;
  std::vector<char> is_used_;
  std::unique_ptr<Group[]> groups_;
};

void append(Runs& to, const Runs::Run& run, const Rgba*& colours) {
  to.runs.push_back(run);
  to.colours.insert(to.colours.end(), colours, colours + run.count);
  colours += run.count;
}

}  // namespace

Runs merge(const Runs& a, const Runs& b) {
  Runs all;
  all.runs.reserve(a.runs.size() + b.runs.size());
  all.colours.reserve(a.colours.size() + b.colours.size());
  const Rgba *of_a = a.colours.data(), *of_b = b.colours.data();
  auto next = b.runs.begin();
  for (const auto& run : a.runs) {
    for (; next != b.runs.end() && next->order < run.order; ++next) append(all, *next, of_b);
    append(all, run, of_a);
  }
  for (; next != b.runs.end(); ++next) append(all, *next, of_b);
  return all;
}

Runs clip(const Runs& runs, std::uint32_t first, std::uint32_t last) {
  Runs part;
  part.colours.reserve(runs.colours.size());
  const Rgba* colours = runs.colours.data();
  for (const auto& run : runs.runs) {
    const auto from = std::max(run.pixel, first), to = std::min(run.pixel + run.count, last);
    if (from < to) {
      const Rgba* mine = colours + (from - run.pixel);
      append(part, {from, to - from, run.order}, mine);
    }
    colours += run.count;
  }
  return part;
}

Runs blend(const Runs& runs) {
  Runs blended;
  if (runs.runs.empty()) return blended;
  std::uint32_t first = runs.runs[0].pixel, last = 0;
  for (const auto& run : runs.runs) {
    first = std::min(first, run.pixel);
    last = std::max(last, run.pixel + run.count);
  }
  Pixels pixels(first, last);
  const Rgba* colour = runs.colours.data();
  for (const auto& run : runs.runs)
    for (auto pixel = run.pixel; pixel < run.pixel + run.count;) {
      auto* to = pixels.at(pixel);
      const auto end = std::min<std::size_t>(run.pixel + run.count, (pixel / Pixels::width + 1) * Pixels::width);
      for (; pixel < end; ++pixel, ++to, ++colour) {
        const float light = (*to)[3];
        if (light < dark) continue;
        const auto& c = *colour;
        *to += light * Colour4{static_cast<float>(c[0]), static_cast<float>(c[1]), static_cast<float>(c[2]), 0};
        (*to)[3] = light * through(static_cast<float>(c[3]));
      }
    }
  pixels.for_each([&](std::uint32_t pixel, const Colour4& p) {
    if (p[3] == 1) return;
    Rgba c{};
    for (std::size_t i = 0; i < 4; ++i)
      c[i] = static_cast<std::uint16_t>(std::min(65535.0F, (i < 3 ? p[i] : 65535 * (1 - p[3])) + 0.5F));
    auto& out = blended.runs;
    if (out.empty() || out.back().pixel + out.back().count != pixel) out.push_back({pixel, 0, 0});
    ++out.back().count;
    blended.colours.push_back(c);
  });
  return blended;
}

Segments segments_of(const Runs& blended) {
  Segments segments;
  segments.reserve(blended.colours.size());
  const Rgba* colour = blended.colours.data();
  for (const auto& run : blended.runs)
    for (std::uint32_t i = 0; i < run.count; ++i) segments.push_back({run.pixel + i, *colour++});
  return segments;
}

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

// The number of runs, the runs, and their colours.
std::vector<std::byte> pack(const Runs& runs) {
  const std::uint64_t count = runs.runs.size();
  const auto head = sizeof count + count * sizeof(Runs::Run);
  if (count == 0) return {};
  std::vector<std::byte> out(head + runs.colours.size() * sizeof(Rgba));
  std::memcpy(out.data(), &count, sizeof count);
  std::memcpy(out.data() + sizeof count, runs.runs.data(), head - sizeof count);
  if (!runs.colours.empty()) std::memcpy(out.data() + head, runs.colours.data(), out.size() - head);
  return out;
}

Runs unpack(std::span<const std::byte> bytes) {
  Runs runs;
  if (bytes.empty()) return runs;
  const auto check = [](bool is_good) {
    if (!is_good) throw Error("A rank received a truncated part of a picture (an error of weft). Please report it.");
  };
  std::uint64_t count = 0, colours = 0;
  check(bytes.size() >= sizeof count);
  std::memcpy(&count, bytes.data(), sizeof count);
  bytes = bytes.subspan(sizeof count);
  check(count > 0 && count <= bytes.size() / sizeof(Runs::Run));
  runs.runs.resize(count);
  std::memcpy(runs.runs.data(), bytes.data(), count * sizeof(Runs::Run));
  bytes = bytes.subspan(count * sizeof(Runs::Run));
  for (const auto& run : runs.runs) colours += run.count;
  check(bytes.size() % sizeof(Rgba) == 0 && colours == bytes.size() / sizeof(Rgba));
  runs.colours.resize(colours);
  if (colours > 0) std::memcpy(runs.colours.data(), bytes.data(), bytes.size());
  return runs;
}

const char* name_of(CompositeWay way) { return composite_way_names.of(way); }

}  // namespace weft::insitu
