// SPDX-License-Identifier: BSD-3-Clause
#include "doctor/program.hpp"

#include <elf.h>
#include <fmt/format.h>

#include <fstream>
#include <sstream>

#include "doctor/libraries.hpp"
#include "doctor/process.hpp"
#include "doctor/tools.hpp"
#include "weft/error.hpp"

namespace weft::doctor {
namespace {

namespace fs = std::filesystem;

// The dynamic loader that the program names; empty if it is linked statically.
std::string loader_of(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  Elf64_Ehdr head{};
  file.read(reinterpret_cast<char*>(&head), sizeof head);
  if (!file || std::string(reinterpret_cast<char*>(head.e_ident), 4) != "\177ELF" ||
      head.e_ident[EI_CLASS] != ELFCLASS64)
    throw InputError(fmt::format(
        "'{}' is not a program of this machine (it is not a 64-bit ELF file). Name the program itself, not the script "
        "that starts it.",
        path));
  for (int i = 0; i < head.e_phnum; ++i) {
    Elf64_Phdr part{};
    file.seekg(static_cast<std::streamoff>(head.e_phoff + static_cast<std::size_t>(i) * head.e_phentsize));
    file.read(reinterpret_cast<char*>(&part), sizeof part);
    if (!file || part.p_type != PT_INTERP || part.p_filesz > 4096) continue;
    std::string name(part.p_filesz, '\0');
    file.seekg(static_cast<std::streamoff>(part.p_offset));
    file.read(name.data(), static_cast<std::streamsize>(name.size()));
    return name.c_str();
  }
  return "";
}

}  // namespace

Program look_at(const std::string& given) {
  std::error_code none;
  Program program;
  program.path = given;
  if (!fs::exists(given, none) && given.find('/') == std::string::npos) program.path = in_path(given).value_or(given);
  if (!fs::is_regular_file(program.path, none))
    throw InputError(fmt::format("There is no program '{}' (neither a file nor in PATH). Give its path.", given));
  const std::string loader = loader_of(program.path);
  if (loader.empty()) return program;
  // Runs the loader instead of ldd, which would start a program without a loader. glibc's loader lists missing
  // libraries only with this variable; others (musl) have only the option.
  const bool glibc = loader.find("/ld-linux") != std::string::npos;
  const std::string path = fs::absolute(program.path);
  const Ended listed =
      glibc ? run({loader, path}, 3, {{"LD_TRACE_LOADED_OBJECTS", "1"}}) : run({loader, "--list", path}, 3);
  std::istringstream lines(listed.out);
  for (std::string line; std::getline(lines, line);) {
    std::istringstream words(line);
    std::string name, arrow, found;
    words >> name >> arrow >> found;
    const bool named_by_path = name.starts_with('/');
    if (!abi_of_name(fs::path(name).filename())) continue;
    if (named_by_path && arrow != "=>") found = name;
    program.mpi.push_back(
        {fs::path(name).filename(), found.starts_with('/') ? fs::canonical(found, none) : fs::path()});
  }
  if (!listed.well() && program.mpi.empty())
    throw InputError(fmt::format("'{}' can't be loaded ({}). Correct this first.", given, listed.why()));
  return program;
}

}  // namespace weft::doctor
