// SPDX-License-Identifier: BSD-3-Clause
#include "doctor/diagnosis.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>

namespace weft::doctor {
namespace {

using Texts = std::vector<std::string>;

std::string start_with(const Examined& examined) {
  return examined.launcher ? fmt::format("Start it with {}", examined.launcher->path.string())
                           : fmt::format("Install the launcher of {}", examined.library.title());
}

void match_program(const Findings& f, Texts& problems, Texts& notes) {
  const Program& program = f.program;
  if (program.path.empty()) return;
  if (program.mpi.empty())
    notes.push_back(
        fmt::format("{} is linked with no MPI library (it may open one by itself, or have one in it).", program.path));
  for (const auto& needed : program.mpi)
    if (needed.path.empty())
      problems.push_back(fmt::format(
          "{} needs {}, which the loader does not find. Add the folder that has it to LD_LIBRARY_PATH, or build "
          "the program with -Wl,-rpath.",
          program.path, needed.name));
  if (program.mpi.size() > 1)
    problems.push_back(fmt::format(
        "{} loads two MPI libraries, {} and {}: a library of it is built with another MPI than the program. "
        "Build both with one mpicc.",
        program.path, program.mpi[0].name, program.mpi[1].name));
  if (f.of_program == nullptr) return;
  const Library& library = f.of_program->library;
  if (!library.trouble.empty())
    problems.push_back(fmt::format("{} uses {}, which {}.", program.path, library.path.string(), library.trouble));
  else if (!f.launcher.path.empty() && !can_start(f.launcher, library))
    problems.push_back(fmt::format(
        "{} uses {}, but {} is {}: each rank would be alone in a world of its own, or stop. {}, or build the "
        "program with the mpicc of {}.",
        program.path, library.title(), f.launcher.path.string(), f.launcher.title(), start_with(*f.of_program),
        f.launcher.title()));
}

void match_tools(const Findings& f, Texts& problems, Texts& notes) {
  if (f.libraries.empty())
    problems.push_back(
        "No MPI library was found. Install one (Debian: apt install libopenmpi-dev openmpi-bin; any machine: pip "
        "install mpich).");
  if (!f.launcher.path.empty() && !f.launcher.trouble.empty())
    notes.push_back(fmt::format("{} {}.", f.launcher.path.string(), f.launcher.trouble));
  if (f.launcher.path.empty() && !f.libraries.empty())
    notes.push_back("There is no mpirun or mpiexec in PATH.");
  else if (f.of_launcher == nullptr && f.launcher.trouble.empty() && !f.libraries.empty())
    problems.push_back(fmt::format(
        "{} is {}, of which no library was found. Add its folder to LD_LIBRARY_PATH, or use another launcher.",
        f.launcher.path.string(), f.launcher.title()));
  if (f.compiler.path.empty())
    notes.push_back("There is no mpicc in PATH: programs can be run, not built.");
  else if (f.of_compiler == nullptr)
    notes.push_back(fmt::format("Which library {} links with is not known (its answer to -show: '{}').",
                                f.compiler.path, f.compiler.command));
  else if (!f.launcher.path.empty() && f.launcher.trouble.empty() && f.of_compiler->library.trouble.empty() &&
           !can_start(f.launcher, f.of_compiler->library))
    problems.push_back(fmt::format("mpicc ({}) builds for {}, but mpirun ({}) is {}. What you build: {}.",
                                   f.compiler.path, f.of_compiler->library.title(), f.launcher.path.string(),
                                   f.launcher.title(), start_with(*f.of_compiler)));
}

void match_libraries(const Findings& f, Texts& problems, Texts& notes) {
  for (const Examined& e : f.libraries) {
    const bool used = &e == f.of_compiler || &e == f.of_launcher || &e == f.of_program;
    if (!e.library.trouble.empty() && &e != f.of_program)
      (used ? problems : notes).push_back(fmt::format("{} {}.", e.library.path.string(), e.library.trouble));
    else if (!e.trouble.empty() && e.launcher && used && !e.measured && e.trouble.starts_with("two ranks"))
      problems.push_back(fmt::format("{}: {}.", e.library.title(), e.trouble));
  }
}

// The libraries that what is in use belongs to, or all: each once by its title.
std::vector<const Examined*> advised(const Findings& f) {
  std::vector<const Examined*> some;
  for (const Examined* e : {f.of_program, f.of_launcher, f.of_compiler})
    if (e != nullptr && std::ranges::find(some, e) == some.end()) some.push_back(e);
  if (some.empty())
    for (const Examined& e : f.libraries) some.push_back(&e);
  std::vector<const Examined*> once;
  for (const Examined* e : some)
    if (e->launcher && std::ranges::none_of(once, [&](auto* o) { return o->library.title() == e->library.title(); }))
      once.push_back(e);
  return once;
}

void advise_on(const Examined& e, const Machine& machine, Texts& advice) {
  const std::string title = e.library.title(), launcher = e.launcher->path.string();
  const bool openmpi = e.library.family == "Open MPI";
  if (openmpi && machine.root) {
    std::string exports;
    for (const auto& [name, value] : launch_environment(*e.launcher, machine))
      if (!machine.has(name)) exports += fmt::format(" {}={}", name, value);
    if (!exports.empty())
      advice.push_back(fmt::format("{} refuses to start ranks for root. Run: export{}", title, exports));
  }
  if (openmpi)
    advice.push_back(
        fmt::format("{}, more ranks than cores: waits spin and keep other ranks off their core. Run: "
                    "OMPI_MCA_mpi_yield_when_idle=1 {} --oversubscribe -n {} PROGRAM",
                    title, launcher, 2 * machine.allowed.size()));
  else
    advice.push_back(fmt::format(
        "{}, more ranks than cores: a wait spins through a time slice of the core, and no variable changes that. "
        "Do not start more ranks than cores. Run: {} -n {} PROGRAM",
        title, launcher, machine.allowed.size()));
  if (!e.measured) return;
  if (!e.measured->pinned(machine) && machine.allowed.size() > 1)
    advice.push_back(
        fmt::format("{} lets ranks wander between cores. To pin each to one, as long as there is a core for each, run: "
                    "{} {} core -n {} PROGRAM",
                    title, launcher, openmpi ? "--bind-to" : "-bind-to", machine.allowed.size()));
  if (e.measured->thread_level != "multiple")
    advice.push_back(fmt::format(
        "{} gives threads at most MPI_THREAD_{}: only one thread of a rank may call MPI at a time, and no helper "
        "thread can drive its messages. Install a library that is built with MPI_THREAD_MULTIPLE.",
        title, e.measured->thread_level));
  const double hidden = std::min(e.measured->isend.hidden, e.measured->iallreduce.hidden);
  if (hidden > 0.7) return;
  if (openmpi)
    advice.push_back(fmt::format(
        "{} moves large messages only inside of MPI calls. Between nodes over TCP a thread that sleeps can do it "
        "(collectives still need calls). Run: {} --mca btl_tcp_progress_thread 1 -n {} PROGRAM",
        title, launcher, machine.allowed.size()));
  else if (e.measured->thread_level == "multiple")
    advice.push_back(fmt::format(
        "{} moves large messages only inside of MPI calls. It has a thread that does it, which spins: give each rank "
        "a second core, or computing takes 2 to 3 times as long. Run: MPIR_CVAR_ASYNC_PROGRESS=1 {} -n {} PROGRAM",
        title, launcher, std::max<std::size_t>(1, machine.allowed.size() / 2)));
}

void advise(const Findings& f, Texts& advice) {
  const Machine& machine = f.machine;
  if (static_cast<int>(machine.allowed.size()) < machine.cores)
    advice.push_back(fmt::format(
        "This process may use {} of {} cores ({}), and so may what it starts. To see its limits, run: taskset -cp $$",
        machine.allowed.size(), machine.cores, ranges(machine.allowed)));
  if (machine.quota > 0 && machine.quota < static_cast<double>(machine.allowed.size()))
    advice.push_back(fmt::format(
        "A control group allows {:.3g} cores' worth of time: more busy ranks than that are stopped now and then. "
        "To see it, run: cat /sys/fs/cgroup/cpu.max",
        machine.quota));
  for (const Examined* e : advised(f)) advise_on(*e, machine, advice);
}

std::string verdict(const Findings& f, const Diagnosis& d) {
  if (d.problems.size() == 1) return "one thing does not match: " + d.problems[0];
  if (!d.problems.empty())
    return fmt::format("{} things do not match. The first: {}", d.problems.size(), d.problems[0]);
  std::string uses;
  for (const auto& [name, of] : {std::pair{std::string("mpicc"), f.of_compiler},
                                 {std::string("mpirun"), f.of_launcher},
                                 {std::filesystem::path(f.program.path).filename().string(), f.of_program}})
    if (of != nullptr) uses += fmt::format("{}{} {}", uses.empty() ? "" : ", ", name, of->library.title());
  return uses.empty() ? "nothing is wrong, but no tool in PATH belongs to a library." : "all matches (" + uses + ").";
}

}  // namespace

Diagnosis diagnose(const Findings& findings) {
  Diagnosis d;
  match_program(findings, d.problems, d.notes);
  match_tools(findings, d.problems, d.notes);
  match_libraries(findings, d.problems, d.notes);
  advise(findings, d.advice);
  d.verdict = verdict(findings, d);
  return d;
}

}  // namespace weft::doctor
