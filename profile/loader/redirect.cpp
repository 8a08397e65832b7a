// SPDX-License-Identifier: BSD-3-Clause
#include "loader/redirect.hpp"

#include <elf.h>
#include <link.h>
#include <stdint.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

namespace weft::advise {
namespace {

#if defined(__x86_64__)
constexpr unsigned jump_slot = R_X86_64_JUMP_SLOT, global_data = R_X86_64_GLOB_DAT;
#else
constexpr unsigned jump_slot = R_AARCH64_JUMP_SLOT, global_data = R_AARCH64_GLOB_DAT;
#endif

struct Wanted {
  const char* const* names;
  void* const* functions;
  void* const* hooks;
  unsigned count;

  void* hook_of(const char* name) const {
    if ((name[0] | 0x20) != 'm' || (name[1] | 0x20) != 'p' || (name[2] | 0x20) != 'i' || name[3] != '_') return nullptr;
    for (unsigned i = 0; i < count; ++i)
      if (hooks[i] != nullptr && functions[i] != nullptr && strcmp(names[i], name) == 0) return hooks[i];
    return nullptr;
  }
};

struct Module {
  uintptr_t base = 0, read_only_start = 0, read_only_end = 0;
  const ElfW(Sym) * symbols = nullptr;
  const char* text = nullptr;
  const ElfW(Rela) * jumps = nullptr, *data = nullptr;
  size_t jump_bytes = 0, data_bytes = 0;
};

// Makes pages that the system's loader has made read-only (RELRO) writable, and read-only again.
void write_to(const Module& module, void** at, void* value) {
  const auto page = static_cast<uintptr_t>(sysconf(_SC_PAGESIZE));
  const auto address = reinterpret_cast<uintptr_t>(at);
  const bool closed = address >= module.read_only_start && address < module.read_only_end;
  void* start = reinterpret_cast<void*>(address & ~(page - 1));
  if (closed && mprotect(start, page, PROT_READ | PROT_WRITE) != 0) return;
  __atomic_store_n(at, value, __ATOMIC_RELEASE);
  if (closed) mprotect(start, page, PROT_READ);
}

void redirect_in(const Module& module, const ElfW(Rela) * first, size_t bytes, const Wanted& wanted) {
  for (size_t i = 0; i < bytes / sizeof *first; ++i) {
    const auto& entry = first[i];
    const auto type = ELF64_R_TYPE(entry.r_info);
    if (type != jump_slot && type != global_data) continue;
    const char* name = module.text + module.symbols[ELF64_R_SYM(entry.r_info)].st_name;
    if (void* hook = wanted.hook_of(name))
      write_to(module, reinterpret_cast<void**>(module.base + entry.r_offset), hook);
  }
}

bool is_of_mpi(const char* path) {
  const char* slash = strrchr(path, '/');
  const char* file = slash == nullptr ? path : slash + 1;
  return strncmp(file, "libmpi", 6) == 0 || strncmp(file, "libweft_advise", 14) == 0;
}

int visit(dl_phdr_info* info, size_t, void* data) {
  if (is_of_mpi(info->dlpi_name)) return 0;  // calls between MPI's own libraries are not calls of the program
  Module module;
  module.base = info->dlpi_addr;
  const ElfW(Dyn)* dynamic = nullptr;
  for (int i = 0; i < info->dlpi_phnum; ++i) {
    const auto& part = info->dlpi_phdr[i];
    if (part.p_type == PT_DYNAMIC) dynamic = reinterpret_cast<const ElfW(Dyn)*>(module.base + part.p_vaddr);
    if (part.p_type != PT_GNU_RELRO) continue;
    module.read_only_start = module.base + part.p_vaddr;
    module.read_only_end = module.read_only_start + part.p_memsz;
  }
  for (; dynamic != nullptr && dynamic->d_tag != DT_NULL; ++dynamic) {
    const auto value = static_cast<uintptr_t>(dynamic->d_un.d_ptr);
    switch (dynamic->d_tag) {
      case DT_SYMTAB: module.symbols = reinterpret_cast<const ElfW(Sym)*>(value); break;
      case DT_STRTAB: module.text = reinterpret_cast<const char*>(value); break;
      case DT_JMPREL: module.jumps = reinterpret_cast<const ElfW(Rela)*>(value); break;
      case DT_PLTRELSZ: module.jump_bytes = value; break;
      case DT_RELA: module.data = reinterpret_cast<const ElfW(Rela)*>(value); break;
      case DT_RELASZ: module.data_bytes = value; break;
      default: break;
    }
  }
  // In the kernel's vdso these values are not addresses.
  if (module.symbols == nullptr || module.text == nullptr || reinterpret_cast<uintptr_t>(module.text) < module.base)
    return 0;
  const auto& wanted = *static_cast<const Wanted*>(data);
  if (module.jumps != nullptr) redirect_in(module, module.jumps, module.jump_bytes, wanted);
  if (module.data != nullptr) redirect_in(module, module.data, module.data_bytes, wanted);
  return 0;
}

}  // namespace

void redirect(const char* const* names, void* const* functions, void* const* hooks, unsigned count) {
  Wanted wanted = {names, functions, hooks, count};
  dl_iterate_phdr(visit, &wanted);
}

}  // namespace weft::advise
