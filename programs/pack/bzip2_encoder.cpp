// SPDX-License-Identifier: BSD-3-Clause
#include "pack/bzip2_encoder.hpp"

#include <divsufsort.h>

#include <algorithm>
#include <cstring>
#include <optional>

#include "pack/bzip2_huffman.hpp"
#include "pack/bzip2_marks.hpp"
#include "weft/error.hpp"

namespace weft::pack {
namespace {

// The start of the smallest rotation, by comparing two candidates and dropping those that the loser excludes.
std::size_t smallest_rotation(const std::vector<std::uint8_t>& s) {
  const std::size_t n = s.size();
  std::size_t i = 0, j = 1, k = 0;
  while (i < n && j < n && k < n) {
    const auto a = s[i + k < n ? i + k : i + k - n], b = s[j + k < n ? j + k : j + k - n];
    if (a == b) {
      ++k;
      continue;
    }
    (a > b ? i : j) += k + 1;
    if (i == j) ++j;
    k = 0;
  }
  return std::min(i, j);
}

// The number of suffixes smaller than the one at `at`; nothing if that takes too long (a repetitive text).
std::optional<std::size_t> rank_of_suffix(const std::vector<std::uint8_t>& s, std::size_t at) {
  const auto n = s.size();
  const auto first = s[at];
  std::size_t rank = 0, work = 0;
  for (const auto c : s) rank += c < first ? 1U : 0U;
  for (std::size_t i = 0; i < n; ++i) {
    if (s[i] != first || i == at) continue;
    const auto most = n - std::max(i, at);
    std::size_t k = 1;
    while (k < most && s[i + k] == s[at + k]) ++k;
    if ((work += k) > 8 * n) return {};
    rank += (k < most ? s[i + k] < s[at + k] : i > at) ? 1U : 0U;
  }
  return rank;
}

constexpr const char* no_sort = "a block could not be sorted (no memory left?).";

}  // namespace

// The format allows 100,000 bytes per level; libbz2 leaves 19 of them unused. Seven selectors more must be allowed.
Bzip2Encoder::Bzip2Encoder(int level)
    : capacity_(static_cast<std::size_t>(level) * 100000 - 19 - 7 * HuffmanTables::group_size) {
  block_.reserve(capacity_);
}

std::uint64_t Bzip2Encoder::encode(View in, Bytes& out) {
  out.clear();
  out.reserve(in.size() / 2 + 1024);
  out_ = &out;
  pending_ = 0;
  pending_bits_ = 0;
  std::uint32_t all = 0;
  std::uint64_t blocks = 0;
  while (!in.empty()) {
    const auto n = shorten_runs(in);
    const auto crc = detail::bzip2_crc(in.first(n));
    in = in.subspan(n);
    all = detail::bzip2_crc(all, crc);
    ++blocks;
    transform();
    move_to_front();
    write_block(crc);
  }
  put(0, 0);
  return blocks << 32 | all;
}

// Fills block_ as far as possible; returns the number of bytes taken. Four equal bytes are followed by the number of
// further equal ones.
std::size_t Bzip2Encoder::shorten_runs(View in) {
  block_.clear();
  used_.fill(false);
  const auto* p = reinterpret_cast<const std::uint8_t*>(in.data());
  std::size_t i = 0;
  while (i < in.size() && block_.size() + 5 <= capacity_) {
    const auto c = p[i];
    std::size_t run = 1;
    while (run < 255 && i + run < in.size() && p[i + run] == c) ++run;
    used_[c] = true;
    for (std::size_t k = 0; k < std::min<std::size_t>(run, 4); ++k) block_.push_back(c);
    if (run >= 4) {
      block_.push_back(static_cast<std::uint8_t>(run - 4));
      used_[run - 4] = true;
    }
    i += run;
  }
  return i;
}

// The format sorts rotations; a suffix sort gives the same if the text is rotated to start with the smallest rotation
// (then a suffix that ends precedes a longer one exactly where its rotation does).
void Bzip2Encoder::transform() {
  const auto n = block_.size();
  const auto start = n == 1 ? 0 : smallest_rotation(block_);
  rotated_.resize(n);
  std::rotate_copy(block_.begin(), block_.begin() + static_cast<std::ptrdiff_t>(start), block_.end(), rotated_.begin());
  suffixes_.resize(n);
  last_.resize(n);
  const auto origin = start == 0 ? 0 : n - start;
  const auto length = static_cast<std::int32_t>(n);
  // divbwt is faster, but does not return the position of the text itself.
  if (const auto rank = rank_of_suffix(rotated_, origin)) {
    if (divbwt(rotated_.data(), last_.data(), suffixes_.data(), length) < 0) throw Error(no_sort);
    origin_ = static_cast<std::uint32_t>(*rank);
    return;
  }
  if (divsufsort(rotated_.data(), suffixes_.data(), length) != 0) throw Error(no_sort);
  for (std::size_t i = 0; i < n; ++i) {
    const auto s = static_cast<std::size_t>(suffixes_[i]);
    if (s == origin) origin_ = static_cast<std::uint32_t>(i);
    last_[i] = rotated_[(s == 0 ? n : s) - 1];
  }
}

// Fills symbols_: runs of the front letter as their length in base 2 with the digits 1 and 2 (symbols 0 and 1), other
// letters by their position + 1, and the end.
void Bzip2Encoder::move_to_front() {
  std::array<std::uint8_t, 256> order{};
  std::size_t letters = 0;
  for (std::size_t c = 0; c < 256; ++c)
    if (used_[c]) order[letters++] = static_cast<std::uint8_t>(c);
  symbols_.clear();
  symbols_.reserve(last_.size() + 2);
  std::size_t run = 0;
  const auto flush = [&] {
    for (; run > 0; run = (run - 1) / 2) symbols_.push_back(run % 2 == 1 ? 0 : 1);
  };
  for (const auto c : last_) {
    if (c == order[0]) {
      ++run;
      continue;
    }
    flush();
    std::size_t place = 1;
    if (order[1] == c) {
      order[1] = order[0];
    } else {
      place = static_cast<std::size_t>(static_cast<const std::uint8_t*>(std::memchr(order.data() + 2, c, 254)) -
                                       order.data());
      std::memmove(order.data() + 1, order.data(), place);
    }
    order[0] = c;
    symbols_.push_back(static_cast<std::uint16_t>(place + 1));
  }
  flush();
  symbols_.push_back(static_cast<std::uint16_t>(letters + 1));
}

void Bzip2Encoder::put(unsigned bits, std::uint64_t value) {
  if (bits > 32) {
    put(bits - 32, value >> 32);
    return put(32, value & 0xffffffffU);
  }
  pending_ = pending_ << bits | value;
  pending_bits_ += bits;
  if (pending_bits_ < 32 && bits != 0) return;
  for (; pending_bits_ >= 8; pending_bits_ -= 8)
    out_->push_back(static_cast<std::byte>(pending_ >> (pending_bits_ - 8)));
}

void Bzip2Encoder::write_block(std::uint32_t crc) {
  const auto tables = fit_tables(symbols_, static_cast<std::size_t>(symbols_.back()) + 1);
  std::size_t bits = 0;
  give_block([&](unsigned n, std::uint64_t) { bits += n; }, crc, tables, 0);
  give_block([this](unsigned n, std::uint64_t value) { put(n, value); }, crc, tables, (8 - bits % 8) % 8);
}

template <class Put>
void Bzip2Encoder::give_block(const Put& put, std::uint32_t crc, const HuffmanTables& tables, std::size_t more) const {
  const auto alphabet = static_cast<std::size_t>(symbols_.back()) + 1;
  put(48, 0x314159265359U);
  put(32, crc);
  put(1, 0);
  put(24, origin_);
  std::array<std::uint32_t, 16> rows{};
  std::uint32_t some = 0;
  for (std::size_t c = 0; c < 256; ++c)
    if (used_[c]) rows[c / 16] |= 1U << (15 - c % 16);
  for (std::size_t r = 0; r < 16; ++r) some |= rows[r] != 0 ? 1U << (15 - r) : 0U;
  put(16, some);
  for (const auto row : rows)
    if (row != 0) put(16, row);
  put(3, tables.lengths.size());
  put(15, tables.selectors.size() + more);
  std::array<std::uint8_t, 6> order{0, 1, 2, 3, 4, 5};
  for (const auto s : tables.selectors) {
    const auto place = static_cast<unsigned>(std::find(order.begin(), order.end(), s) - order.begin());
    std::rotate(order.begin(), order.begin() + place, order.begin() + place + 1);
    put(place + 1, (1U << (place + 1)) - 2);
  }
  for (std::size_t i = 0; i < more; ++i) put(1, 0);  // the same table as before
  for (const auto& lengths : tables.lengths) {
    int now = lengths[0];
    put(5, static_cast<std::uint64_t>(now));
    for (std::size_t s = 0; s < alphabet; ++s) {
      for (; now < lengths[s]; ++now) put(2, 2);
      for (; now > lengths[s]; --now) put(2, 3);
      put(1, 0);
    }
  }
  for (std::size_t i = 0; i < symbols_.size(); ++i) {
    const auto table = tables.selectors[i / HuffmanTables::group_size];
    put(tables.lengths[table][symbols_[i]], tables.codes[table][symbols_[i]]);
  }
}

}  // namespace weft::pack
