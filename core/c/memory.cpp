// SPDX-License-Identifier: BSD-3-Clause
//
// Regions, types and reductions.
#include <array>
#include <bit>
#include <complex>
#include <cstdlib>
#include <cstring>

#include "c/objects.hpp"
#include "weft/mpi/check.hpp"
#include "weft/mpi/datatype.hpp"

namespace weft::c {
namespace {

constexpr std::size_t most_dimensions = 64;

std::size_t dimensions_of(const weft_region& region, const char* what) {
  if (region.dimensions < 0 || static_cast<std::size_t>(region.dimensions) > most_dimensions)
    throw Error("A " + std::string(what) + " has " + std::to_string(region.dimensions) + " dimensions. Use 0 to 64.");
  return static_cast<std::size_t>(region.dimensions);
}

template <class T>
std::span<const T> list(const T* first, std::size_t count, const char* what) {
  if (count > 0) need(first, what);
  return {first, count};
}

std::byte* data_of(const weft_region& region, bool is_empty) {
  if (!is_empty) need(region.data, "The memory of a part");
  return static_cast<std::byte*>(region.data);
}

template <class T>
ReductionOfBytes built_in(weft_op op) {
  if (op == WEFT_SUM) return sum<T>().of_bytes;
  if constexpr (requires(T a) { a < a; }) return op == WEFT_MIN ? minimum<T>().of_bytes : maximum<T>().of_bytes;
  throw Error("Complex numbers have no minimum and maximum. Use WEFT_SUM, or weft_op_create.", true);
}

}  // namespace

ElementType element_type(weft_type type) {
  const auto kind = type >> 24;
  const std::size_t bytes = element_bytes(type);
  if (kind > static_cast<unsigned>(ElementType::Kind::boolean) || bytes == 0 ||
      (kind != 0 && (bytes > 32 || !std::has_single_bit(bytes))))
    throw Error("The type " + std::to_string(type) +
                " is none of weft.h. Use WEFT_DOUBLE, WEFT_BYTES(n) for n below 16 MiB, and so on.");
  return kind == 0 ? ElementType{} : ElementType::number(static_cast<ElementType::Kind>(kind), bytes);
}

std::size_t element_bytes(weft_type type) { return type & 0xffffff; }

namespace {

// The region without its device.
Region shape_of(const weft_region& region, bool is_sent) {
  if (region.size != sizeof region)
    throw HandleError("A weft_region is none of this weft.h. Make it with weft_contiguous, weft_box and so on.");
  const auto type = element_type(region.type);
  const auto bytes = element_bytes(region.type);
  const bool writable = !is_sent;
  switch (region.form) {
    case WEFT_CONTIGUOUS:
      return make_contiguous(data_of(region, region.count == 0), product_of(region.count, bytes, "A part"), writable)
          .as(type);
    case WEFT_BOX: {
      const auto n = dimensions_of(region, "box");
      const auto count = list(region.counts, n, "The count of a box");
      bool is_empty = false;
      for (const auto points : count) is_empty = is_empty || points == 0;
      return make_box(data_of(region, is_empty), bytes, list(region.extent, n, "The extent of a box"),
                      list(region.first, n, "The first point of a box"), count, writable)
          .as(type);
    }
    case WEFT_STRIDED: {
      std::vector<Loop> loops;
      bool is_empty = false;
      for (const auto& loop : list(region.loops, dimensions_of(region, "strided part"), "The loops of a part")) {
        loops.push_back({loop.count, loop.stride_bytes});
        is_empty = is_empty || loop.count == 0;
      }
      return make_strided(data_of(region, is_empty), bytes, loops, writable).as(type);
    }
    case WEFT_INDEXED:
      return make_indexed(data_of(region, region.count == 0), bytes,
                          list(region.extent, region.count, "The index of a part"), writable)
          .as(type);
    case WEFT_DATATYPE:
      if (region.data == nullptr && region.datatype != MPI_DATATYPE_NULL) {  // unless its addresses are absolute
        MPI_Aint lowest = 0, extent = 0;
        mpi::check(MPI_Type_get_true_extent(region.datatype, &lowest, &extent), "MPI_Type_get_true_extent");
        if (lowest == 0) data_of(region, region.count == 0);
      }
      return mpi::region(region.data, region.count, region.datatype, writable);
    case WEFT_GIVEN:
      throw Error("A part with weft_given() is passed where memory is needed. Pass a region with an address.");
    default: throw HandleError("A weft_region has no form. Make it with weft_contiguous, weft_box and so on.");
  }
}

}  // namespace

Region region_of(const weft_region& region, bool is_sent) {
  return shape_of(region, is_sent).on(share_if(region.device));
}

Buffers buffers_of(int count, const weft_region* regions, bool is_sent) {
  if (count < 1) throw Error("A part has " + std::to_string(count) + " buffers. Give it at least one.");
  at(regions, "The regions of a part");
  if (count == 1 && regions->size == sizeof(weft_region) && regions->form == WEFT_GIVEN)
    return given(regions->count, share_if(regions->device));
  if (count == 1) return region_of(*regions, is_sent);
  std::vector<Region> all;
  for (int k = 0; k < count; ++k) all.push_back(region_of(regions[k], is_sent));
  return Buffers(std::move(all));
}

ReductionOfBytes reduction_of(weft_op op, weft_type type) {
  element_type(type);
  if (op != WEFT_SUM && op != WEFT_MIN && op != WEFT_MAX) {
    const auto reduction = get(op).reduction;
    if (reduction.element_bytes != element_bytes(type))
      throw Error("A reduction of elements of " + std::to_string(reduction.element_bytes) +
                      " bytes is used for some of " + std::to_string(element_bytes(type)) +
                      ". Create it for this type.",
                  true);
    return reduction;
  }
  switch (type) {
    case WEFT_INT8: return built_in<std::int8_t>(op);
    case WEFT_INT16: return built_in<std::int16_t>(op);
    case WEFT_INT32: return built_in<std::int32_t>(op);
    case WEFT_INT64: return built_in<std::int64_t>(op);
    case WEFT_UINT8: return built_in<std::uint8_t>(op);
    case WEFT_UINT16: return built_in<std::uint16_t>(op);
    case WEFT_UINT32: return built_in<std::uint32_t>(op);
    case WEFT_UINT64: return built_in<std::uint64_t>(op);
    case WEFT_FLOAT: return built_in<float>(op);
    case WEFT_DOUBLE: return built_in<double>(op);
    case WEFT_FLOAT_COMPLEX: return built_in<std::complex<float>>(op);
    case WEFT_DOUBLE_COMPLEX: return built_in<std::complex<double>>(op);
    default:
      throw Error("WEFT_SUM, WEFT_MIN and WEFT_MAX need numbers. Use a type of weft.h, or weft_op_create.", true);
  }
}

Combine combine_of(weft_op op, weft_type type) { return {reduction_of(op, type), element_type(type)}; }

void refuse_part(weft_part part, Request::Kind kind, const char* otherwise) {
  static constexpr std::array names{"a send", "a receive", "a collective"};
  const auto is = part >> parts::kind_shift;
  if (is == 0 || is > names.size()) throw HandleError("The part is none that weft has given.");
  if (is != static_cast<std::uint64_t>(kind) + 1)
    throw HandleError(std::string("The part is ") + names[is - 1] + ". Pass " + names[static_cast<std::size_t>(kind)] +
                      ".");
  throw HandleError(otherwise);
}

void give_bytes(Bytes bytes, void** data, std::size_t* count) {
  at(data, "The address of the data"), at(count, "The address of the number of bytes");
  auto* copy = std::malloc(bytes.empty() ? 1 : bytes.size());
  if (copy == nullptr) throw std::bad_alloc();
  if (!bytes.empty()) std::memcpy(copy, bytes.data(), bytes.size());
  *data = copy;
  *count = bytes.size();
}

}  // namespace weft::c

using namespace weft::c;

int weft_memory_free(void* data) {
  std::free(data);
  return WEFT_OK;
}

int weft_op_create(weft_combine combine, size_t bytes, int commutative, weft_op* op) {
  return call(__func__, [&] {
    at(op, "The address of the reduction");
    need(combine, "The function of a reduction");
    if (bytes == 0) throw weft::Error("A reduction of elements of 0 bytes reduces nothing.");
    *op = handle_of<weft_op>(std::make_shared<OpObject>(
        OpObject{{.element_bytes = bytes, .combine = combine, .commutative = commutative != 0}}));
  });
}

int weft_op_free(weft_op* op) {
  return call(__func__, [&] { take(op); });
}
