// SPDX-License-Identifier: BSD-3-Clause
#include "program/same_file.hpp"

#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <fstream>
#include <span>
#include <vector>

#include "program/bytes.hpp"
#include "weft/error.hpp"
#include "weft/transport/collectives.hpp"

namespace weft::program {

namespace fs = std::filesystem;

namespace {

constexpr std::int64_t whole_bytes = 1 << 20, samples = 64, sample_bytes = whole_bytes / samples;

struct Seen {
  std::int64_t is_plain = 0, bytes = 0, changed_ns = 0, crc = 0;
};

Seen see(const fs::path& file) {
  struct stat about {};
  if (file.empty() || ::stat(file.c_str(), &about) != 0 || !S_ISREG(about.st_mode)) return {};
  Seen seen{.is_plain = 1, .bytes = about.st_size};
  const bool is_large = seen.bytes > whole_bytes;
  constexpr std::int64_t giga = 1'000'000'000;
  if (is_large) seen.changed_ns = about.st_mtim.tv_sec * giga + about.st_mtim.tv_nsec;
  std::ifstream in(file, std::ios::binary);
  std::vector<char> sample(static_cast<std::size_t>(is_large ? sample_bytes : seen.bytes));
  std::uint32_t crc = 0;
  for (std::int64_t k = 0; k < (is_large ? samples : 1); ++k) {
    in.seekg(is_large ? (seen.bytes - sample_bytes) * k / (samples - 1) : 0);
    in.read(sample.data(), static_cast<std::streamsize>(sample.size()));
    crc = crc32(std::as_bytes(std::span(sample)), crc);
  }
  seen.crc = crc;
  return seen;
}

std::string host() {
  std::array<char, 256> name{};
  ::gethostname(name.data(), name.size() - 1);
  return name.data();
}

}  // namespace

std::string other_file_seen(Transport& transport, const fs::path& file) {
  const auto mine = see(file);
  const auto roots = broadcast(transport, std::vector{mine}).front();
  const char* differs = "";
  if (mine.is_plain != 0 && roots.is_plain != 0)
    differs = mine.bytes != roots.bytes             ? "its size differs"
              : mine.crc != roots.crc               ? "its content differs"
              : mine.changed_ns != roots.changed_ns ? "the time of its last change differs"
                                                    : "";
  const bool is_other = *differs != '\0';
  const int first = all_reduce(transport, is_other ? transport.rank() : transport.size(), minimum<int>());
  if (first == transport.size()) return "";
  std::string text;
  if (first == transport.rank())
    text = fmt::format("Rank {} on {} sees another file of this name than rank 0 ({})", first, host(), differs);
  return broadcast(transport, text, first);
}

void check_same_file(Transport& transport, const fs::path& file) {
  if (const auto why = other_file_seen(transport, file); !why.empty())
    throw InputError(fmt::format("{}: {}. Put the file where all nodes see it, or copy it to all of them with cp -p.",
                                 file.string(), why),
                     true);
}

}  // namespace weft::program
