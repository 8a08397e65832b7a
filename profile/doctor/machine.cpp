// SPDX-License-Identifier: BSD-3-Clause
#include "doctor/machine.hpp"

#include <fmt/format.h>
#include <sched.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <fstream>
#include <numeric>
#include <set>
#include <string_view>

namespace weft::doctor {
namespace {

constexpr std::array read_by_mpi{
    "OMPI_",        "PRTE_",       "PMIX_MCA_",    "OPAL_", "MPICH_", "MPIR_", "MPIEXEC_", "HYDRA_",
    "I_MPI_",       "MV2_",        "UCX_",         "FI_",   "PSM",    "WEFT_", "LD_",      "SLURM_JOB_NUM_NODES",
    "SLURM_NTASKS", "VIRTUAL_ENV", "CONDA_PREFIX", "OMP_"};

double quota() {
  std::string most;
  double period = 0;
  std::ifstream("/sys/fs/cgroup/cpu.max") >> most >> period;
  return period > 0 && most != "max" ? std::strtod(most.c_str(), nullptr) / period : 0;
}

// Hardware threads of one core have the same list of siblings. A thread that is offline has none.
int cores_among(const std::vector<int>& threads) {
  std::set<std::string> cores;
  for (const int thread : threads) {
    std::string siblings;
    std::ifstream(fmt::format("/sys/devices/system/cpu/cpu{}/topology/thread_siblings_list", thread)) >> siblings;
    if (!siblings.empty()) cores.insert(siblings);
  }
  return cores.empty() ? static_cast<int>(threads.size()) : static_cast<int>(cores.size());  // without /sys: threads
}

}  // namespace

bool Machine::has(const std::string& variable) const {
  return std::ranges::any_of(environment, [&](const auto& v) { return v.first == variable; });
}

Machine this_machine() {
  Machine machine;
  std::array<char, 256> name{};
  gethostname(name.data(), name.size() - 1);
  machine.host = name.data();
  machine.hardware_threads = static_cast<int>(sysconf(_SC_NPROCESSORS_ONLN));
  std::vector<cpu_set_t> sets(16);  // 16384 cores
  const std::size_t bytes = sets.size() * sizeof(cpu_set_t);
  if (sched_getaffinity(0, bytes, sets.data()) == 0)
    for (int i = 0; i < static_cast<int>(8 * bytes); ++i)
      if (CPU_ISSET_S(static_cast<std::size_t>(i), bytes, sets.data())) machine.allowed.push_back(i);
  std::vector<int> all(static_cast<std::size_t>(std::max(sysconf(_SC_NPROCESSORS_CONF), 1L)));
  std::iota(all.begin(), all.end(), 0);
  machine.cores = cores_among(all);
  machine.allowed_cores = cores_among(machine.allowed);
  machine.quota = quota();
  machine.root = geteuid() == 0;
  for (char** entry = environ; *entry != nullptr; ++entry) {
    const std::string_view text = *entry;
    const std::size_t equals = text.find('=');
    if (equals != std::string_view::npos &&
        std::ranges::any_of(read_by_mpi, [&](std::string_view prefix) { return text.starts_with(prefix); }))
      machine.environment.emplace_back(text.substr(0, equals), text.substr(equals + 1));
  }
  std::ranges::sort(machine.environment);
  return machine;
}

std::string ranges(const std::vector<int>& numbers) {
  std::string text;
  for (std::size_t i = 0, end; i < numbers.size(); i = end) {
    for (end = i + 1; end < numbers.size() && numbers[end] == numbers[end - 1] + 1;) ++end;
    text += text.empty() ? "" : ", ";
    text += end == i + 1 ? fmt::format("{}", numbers[i]) : fmt::format("{}-{}", numbers[i], numbers[end - 1]);
  }
  return text;
}

}  // namespace weft::doctor
