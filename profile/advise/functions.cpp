// SPDX-License-Identifier: BSD-3-Clause
// The entry point through which the loader opens this library.
#include "advise/functions.hpp"

#include <algorithm>
#include <string>
#include <string_view>

#include "advise/fortran.hpp"

#define WEFT_DEFINE(result, name, arguments) result(*PMPI_##name) arguments = nullptr;
WEFT_MPI_FUNCTIONS(WEFT_DEFINE)

namespace weft::advise {

Handles handles;
void* const* next_functions = nullptr;
const char* opening_folder = ".";

namespace {

// MPICH's ABI needs no function to convert a Fortran handle, and the standard ABI has MPI_Comm_fromint.
constexpr std::string_view of_fortran = "_f2c";

const char* find_functions(void* (*symbol)(const char*)) {
  static std::string missing;
  const auto find = [&](const char* name) {
    if (void* found = symbol(name)) return found;
    if (std::string all = name; all.ends_with(of_fortran))
      return symbol((all.substr(0, all.size() - of_fortran.size()) + "_fromint").c_str());
    missing = std::string(" needs ") + name + ", which the MPI library does not have";
    return static_cast<void*>(nullptr);
  };
#define WEFT_FIND(result, name, arguments) PMPI_##name = reinterpret_cast<result(*) arguments>(find("PMPI_" #name));
  WEFT_MPI_FUNCTIONS(WEFT_FIND)
  return missing.empty() ? nullptr : missing.c_str();
}

void find_handles(void* (*symbol)(const char*)) {
  handles = {abi::handle<MPI_Comm>(abi::comm_world, symbol),
             abi::handle<MPI_Comm>(abi::comm_null, symbol),
             abi::handle<MPI_Datatype>(abi::byte, symbol),
             abi::handle<MPI_Datatype>(abi::int_type, symbol),
             abi::handle<MPI_Datatype>(abi::double_type, symbol),
             abi::handle<MPI_Datatype>(abi::uint64_type, symbol),
             abi::handle<MPI_Datatype>(abi::type_null, symbol),
             abi::handle<MPI_Request>(abi::request_null, symbol),
             abi::handle<MPI_Info>(abi::info_null, symbol),
             abi::handle<MPI_Op>(abi::min, symbol),
             abi::handle<MPI_Op>(abi::max, symbol),
             abi::handle<MPI_Op>(abi::sum, symbol)};
}

}  // namespace

namespace {
// Open MPI's address, MPICH's of mpi_f08, and where MPICH keeps the address of mpif.h.
const void *openmpi_in_place = nullptr, *f08_in_place = nullptr;
const void* const* mpif_in_place = nullptr;

void find_in_place(void* (*symbol)(const char*)) {
  openmpi_in_place = symbol("mpi_fortran_in_place_");
  f08_in_place = symbol("MPIR_F08_MPI_IN_PLACE");
  mpif_in_place = static_cast<const void* const*>(symbol("MPIR_F_MPI_IN_PLACE"));
}
}  // namespace

bool fortran::in_place(const void* buffer) {
  return buffer != nullptr && (buffer == openmpi_in_place || buffer == f08_in_place ||
                               (mpif_in_place != nullptr && buffer == *mpif_in_place));
}

std::string library_name() {
  std::string text(MPI_MAX_LIBRARY_VERSION_STRING, '\0');
  int n = 0;
  PMPI_Get_library_version(text.data(), &n);
  text.resize(std::min(text.find_first_of(std::string(",\n\0", 3)), static_cast<std::size_t>(n)));
  for (char& c : text)
    if (c == '\t') c = ' ';
  return text;
}

}  // namespace weft::advise

extern "C" const char* weft_advise_open(const weft::advise::Opening* opening) {
  using namespace weft::advise;
  if (opening->version != opening_version || opening->slots != slots) return " is of another build of weft";
  if (const char* wrong = find_functions(opening->symbol)) return wrong;
  find_handles(opening->symbol);
  find_in_place(opening->symbol);
  next_functions = opening->next;
  opening_folder = opening->folder;
  add_c_hooks(opening->hooks);
  add_fortran_hooks(opening->hooks);
  add_setup_hooks(opening->hooks);
  return nullptr;
}
