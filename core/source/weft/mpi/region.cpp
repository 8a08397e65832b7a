// SPDX-License-Identifier: BSD-3-Clause
//
// From an MPI datatype to a region.
#include <algorithm>
#include <limits>
#include <numeric>
#include <utility>
#include <vector>

#include "weft/error.hpp"
#include "weft/mpi/check.hpp"
#include "weft/mpi/datatype.hpp"

namespace weft::mpi {
namespace {

struct Stretch {
  MPI_Aint offset, bytes;
};
using Stretches = std::vector<Stretch>;

void append(Stretches& to, const Stretches& runs, MPI_Aint offset) {
  for (const auto& run : runs) {
    if (run.bytes == 0) continue;
    if (!to.empty() && to.back().offset + to.back().bytes == run.offset + offset)
      to.back().bytes += run.bytes;
    else
      to.push_back({run.offset + offset, run.bytes});
  }
}

MPI_Aint extent_of(MPI_Datatype type) {
  MPI_Aint lower = 0, extent = 0;
  check(MPI_Type_get_extent(type, &lower, &extent), "MPI_Type_get_extent");
  return extent;
}

// Items one after the other.
Stretches repeated(const Stretches& runs, MPI_Aint count, MPI_Aint stride) {
  if (runs.empty() || count <= 0) return {};
  if (runs.size() == 1 && runs.front().bytes == stride) return {{runs.front().offset, count * stride}};
  Stretches all;
  for (MPI_Aint k = 0; k < count; ++k) append(all, runs, k * stride);
  return all;
}

Stretches runs_of(MPI_Datatype type);

// The arguments with which a datatype was made.
class Made {
 public:
  Made(MPI_Datatype type, int integers, int addresses, int types)
      : integers_(static_cast<std::size_t>(integers)), addresses_(static_cast<std::size_t>(addresses)),
        types_(static_cast<std::size_t>(types)) {
    check(MPI_Type_get_contents(type, integers, addresses, types, integers_.data(), addresses_.data(), types_.data()),
          "MPI_Type_get_contents");
  }
  Made(const Made&) = delete;
  Made& operator=(const Made&) = delete;
  ~Made() {
    for (auto& type : types_) {
      int a = 0, b = 0, c = 0, combiner = MPI_COMBINER_NAMED;
      MPI_Type_get_envelope(type, &a, &b, &c, &combiner);
      if (combiner != MPI_COMBINER_NAMED) MPI_Type_free(&type);
    }
  }
  MPI_Aint integer(std::size_t k) const { return integers_.at(k); }
  MPI_Aint address(std::size_t k) const { return addresses_.at(k); }
  MPI_Datatype type(std::size_t k = 0) const { return types_.at(k); }

