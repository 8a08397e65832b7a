// SPDX-License-Identifier: BSD-3-Clause
#include <fmt/format.h>

#include <algorithm>
#include <sstream>

#include "doctor/report.hpp"

namespace weft::doctor {
namespace {

constexpr std::size_t columns = 100;

// `text` behind `head`, in lines of at most 100 columns; those after the first are indented as far as `head` is long. A
// word that is longer (a path) has a line of its own.
std::string wrapped(const std::string& head, const std::string& text) {
  std::string out, line = head;
  const std::string indent(std::min<std::size_t>(head.size(), 20), ' ');
  std::istringstream words(text);
  bool fresh = true;
  for (std::string word; words >> word;) {
    if (!fresh && line.size() + 1 + word.size() > columns) {
      out += line + "\n";
      line = indent;
      fresh = true;
    }
    line += (fresh ? "" : " ") + word;
    fresh = false;
  }
  return out + line + "\n";
}

std::string row(const std::string& name, const std::string& text) {
  return wrapped(fmt::format("    {:<16}", name), text);
}

std::string bytes(double n) {
  if (n >= 1 << 20) return fmt::format("{:.3g} MiB", n / (1 << 20));
  return n >= 1 << 10 ? fmt::format("{:.3g} KiB", n / (1 << 10)) : fmt::format("{:.0f} B", n);
}

std::string abi(const Library& library) {
  constexpr std::array names{"Open MPI's", "MPICH's", "the MPI standard's"};
  return fmt::format("{} ({})", names[static_cast<std::size_t>(library.abi)], library.name);
}

std::string progress(const Overlap& o) {
  const double hidden = std::clamp(o.hidden, 0.0, 1.0);
  const char* verdict = hidden > 0.7    ? "it progresses by itself"
                        : hidden > 0.25 ? "it progresses in part"
                                        : "it waits for MPI calls";
  return fmt::format("{:.0f} us; {:.0f} % of that hides behind computation that is as long: {}",
                     1e6 * o.transfer_seconds, 100 * hidden, verdict);
}

std::string eager(const Examined& e) {
  const double measured = e.measured->eager_bytes;
  std::string text =
      fmt::format("a send of up to {} ends without the receiver (measured in shared memory)", bytes(measured));
  for (std::size_t i = 0; i < e.eager_settings.size(); ++i)
    text += fmt::format("{} {} {}", i == 0 ? "; its settings:" : ",", e.eager_settings[i].first,
                        bytes(e.eager_settings[i].second));
  return text;
}

std::string pinning(const Measured& m, const Machine& machine) {
  std::string cores;
  for (const auto& of : m.cores_of_ranks) cores += (cores.empty() ? "" : " and ") + ranges(of);
  return m.pinned(machine) ? fmt::format("two ranks are pinned to cores {}", cores)
                           : fmt::format("two ranks are not pinned (they may use cores {})", cores);
}

std::string library(const Examined& e, const Machine& machine) {
  std::string out = wrapped("  ", e.library.title() + (e.library.family.empty() ? "" : "  " + e.library.path.string()));
  out += row("ABI", abi(e.library));
  if (!e.library.trouble.empty()) return out + row("not usable", e.library.trouble);
  out += row("launcher", e.launcher ? e.launcher->path.string() : "none of its own was found, so nothing is measured");
  if (!e.trouble.empty()) out += row("not measured", e.trouble);
  if (!e.measured) return out;
  const Measured& m = *e.measured;
  out += row(
      "thread level", "MPI_THREAD_" + [&] {
        std::string upper = m.thread_level;
        std::ranges::transform(upper, upper.begin(),
                               [](unsigned char c) { return static_cast<char>(std::toupper(c)); });
        return upper;
      }());
  out += row("eager limit", eager(e)) + row("MPI_Isend", bytes(m.isend.bytes) + ": " + progress(m.isend)) +
         row("MPI_Iallreduce", bytes(m.iallreduce.bytes) + ": " + progress(m.iallreduce)) +
         row("pinning", pinning(m, machine));
  return out;
}

std::string tool(const std::string& name, const std::string& path, const Examined* of, const std::string& otherwise) {
  if (path.empty()) return fmt::format("  {:<10}  not in PATH\n", name);
  return wrapped(fmt::format("  {:<10}  ", name),
                 of != nullptr ? fmt::format("{}: {}, {}", path, of->library.title(), of->library.path.string())
                               : path + ": " + otherwise);
}

std::string list(const std::string& title, const std::vector<std::string>& texts) {
  std::string out = texts.empty() ? "" : "\n" + title + "\n";
  for (const auto& text : texts) out += wrapped("  - ", text);
  return out;
}

}  // namespace

std::string as_text(const Findings& f, const Diagnosis& d) {
  const auto cores = [](auto n) { return fmt::format("{} core{}", n, n == 1 ? "" : "s"); };
  std::string out = wrapped("weft doctor: ", d.verdict);
  if (d.problems.size() > 1) out += list("What does not match", d.problems);
  out += list("Notes", d.notes);
  out += fmt::format("\nMachine\n  {}: {}; this process may use {} ({})\n", f.machine.host, cores(f.machine.cores),
                     cores(f.machine.allowed.size()), ranges(f.machine.allowed));
  out += "\nIn use\n";
  out += tool("mpicc", f.compiler.path, f.of_compiler, "its library is not known");
  out += tool("mpirun", f.launcher.path.string(), f.of_launcher,
              f.launcher.trouble.empty() ? f.launcher.title() : f.launcher.trouble);
  if (!f.program.path.empty())
    out += tool("program", f.program.path, f.of_program,
                f.program.mpi.empty() ? "no MPI library" : f.program.mpi[0].name + ", not found");
  out += "\nLibraries\n";
  if (f.libraries.empty()) out += "  none\n";
  for (const Examined& e : f.libraries) out += library(e, f.machine);
  if (std::ranges::any_of(f.libraries, [](const Examined& e) { return e.measured.has_value(); }))
    out += "\n" + wrapped("",
                          "Measured with two ranks on this machine, so in shared memory, where a message is a copy by "
                          "the ranks' own cores "
                          "and there is little to hide. 0 % says that the library does nothing between MPI calls. It "
                          "does not say what a "
                          "network card would do: measure that on the network, with `weft bench network`.");
  return out + list("What to set", d.advice);
}

}  // namespace weft::doctor
