// SPDX-License-Identifier: BSD-3-Clause
#include "advise/one_sided.hpp"

#include <elf.h>
#include <link.h>

#include <atomic>
#include <cctype>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <string_view>

#include "advise/functions.hpp"

namespace weft::advise {
namespace {

bool makes_a_window(std::string name) {
  for (char& c : name) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  return name.starts_with("mpi_win_create") ||
         (name.starts_with("mpi_win_allocate") && name.find("shared") == name.npos);
}

// Whether the names of the program's own dynamic symbols include such a function. Those of its libraries are not
// searched: most that could make windows never do.
int search_program(dl_phdr_info* module, std::size_t, void* found) {
  const ElfW(Dyn)* entry = nullptr;
  for (int i = 0; i < module->dlpi_phnum; ++i)
    if (module->dlpi_phdr[i].p_type == PT_DYNAMIC)
      entry = reinterpret_cast<const ElfW(Dyn)*>(module->dlpi_addr + module->dlpi_phdr[i].p_vaddr);
  std::uintptr_t names = 0;
  std::size_t bytes = 0;
  for (; entry != nullptr && entry->d_tag != DT_NULL; ++entry) {
    if (entry->d_tag == DT_STRTAB) names = entry->d_un.d_ptr;
    if (entry->d_tag == DT_STRSZ) bytes = entry->d_un.d_val;
  }
  if (names != 0 && names < module->dlpi_addr) names += module->dlpi_addr;  // some loaders leave it relative
  for (std::size_t at = 0; names != 0 && at < bytes;) {
    const std::string_view name(reinterpret_cast<const char*>(names) + at);
    if (makes_a_window(std::string(name))) *static_cast<bool*>(found) = true;
    at += name.size() + 1;
  }
  return 1;  // the first module is the program
}

// MCA lists name components to use, or after ^ those to leave out.
bool osc_leaves_out_pt2pt() {
  const char* value = std::getenv("OMPI_MCA_osc");
  if (value == nullptr || *value == 0) return false;
  const std::string_view list = value;
  const bool named = list.find("pt2pt") != list.npos;
  return list.starts_with('^') ? named : !named;
}

// Whether it refuses windows with MPI_THREAD_MULTIPLE where there is only TCP.
bool library_may_refuse() {
  constexpr std::string_view name = "Open MPI v";
  const auto library = library_name();
  return library.starts_with(name) && std::atoi(library.c_str() + name.size()) < 5 && !osc_leaves_out_pt2pt();
}

}  // namespace

bool threads_forbid_windows() {
  if (!library_may_refuse()) return false;
  bool found = false;
  dl_iterate_phdr(search_program, &found);
  return found;
}

void warn_of_windows(int rank) {
  static std::atomic<bool> warned = false;
  if (!library_may_refuse() || warned.exchange(true) || rank != 0) return;
  std::fprintf(
      stderr,
      "weft advise: A library makes an MPI window. Open MPI before version 5 may refuse that over TCP, since the "
      "progress thread needs MPI_THREAD_MULTIPLE. If it does, run without the progress thread.\n");
}

}  // namespace weft::advise