 private:
  std::vector<int> integers_;
  std::vector<MPI_Aint> addresses_;
  std::vector<MPI_Datatype> types_;
};

Stretches subarray(const Made& made) {
  const auto n = static_cast<std::size_t>(made.integer(0));
  const auto inner = runs_of(made.type());
  auto all = inner;
  MPI_Aint stride = extent_of(made.type());
  const bool is_c = made.integer(3 * n + 1) == MPI_ORDER_C;
  for (std::size_t k = 0; k < n; ++k) {
    const std::size_t axis = is_c ? n - 1 - k : k;
    const auto size = made.integer(1 + axis), part = made.integer(1 + n + axis), start = made.integer(1 + 2 * n + axis);
    Stretches placed;
    append(placed, repeated(all, part, stride), start * stride);
    all = std::move(placed);
    stride *= size;
  }
  return all;
}

Stretches runs_of(MPI_Datatype type) {
  int integers = 0, addresses = 0, types = 0, combiner = 0;
  check(MPI_Type_get_envelope(type, &integers, &addresses, &types, &combiner), "MPI_Type_get_envelope");
  if (combiner == MPI_COMBINER_NAMED || combiner == MPI_COMBINER_F90_REAL || combiner == MPI_COMBINER_F90_COMPLEX ||
      combiner == MPI_COMBINER_F90_INTEGER) {
    int bytes = 0;
    check(MPI_Type_size(type, &bytes), "MPI_Type_size");
    if (bytes == extent_of(type)) return {{0, bytes}};
    throw Error(
        "A datatype contains a pair type such as MPI_DOUBLE_INT, whose padding MPI does not tell. Use a struct.");
  }
  const Made made(type, integers, addresses, types);
  if (types == 0) return {};  // of a struct of nothing
  const auto inner = runs_of(made.type());
  const auto extent = extent_of(made.type());
  Stretches all;
  const auto n = integers > 0 ? made.integer(0) : 0;
  const auto at = [](MPI_Aint k) { return static_cast<std::size_t>(k); };
  switch (combiner) {
    case MPI_COMBINER_DUP:
    case MPI_COMBINER_RESIZED: return inner;
    case MPI_COMBINER_CONTIGUOUS: return repeated(inner, n, extent);
    case MPI_COMBINER_VECTOR: return repeated(repeated(inner, made.integer(1), extent), n, made.integer(2) * extent);
    case MPI_COMBINER_HVECTOR: return repeated(repeated(inner, made.integer(1), extent), n, made.address(0));
    case MPI_COMBINER_INDEXED:
      for (MPI_Aint k = 0; k < n; ++k)
        append(all, repeated(inner, made.integer(at(1 + k)), extent), made.integer(at(1 + n + k)) * extent);
      return all;
    case MPI_COMBINER_HINDEXED:
      for (MPI_Aint k = 0; k < n; ++k)
        append(all, repeated(inner, made.integer(at(1 + k)), extent), made.address(at(k)));
      return all;
    case MPI_COMBINER_INDEXED_BLOCK:
      for (MPI_Aint k = 0; k < n; ++k)
        append(all, repeated(inner, made.integer(1), extent), made.integer(at(2 + k)) * extent);
      return all;
    case MPI_COMBINER_HINDEXED_BLOCK:
      for (MPI_Aint k = 0; k < n; ++k) append(all, repeated(inner, made.integer(1), extent), made.address(at(k)));
      return all;
    case MPI_COMBINER_STRUCT:
      for (MPI_Aint k = 0; k < n; ++k)
        append(all, repeated(runs_of(made.type(at(k))), made.integer(at(1 + k)), extent_of(made.type(at(k)))),
               made.address(at(k)));
      return all;
    case MPI_COMBINER_SUBARRAY: return subarray(made);
    default:
      throw Error(
          "A datatype was made by a call that weft does not follow (MPI_Type_create_darray or Fortran's "
          "parametrised types). Use another datatype, or describe the part without one.");
  }
}

// The largest nest of loops that the offsets begin with and repeat: each round finds the innermost loop.
std::vector<Loop> take_loops(std::vector<std::size_t>& offsets) {
  std::vector<Loop> loops;
  while (offsets.size() > 1 && offsets[1] > offsets[0]) {
    const auto stride = offsets[1] - offsets[0];
    std::size_t count = 2;
    while (count < offsets.size() && offsets[count] - offsets[count - 1] == stride &&
           offsets[count] > offsets[count - 1])
      ++count;
    if (offsets.size() % count != 0) break;
    bool repeats = true;
    for (std::size_t k = 0; k < offsets.size() && repeats; ++k)
      repeats = offsets[k] == offsets[k - k % count] + k % count * stride;
    if (!repeats) break;
    std::vector<std::size_t> outer;
    for (std::size_t k = 0; k < offsets.size(); k += count) outer.push_back(offsets[k]);
    offsets = std::move(outer);
    loops.insert(loops.begin(), {count, stride});
  }
  return loops;
}

}  // namespace

Region region(void* data, std::size_t count, MPI_Datatype datatype, bool writable) {
  if (datatype == MPI_DATATYPE_NULL) throw Error("The datatype of a part is MPI_DATATYPE_NULL. Give a datatype.");
  const auto extent = extent_of(datatype);
  if (count > static_cast<std::size_t>(std::numeric_limits<MPI_Aint>::max() /
                                       std::max<MPI_Aint>(extent < 0 ? -extent : extent, 1)))
    throw Error("A part has more elements than memory can hold. Give their number.");
  const auto runs = repeated(runs_of(datatype), static_cast<MPI_Aint>(count), extent);
  auto* base = static_cast<std::byte*>(data);
  if (runs.empty()) return make_contiguous(base, 0, writable);
  MPI_Aint lowest = runs.front().offset;
  std::size_t run = 0;
  for (const auto& [offset, bytes] : runs) {
    lowest = std::min(lowest, offset);
    run = std::gcd(run, static_cast<std::size_t>(bytes));
  }
  if (base == nullptr && lowest == 0) throw Error("The memory of a part is null. Give its address.");
  std::vector<std::size_t> offsets;
  for (const auto& [offset, bytes] : runs)
    for (std::size_t at = 0; at < static_cast<std::size_t>(bytes); at += run)
      offsets.push_back(static_cast<std::size_t>(offset - lowest) + at);
  const auto loops = take_loops(offsets);
  base += lowest;
  if (offsets.size() == 1) return make_strided(base, run, loops, writable);
  return make_strided(base, run, loops, writable, offsets);
}

}  // namespace weft::mpi
