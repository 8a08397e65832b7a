// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <string>

#include "weft/transport/transport.hpp"

namespace weft::program {

/// Memory that this machine could give to a program, bytes: its own, or less where a container's or a batch job's limit
/// is lower. 0 where the system does not tell.
std::int64_t machine_memory();

/// The same of all machines that the ranks run on, each counted once. Collective.
std::int64_t machines_memory(Transport& transport);

/// Throws InputError on every rank if all ranks together need more than the machines have: `what` takes so many bytes;
/// `advice` is what else to do. Collective.
void require_memory(Transport& transport, double bytes, const std::string& what, const std::string& advice);

}  // namespace weft::program
