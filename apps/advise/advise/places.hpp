// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace weft::advise {

/// Where in which file of code a call is: the same on all ranks, wherever the system has put it in memory.
struct Place {
  std::string module;        ///< path of the program or shared library
  std::uint64_t offset = 0;  ///< as addr2line wants it
  std::string function;      ///< if the loader knows it
};

/// The place that a call returns to.
Place place_of(std::uint64_t return_address);

/// What a person calls a place.
struct Name {
  std::string text;      ///< "file.c:88 function" as far as it can be found out, else "program+0x1234"
  std::string function;  ///< or empty
  std::string file;      ///< with its path, or empty
  int line = 0;
};

/// How names are found: by addr2line, once a module, if `ask`, and for so many seconds at most.
struct Naming {
  bool ask = true;
  double seconds = 10;
  std::vector<Name> names_of(const std::vector<Place>& places) const;
};

}  // namespace weft::advise
