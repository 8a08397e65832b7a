// SPDX-License-Identifier: BSD-3-Clause
#include "weft/transport/region.hpp"

#include <algorithm>
#include <cstring>
#include <string>

#include "weft/error.hpp"
#include "weft/simulated.hpp"

namespace weft {

std::string ElementType::name() const {
  const auto bits = std::to_string((code & 0xffffff) * 8);
  switch (static_cast<Kind>(code >> 24)) {
    case Kind::none: return "bytes";
    case Kind::integer: return "int" + bits;
    case Kind::unsigned_integer: return "uint" + bits;
    case Kind::real: return "float" + bits;
    case Kind::complex: return "complex" + bits;
    case Kind::boolean: return "bool";
    case Kind::special: break;
  }
  return "another type";
}
namespace {
constexpr std::size_t most_dimensions = 16;
constexpr std::size_t line_bytes = 64;  // of a cache line

// An index in nested loops, outermost first.
class Odometer {
 public:
  explicit Odometer(std::span<const Loop> loops) : loops_(loops) {}
  // Goes to the next index; false behind the last, and back to the first.
  bool advance() {
    for (level_ = loops_.size(); level_-- > 0;) {
      if (++counter_[level_] < loops_[level_].count) return true;
      counter_[level_] = 0;
    }
    return false;
  }
  // How far that was in bytes, in loops of these counts.
  std::ptrdiff_t moved(std::span<const Loop> loops) const {
    auto bytes = static_cast<std::ptrdiff_t>(loops[level_].stride_bytes);
    for (auto inner = level_ + 1; inner < loops_.size(); ++inner)
      bytes -= static_cast<std::ptrdiff_t>((loops[inner].count - 1) * loops[inner].stride_bytes);
    return bytes;
  }

