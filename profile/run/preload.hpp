// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <filesystem>

namespace weft::run {

/// The folder of this program, and of those that come with it.
std::filesystem::path program_folder();

/// The absolute path of libweft_advise.so: beside this program, or in the library folder of its installation. Throws an
/// InputError if it is missing.
std::filesystem::path preload_library();

}  // namespace weft::run
