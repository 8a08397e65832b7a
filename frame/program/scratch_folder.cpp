// SPDX-License-Identifier: BSD-3-Clause
#include "program/scratch_folder.hpp"

#include <cerrno>
#include <cstdlib>
#include <system_error>

#include "weft/error.hpp"
#include "weft/transport/collectives.hpp"

namespace weft::program {
namespace {

std::string new_folder(const std::string& purpose) {
  std::error_code error;
  const auto folder = std::filesystem::temp_directory_path(error);
  auto name = (folder / ("weft-" + purpose + "-XXXXXX")).string();
  if (!error && ::mkdtemp(name.data()) == nullptr) error.assign(errno, std::generic_category());
  if (error)
    throw InputError("No temporary folder can be created in '" + folder.string() + "' (" + error.message() +
                     "). Set TMPDIR to a writable folder.");
  return name;
}

}  // namespace

ScratchFolder::ScratchFolder(const std::string& purpose) : path_(new_folder(purpose)) {}

ScratchFolder::ScratchFolder(Transport& world, const std::string& purpose) : is_ours_(world.rank() == 0) {
  std::string name;
  on_root(world, [&] { name = new_folder(purpose); });
  path_ = broadcast(world, name);
}

ScratchFolder::~ScratchFolder() {
  std::error_code ignored;
  if (is_ours_) std::filesystem::remove_all(path_, ignored);
}

}  // namespace weft::program