 private:
  std::span<const Loop> loops_;
  std::size_t level_ = 0;  // the outermost that moved
  std::size_t counter_[most_dimensions] = {};
};

std::span<const Loop> outer(const std::vector<Loop>& loops) { return std::span(loops).first(loops.size() - 1); }

}  // namespace

Region make_contiguous(std::byte* base, std::size_t bytes, bool writable) {
  Region region;
  region.base_ = base;
  region.bytes_ = region.run_bytes_ = bytes;
  region.writable_ = writable;
  return region;
}

Region make_box(std::byte* base, std::size_t element_bytes, std::span<const std::size_t> extent,
                std::span<const std::size_t> first, std::span<const std::size_t> count, bool writable) {
  const auto dimensions = extent.size();
  if (first.size() != dimensions || count.size() != dimensions)
    throw Error("A box has different numbers of extents, first indices and counts. Give one of each per dimension.");
  if (dimensions > most_dimensions)
    throw Error("A box has " + std::to_string(dimensions) + " dimensions. Use at most " +
                std::to_string(most_dimensions) + ".");
  std::size_t stride = element_bytes, offset = 0;
  bool is_empty = false;
  std::vector<Loop> loops(dimensions);
  for (std::size_t d = dimensions; d-- > 0;) {
    if (first[d] > extent[d] || count[d] > extent[d] - first[d])
      throw Error("A box leaves its array in dimension " + std::to_string(d) + " (first " + std::to_string(first[d]) +
                  " + count " + std::to_string(count[d]) + " > extent " + std::to_string(extent[d]) +
                  "). Make the box smaller.");
    offset += first[d] * stride;
    is_empty = is_empty || count[d] == 0;
    loops[d] = {count[d], stride};
    stride *= extent[d];
  }
  return make_strided(base + (is_empty ? 0 : offset), element_bytes, loops, writable);
}

Region make_strided(std::byte* base, std::size_t element_bytes, std::span<const Loop> loops, bool writable,
                    std::span<const std::size_t> offsets_bytes, bool offsets_innermost) {
  std::size_t bytes = element_bytes * std::max<std::size_t>(offsets_bytes.size(), 1), run = element_bytes;
  const bool runs_grow = offsets_bytes.empty() || !offsets_innermost;
  std::vector<Loop> kept;  // innermost first
  kept.reserve(loops.size());
  for (std::size_t d = loops.size(); d-- > 0;) {
    const auto [count, stride] = loops[d];
    bytes *= count;
    if (count == 1) continue;
    if (kept.empty() && runs_grow && stride == run)
      run *= count;
    else if (!kept.empty() && stride == kept.back().count * kept.back().stride_bytes)
      kept.back().count *= count;
    else
      kept.push_back({count, stride});
  }
  if (kept.size() > most_dimensions)
    throw Error("A region has " + std::to_string(kept.size()) + " loops. Use at most " +
                std::to_string(most_dimensions) + ".");
  const bool is_one_run = kept.empty() && offsets_bytes.size() <= 1;
  if (is_one_run && !offsets_bytes.empty()) base += offsets_bytes.front();
  auto region = make_contiguous(base, bytes, writable);
  if (bytes == 0 || is_one_run) return region;
  region.kind_ = kept.empty() ? Region::Kind::indexed : Region::Kind::strided;
  region.run_bytes_ = run;
  region.loops_.assign(kept.rbegin(), kept.rend());
  region.offsets_.assign(offsets_bytes.begin(), offsets_bytes.end());
  region.offsets_innermost_ = offsets_innermost && !kept.empty();
  return region;
}

Region make_indexed(std::byte* base, std::size_t element_bytes, std::span<const std::size_t> index, bool writable) {
  const auto follows = [](std::size_t a, std::size_t b) { return b != a + 1; };
  if (!index.empty() && std::ranges::adjacent_find(index, follows) == index.end())
    return make_contiguous(base + index.front() * element_bytes, element_bytes * index.size(), writable);
  auto region = make_contiguous(base, element_bytes * index.size(), writable);
  region.kind_ = Region::Kind::indexed;
  region.run_bytes_ = element_bytes;
  region.offsets_.reserve(index.size());
  for (const auto i : index) region.offsets_.push_back(i * element_bytes);
  return region;
}

// Visits the rows of the loops, shifted by `offset`. `next` is the following row.
template <class Visit>
void Region::walk_loops(std::size_t offset, const Visit& visit) const {
  std::byte* row = base_ + offset;
  if (loops_.empty()) return visit(row, row, Loop{1, 0});
  Odometer index(outer(loops_));
  for (;;) {
    const bool has_next = index.advance();
    std::byte* const next = has_next ? row + index.moved(outer(loops_)) : row;
    visit(row, next, loops_.back());
    if (!has_next) return;
    row = next;
  }
}

// Calls copy(place, at, run) for each run; `at` is its position in the packed bytes.
//
// In a face across the rows of an array each run is in its own cache line, at distances that no processor predicts. So
// while it copies one row it prefetches the next, and several lines are in flight.
//
// Local copies of members and of `copy`: a store of bytes may change any object whose address is known, so the compiler
// would load them again for each run.
//
// Not inlined: the registers that it saves would cost a contiguous region of a few bytes more than its copy.
template <class Size, class Copy>
[[gnu::noinline]] void Region::walk(Size run, const Copy& copy) const {
  std::size_t at = 0;
  const auto row = [&](std::byte* p, std::byte* next, const Loop& loop) {
    const auto mine = copy;
    const auto [count, stride] = loop;
    std::size_t i = 0, to = at;
    at += count * run;
    if (run <= line_bytes && stride >= line_bytes)
      for (; i + 4 <= count; i += 4, p += 4 * stride, next += 4 * stride, to += 4 * run) {
        __builtin_prefetch(next);
        __builtin_prefetch(next + stride);
        __builtin_prefetch(next + 2 * stride);
        __builtin_prefetch(next + 3 * stride);
        mine(p, to, run);
        mine(p + stride, to + run, run);
        mine(p + 2 * stride, to + 2 * run, run);
        mine(p + 3 * stride, to + 3 * run, run);
      }
    for (; i < count; ++i, p += stride, to += run) mine(p, to, run);
  };
  if (kind_ == Kind::indexed) {
    std::byte* const base = base_;
    const std::size_t* const offsets = offsets_.data();
    for (std::size_t k = 0, n = offsets_.size(); k < n; ++k) copy(base + offsets[k], k * run, run);
  } else if (offsets_.empty())
    walk_loops(0, row);
  else if (!offsets_innermost_)
    for (const auto offset : offsets_) walk_loops(offset, row);
  else
    walk_loops(0, [&](std::byte* p, std::byte* next, const Loop& loop) {
      const auto mine = copy;
      const auto [count, stride] = loop;
      const std::span<const std::size_t> offsets = offsets_;
      std::size_t to = at;
      at += count * offsets.size() * run;
      for (std::size_t i = 0; i < count; ++i, p += stride, next += stride) {
        if (stride >= line_bytes) {
          __builtin_prefetch(next + offsets.front());
          __builtin_prefetch(next + offsets.back());
        }
        for (const auto offset : offsets) {
          mine(p + offset, to, run);
          to += run;
        }
      }
    });
}

// Calls use(run) with a constant for the usual sizes, so that the compiler emits one load and one store per copy.
template <class Use>
void with_run(std::size_t run, const Use& use) {
  switch (run) {
    case 4: return use(std::integral_constant<std::size_t, 4>());
    case 8: return use(std::integral_constant<std::size_t, 8>());
    case 16: return use(std::integral_constant<std::size_t, 16>());
    case 32: return use(std::integral_constant<std::size_t, 32>());
    default: return use(run);
  }
}

namespace {

[[noreturn]] void refuse_device() {
  throw Error(
      "Memory of a device can't be used here. Use it in parts of an exchange, a step or a halo, or copy it "
      "by device::read() and device::write().");
}

}  // namespace

inline void Region::check_host() const {
  if (device_) refuse_device();
}

template <class Copy>
void Region::for_each_run(const Copy& copy) const {
  if (bytes_ == 0) return;
  if (kind_ == Kind::contiguous) return with_run(bytes_, [&](auto run) { copy(base_, 0, run); });
  with_run(run_bytes_, [&](auto run) { walk(run, copy); });
}

void Region::pack(std::byte* out) const {
  check_host();
  for_each_run([out](const std::byte* from, std::size_t at, auto n) { std::memcpy(out + at, from, n); });
  simulated::copied(bytes_);
}

void Region::unpack(const std::byte* in) const {
  check_host();
  for_each_run([in](std::byte* to, std::size_t at, auto n) { std::memcpy(to, in + at, n); });
  simulated::copied(bytes_);
}

void Region::visit(const std::function<void(std::byte*, std::size_t)>& visit) const {
  for_each_run([&](std::byte* at, std::size_t, std::size_t run) { visit(at, run); });
}

namespace {

// Calls use(value of the type, function) if the reduction is one of the built-in ones.
template <class T, class Use>
bool with_operation(ReductionOfBytes::Operation operation, const Use& use) {
  using O = ReductionOfBytes::Operation;
  switch (operation) {
    case O::sum: return use(T(), detail::Add()), true;
    case O::minimum: return use(T(), detail::Smaller()), true;
    case O::maximum: return use(T(), detail::Larger()), true;
    case O::user: break;
  }
  return false;
}

template <class Use>
bool with_reduction(const ReductionOfBytes& reduction, const Use& use) {
  using T = ReductionOfBytes::Type;
  switch (reduction.type) {
    case T::int32: return with_operation<std::int32_t>(reduction.operation, use);
    case T::int64: return with_operation<std::int64_t>(reduction.operation, use);
    case T::uint64: return with_operation<std::uint64_t>(reduction.operation, use);
    case T::float32: return with_operation<float>(reduction.operation, use);
    case T::float64: return with_operation<double>(reduction.operation, use);
    case T::bytes: break;
  }
  return false;
}

}  // namespace

// The built-in reductions are compiled into the loops, since runs are often single elements. The user's own leaves its
// result in its right operand, and is called for many elements at once.
void Region::combine(const std::byte* in, const ReductionOfBytes& reduction) const {
  check_host();
  if (bytes_ == 0) return;
  const bool is_built_in = with_reduction(reduction, [&](auto zero, auto function) {
    using T = decltype(zero);
    const auto each = [in, function](std::byte* place, std::size_t at, auto run) {
      for (std::size_t i = 0; i < run; i += sizeof(T)) {
        T value, received;
        std::memcpy(&value, place + i, sizeof(T));
        std::memcpy(&received, in + at + i, sizeof(T));
        value = function(value, received);
        std::memcpy(place + i, &value, sizeof(T));
      }
    };
    if (kind_ == Kind::contiguous)
      each(base_, 0, bytes_);
    else if (run_bytes_ == sizeof(T))
      walk(std::integral_constant<std::size_t, sizeof(T)>(), each);
    else
      walk(run_bytes_, each);
  });
  if (is_built_in) return simulated::copied(bytes_);
  alignas(std::max_align_t) std::byte few[4096];
  std::vector<std::byte> one(reduction.element_bytes > sizeof few ? reduction.element_bytes : 0);
  const auto result = one.empty() ? std::span(few).first(sizeof few / reduction.element_bytes * reduction.element_bytes)
                                  : std::span(one);
  for_each_run([&](std::byte* place, std::size_t at, std::size_t run) {
    for (std::size_t from = 0; from < run; from += result.size()) {
      const auto n = std::min(result.size(), run - from);
      std::memcpy(result.data(), in + at + from, n);
      reduction.combine(place + from, result.data(), n / reduction.element_bytes);
      std::memcpy(place + from, result.data(), n);
    }
  });
  simulated::copied(bytes_);
}

bool Region::copies_to(const Region& target) const {
  if (is_contiguous() || target.is_contiguous() || has_the_form_of(target)) return true;
  constexpr std::size_t long_run = 256;  // from here on, traversing two layouts at once costs less than a second copy
  return run_bytes_ >= long_run && target.run_bytes_ >= long_run;
}

bool Region::has_the_form_of(const Region& target) const {
  return kind_ == target.kind_ && run_bytes_ == target.run_bytes_ && offsets_.size() == target.offsets_.size() &&
         offsets_innermost_ == target.offsets_innermost_ &&
         std::equal(loops_.begin(), loops_.end(), target.loops_.begin(), target.loops_.end(),
                    [](const Loop& a, const Loop& b) { return a.count == b.count; });
}

void Region::copy(const Region& target, std::byte* scratch) const {
  check_host();
  if (is_contiguous()) return target.unpack(base_);
  if (target.is_contiguous()) return pack(target.base_);
  if (has_the_form_of(target)) {
    with_run(run_bytes_, [&](auto run) { copy_runs(run, target); });
    return simulated::copied(bytes_);
  }
  if (copies_to(target)) {
    copy_piecewise(target);
    return simulated::copied(bytes_);
  }
  pack(scratch);
  target.unpack(scratch);
}

namespace {

// Traverses the runs of a region.
class Cursor {
 public:
  explicit Cursor(const RegionLayout& layout) : layout_(layout), index_(layout.loops), row_(layout.base) { go(); }
  std::byte* at() const { return at_; }
  std::size_t left() const { return left_; }
  void advance(std::size_t bytes) {
    at_ += bytes;
    left_ -= bytes;
    if (left_ == 0 && step()) go();
  }

