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

/// "file.c:88 function" as far as it can be found out; asks addr2line, once a module, if `ask`.
std::vector<std::string> names_of(const std::vector<Place>& places, bool ask);

}  // namespace weft::advise
