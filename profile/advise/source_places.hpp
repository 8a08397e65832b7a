// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>

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

}  // namespace weft::advise
