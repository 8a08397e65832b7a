// SPDX-License-Identifier: BSD-3-Clause
#include "doctor/diagnosis.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <sstream>

namespace weft::doctor {
namespace {

using Texts = std::vector<std::string>;

std::string start_with(const std::string& what, const Examined& examined) {
  return examined.launcher ? fmt::format("Start {} with {}", what, examined.launcher->path.string())
                           : fmt::format("Install the launcher of {}, and start {} with this launcher",
                                         examined.library.title(), what);
}

void match_program(const Findings& f, Texts& problems, Texts& notes) {
  const Program& program = f.program;
  if (program.path.empty()) return;
  if (program.mpi.empty())
    notes.push_back(fmt::format("{} is not linked with an MPI library (it may load one at run time, or contain one).",
                                program.path));
  for (const auto& needed : program.mpi)
    if (needed.path.empty())
      problems.push_back(fmt::format(
          "{} needs {}, which the loader does not find. Add the folder of this library to LD_LIBRARY_PATH, or "
          "build the program with -Wl,-rpath.",
          program.path, needed.name));
  if (program.mpi.size() > 1)
    problems.push_back(fmt::format(
        "{} loads two MPI libraries, {} and {} (one of its libraries was built with another MPI than the program). "
        "Build both with the same mpicc.",
        program.path, program.mpi[0].name, program.mpi[1].name));
  if (f.of_program == nullptr) return;
  const Library& library = f.of_program->library;
  if (!library.trouble.empty())
    problems.push_back(fmt::format("{} uses {}, which {}.", program.path, library.path.string(), library.trouble));
  else if (!f.launcher.path.empty() && !can_start(f.launcher, library))
    problems.push_back(fmt::format(
        "{} uses {}, but {} is {} (each rank would be alone in an MPI_COMM_WORLD of its own, or stop). {}, or build "
        "the program with the mpicc of {}.",
        program.path, library.title(), f.launcher.path.string(), f.launcher.title(), start_with("it", *f.of_program),
        f.launcher.title()));
}

void match_tools(const Findings& f, Texts& problems, Texts& notes) {
  if (f.libraries.empty())
    problems.push_back(
        "No MPI library was found. Install one (Debian: apt install libopenmpi-dev openmpi-bin; any machine: pip "
        "install mpich).");
  if (!f.launcher.trouble.empty())
    (f.launcher.works ? notes : problems)
        .push_back(fmt::format("{} {}.", f.launcher.path.string(), f.launcher.trouble));
  if (!f.compiler.trouble.empty()) problems.push_back(fmt::format("{} -show {}.", f.compiler.path, f.compiler.trouble));
  if (f.launcher.path.empty() && !f.libraries.empty())
    notes.push_back("There is no mpirun or mpiexec in PATH.");
  else if (f.of_launcher == nullptr && f.launcher.trouble.empty() && !f.libraries.empty())
    problems.push_back(fmt::format(
        "{} is {}, but no library of it was found. Add the folder of the library to LD_LIBRARY_PATH, or use another "
        "launcher.",
        f.launcher.path.string(), f.launcher.title()));
  if (!f.other_launcher.path.empty() && f.other_launcher.trouble.empty() && f.launcher.trouble.empty() &&
      f.other_launcher.title() != f.launcher.title())
    notes.push_back(fmt::format("{} is {}, but {} is {} (they start programs of different MPI libraries).",
                                f.launcher.path.string(), f.launcher.title(), f.other_launcher.path.string(),
                                f.other_launcher.title()));
  if (f.compiler.path.empty())
    notes.push_back("There is no mpicc in PATH (programs can be run, but not built).");
  else if (f.of_compiler == nullptr && f.compiler.trouble.empty())
    notes.push_back(fmt::format("It is not known which library {} links with (its -show prints '{}').", f.compiler.path,
                                f.compiler.command));
  else if (f.of_compiler != nullptr && !f.launcher.path.empty() && f.launcher.trouble.empty() &&
           f.of_compiler->library.trouble.empty() && !can_start(f.launcher, f.of_compiler->library))
    problems.push_back(fmt::format("The compiler {} builds for {}, but the launcher {} is {}. {}.", f.compiler.path,
                                   f.of_compiler->library.title(), f.launcher.path.string(), f.launcher.title(),
                                   start_with("what you build", *f.of_compiler)));
}

// The loader searches LD_LIBRARY_PATH before the folder that the program was linked with.
void match_loader(const Findings& f, Texts& problems) {
  const char* variable = std::getenv("LD_LIBRARY_PATH");
  if (variable == nullptr || f.of_compiler == nullptr) return;
  const Library& library = f.of_compiler->library;
  std::istringstream list(variable);
  for (std::string folder; std::getline(list, folder, ':');) {
    std::error_code none;
    const auto first = std::filesystem::canonical(std::filesystem::path(folder) / library.name, none);
    if (none || folder.empty()) continue;
    if (first != library.path)
      problems.push_back(
          fmt::format("The compiler {} builds for {}, but programs load {}, which comes first in LD_LIBRARY_PATH. "
                      "Remove {} from it.",
                      f.compiler.path, library.path.string(), first.string(), folder));
    return;
  }
}

void match_libraries(const Findings& f, Texts& problems, Texts& notes) {
  for (const Examined& e : f.libraries) {
    const bool used = &e == f.of_compiler || &e == f.of_launcher || &e == f.of_program;
    if (!e.library.trouble.empty() && &e != f.of_program)
      (used ? problems : notes).push_back(fmt::format("{} {}.", e.library.path.string(), e.library.trouble));
    else if (e.failed && used)
      problems.push_back(fmt::format("{} could not be measured: {}.", e.library.title(), e.trouble));
  }
}

// The libraries of the program, launcher and compiler in use, or all libraries; without duplicates by title.
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

// The environment variables for a command that are not set yet.
std::string missing(const Examined& e, const Machine& machine) {
  std::string text;
  for (const auto& [name, value] : launch_environment(*e.launcher, machine))
    if (!machine.has(name)) text += fmt::format(" {}={}", name, value);
  return text;
}

void advise_on_progress(const Examined& e, const Machine& machine, std::vector<Advice>& advice) {
  const Measured& m = *e.measured;
  const std::string title = e.library.title(), launcher = e.launcher->path.string();
  const int cores = machine.allowed_cores;
  if (machine.has("MPIR_CVAR_ASYNC_PROGRESS") && e.library.family == "MPICH" &&
      std::min(m.isend.fraction, m.iallreduce.fraction) < 0.25)
    advice.push_back(
        {fmt::format(
             "{} runs a progress thread, which costs the computation more time here than it overlaps. Leave one core "
             "free per rank, or turn the thread off:",
             title),
         "unset MPIR_CVAR_ASYNC_PROGRESS"});
  if (m.progresses()) return;
  if (e.library.family == "Open MPI")
    advice.push_back(
        {fmt::format(
             "{} makes progress on large messages only inside MPI calls. Between nodes over TCP, a progress thread of "
             "it, which sleeps while idle, can do so outside of them (but not for collectives):",
             title),
         fmt::format("{} --mca btl_tcp_progress_thread 1 -n {} PROGRAM", launcher, cores)});
  else if (m.thread_level == "multiple" && !machine.has("MPIR_CVAR_ASYNC_PROGRESS"))
    advice.push_back(
        {fmt::format(
             "{} makes progress on large messages only inside MPI calls. A progress thread of it can do so outside of "
             "them, but it spins: with fewer than two cores per rank, computing takes 2 to 3 times as long. For half "
             "as "
             "many ranks as cores:",
             title),
         fmt::format("MPIR_CVAR_ASYNC_PROGRESS=1 {} -n {} PROGRAM", launcher, std::max(1, cores / 2))});
  if (m.thread_level == "multiple")
    advice.push_back(
        {title + ": a progress thread of weft can make progress calls while the unmodified program computes, best with "
                 "a spare core:",
         fmt::format("weft run --drive -- {} -n {} PROGRAM", launcher, cores)});
}

void advise_on(const Examined& e, const Machine& machine, std::vector<Advice>& advice) {
  const std::string title = e.library.title(), launcher = e.launcher->path.string();
  const bool openmpi = e.library.family == "Open MPI";
  const int cores = machine.allowed_cores;
  if (const std::string variables = missing(e, machine); !variables.empty())
    advice.push_back({title + " refuses to start ranks for root. To allow it:", "export" + variables});
  if (openmpi)
    advice.push_back(
        {title +
             " with more ranks than cores: a waiting rank spins and keeps other ranks off the core. To make it yield:",
         fmt::format("OMPI_MCA_mpi_yield_when_idle=1 {} --oversubscribe -n {} PROGRAM", launcher, 2 * cores)});
  else
    advice.push_back(
        {title + " with more ranks than cores: a waiting rank spins for a time slice of the core, and no variable "
                 "changes that. Start at most one rank per core:",
         fmt::format("{} -n {} PROGRAM", launcher, cores)});
  if (!e.measured) return;
  if (!e.measured->pinned(machine) && cores > 1)
    advice.push_back(
        {title + " lets ranks move between cores. To pin each rank to one core, if there are enough cores:",
         fmt::format("{} {} core -n {} PROGRAM", launcher, openmpi ? "--bind-to" : "-bind-to", cores)});
  if (e.measured->thread_level != "multiple")
    advice.push_back({fmt::format("{} provides at most the thread level {}: two threads of a rank may not call MPI at "
                                  "the same time, so a progress thread is not possible. Use a library that is built "
                                  "for MPI_THREAD_MULTIPLE.",
                                  title, e.measured->thread_level),
                      ""});
  advise_on_progress(e, machine, advice);
}

void advise(const Findings& f, std::vector<Advice>& advice) {
  const Machine& machine = f.machine;
  if (static_cast<int>(machine.allowed.size()) < machine.hardware_threads)
    advice.push_back(
        {fmt::format("This process, and the ranks that it starts, may use {} of {} hardware threads ({}). To let "
                     "this shell use all:",
                     machine.allowed.size(), machine.hardware_threads, ranges(machine.allowed)),
         fmt::format("taskset -cp 0-{} $$", machine.hardware_threads - 1)});
  if (machine.quota > 0 && machine.quota < static_cast<double>(machine.allowed.size()))
    advice.push_back(
        {fmt::format(
             "A control group allows the time of {:.3g} cores, and pauses ranks that use more. To see the limit:",
             machine.quota),
         "cat /sys/fs/cgroup/cpu.max"});
  for (const Examined* e : advised(f)) advise_on(*e, machine, advice);
}

std::string verdict(const Findings& f, const Diagnosis& d) {
  if (d.problems.size() == 1) return "One thing does not match: " + d.problems[0];
  if (!d.problems.empty())
    return fmt::format("{} things do not match. The first: {}", d.problems.size(), d.problems[0]);
  std::string uses;
  for (const auto& [name, of] : {std::pair{std::string("mpicc"), f.of_compiler},
                                 {std::string("mpirun"), f.of_launcher},
                                 {std::filesystem::path(f.program.path).filename().string(), f.of_program}})
    if (of != nullptr) uses += fmt::format("{}{} {}", uses.empty() ? "" : ", ", name, of->library.title());
  return uses.empty() ? "No problem was found, but no tool in PATH belongs to an MPI library."
                      : "All matches (" + uses + ").";
}

}  // namespace

Diagnosis diagnose(const Findings& findings) {
  Diagnosis d;
  match_program(findings, d.problems, d.notes);
  match_tools(findings, d.problems, d.notes);
  match_loader(findings, d.problems);
  match_libraries(findings, d.problems, d.notes);
  advise(findings, d.advice);
  d.verdict = verdict(findings, d);
  return d;
}

}  // namespace weft::doctor
