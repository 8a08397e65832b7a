// SPDX-License-Identifier: BSD-3-Clause
#include "doctor/libraries.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <nlohmann/json.hpp>
#include <regex>
#include <sstream>

#include "doctor/process.hpp"
#include "run/executable.hpp"

namespace weft::doctor {
namespace {

namespace fs = std::filesystem;
using Paths = std::vector<fs::path>;

struct Name {
  const char* file;
  Abi abi;
};
constexpr std::array names{Name{"libmpi.so.40", Abi::openmpi}, Name{"libmpi.so.12", Abi::mpich},
                           Name{"libmpich.so.12", Abi::mpich}, Name{"libmpi_abi.so.1", Abi::standard},
                           Name{"libmpi_abi.so.0", Abi::standard}};

// Splits `text` at each ':'.
void add_list(Paths& paths, const char* text) {
  std::istringstream list(text != nullptr ? text : "");
  for (std::string path; std::getline(list, path, ':');)
    if (!path.empty()) paths.emplace_back(path);
}

void add_of_loader(Paths& paths, double timeout) {
  for (const char* ldconfig : {"/sbin/ldconfig", "/usr/sbin/ldconfig"}) {
    const Ended listed = run({ldconfig, "-p"}, timeout);
    std::istringstream lines(listed.out);
    for (std::string line; std::getline(lines, line);) {
      const std::size_t arrow = line.find("=> ");
      if (line.find("libmpi") != std::string::npos && arrow != std::string::npos)
        paths.push_back(fs::path(line.substr(arrow + 3)).parent_path());
    }
    if (listed.well()) return;
  }
}

// The folder `below` in each folder of `top`.
void add_each(Paths& paths, const fs::path& top, const char* below) {
  std::error_code none;
  for (const auto& entry : fs::directory_iterator(top, none)) paths.push_back(entry.path() / below);
}

void add_of_python(Paths& paths, double timeout) {
  for (const char* variable : {"VIRTUAL_ENV", "CONDA_PREFIX"})
    if (const char* prefix = std::getenv(variable)) paths.push_back(fs::path(prefix) / "lib");
  const auto python = run::executable("python3");
  if (python.empty()) return;
  std::istringstream prefixes(
      run({python, "-c", "import sys, site\nprint(sys.prefix)\nprint(site.getuserbase())"}, timeout).out);
  for (std::string prefix; std::getline(prefixes, prefix);)
    if (prefix.starts_with('/')) paths.push_back(fs::path(prefix) / "lib");
}

void read_version(Library& library) {
  // Related libraries print their own name first, or MPICH's format with their name.
  static const std::array<std::pair<const char*, std::regex>, 4> forms{{
      {"Open MPI", std::regex(R"(Open MPI v?([0-9][^\s,]*))")},
      {"Intel MPI", std::regex(R"(Intel\(R\) MPI Library ([0-9][^\s,]*))")},
      {"MVAPICH", std::regex(R"(MVAPICH2?\S* Version\s*:\s*([0-9][^\s,]*))")},
      {"MPICH", std::regex(R"(MPICH Version\s*:\s*([0-9][^\s,]*))")},
  }};
  for (const auto& [family, form] : forms) {
    std::smatch found;
    if (!std::regex_search(library.text, found, form)) continue;
    library.family = family;
    library.version = found[1];
    return;
  }
  library.family = library.text.substr(0, library.text.find_first_of("\n,"));
}

void ask(Library& library, double seconds) {
  const Ended said = run({probe(library.abi), "version", library.path}, seconds, {{"WEFT_ADVISE", "off"}});
  const std::string line = probe_line(said.out);
  if (line.empty()) {
    library.trouble = fmt::format("can't be opened ({})", said.why());
    return;
  }
  library.text = nlohmann::json::parse(line).value("version", "");
  read_version(library);
  if (library.abi == Abi::mpich && library.family == "Open MPI")
    library.trouble = "is too old (its ABI is none of the three known ones)";
}

}  // namespace

std::optional<Abi> abi_of_name(const std::string& file_name) {
  const auto* const found = std::ranges::find_if(names, [&](const Name& name) { return file_name == name.file; });
  return found != names.end() ? std::optional(found->abi) : std::nullopt;
}

std::vector<fs::path> folders(const std::vector<fs::path>& more, double timeout) {
  Paths paths = more;
  add_list(paths, std::getenv("LD_LIBRARY_PATH"));
  add_of_loader(paths, timeout);
  add_of_python(paths, timeout);
  for (const char* usual :
       {"/usr/lib", "/usr/lib64", "/usr/local/lib", "/usr/local/lib64", "/usr/lib/x86_64-linux-gnu",
        "/usr/lib/aarch64-linux-gnu", "/usr/lib64/openmpi/lib", "/usr/lib64/mpich/lib", "/usr/lib64/mvapich2/lib",
        "/usr/lib64/mpi/gcc/openmpi4/lib64", "/usr/local/openmpi/lib", "/usr/local/mpich/lib"})
    paths.emplace_back(usual);
  for (const char* top : {"/opt", "/opt/openmpi", "/opt/mpich", "/opt/intel/oneapi/mpi", "/usr/local"})
    for (const char* below : {"lib", "lib64", "lib/release"}) add_each(paths, top, below);
  return paths;
}

std::vector<Library> libraries(const std::vector<fs::path>& folders, double timeout) {
  std::vector<Library> found;
  for (const auto& folder : folders)
    for (const auto& name : names) {
      std::error_code none;
      const fs::path path = fs::canonical(folder / name.file, none);
      if (none || !fs::is_regular_file(path, none)) continue;
      if (std::ranges::find(found, path, &Library::path) != found.end()) continue;
      found.push_back({path, name.file, name.abi, "", "", "", ""});
      ask(found.back(), timeout);
    }
  return found;
}

fs::path probe(Abi abi) {
  std::error_code none;
  const fs::path here = fs::read_symlink("/proc/self/exe", none).parent_path();
  const std::string name = fmt::format("weft-doctor-probe-{}", abi_names.of(abi));
  return fs::exists(here / "doctor" / name, none) ? here / "doctor" / name : here.parent_path() / WEFT_LIBEXEC / name;
}

std::string probe_line(const std::string& out) {
  constexpr std::string_view mark = "weft-doctor-probe {";
  const std::size_t at = out.find(mark);
  if (at == std::string::npos) return "";
  const std::size_t from = at + mark.size() - 1;
  const std::string line = out.substr(from, out.find('\n', from) - from);
  return nlohmann::json::accept(line) ? line : "";
}

}  // namespace weft::doctor
