// SPDX-License-Identifier: BSD-3-Clause
//
// What the checkpoints of all programs share: names, headers, and the search for the newest usable one.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "program/same_file.hpp"
#include "weft/error.hpp"
#include "weft/transport/transport.hpp"

namespace [[gnu::visibility("default")]] weft {
namespace program {

/// A checkpoint file that can't be used; another one may be usable.
class UnusableError : public InputError {
 public:
  using InputError::InputError;
};

/// A checkpoint file that is damaged, for any case.
class DamagedError : public UnusableError {
 public:
  DamagedError(const std::filesystem::path& file, const std::string& why)
      : UnusableError(file.string() + " is not a usable checkpoint (" + why +
                      "). Restart from an older checkpoint, or run without --restart.") {}
};

/// DIRECTORY/checkpoint_STEP.weft.
std::filesystem::path checkpoint_file(const std::filesystem::path& directory, std::int64_t step);

struct FoundCheckpoint {
  std::filesystem::path file;
  std::int64_t step = 0;
};
/// The checkpoints in a directory, newest first; empty if it can't be read. Not collective.
std::vector<FoundCheckpoint> find_checkpoints(const std::filesystem::path& directory);
/// The same on every rank, as seen by rank 0. Collective. Throws InputError on every rank if there are none.
std::vector<std::filesystem::path> checkpoints_in(Transport& transport, const std::filesystem::path& directory);

/// Whether the path is a folder on every rank. A rank that can't see the folder treats the path as a file. Collective.
bool is_folder_everywhere(Transport& transport, const std::filesystem::path& path);

/// Keeps the newest two checkpoints up to `step`, which was just written. Removes older ones, those of later steps
/// (left by an earlier run), and unfinished files. Not collective.
void remove_other_checkpoints(const std::filesystem::path& directory, std::int64_t step);

/// Like together(), but returns the reason why a file can't be used as text, the same on every rank.
std::string damage_of(Transport& transport, const std::function<void()>& action);

/// The state in the file `from`, or in the newest file of the folder `from` that is complete and of this case.
/// `attempt(file, why)` reads one file: it returns a state, or nothing and the reason. The reasons of skipped files are
/// in the state's `refused`, one sentence each. Collective. Throws InputError on every rank if no file is usable, or if
/// the ranks see different files.
template <class Attempt>
auto restore_from(Transport& transport, const std::filesystem::path& from, const Attempt& attempt) {
  const bool is_folder = is_folder_everywhere(transport, from);
  std::vector<std::string> refused;
  for (const auto& file : is_folder ? checkpoints_in(transport, from) : std::vector{from}) {
    check_same_file(transport, file);
    std::string why;
    if (auto state = attempt(file, why)) {
      state->refused = std::move(refused);
      return std::move(*state);
    }
    if (!is_folder) throw InputError(why, true);
    refused.push_back(std::move(why));
  }
  throw InputError("No checkpoint in " + from.string() + " is usable. The newest: " + refused.front(), true);
}

/// A header: magic number (8 letters), byte order, checksum and length, then `content`, padded to whole pages of 4096
/// bytes.
std::string seal_header(const char* magic, const std::string& content);
/// Offset of the content in a sealed header.
extern const std::size_t header_content_at;
/// Reads a file's header and verifies its checksum. `owner` is the program's name for messages. Throws DamagedError.
std::string read_sealed_header(const std::filesystem::path& file, const char* magic, const std::string& owner);

/// Throws UnusableError with the first line in which the settings of a file differ from the case's.
void compare_settings(const std::filesystem::path& file, const std::string& found, const std::string& wanted);
/// Throws the same error for a difference that is not in the settings.
[[noreturn]] void fail_as_another_case(const std::filesystem::path& file, const std::string& its,
                                       const std::string& ours);

}  // namespace program
}  // namespace weft
