// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <filesystem>

namespace weft::run {

/// The absolute path of libweft_advise.so: beside this program, or where it was installed with it. Throws InputError if
/// it is not there.
std::filesystem::path preload_library();

}  // namespace weft::run
