// SPDX-License-Identifier: BSD-3-Clause
#include "fortran/array.hpp"

#include <cstring>
#include <stdexcept>
#include <vector>

namespace weft::fortran {
namespace {

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
    const auto* bytes = static_cast<const unsigned char*>(descriptor) + first_of_middle;
    const Sample* found = nullptr;
    for (const auto& sample : samples_) {
      if ((sample.type & 0xffffff) != length) continue;
      bool is_same = true;
      for (const auto i : telling_) is_same = is_same && sample.bytes[i] == bytes[i];
      if (!is_same) continue;
      if (found != nullptr) return WEFT_BYTES(length);  // the compiler does not tell two types apart
      found = &sample;
    }
    return found != nullptr ? found->type : WEFT_BYTES(length);
  }

 private:
  static constexpr std::size_t first_of_middle = 16 + sizeof(int);
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
    Middle bytes{};
    std::memcpy(bytes.data(), static_cast<const std::byte*>(descriptor) + first_of_middle, offset_ - first_of_middle);
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

}  // namespace

void refuse(const std::string& why) { throw std::runtime_error(why); }

void require_known_descriptors() { descriptors().require(); }

Array array_of(const void* descriptor, int rank, int type, const std::string& what) {
  const auto& known = descriptors();
  require_known_descriptors();
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

Array whole(const void* descriptor, int rank, int type, const std::string& what) {
  auto array = array_of(descriptor, rank, type, what);
  if (!array.is_contiguous())
    refuse(what + " is not contiguous. Collectives and fields need whole arrays, or sections without gaps.");
  return array;
}

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
}

}  // namespace weft::fortran
