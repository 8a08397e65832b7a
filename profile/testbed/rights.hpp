// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>

namespace weft::testbed {

/// Returns if this process may make network cards and mounts. Otherwise enters a new user namespace where it may, in
/// which its user and group keep their ids. Refuses if the kernel forbids that.
void gain_rights();

/// Enters the user namespace of another process, if this process is in another one.
void join_rights(int process);

/// Lets the programs that this process becomes enter nodes, if its user is not root.
void hand_on_rights();

/// Takes from this process what gain_rights() gave it.
void drop_rights();

/// What to do where the kernel does not permit to make a network: sentences.
std::string advice_on_rights();

}  // namespace weft::testbed
