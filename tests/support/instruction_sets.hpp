// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <vector>

#include "lattice/model.hpp"

namespace weft::test {

/// Those that this processor has, besides the generic one.
inline std::vector<lattice::InstructionSet> wide_instruction_sets() {
  std::vector<lattice::InstructionSet> sets;
  for (const auto& [set, name] : lattice::instruction_set_names)
    if (set > lattice::InstructionSet::generic && supported(set)) sets.push_back(set);
  return sets;
}

/// All that this processor has, the generic one first.
inline std::vector<lattice::InstructionSet> instruction_sets() {
  auto sets = wide_instruction_sets();
  sets.insert(sets.begin(), lattice::InstructionSet::generic);
  return sets;
}

}  // namespace weft::test