 private:
  // Goes to the next run, whose outermost or innermost level are the offsets. False behind the last.
  bool step() {
    const auto offset = [&] {
      if (++offset_ < layout_.offsets.size()) return true;
      offset_ = 0;
      return false;
    };
    if (layout_.offsets_innermost && offset()) return true;
    if (index_.advance()) {
      row_ += index_.moved(layout_.loops);
      return true;
    }
    row_ = layout_.base;
    return !layout_.offsets_innermost && offset();
  }
  void go() {
    at_ = row_ + (layout_.offsets.empty() ? 0 : layout_.offsets[offset_]);
    left_ = layout_.run_bytes;
  }

  RegionLayout layout_;
  Odometer index_;
  std::byte *row_, *at_ = nullptr;
  std::size_t left_ = 0, offset_ = 0;
};

}  // namespace

void Region::copy_piecewise(const Region& target) const {
  Cursor from(layout()), to(target.layout());
  for (std::size_t rest = bytes_; rest > 0;) {
    const auto n = std::min(from.left(), to.left());
    std::memcpy(to.at(), from.at(), n);
    rest -= n;
    from.advance(n);
    to.advance(n);
  }
}

bool Region::lies_in(const std::byte* first, std::size_t bytes) const {
  std::size_t end = run_bytes_;
  if (!offsets_.empty()) end += *std::ranges::max_element(offsets_);
  for (const auto& loop : loops_) end += (loop.count - 1) * loop.stride_bytes;
  return bytes_ > 0 && base_ >= first && base_ < first + bytes &&
         end <= bytes - static_cast<std::size_t>(base_ - first);
}

std::vector<std::uint64_t> Region::numbers(const std::byte* origin) const {
  std::vector<std::uint64_t> all{static_cast<std::uint64_t>(kind_),
                                 static_cast<std::uint64_t>(base_ - origin),
                                 bytes_,
                                 run_bytes_,
                                 offsets_innermost_ ? 1U : 0U,
                                 loops_.size()};
  for (const auto& loop : loops_) all.insert(all.end(), {loop.count, loop.stride_bytes});
  all.insert(all.end(), offsets_.begin(), offsets_.end());
  return all;
}

Region region_of(std::span<const std::uint64_t> numbers, std::byte* origin) {
  constexpr std::size_t head = 6;
  Region region;
  region.kind_ = static_cast<Region::Kind>(numbers[0]);
  region.base_ = origin + numbers[1];
  region.bytes_ = numbers[2];
  region.run_bytes_ = numbers[3];
  region.offsets_innermost_ = numbers[4] != 0;
  const auto loops = numbers.subspan(head, 2 * numbers[5]), offsets = numbers.subspan(head + loops.size());
  for (std::size_t i = 0; i < loops.size(); i += 2) region.loops_.push_back({loops[i], loops[i + 1]});
  region.offsets_.assign(offsets.begin(), offsets.end());
  return region;
}

namespace {

// A row of two regions of the same layout, and the following one, at two places.
struct TwoRows {
  const std::byte *from, *next_from;
  std::byte *to, *next_to;
  std::size_t count, from_stride, to_stride;

