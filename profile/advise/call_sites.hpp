// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace weft::advise {

/// A line of a source file, known without an instruction's address: of a program in Python.
struct SourcePlace {
  std::string file, function;
  int line = 0;
};

/// Call sites of interpreted programs have numbers in the place of addresses, which no address in memory has.
constexpr std::uint64_t source_place_bit = std::uint64_t{1} << 63;
constexpr std::size_t most_source_places = 16384;
constexpr bool is_source_place(std::uint64_t address) { return (address & source_place_bit) != 0; }

/// The number of this place, always the same one; `instruction` tells several MPI calls of one line apart. 0 if there
/// are too many places. Any thread may call it.
std::uint64_t source_place(SourcePlace place, std::uint64_t instruction);

/// Nothing if the number is of no place.
std::optional<SourcePlace> source_place_of(std::uint64_t number);

/// The position of a call in its program or library file: the same on all ranks, independent of the load address.
struct CallSite {
  std::string module;        ///< path of the program or shared library, or of the source file of a program in Python
  std::uint64_t offset = 0;  ///< offset in the file, for addr2line; in a source file source_place_bit and the line
  std::string function;      ///< if the dynamic loader knows it
};

/// The position that belongs to a return address, or to a number of source_place().
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
