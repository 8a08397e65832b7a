// SPDX-License-Identifier: BSD-3-Clause
#include <weft/collective/schedule.hpp>

int main() { return weft::algorithms_of(weft::Collective::Kind::all_reduce).empty() ? 1 : 0; }
