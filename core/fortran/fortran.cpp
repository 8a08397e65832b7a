// SPDX-License-Identifier: BSD-3-Clause
//
// The part of the module weft (weft.f90) that needs C++: it finds the memory behind Fortran's array descriptors, and
// keeps what the callbacks of the module need. It is in libweft_c, so that another compiler needs weft.f90 only.
#include <mpi.h>
#include <weft.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <exception>
#include <limits>
#include <mutex>
#include <stdexcept>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

namespace {

constexpr int interface_number = 1;  // of these functions; weft.f90 has it, too
constexpr int most_ranks = 15;       // dimensions of an array in Fortran

/// Runs the work of an entry; what it throws becomes the sentence of weft_error_text().
template <class Work>
int call(const Work& work) noexcept {
  try {
    return work();
  } catch (const std::exception& error) {
    return weft_raise(error.what());
  }
}

[[noreturn]] void refuse(const std::string& why) { throw std::runtime_error(why); }

// ------------------------------------------------------------------------------------------------------- descriptors

/// What the compiler passes for `type(*), dimension(..)`. The standard fixes the first three members (address, element
/// length, version), and that the dimensions come last. So the module shows weft some arrays that it knows, and weft
/// finds the rest.
class Descriptors {
 public:
  /// The array of 2-byte elements with these extents and strides (bytes).
  void learn_shape(const void* descriptor, const void* address, int rank, const std::int64_t* extents,
                   const std::int64_t* strides) {
    void* base = nullptr;
    std::size_t length = 0;
    std::memcpy(&base, descriptor, sizeof base);
    std::memcpy(&length, static_cast<const std::byte*>(descriptor) + sizeof base, sizeof length);
    if (base != address || length != 2) return;
    const auto fits = [&](std::size_t offset, std::size_t extent, std::size_t stride) {
      for (int d = 0; d < rank; ++d)
        if (word(descriptor, offset, d, extent) != extents[d] || word(descriptor, offset, d, stride) != strides[d])
          return false;
      return true;
    };
    if (shapes_ == 0) {  // the most telling one comes first
      for (std::size_t offset = 24; offset <= 64 && shapes_ == 0; offset += sizeof(std::ptrdiff_t))
        for (const auto [extent, stride] : {std::array{1, 2}, {0, 2}, {0, 1}, {2, 1}, {1, 0}, {2, 0}})
          if (shapes_ == 0 && fits(offset, static_cast<std::size_t>(extent), static_cast<std::size_t>(stride))) {
            offset_ = offset;
            extent_ = static_cast<std::size_t>(extent);
            stride_ = static_cast<std::size_t>(stride);
            shapes_ = 1;
            middle_ = middle(descriptor);
          }
      return;
    }
    if (!fits(offset_, extent_, stride_)) return;
    ++shapes_;
    const auto other = middle(descriptor);  // bytes that depend on the rank say nothing about the type
    for (std::size_t i = 0; i < other.size(); ++i) with_rank_[i] = with_rank_[i] || other[i] != middle_[i];
  }

  /// An array of this type, of one dimension.
  void learn_type(const void* descriptor, weft_type type) {
    if (!are_known()) return;
    const Sample sample{type, middle(descriptor)};
    for (const auto& other : samples_)
      for (std::size_t i = 0; i < sample.bytes.size(); ++i)
        varies_[i] = varies_[i] || (!with_rank_[i] && sample.bytes[i] != other.bytes[i]);
    samples_.push_back(sample);
    telling_.clear();
    for (std::size_t i = 0; i < varies_.size(); ++i)
      if (varies_[i]) telling_.push_back(i);
  }

  bool are_known() const { return shapes_ == 3; }
  bool is_complete() const { return !samples_.empty(); }

  void require() const {
    if (!are_known())
      refuse(
          "weft does not understand the array descriptors of this Fortran compiler. Compile with gfortran or flang, or "
          "report the compiler and its version.");
  }

