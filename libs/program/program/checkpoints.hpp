// SPDX-License-Identifier: BSD-3-Clause
//
// What checkpoints of all programs have in common: their names, their headers, and the search for the last good one.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "weft/error.hpp"
#include "weft/transport/transport.hpp"

namespace weft::program {

/// A file that can't be gone on from; another one may do.
class UnusableError : public InputError {
 public:
  using InputError::InputError;
};

/// Whoever asks.
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
/// Those in a directory, the newest first; none if it can't be read. Not collective.
std::vector<FoundCheckpoint> find_checkpoints(const std::filesystem::path& directory);
/// The same on every rank, as rank 0 sees them. Collective. Throws InputError on every rank if there are none.
std::vector<std::filesystem::path> checkpoints_in(Transport& transport, const std::filesystem::path& directory);

/// As every rank sees it: those that can't see the folder look for a file, and say so. Collective.
bool is_folder_everywhere(Transport& transport, const std::filesystem::path& path);

/// Of those in a directory, keeps the last two up to a step, which was written just now. Older ones go, those of later
/// steps (of a past that the run no longer has), and what was never finished. Not collective.
void remove_other_checkpoints(const std::filesystem::path& directory, std::int64_t step);

/// Like together(), but why a file can't be gone on from comes back as text, the same on every rank.
std::string damage_of(Transport& transport, const std::function<void()>& action);

/// The state in the file `from`, or in the newest one of the folder `from` that is whole and of this case. A file is
/// tried by `attempt(file, why)`, which returns a state, or nothing and why not; those that were passed over are in the
/// state's `refused`, a sentence each. Collective. Throws InputError on every rank if there is none.
template <class Attempt>
auto restore_from(Transport& transport, const std::filesystem::path& from, const Attempt& attempt) {
  const bool is_folder = is_folder_everywhere(transport, from);
  std::vector<std::string> refused;
  for (const auto& file : is_folder ? checkpoints_in(transport, from) : std::vector{from}) {
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

/// A header: `content` behind a front of magic number (8 letters), byte order, checksum and length, filled up to whole
/// pages of 4096 bytes.
std::string seal_header(const char* magic, const std::string& content);
/// Where the content begins in a sealed header.
extern const std::size_t header_content_at;
/// The header's bytes from a file, with its checksum tested. `owner` is the program, for messages. Throws DamagedError.
std::string read_sealed_header(const std::filesystem::path& file, const char* magic, const std::string& owner);

/// Throws UnusableError with the first line that differs between the settings that a file has and the case's.
void compare_settings(const std::filesystem::path& file, const std::string& found, const std::string& wanted);
/// What compare_settings throws, for what is not in the settings.
[[noreturn]] void fail_as_another_case(const std::filesystem::path& file, const std::string& its,
                                       const std::string& ours);

}  // namespace weft::program
