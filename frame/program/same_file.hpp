// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <filesystem>
#include <string>

#include "weft/transport/transport.hpp"

namespace [[gnu::visibility("default")]] weft {
namespace program {

/// The first rank that sees another file under this name than rank 0, as text ("rank 2 on node3 sees another file of
/// this name (...)"); empty if all see the same. A name can belong to a disk of each node. Compared are size and
/// content: of files above 1 MiB 64 samples, and the time of the last change, which a copy with cp -p has, too. (Device
/// and inode would not do: they may differ for one file of a network file system, and be the same for two of two
/// disks.) What is no plain file, or not there for a rank, is left to who reads it. The same on every rank. Collective;
/// reads at most 1 MiB per rank.
std::string other_file_seen(Transport& transport, const std::filesystem::path& file);

/// Throws an InputError on every rank if a rank sees another file. Before all ranks read a file. Collective.
void check_same_file(Transport& transport, const std::filesystem::path& file);

}  // namespace program
}  // namespace weft