  void advance() {
    from += from_stride;
    next_from += from_stride;
    to += to_stride;
    next_to += to_stride;
  }
  void prefetch(std::size_t from_offset, std::size_t to_offset) const {
    __builtin_prefetch(next_from + from_offset);
    __builtin_prefetch(next_to + to_offset);
  }
};

}  // namespace

// Two regions of the same layout, step by step: with local copies and prefetching as in walk().
template <class Size>
void Region::copy_runs(Size run, const Region& target) const {
  const std::span<const std::size_t> from_offsets = offsets_, to_offsets = target.offsets_;
  const auto at_offsets = [=](const std::byte* from, std::byte* to) {
    for (std::size_t k = 0; k < from_offsets.size(); ++k) std::memcpy(to + to_offsets[k], from + from_offsets[k], run);
  };
  if (kind_ == Kind::indexed) return at_offsets(base_, target.base_);
  const auto along_loops = [&](std::size_t from_offset, std::size_t to_offset, const auto& visit) {
    const auto &in = loops_.back(), &out = target.loops_.back();
    TwoRows row{base_ + from_offset, nullptr,         target.base_ + to_offset, nullptr, in.count,
                in.stride_bytes,     out.stride_bytes};
    Odometer index(outer(loops_));
    for (bool has_next = true; has_next; row.from = row.next_from, row.to = row.next_to) {
      has_next = index.advance();
      row.next_from = row.from + (has_next ? index.moved(outer(loops_)) : 0);
      row.next_to = row.to + (has_next ? index.moved(outer(target.loops_)) : 0);
      visit(row);
    }
  };
  const auto runs = [run](TwoRows row) {
    const bool is_far = run <= line_bytes && row.from_stride >= line_bytes;
    for (std::size_t i = 0; i < row.count; ++i, row.advance()) {
      if (is_far) row.prefetch(0, 0);
      std::memcpy(row.to, row.from, run);
    }
  };
  if (offsets_.empty()) return along_loops(0, 0, runs);
  if (!offsets_innermost_) {
    for (std::size_t k = 0; k < offsets_.size(); ++k) along_loops(offsets_[k], target.offsets_[k], runs);
    return;
  }
  along_loops(0, 0, [=](TwoRows row) {
    for (std::size_t i = 0; i < row.count; ++i, row.advance()) {
      if (row.from_stride >= line_bytes) {
        row.prefetch(from_offsets.front(), to_offsets.front());
        row.prefetch(from_offsets.back(), to_offsets.back());
      }
      at_offsets(row.from, row.to);
    }
  });
}

}  // namespace weft
