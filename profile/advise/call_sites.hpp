// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace weft::advise {

/// The position of a call in its program or library file: the same on all ranks, independent of the load address.
struct CallSite {
  std::string module;        ///< path of the program or shared library, or of the source file of a program in Python
  std::uint64_t offset = 0;  ///< offset in the file, for addr2line; in a source file source_place_bit and the line
  std::string function;      ///< if the dynamic loader knows it
};

/// The position that belongs to a return address, or to a number of source_places.hpp.
CallSite call_site_of(std::uint64_t return_address);

/// The readable name of a call site.
struct Name {
  std::string text;      ///< "file.c:88 function" if that can be found, else "program+0x1234"
  std::string function;  ///< or empty
  std::string file;      ///< with its path, or empty
  int line = 0;
};

/// How names are found: if `ask`, by running addr2line once per module, for at most so many seconds.
struct Naming {
  bool ask = true;
  double seconds = 10;
  std::vector<Name> names_of(const std::vector<CallSite>& places) const;
};

}  // namespace weft::advise
