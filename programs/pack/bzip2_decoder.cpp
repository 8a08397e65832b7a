// SPDX-License-Identifier: BSD-3-Clause
#include "pack/bzip2_decoder.hpp"

#include <algorithm>
#include <bit>
#include <cstring>
#include <numeric>
#include <string>

#include "pack/bzip2_marks.hpp"
#include "weft/error.hpp"

namespace weft::pack {
namespace {

[[noreturn]] void damaged() {
  throw Error("The bzip2 data are damaged (a checksum or the format is wrong). Copy or create the archive again.");
}

constexpr std::size_t block_limit = 900000;  // bytes of a block
constexpr unsigned longest_code = 20, looked_up = 10;

// Canonical codes, the short ones in a table.
struct Codes {
  std::array<std::uint16_t, 1 << looked_up> short_codes;  // length + 32 x symbol; 0: a longer code
  std::array<std::uint32_t, longest_code + 1> limit;      // of a length: behind its last code, in longest_code bits
  std::array<std::uint32_t, longest_code + 1> offset;     // of a length: index in `symbols` - code
  std::array<std::uint16_t, 258> symbols;

  void make(const std::array<std::uint8_t, 258>& lengths, std::size_t n) {
    short_codes.fill(0);
    std::uint32_t code = 0, index = 0;
    for (unsigned length = 1; length <= longest_code; ++length, code <<= 1) {
      offset[length] = index - code;
      for (std::size_t s = 0; s < n; ++s) {
        if (lengths[s] != length) continue;
        if (code >> length != 0) damaged();
        if (length <= looked_up)
          std::fill_n(&short_codes[code << (looked_up - length)], std::size_t{1} << (looked_up - length),
                      static_cast<std::uint16_t>(length | s << 5));
        symbols[index++] = static_cast<std::uint16_t>(s);
        ++code;
      }
      limit[length] = code << (longest_code - length);
    }
  }

  template <class Bits>
  unsigned read(Bits& bits) const {
    bits.fill();
    if (const auto found = short_codes[bits.peek(looked_up)]; found != 0) {
      bits.drop(found & 31U);
      return found >> 5;
    }
    const auto code = static_cast<std::uint32_t>(bits.peek(longest_code));
    unsigned length = looked_up + 1;
    while (length <= longest_code && code >= limit[length]) ++length;
    if (length > longest_code) damaged();
    bits.drop(length);
    return symbols[offset[length] + (code >> (longest_code - length))];
  }
};

}  // namespace

// The highest bit of a byte is the first. Behind the end there are zeros.
class Bzip2Decoder::Bits {
 public:
  Bits(View in, unsigned skipped) : in_(in) {
    fill();
    drop(skipped);
  }

  // Afterwards there are 56 bits or more.
  void fill() {
    if (in_.size() - at_ >= sizeof(std::uint64_t)) {
      std::uint64_t word = 0;
      std::memcpy(&word, in_.data() + at_, sizeof word);
      if constexpr (std::endian::native == std::endian::little) word = __builtin_bswap64(word);
      bits_ |= word >> count_;
      at_ += (63 - count_) >> 3;
      count_ |= 56;
      return;
    }
    for (; count_ <= 56; count_ += 8) {
      if (at_ < in_.size())
        bits_ |= std::to_integer<std::uint64_t>(in_[at_++]) << (56 - count_);
      else
        ++missing_;
    }
  }
  std::uint64_t peek(unsigned n) const { return bits_ >> (64 - n); }
  void drop(unsigned n) {
    bits_ <<= n;
    count_ -= n;
  }
  std::uint64_t take(unsigned n) {  // 1 to 48
    fill();
    const auto value = peek(n);
    drop(n);
    return value;
  }
  unsigned take_ones(unsigned most) {  // up to a zero
    fill();
    const auto ones = static_cast<unsigned>(std::countl_one(bits_));
    if (ones > most) damaged();
    drop(ones + 1);
    return ones;
  }
  // In bytes, of which the last one was begun; beyond the input if more was read.
  std::size_t position() const { return at_ + missing_ - count_ / 8; }

