// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <nanobind/nanobind.h>

#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "weft/transport/region.hpp"

namespace weft::python {

namespace nb = nanobind;

/// The kind of an array's elements, as in numpy: signed and unsigned integers, floating point, complex numbers, bool;
/// `bytes`: anything else (structures, dates, another byte order), which can be sent but not reduced.
enum class Kind : unsigned char { bytes, integer, unsigned_integer, real, complex, boolean };

/// The memory of a Python array, without a copy: of anything with the buffer protocol, __array_interface__,
/// __cuda_array_interface__ or DLPack.
struct Memory {
  std::byte* data = nullptr;
  std::size_t item = 1;                 ///< bytes of an element
  Kind kind = Kind::bytes;              ///< of the elements
  std::string format;                   ///< of Kind::bytes: as the array describes it
  std::vector<std::size_t> shape;       ///< elements along each axis
  std::vector<std::ptrdiff_t> strides;  ///< in bytes
  bool writable = false;
  nb::object keeper;                       ///< keeps the memory at its address
  std::shared_ptr<device::Device> device;  ///< whose memory it is; null: the host's

  std::size_t elements() const;
  std::size_t bytes() const { return elements() * item; }
  bool is_contiguous() const;  ///< in the order of C
  std::string type() const;    ///< the elements' type as numpy names it: "float64"
  ElementType code() const;    ///< the same, as the ranks compare it
};

/// Which memory a function takes.
enum class Where : unsigned char { host, anywhere };

/// Throws a TypeError if the object is no array, or is read-only and `writes`, or is elsewhere. `what` begins the
/// message.
Memory memory_of(nb::handle array, bool writes, const char* what, Where where = Where::host);

/// The number of bytes if the object is an integer of Python or of numpy, not an array. Throws an InputError if it is
/// negative. `what` begins the message.
std::optional<std::size_t> number_of_bytes(nb::handle number, const char* what);

/// The region of an array whose elements are sent in the order 'C' (last axis fastest) or 'F' (first axis fastest).
Region region_of(const Memory& memory, bool writes, char order, const char* what);

/// 'C' or 'F'; otherwise throws an InputError.
char order_of(const std::string& order);

/// An array of numpy, uninitialised. `type`: a dtype or its name.
nb::object new_array(const std::vector<std::size_t>& shape, nb::handle type);

}  // namespace weft::python