  std::int64_t extent(const void* descriptor, int dimension) const {
    return word(descriptor, offset_, dimension, extent_);
  }
  std::int64_t stride(const void* descriptor, int dimension) const {
    return word(descriptor, offset_, dimension, stride_);
  }
  /// The type of the elements; without a type if it is none of weft.h.
  weft_type type(const void* descriptor, std::size_t length) const {
    const auto bytes = middle(descriptor);
    const Sample* found = nullptr;
    for (const auto& sample : samples_) {
      bool is_same = (sample.type & 0xffffff) == length;
      for (const auto i : telling_) is_same = is_same && sample.bytes[i] == bytes[i];
      if (!is_same) continue;
      if (found != nullptr) return WEFT_BYTES(length);  // the compiler does not tell two types apart
      found = &sample;
    }
    return found != nullptr ? found->type : WEFT_BYTES(length);
  }

 private:
  using Middle = std::array<unsigned char, 48>;  // from the version to the dimensions: rank, type and others
  struct Sample {
    weft_type type;
    Middle bytes;
  };

  static std::int64_t word(const void* descriptor, std::size_t offset, int dimension, std::size_t member) {
    std::ptrdiff_t value = 0;
    const auto at = offset + (3 * static_cast<std::size_t>(dimension) + member) * sizeof value;
    std::memcpy(&value, static_cast<const std::byte*>(descriptor) + at, sizeof value);
    return value;
  }
  Middle middle(const void* descriptor) const {
    constexpr std::size_t first = 16 + sizeof(int);
    Middle bytes{};
    std::memcpy(bytes.data(), static_cast<const std::byte*>(descriptor) + first, offset_ - first);
    return bytes;
  }

  int shapes_ = 0;  // that were understood
  std::size_t offset_ = 0, extent_ = 0, stride_ = 0;
  Middle middle_{};
  std::array<bool, 48> with_rank_{}, varies_{};
  std::vector<std::size_t> telling_;  // the bytes that vary: few, since each part of a list is looked up
  std::vector<Sample> samples_;
};

Descriptors& descriptors() {
  static Descriptors known;
  return known;
}

/// An array that Fortran passed.
struct Array {
  std::byte* data = nullptr;
  std::size_t length = 0;  // of an element, bytes
  weft_type type = 0;
  int rank = 0;
  std::array<std::int64_t, most_ranks> extent, stride;  // elements, bytes; of the first `rank` dimensions