 private:
  View in_;
  std::size_t at_ = 0, missing_ = 0;
  std::uint64_t bits_ = 0;
  unsigned count_ = 0;
};

void Bzip2Decoder::decode(View in, Bytes& out) {
  out.clear();
  unsigned skipped = 0;
  while (skipped < 8 && !detail::is_bzip2_mark(in, skipped, detail::bzip2_block_number)) ++skipped;
  if (skipped == 8) damaged();
  Bits bits(in, skipped);
  while (bits.position() < in.size()) {
    read(bits);
    if (bits.position() > in.size()) damaged();
    invert();
    append(out);
  }
}

void Bzip2Decoder::read(Bits& bits) {
  if (bits.take(48) != detail::bzip2_block_number) damaged();
  crc_ = static_cast<std::uint32_t>(bits.take(32));
  if (bits.take(1) != 0) damaged();  // randomised, see Bzip2Mark
  origin_ = static_cast<std::uint32_t>(bits.take(24));
  std::array<std::uint8_t, 256> front{};  // the bytes that occur, the latest first
  std::size_t used = 0;
  const auto groups = bits.take(16);
  for (unsigned g = 0; g < 16; ++g) {
    if ((groups >> (15 - g) & 1) == 0) continue;
    const auto letters = bits.take(16);
    for (unsigned k = 0; k < 16; ++k)
      if ((letters >> (15 - k) & 1) != 0) front[used++] = static_cast<std::uint8_t>(16 * g + k);
  }
  const auto tables = static_cast<unsigned>(bits.take(3));
  const auto stated = bits.take(15);
  if (used == 0 || tables < 2 || tables > 6) damaged();
  constexpr std::size_t of_selector = 50, most_selectors = block_limit / of_selector + 1;
  std::array<std::uint8_t, most_selectors> selectors;
  std::array<std::uint8_t, 6> order{0, 1, 2, 3, 4, 5};
  std::size_t selected = 0;
  for (std::size_t k = 0; k < stated; ++k) {
    const auto place = order.begin() + bits.take_ones(tables - 1);
    std::rotate(order.begin(), place, place + 1);
    if (selected < most_selectors) selectors[selected++] = order[0];  // readers pass over what no block needs
  }
  const auto end_symbol = static_cast<unsigned>(used + 1);
  std::array<Codes, 6> codes;
  for (unsigned t = 0; t < tables; ++t) {
    std::array<std::uint8_t, 258> lengths{};
    auto length = static_cast<unsigned>(bits.take(5));
    for (unsigned s = 0; s <= end_symbol; ++s) {
      while (length >= 1 && length <= longest_code && bits.take(1) != 0) length += bits.take(1) != 0 ? ~0U : 1U;
      if (length < 1 || length > longest_code) damaged();
      lengths[s] = static_cast<std::uint8_t>(length);
    }
    codes[t].make(lengths, end_symbol + 1);
  }

  last_.resize(block_limit);
  next_.resize(block_limit);
  auto* const last = last_.data();
  std::array<std::uint32_t, 257> starts{};  // first the numbers of the byte before
  std::size_t n = 0, run = 0, weight = 1;
  for (std::size_t g = 0, left = 0;; --left) {
    if (left == 0) {
      if (g == selected) damaged();
      left = of_selector;
      ++g;
    }
    const auto symbol = codes[selectors[g - 1]].read(bits);
    if (symbol <= 1) {
      run += weight << symbol;
      weight <<= 1;
      if (run > block_limit) damaged();
      continue;
    }
    if (run > 0) {
      if (run > block_limit - n) damaged();
      std::memset(last + n, front[0], run);
      starts[front[0] + 1U] += static_cast<std::uint32_t>(run);
      n += run;
      run = 0;
      weight = 1;
    }
    if (symbol == end_symbol) break;
    if (n == block_limit) damaged();
    const auto byte = front[symbol - 1];
    std::memmove(&front[1], &front[0], symbol - 1);
    front[0] = byte;
    last[n++] = byte;
    ++starts[byte + 1U];
  }
  if (origin_ >= n) damaged();
  std::partial_sum(starts.begin(), starts.end(), starts.begin());
  for (std::uint32_t i = 0; i < n; ++i) {
    const auto j = starts[last[i]]++;
    next_[j] = i << 8 | last[j];
  }
  bytes_ = n;
}

// Each lane follows the chain from a start to the next one, and writes in pieces of the common memory. A text that
// repeats itself has several chains: that of the origin is then repeated.
void Bzip2Decoder::invert() {
  constexpr std::uint32_t is_start = 1U << 31;
  constexpr std::size_t most_starts = 64, lanes_at_once = 8, piece = 1024;
  struct Segment {
    std::uint32_t start = 0, end = 0;  // end: the start of the next one
    std::size_t piece = 0, bytes = 0;
  };
  struct Lane {
    std::uint32_t at;
    std::uint8_t *to, *full;
    Segment* segment;
  };
  std::array<Segment, most_starts + 1> segments{};
  std::size_t count = 0;
  const auto add = [&](std::size_t start) {
    if ((next_[start] & is_start) != 0) return;
    next_[start] |= is_start;
    segments[count++].start = static_cast<std::uint32_t>(start);
  };
  add(next_[origin_] >> 8);
  for (std::size_t k = 0; k < most_starts; ++k) add(k * bytes_ / most_starts);
  pieces_.resize(bytes_ + (count + 1) * piece);
  piece_behind_.resize(pieces_.size() / piece);
  std::size_t pieces = 0, begun = 0;
  std::array<Lane, lanes_at_once> lanes;
  const auto begin = [&](Lane& lane) {
    auto& segment = segments[begun++];
    segment.piece = pieces++;
    auto* const to = &pieces_[segment.piece * piece];
    const auto entry = next_[segment.start] & ~is_start;
    *to = static_cast<std::uint8_t>(entry);
    lane = {entry >> 8, to + 1, to + piece, &segment};
    segment.bytes = 1;
  };
  std::size_t running = std::min(count, lanes_at_once);
  for (std::size_t l = 0; l < running; ++l) begin(lanes[l]);
  const auto* const next = next_.data();
  while (running > 0)
    for (std::size_t l = 0; l < running; ++l) {
      auto& lane = lanes[l];
      const auto entry = next[lane.at];
      if ((entry & is_start) == 0 && lane.to != lane.full) {
        *lane.to++ = static_cast<std::uint8_t>(entry);
        lane.at = entry >> 8;
        continue;
      }
      const auto last_piece = static_cast<std::size_t>(lane.full - pieces_.data()) / piece - 1;
      if ((entry & is_start) == 0) {
        lane.segment->bytes += piece;
        piece_behind_[last_piece] = static_cast<std::uint32_t>(pieces);
        lane.to = &pieces_[pieces++ * piece];
        lane.full = lane.to + piece;
        continue;
      }
      lane.segment->end = lane.at;
      lane.segment->bytes += static_cast<std::size_t>(lane.to - lane.full) + piece - 1;
      if (begun < count)
        begin(lane);
      else
        lane = lanes[--running];
    }
  text_.resize(bytes_);
  const auto* segment = segments.data();
  for (std::size_t n = 0; n < bytes_;) {
    auto from = segment->piece;
    for (auto left = std::min(segment->bytes, bytes_ - n); left > 0; from = piece_behind_[from]) {
      const auto here = std::min(left, piece);
      std::memcpy(&text_[n], &pieces_[from * piece], here);
      n += here;
      left -= here;
    }
    segment = std::find_if(segments.data(), segments.data() + count - 1,
                           [&](const Segment& s) { return s.start == segment->end; });
  }
}

// Four equal bytes are followed by the number of further ones.
void Bzip2Decoder::append(Bytes& out) const {
  const auto first = out.size();
  const auto* const text = reinterpret_cast<const std::byte*>(text_.data());
  std::size_t from = 0, equal = 1;
  for (std::size_t i = 1; i < bytes_; ++i) {
    equal = text[i] == text[i - 1] ? equal + 1 : 1;
    if (equal < 4 || i + 1 == bytes_) continue;
    out.insert(out.end(), text + from, text + i + 1);
    out.insert(out.end(), std::to_integer<std::size_t>(text[i + 1]), text[i]);
    from = i + 2;
    i = from;
    equal = 1;
  }
  out.insert(out.end(), text + from, text + bytes_);
  if (detail::bzip2_crc(View(out).subspan(first)) != crc_) damaged();
}

}  // namespace weft::pack
