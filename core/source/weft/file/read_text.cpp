// SPDX-License-Identifier: BSD-3-Clause
#include "weft/file/read_text.hpp"

#include "weft/file/read_whole.hpp"

namespace weft {

bool has_wide_mark(std::string_view bytes) {
  using namespace std::string_view_literals;
  return bytes.starts_with("\xFF\xFE") || bytes.starts_with("\xFE\xFF") || bytes.starts_with("\0\0\xFE\xFF"sv);
}

void make_plain(std::string& bytes, const std::filesystem::path& file) {
  if (has_wide_mark(bytes))
    throw InputError(file.string() + ": This text is UTF-16 (it begins with that byte order mark). Save it as UTF-8.");
  if (const auto zero = bytes.find('\0'); zero != std::string::npos)
    throw InputError(file.string() + ": Byte " + std::to_string(zero + 1) +
                     " is zero (this is UTF-16, or not a text). Save it as UTF-8.");
  if (bytes.starts_with("\xEF\xBB\xBF")) bytes.erase(0, 3);
  std::size_t kept = bytes.find('\r');
  if (kept == std::string::npos) return;
  for (std::size_t at = kept; at < bytes.size(); ++at) {
    const bool is_return = bytes[at] == '\r';
    if (is_return && at + 1 < bytes.size() && bytes[at + 1] == '\n') continue;
    bytes[kept++] = is_return ? '\n' : bytes[at];
  }
  bytes.resize(kept);
}

std::string read_text(const std::filesystem::path& file, const std::string& advice) {
  auto bytes = read_whole(file, advice);
  make_plain(bytes, file);
  return bytes;
}

}  // namespace weft