  std::int64_t count() const {
    std::int64_t n = 1;
    for (int d = 0; d < rank; ++d) n *= extent[static_cast<std::size_t>(d)];
    return n;
  }
  bool is_contiguous() const {
    auto dense = static_cast<std::int64_t>(length);
    for (std::size_t d = 0; d < static_cast<std::size_t>(rank); ++d) {
      if (extent[d] != 1 && stride[d] != dense) return count() == 0;
      dense *= extent[d];
    }
    return true;
  }
};

/// `type`: -1 as the compiler says, 0 none, or one of weft.h.
Array array_of(const void* descriptor, int rank, int type, const std::string& what) {
  const auto& known = descriptors();
  known.require();
  if (descriptor == nullptr) refuse(what + " is missing.");
  Array array;
  std::memcpy(&array.data, descriptor, sizeof array.data);
  std::memcpy(&array.length, static_cast<const std::byte*>(descriptor) + sizeof array.data, sizeof array.length);
  array.rank = rank;
  for (int d = 0; d < rank; ++d) {
    const auto i = static_cast<std::size_t>(d);
    array.extent[i] = known.extent(descriptor, d);
    array.stride[i] = known.stride(descriptor, d);
    if (array.extent[i] < 0)
      refuse(what + " has no known size (it is assumed-size). Pass a section of it, such as a(1:n).");
  }
  if (array.length == 0 || array.length > 0xffffff)
    refuse(what + " has elements of " + std::to_string(array.length) + " bytes. Use 1 byte to 16 MiB.");
  if (array.data == nullptr) refuse(what + " is not allocated or not associated.");
  array.type = type < 0    ? known.type(descriptor, array.length)
               : type == 0 ? WEFT_BYTES(array.length)
                           : static_cast<weft_type>(type);
  if ((array.type & 0xffffff) != array.length)
    refuse(what + " has elements of " + std::to_string(array.length) + " bytes, but its type= has " +
           std::to_string(array.type & 0xffffff) + ".");
  return array;
}

/// An array in one piece, as collectives need it.
Array whole(const void* descriptor, int rank, int type, const std::string& what) {
  auto array = array_of(descriptor, rank, type, what);
  if (!array.is_contiguous())
    refuse(what + " is not contiguous. Collectives and fields need whole arrays, or sections without gaps.");
  return array;
}

/// What of an array is meant, as the module's type `section`: all, a box, or elements with an index.
struct Section {
  int type;        // as in array_of
  int dimensions;  // of the box, 0: all
  int up_to;
  int with_last;  // whether `last` was given
  std::int64_t first[most_ranks], last[most_ranks], lower[most_ranks];
  std::int64_t indices;  // -1: none
  const std::int64_t* index;
};

/// A region together with the numbers that it borrows.
struct Memory {
  weft_region region;
  std::vector<weft_loop> loops;
  std::vector<std::size_t> index;
};

Memory memory_of(Array&& array, const Section& section, const std::string& what) {
  const int rank = array.rank;
  Memory memory;
  const auto at = [](std::int64_t number) { return std::to_string(number); };
  if (section.indices >= 0) {
    if (!array.is_contiguous() || rank > 1)
      refuse(what + " with index= is not a contiguous array of one dimension. Pass the whole array.");
    for (std::int64_t i = 0; i < section.indices; ++i) {
      const auto position = section.index[i] - section.lower[0];
      if (position < 0 || position >= array.count())
        refuse("index(" + at(i + 1) + ") is " + at(section.index[i]) + ", but the array has the elements " +
               at(section.lower[0]) + " to " + at(section.lower[0] + array.count() - 1) +
               " (weft counts from 1 unless lower= says otherwise).");
      memory.index.push_back(static_cast<std::size_t>(position));
    }
    memory.region = weft_indexed(array.data, array.type, memory.index.size(), memory.index.data());
    return memory;
  }
  if (section.dimensions > 0) {
    if (section.dimensions != rank)
      refuse("first= or last= has " + at(section.dimensions) + " numbers, but the array has rank " + at(rank) + ".");
    for (std::size_t d = 0; d < static_cast<std::size_t>(rank); ++d) {
      const auto lower = section.lower[d], upper = lower + array.extent[d] - 1;
      const auto first = section.first[d], last = section.with_last != 0 ? section.last[d] : upper;
      if (last >= first && (first < lower || last > upper))
        refuse("first= and last= select " + at(first) + ":" + at(last) + " in dimension " + at(std::int64_t(d) + 1) +
               ", but the array has " + at(lower) + ":" + at(upper) +
               " (weft counts from 1 unless lower= says otherwise).");
      array.extent[d] = std::max<std::int64_t>(last - first + 1, 0);
      if (array.extent[d] > 0 && array.data != nullptr) array.data += (first - lower) * array.stride[d];
    }
  }
  if (array.is_contiguous()) {
    memory.region = weft_contiguous(array.data, static_cast<std::size_t>(array.count()), array.type);
  } else {
    for (auto d = static_cast<std::size_t>(rank); d-- > 0;) {
      if (array.extent[d] == 1) continue;
      if (array.stride[d] < 0) refuse(what + " runs backwards in a dimension. Pass it with a positive stride.");
      memory.loops.push_back({static_cast<std::size_t>(array.extent[d]), static_cast<std::size_t>(array.stride[d])});
    }
    memory.region = weft_strided(array.data, array.type, static_cast<int>(memory.loops.size()), memory.loops.data());
  }
  if (section.up_to != 0) memory.region = weft_up_to(memory.region);
  return memory;
}

std::vector<std::size_t> counts_of(const std::int64_t* counts, int ranks, std::int64_t sum_is_at_most,
                                   const std::string& what) {
  std::vector<std::size_t> sizes;
  std::int64_t sum = 0;
  for (int r = 0; r < ranks; ++r) {
    if (counts[r] < 0) refuse("A number of elements is negative. Use 0 or more.");
    sizes.push_back(static_cast<std::size_t>(counts[r]));
    sum += counts[r];
  }
  if (sum > sum_is_at_most)
    refuse(what + " has " + std::to_string(sum_is_at_most) + " elements, but the counts need " + std::to_string(sum) +
           ".");
  return sizes;
}

// --------------------------------------------------------------------------------------------------------- callbacks

thread_local int raised = 0;

/// The records of callbacks of each object, which the module deallocates after the object.
std::mutex records_mutex;
std::unordered_multimap<void*, void*>& records() {
  static std::unordered_multimap<void*, void*> all;
  return all;
}

bool initialised_by_weft = false;

}  // namespace

