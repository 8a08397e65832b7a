// SPDX-License-Identifier: BSD-3-Clause
//
// The part of the module weft (weft.f90) that needs C++: it finds the memory behind Fortran's array descriptors, and
// keeps what the callbacks of the module need. It is in libweft_c, so that another compiler needs weft.f90 only.
#pragma once

#include <weft.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <string>

namespace weft::fortran {

constexpr int most_ranks = 15;  // dimensions of an array in Fortran

/// Runs the work of an entry; what it throws becomes the sentence of weft_error_text().
template <class Work>
int call(const Work& work) noexcept {
  try {
    return work();
  } catch (const std::exception& error) {
    return weft_raise(error.what());
  }
}

[[noreturn]] void refuse(const std::string& why);

/// Throws if the descriptors of the compiler were not understood.
void require_known_descriptors();

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

/// `type`: -1 as the compiler says, 0 none, or one of weft.h. `what`: for sentences, such as "A sent array".
Array array_of(const void* descriptor, int rank, int type, const std::string& what);
/// An array in one piece, as collectives need it.
Array whole(const void* descriptor, int rank, int type, const std::string& what);

}  // namespace weft::fortran
