// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <functional>

#include "weft/transport/transport.hpp"

namespace [[gnu::visibility("default")]] weft {
namespace program {

/// Runs `action` on rank 0, where it may take hours (it may wait for a person). The other ranks sleep, check about 200
/// times per second whether it has ended, and suspend their message time-out meanwhile. Collective. If it throws, it
/// throws on every rank.
void await_root(Transport& world, const std::function<void()>& action);

}  // namespace program
}  // namespace weft