extern "C" {

WEFT_API int weft_fortran_is_ready(void) { return descriptors().is_complete() ? 1 : 0; }

WEFT_API int weft_fortran_learn_shape(const void* array, const void* address, int rank, const std::int64_t* extents,
                                      const std::int64_t* strides) {
  return call([&] {
    descriptors().learn_shape(array, address, rank, extents, strides);
    return WEFT_OK;
  });
}
WEFT_API int weft_fortran_learn_type(const void* array, int type) {
  return call([&] {
    descriptors().learn_type(array, static_cast<weft_type>(type));
    return WEFT_OK;
  });
}

/// Initialises MPI if nobody has.
WEFT_API int weft_fortran_init(void) {
  int is_initialised = 0, provided = 0;
  MPI_Initialized(&is_initialised);
  if (is_initialised != 0) return WEFT_OK;
  if (MPI_Init_thread(nullptr, nullptr, MPI_THREAD_MULTIPLE, &provided) != MPI_SUCCESS)
    return weft_raise("MPI can't be initialised.");
  initialised_by_weft = true;
  return WEFT_OK;
}
/// Finalises MPI if weft has initialised it.
WEFT_API int weft_fortran_finalize(void) {
  int is_finalised = 0;
  MPI_Finalized(&is_finalised);
  if (initialised_by_weft && is_finalised == 0 && MPI_Finalize() != MPI_SUCCESS)
    return weft_raise("MPI can't be finalised.");
  return WEFT_OK;
}

/// `interface`: of weft.f90. `mpi`: the integer of a communicator, which is also all of a type(MPI_Comm); absent:
/// MPI_COMM_WORLD.
WEFT_API int weft_fortran_comm_create(int interface, const void* mpi, weft_comm* comm) {
  return call([&]() -> int {
    if (interface != interface_number)
      refuse("weft.f90 does not fit to libweft_c, which has version " WEFT_VERSION
             ". Compile the weft.f90 that was installed with the library.");
    descriptors().require();
    if (const int code = weft_fortran_init(); code != WEFT_OK) return code;
    int is_finalised = 0;
    MPI_Finalized(&is_finalised);
    if (is_finalised != 0) refuse("MPI was finalised. Make all objects of weft before.");
    MPI_Comm communicator = MPI_COMM_WORLD;
    if (mpi != nullptr) {
      MPI_Fint number = 0;
      std::memcpy(&number, mpi, sizeof number);
      communicator = MPI_Comm_f2c(number);
    }
    if (communicator == MPI_COMM_NULL) refuse("The communicator is MPI_COMM_NULL. Call this only on its ranks.");
    return weft_comm_create(communicator, comm);
  });
}

/// Frees an object of the module. `kind`: in the order of the module.
WEFT_API int weft_fortran_free(int kind, void** handle) {
  const auto free = [&](auto function, auto type) {
    type = static_cast<decltype(type)>(*handle);
    const int code = function(&type);
    *handle = type;
    return code;
  };
  switch (kind) {
    case 1: return free(weft_comm_free, weft_comm());
    case 2: return free(weft_space_free, weft_space());
    case 3: return free(weft_progress_free, weft_progress());
    case 4: return free(weft_timeline_free, weft_timeline());
    case 5: return free(weft_exchange_free, weft_exchange());
    case 6: return free(weft_op_free, weft_op());
    case 7: return free(weft_step_manager_free, weft_step_manager());
    case 8: return free(weft_grid_free, weft_grid());
    case 9: return free(weft_halo_free, weft_halo());
    case 10: return free(weft_halo_exchange_free, weft_halo_exchange());
    case 11: return free(weft_monitors_free, weft_monitors());
    case 12: return free(weft_rounds_free, weft_rounds());
    case 13: return free(weft_mailbox_free, weft_mailbox());
    case 14: return free(weft_tuning_free, weft_tuning());
    case 15: return free(weft_overlap_report_free, weft_overlap_report());
    default: return WEFT_OK;
  }
}

/// Marks the running callback of this thread as failed.
WEFT_API void weft_fortran_raise(const char* why) {
  weft_raise(why);
  raised = 1;
}
/// Sets the mark, and returns what it was.
WEFT_API int weft_fortran_raised(int value) {
  const int before = raised;
  raised = value;
  return before;
}

WEFT_API int weft_fortran_keep(void* owner, void* record) {
  return call([&] {
    const std::lock_guard lock(records_mutex);
    records().emplace(owner, record);
    return WEFT_OK;
  });
}
/// The next record of an object that is gone; NULL after the last.
WEFT_API void* weft_fortran_drop(void* owner) {
  const std::lock_guard lock(records_mutex);
  const auto found = records().find(owner);
  if (found == records().end()) return nullptr;
  void* record = found->second;
  records().erase(found);
  return record;
}

/// Adds a send or a receive. `all`: `array` is a component of its first element, and the component of every element is
/// meant; may be NULL. `swap`: the same section of a second array, for programs that swap two; may be NULL.
WEFT_API int weft_fortran_part(weft_requests list, int receives, int peer, std::int64_t key, const void* array,
                               int rank, const void* all, int all_rank, const void* swap, int swap_rank,
                               const Section* section, int round, weft_part* part) {
  return call([&] {
    static const std::array<std::string, 2> names{"A sent array", "A received array"};
    const auto& what = names[receives != 0 ? 1 : 0];
    auto given = array_of(array, rank, section->type, what);
    if (all != nullptr) {
      const auto structs = array_of(all, all_rank, 0, "The array of component_of=");
      if (rank != 0 || given.data < structs.data || given.data + given.length > structs.data + structs.length)
        refuse(what +
               " with component_of= is no component of its first element. Use it as in send(peer, key, p(1)%x, "
               "component_of=p).");
      given.rank = all_rank;
      given.extent = structs.extent;
      given.stride = structs.stride;
    }
    const auto one = memory_of(std::move(given), *section, what);
    const auto add = receives != 0 ? weft_receive_buffers : weft_send_buffers;
    const auto id = static_cast<std::uint64_t>(key);
    if (swap == nullptr) return add(list, peer, id, 1, &one.region, round, part);
    const auto two =
        memory_of(array_of(swap, swap_rank, section->type, "The array of swap="), *section, "The array of swap=");
    const std::array regions{one.region, two.region};
    return add(list, peer, id, 2, regions.data(), round, part);
  });
}

/// Adds a part without memory.
WEFT_API int weft_fortran_given(weft_requests list, int receives, int peer, std::int64_t key, std::int64_t bytes,
                                int up_to, int round, weft_part* part) {
  return call([&] {
    if (bytes < 0) refuse("A part has a negative number of bytes. Use 0 or more.");
    auto region = weft_given(static_cast<std::size_t>(bytes));
    if (up_to != 0) region = weft_up_to(region);
    return (receives != 0 ? weft_receive : weft_send)(list, peer, static_cast<std::uint64_t>(key), region, round, part);
  });
}

/// Gives memory to such a part. `call_of`: ready in an exchange or a step, rebind in an exchange or a manager.
WEFT_API int weft_fortran_bind(int call_of, void* object, const char* name, weft_part part, const void* array, int rank,
                               const Section* section) {
  return call([&]() -> int {
    const std::string what = "The array of a part";
    const auto memory = memory_of(array_of(array, rank, section->type, what), *section, what);
    switch (call_of) {
      case 0: return weft_exchange_ready_region(static_cast<weft_exchange>(object), part, memory.region);
      case 1: return weft_step_ready_region(static_cast<weft_step>(object), part, memory.region);
      case 2: return weft_exchange_rebind(static_cast<weft_exchange>(object), part, memory.region);
      default: return weft_step_manager_rebind(static_cast<weft_step_manager>(object), name, part, memory.region);
    }
  });
}

/// Gives another address to a field of a halo: in a manager (with the client's name), or in a halo exchange.
WEFT_API int weft_fortran_rebind_field(int in_manager, void* object, const char* name, int field, const void* array,
                                       int rank) {
  return call([&] {
    const auto memory = array_of(array, rank, -1, "The field");
    const auto number = static_cast<std::size_t>(field - 1);
    return in_manager != 0
               ? weft_step_manager_rebind_field(static_cast<weft_step_manager>(object), name, number, memory.data)
               : weft_halo_exchange_rebind(static_cast<weft_halo_exchange>(object), number, memory.data);
  });
}

/// Adds a collective (a weft_collective_kind; 6 is a gather). Counts are those of all ranks, one for each of `ranks`.
WEFT_API int weft_fortran_collective(weft_requests list, int kind, int this_rank, int ranks, int root, const void* in,
                                     int in_rank, const std::int64_t* in_counts, const void* out, int out_rank,
                                     const std::int64_t* out_counts, std::intptr_t op, int type, int round,
                                     weft_part* part) {
  return call([&]() -> int {
    const auto to = whole(out, out_rank, type, "The array of a collective");
    const auto total = to.count();
    if (kind == WEFT_COLLECTIVE_BROADCAST)
      return weft_broadcast(list, root, to.data, static_cast<std::size_t>(total), to.type, round, part);
    const auto from = whole(in, in_rank, type, "The array of a collective");
    const auto count = from.count();
    if (from.type != to.type)
      refuse("The two arrays of a collective differ in the type of their elements. Use one type.");
    const bool is_here = this_rank == root || (kind != WEFT_COLLECTIVE_REDUCE && kind != 6);
    switch (kind) {
      case WEFT_COLLECTIVE_REDUCE:
      case WEFT_COLLECTIVE_ALL_REDUCE: {
        if (is_here && total != count)
          refuse("The arrays of a reduction have " + std::to_string(count) + " and " + std::to_string(total) +
                 " elements. Give both the same number.");
        const auto how = reinterpret_cast<weft_op>(op);
        const auto n = static_cast<std::size_t>(count);
        return kind == WEFT_COLLECTIVE_REDUCE
                   ? weft_reduce(list, root, from.data, to.data, n, to.type, how, round, part)
                   : weft_all_reduce(list, from.data, to.data, n, to.type, how, round, part);
      }
      case WEFT_COLLECTIVE_ALL_TO_ALL: {
        const auto sent = counts_of(in_counts, ranks, count, "The sent array");
        const auto received = counts_of(out_counts, ranks, total, "The received array");
        return weft_all_to_all(list, from.data, sent.data(), to.data, received.data(), to.type, round, part);
      }
      default: {
        const auto counts = counts_of(out_counts, ranks, is_here ? total : std::numeric_limits<std::int64_t>::max(),
                                      "The gathered array");
        if (this_rank >= 0 && this_rank < ranks && out_counts[this_rank] > count)
          refuse("The counts say that this rank sends " + std::to_string(out_counts[this_rank]) +
                 " elements, but its array has " + std::to_string(count) + ".");
        return kind == 6 ? weft_gather(list, root, from.data, to.data, counts.data(), to.type, round, part)
                         : weft_all_gather(list, from.data, to.data, counts.data(), to.type, round, part);
      }
    }
  });
}

/// Adds a field to a halo: its array has the points of the block (`points` along each axis) with `layers` ghost points
/// on each side, and perhaps one more dimension, first or last, for its components.
WEFT_API int weft_fortran_halo_add(weft_halo halo, int dimensions, const std::int64_t* points, int layers,
                                   int components_are, int reads, int moves, const int* velocities, const char* name,
                                   const void* array, int rank, int* number) {
  return call([&] {
    const std::string what = "The field '" + std::string(name) + "'";
    const auto field = array_of(array, rank, -1, what);
    std::string shape;
    for (int d = 0; d < dimensions; ++d) shape += (d > 0 ? " x " : "") + std::to_string(points[d] + 2 * layers);
    const auto has_points_from = [&](int from) {
      for (int d = 0; d < dimensions; ++d)
        if (field.extent[static_cast<std::size_t>(from + d)] != points[d] + 2 * layers) return false;
      return true;
    };
    // components: 0 none, 1 in the first dimension, 2 in the last one
    const bool can_be_first = rank == dimensions + 1 && components_are != 2 && has_points_from(1);
    const bool can_be_last = rank == dimensions + 1 && components_are != 1 && has_points_from(0);
    if (can_be_first && can_be_last)
      refuse(what + " may have its components first or last. Say components=weft_first or components=weft_last.");
    if (!can_be_first && !can_be_last && !(rank == dimensions && has_points_from(0))) {
      std::string given;
      for (int d = 0; d < rank; ++d)
        given += (d > 0 ? " x " : "") + std::to_string(field.extent[static_cast<std::size_t>(d)]);
      refuse(what + " has " + given + " elements, but the block with its ghost points has " + shape +
             " points. Allocate the array with ghost points on both sides, and the components in a dimension of their "
             "own, first or last.");
    }
    const std::size_t first = can_be_first ? 1 : 0;  // dimension of the first axis
    const auto length = static_cast<std::int64_t>(field.length);
    const auto last = first + static_cast<std::size_t>(dimensions);
    weft_field options{};
    options.size = sizeof options;
    options.data = field.data;
    options.type = field.type;
    options.order = WEFT_COLUMN_MAJOR;
    const auto site = field.stride[first] / length;
    options.site_stride = static_cast<std::size_t>(site);
    bool fits = field.stride[first] % length == 0 && site > 0;
    std::int64_t row = field.extent[first];
    if (fits && dimensions > 1) {
      row = field.stride[first + 1] / field.stride[first];
      fits = field.stride[first + 1] % field.stride[first] == 0 && row >= field.extent[first];
      if (row != field.extent[first]) options.pitch = static_cast<std::size_t>(row);
    }
    std::int64_t dense = field.stride[first] * row;
    for (auto d = first + 1; d < last; ++d) {
      fits = fits && field.stride[d] == dense;
      dense *= field.extent[d];
    }
    if (rank > dimensions) {
      const std::size_t component = can_be_first ? 0 : last;
      options.components = static_cast<std::size_t>(field.extent[component]);
      options.component_stride = static_cast<std::size_t>(field.stride[component] / length);
      fits = fits && field.stride[component] > 0 && field.stride[component] % length == 0;
    }
    if (!fits) refuse(what + " is a section with gaps that weft can't describe. Pass the whole array.");
    options.layers = static_cast<std::size_t>(layers);
    options.reads = reads;
    options.moves = moves;
    options.velocities = reinterpret_cast<const int(*)[3]>(velocities);
    options.name = name;
    std::size_t at = 0;
    const int code = weft_halo_add(halo, &options, &at);
    if (code == WEFT_OK) *number = static_cast<int>(at) + 1;
    return code;
  });
}

/// As the module's type `rounds_options`.
struct FortranRounds {
  int kind, algorithm, arity, root, phased;
  std::int64_t every, offset;
  std::intptr_t op;
  void* context;
  int (*load)(void* context);
  int (*use)(void* context);
};
WEFT_API int weft_fortran_rounds_create(weft_comm comm, const FortranRounds* given, int ranks, const void* in,
                                        int in_rank, const void* out, int out_rank, weft_rounds* rounds) {
  return call([&] {
    weft_rounds_options options{};
    options.size = sizeof options;
    options.kind = given->kind;
    options.algorithm = given->algorithm;
    options.arity = given->arity;
    options.root = given->root;
    options.phased = given->phased;
    options.every = given->every;
    options.offset = given->offset;
    options.op = reinterpret_cast<weft_op>(given->op);
    options.context = given->context;
    options.load = given->load;
    options.use = given->use;
    std::int64_t count = 0;
    if (in != nullptr) {
      const auto from = whole(in, in_rank, -1, "The array in=");
      options.in = from.data;
      options.type = from.type;
      count = from.count();
      if (given->kind == WEFT_COLLECTIVE_ALL_TO_ALL) count /= ranks;
    }
    if (out != nullptr) {
      const auto to = whole(out, out_rank, -1, "The array out=");
      if (in != nullptr && to.type != options.type)
        refuse("in= and out= differ in the type of their elements. Use one type.");
      if (given->kind == WEFT_COLLECTIVE_BROADCAST) count = to.count();
      const bool has_all = given->kind == WEFT_COLLECTIVE_ALL_GATHER || given->kind == WEFT_COLLECTIVE_ALL_TO_ALL;
      const auto needed = has_all ? count * ranks : count;
      if (to.count() < needed)
        refuse("The array out= has " + std::to_string(to.count()) + " elements, but " + std::to_string(needed) +
               " are needed.");
      options.out = to.data;
      options.type = to.type;
    }
    options.count = static_cast<std::size_t>(count);
    return weft_rounds_create(comm, &options, rounds);
  });
}

/// The communication of a tile: a started exchange, or the integer of an MPI request.
WEFT_API int weft_fortran_started(weft_communication* communication, weft_exchange exchange, const void* request) {
  communication->exchange = exchange;
  if (exchange == nullptr && request != nullptr) {
    MPI_Fint number = 0;
    std::memcpy(&number, request, sizeof number);
    communication->request = MPI_Request_f2c(number);
  }
  return WEFT_OK;
}

WEFT_API int weft_fortran_post(weft_mailbox mailbox, int rank, int type, const void* array, int array_rank) {
  return call([&] {
    const auto data = whole(array, array_rank, 0, "A message");
    return weft_mailbox_post(mailbox, rank, static_cast<std::uint32_t>(type), data.data,
                             static_cast<std::size_t>(data.count()) * data.length);
  });
}

/// Combines one number of a monitor: the sum, the smallest or the largest.
WEFT_API void weft_fortran_sum(const void* left, void* inout, std::size_t) {
  *static_cast<double*>(inout) += *static_cast<const double*>(left);
}
WEFT_API void weft_fortran_minimum(const void* left, void* inout, std::size_t) {
  const double a = *static_cast<const double*>(left);
  auto& b = *static_cast<double*>(inout);
  if (a != a || a < b) b = a;
}
WEFT_API void weft_fortran_maximum(const void* left, void* inout, std::size_t) {
  const double a = *static_cast<const double*>(left);
  auto& b = *static_cast<double*>(inout);
  if (a != a || a > b) b = a;
}
}
