// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <functional>

#include "weft/transport/transport.hpp"

namespace weft::program {

/// Runs `action` on rank 0, where it may last for hours (a person is asked); the other ranks sleep meanwhile, look some
/// 50 times a second whether it has ended, and their patience with messages does not run out. Collective; if it throws,
/// every rank does.
void await_root(Transport& world, const std::function<void()>& action);

}  // namespace weft::program
