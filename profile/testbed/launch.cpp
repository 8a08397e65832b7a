// SPDX-License-Identifier: BSD-3-Clause
//
// Starts MPI programs on the nodes. What the launchers need to know is in their variables, so that their command lines,
// and scripts that start them, stay as they are.
#include <sched.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <sstream>

#include "testbed/base.hpp"
#include "testbed/commands.hpp"

namespace weft::testbed {
namespace {

namespace fs = std::filesystem;

// On a node, process 1 is a fork of the forwarder's program: it replaces ssh and starts the ranks.
#ifndef WEFT_TESTBED_LIBRARIES
#define WEFT_TESTBED_LIBRARIES "."  // compiled by tools/testbed
#endif
constexpr auto itself = "/proc/1/exe";

struct Variable {
  const char *name, *value;
};
constexpr Variable always[] = {
    {"OMPI_ALLOW_RUN_AS_ROOT", "1"},
    {"OMPI_ALLOW_RUN_AS_ROOT_CONFIRM", "1"},
    {"PRTE_ALLOW_RUN_AS_ROOT", "1"},
    {"PRTE_ALLOW_RUN_AS_ROOT_CONFIRM", "1"},
    {"OMPI_MCA_pml", "ob1"},
    {"OMPI_MCA_btl", "tcp,self"},
    {"OMPI_MCA_btl_tcp_if_include", "vnet0"},
    {"OMPI_MCA_plm_rsh_agent", itself},
    {"OMPI_MCA_plm_rsh_no_tree_spawn", "1"},
    {"OMPI_MCA_oob_tcp_if_include", "launch0"},
    {"OMPI_MCA_orte_tmpdir_base", "/dev/shm"},  // the node's own, which disappears with the node
    {"OMPI_MCA_hwloc_base_binding_policy", "none"},
    {"OMPI_MCA_rmaps_base_mapping_policy", "slot"},
    {"PRTE_MCA_plm_ssh_agent", itself},
    {"PRTE_MCA_plm_ssh_no_tree_spawn", "1"},
    {"PRTE_MCA_prte_if_include", "launch0"},
    {"PRTE_MCA_prte_tmpdir_base", "/dev/shm"},
    {"PRTE_MCA_hwloc_default_binding_policy", "none"},
    {"PRTE_MCA_rmaps_default_mapping_policy", "slot"},
    {"HYDRA_LAUNCHER", "ssh"},
    {"HYDRA_LAUNCHER_EXEC", itself},
    {"HYDRA_IFACE", "launch0"},
    {"FI_TCP_IFACE", "vnet0"},
    {"UCX_NET_DEVICES", "vnet0"},
};
constexpr Variable unless_set[] = {{"FI_PROVIDER", "tcp"}, {"UCX_TLS", "tcp,self"}};

int cores() {
  cpu_set_t allowed;
  CPU_ZERO(&allowed);
  return sched_getaffinity(0, sizeof allowed, &allowed) == 0 ? CPU_COUNT(&allowed) : 1;
}

// MPICH's ranks may hang at the end without this library.
std::string library_of_mpich() {
  std::error_code none;
  const auto here = fs::read_symlink("/proc/self/exe", none).parent_path();
  for (const auto& folder : {here, here / WEFT_TESTBED_LIBRARIES})
    if (const auto file = fs::canonical(folder / "weft_testbed_mpich.so", none); !none) return file;
  return {};
}

// Called on node0.
void set_variables(int nodes, int per_node, const std::string& library) {
  for (const auto& [name, value] : always) setenv(name, value, 1);
  for (const auto& [name, value] : unless_set) setenv(name, value, 0);
  const char* net = std::getenv("TESTBED_NET");
  setenv("MPIR_CVAR_CH4_NETMOD", net == nullptr || *net == 0 ? "ofi" : net, 1);
  if (!library.empty()) setenv("TESTBED_PRELOAD", library.c_str(), 1);
  // Each node seems to have all cores, so that Open MPI does not notice that its ranks share them.
  if (nodes * per_node > cores()) setenv("OMPI_MCA_mpi_yield_when_idle", "1", 0);
  const auto write = [&](const char* kind, const char* between, std::initializer_list<const char*> variables) {
    const auto file = "/dev/shm/hosts-" + std::to_string(getpid()) + kind;
    std::string lines;
    for (int i = 0; i < nodes; ++i) lines += "node" + std::to_string(i) + between + std::to_string(per_node) + "\n";
    if (!write_file(file.c_str(), lines)) fail_errno("Cannot write " + file);
    for (const auto* variable : variables) setenv(variable, file.c_str(), 1);
  };
  write(".openmpi", " slots=", {"OMPI_MCA_orte_default_hostfile", "PRTE_MCA_prte_default_hostfile"});
  write(".hydra", ":", {"HYDRA_HOST_FILE"});
}

// The file that a shell would run for a word; empty if there is none.
std::string found(const std::string& word) {
  const char* path = std::getenv("PATH");
  std::istringstream folders(word.find('/') != std::string::npos ? "" : path == nullptr ? "" : path);
  std::error_code none;
  const auto fits = [&](const fs::path& file) {
    return fs::is_regular_file(file, none) && access(file.c_str(), X_OK) == 0;
  };
  if (word.find('/') != std::string::npos && fits(word)) return word;
  for (std::string folder; std::getline(folders, folder, ':');)
    if (const auto file = fs::path(folder) / word; fits(file)) return file;
  return {};
}

// Debian has several MPI libraries side by side: the program's library determines the launcher.
std::string launcher_of(const std::string& program) {
  if (const char* given = std::getenv("MPIEXEC"); given != nullptr && *given != 0) {
    if (found(given).empty())
      refuse(std::string("MPIEXEC is ") + given + ", which can't be run. Set it to a launcher of Open MPI or MPICH.");
    return given;
  }
  setenv("TESTBED_PROGRAM", program.c_str(), 1);
  std::string libraries, launcher;
  if (std::FILE* listed = popen("ldd \"$TESTBED_PROGRAM\" 2>/dev/null", "r")) {
    char text[4096];
    while (std::fgets(text, sizeof text, listed) != nullptr) libraries += text;
    pclose(listed);
  }
  unsetenv("TESTBED_PROGRAM");
  if (libraries.find("libmpich") != std::string::npos)
    launcher = found("mpiexec.mpich");
  else if (libraries.find("libmpi.so") != std::string::npos)
    launcher = found("mpirun.openmpi");
  for (const auto* name : {"mpirun", "mpiexec"})
    if (launcher.empty()) launcher = found(name);
  if (launcher.empty()) refuse("There is no mpirun in PATH. Set MPIEXEC to a launcher.");
  return launcher;
}

}  // namespace

int run(const std::string& name, const Arguments& arguments) {
  int ranks = 0, per_node = 1;
  std::size_t i = 0;
  for (; i < arguments.size() && arguments[i][0] == '-'; ++i) {
    const auto& option = arguments[i];
    if (option == "--") {
      ++i;
      break;
    }
    if (option != "-n" && option != "-np" && option != "--per-node")
      refuse("run: '" + option + "' is not an option. Give -n or --per-node, and options of mpirun in MPIEXEC_ARGS.");
    if (i + 1 == arguments.size()) refuse("run: " + option + " needs a value.");
    (option == "--per-node" ? per_node : ranks) = parse_integer("run: " + option, arguments[++i], 1, 1'000'000);
  }
  Arguments words(arguments.begin() + static_cast<std::ptrdiff_t>(i), arguments.end());
  if (words.empty()) refuse("run: The program is missing. Use weft testbed run -n RANKS PROGRAM [ARGUMENT...].");
  const auto program = found(words[0]);
  if (program.empty()) refuse("run: There is no program '" + words[0] + "'. Give its path.");
  const auto testbed = find(name);
  int nodes = testbed.nodes;
  if (ranks > 0) {
    if (ranks > nodes * per_node)
      refuse("run: " + std::to_string(ranks) + " ranks are too many for " + std::to_string(nodes) + " nodes with " +
             std::to_string(per_node) + " each. Use --per-node " + std::to_string((ranks + nodes - 1) / nodes) + ".");
    nodes = (ranks + per_node - 1) / per_node;
    Arguments before{launcher_of(program), "-n", std::to_string(ranks)};
    const char* more = std::getenv("MPIEXEC_ARGS");
    std::istringstream split(more == nullptr ? "" : more);
    for (std::string word; split >> word;) before.push_back(word);
    before.insert(before.end(), {itself, "rank"});
    words.insert(words.begin(), before.begin(), before.end());
  }
  return execute(testbed, "node0", words,
                 [=, library = library_of_mpich()] { set_variables(nodes, per_node, library); });
}

int once(const std::string& name, const Arguments& arguments) {
  const auto mark = std::find(arguments.begin(), arguments.end(), "--");
  if (mark == arguments.end())
    refuse("once: '--' is missing. Use weft testbed once NODES [OPTIONS] -- -n RANKS PROGRAM [ARGUMENT...].");
  const auto own = name + "-" + std::to_string(getpid());
  Arguments options(arguments.begin(), mark);
  if (!options.empty()) options.insert(options.end(), {"--with", std::to_string(getpid())});
  if (const int failed = up(own, options); failed != 0) return failed;
  const int status = run(own, {mark + 1, arguments.end()});
  down(own);
  return status;
}

}  // namespace weft::testbed
