// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>
#include <vector>

namespace weft::advise {

// One command may start several MPI programs. So that none replaces the files of another, each takes a number of its
// own: the files of the second begin with PREFIX-2. The number is taken by creating a file, PREFIX-2.rank-0.claim,
// which weft run removes.

/// The start of the names of the n-th program's files.
std::string numbered(const std::string& prefix, int number);

/// Takes the next number for this rank; 0: there are too many.
int claim_number(const std::string& prefix, int rank);

/// The numbers that were taken, in order.
std::vector<int> claimed_numbers(const std::string& prefix);

/// Removes the files by which the number of this very prefix was taken.
void remove_claims(const std::string& prefix);

}  // namespace weft::advise
