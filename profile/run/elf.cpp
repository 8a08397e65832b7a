// SPDX-License-Identifier: BSD-3-Clause
#include "run/elf.hpp"

#include <elf.h>

#include <cstring>
#include <fstream>

namespace weft::run {
namespace {

// Reads at any offset of a file; reading beyond the end of a truncated or damaged file yields zeros.
class Bytes {
 public:
  explicit Bytes(const std::filesystem::path& file) : stream_(file, std::ios::binary) {}

  template <class T>
  T at(std::uint64_t offset) {
    T value{};
    stream_.clear();
    stream_.seekg(static_cast<std::streamoff>(offset));
    if (!stream_.read(reinterpret_cast<char*>(&value), sizeof value)) return T{};
    return value;
  }
  std::string text(std::uint64_t offset) {
    std::string result;
    stream_.clear();
    stream_.seekg(static_cast<std::streamoff>(offset));
    for (char c; result.size() < 4096 && stream_.get(c) && c != '\0';) result += c;
    return result;
  }

 private:
  std::ifstream stream_;
};

}  // namespace

std::optional<Elf> read_elf(const std::filesystem::path& file) {
  std::error_code none;
  if (!std::filesystem::is_regular_file(file, none)) return {};
  Bytes bytes(file);
  const auto header = bytes.at<Elf64_Ehdr>(0);
  if (std::memcmp(header.e_ident, ELFMAG, SELFMAG) != 0) return {};
  Elf elf;
  if (header.e_ident[EI_CLASS] != ELFCLASS64) {
    elf.bits = 32;
    return elf;
  }
  std::vector<Elf64_Phdr> segments;
  for (unsigned i = 0; i < header.e_phnum; ++i)
    segments.push_back(bytes.at<Elf64_Phdr>(header.e_phoff + i * sizeof(Elf64_Phdr)));
  const auto offset_of = [&](std::uint64_t address) -> std::uint64_t {
    for (const auto& s : segments)
      if (s.p_type == PT_LOAD && address >= s.p_vaddr && address - s.p_vaddr < s.p_filesz)
        return address - s.p_vaddr + s.p_offset;
    return 0;
  };
  for (const auto& s : segments) {
    if (s.p_type == PT_INTERP) {
      elf.dynamic = true;
      elf.loader = bytes.text(s.p_offset);
    }
    if (s.p_type != PT_DYNAMIC) continue;
    std::vector<std::uint64_t> names;
    std::uint64_t strings = 0;
    for (std::uint64_t at = 0; at + sizeof(Elf64_Dyn) <= s.p_filesz; at += sizeof(Elf64_Dyn)) {
      const auto entry = bytes.at<Elf64_Dyn>(s.p_offset + at);
      if (entry.d_tag == DT_NULL) break;
      if (entry.d_tag == DT_NEEDED) names.push_back(entry.d_un.d_val);
      if (entry.d_tag == DT_STRTAB) strings = offset_of(entry.d_un.d_ptr);
    }
    if (strings == 0) continue;
    for (const auto name : names) elf.needed.push_back(bytes.text(strings + name));
  }
  return elf;
}

}  // namespace weft::run
