// SPDX-License-Identifier: BSD-3-Clause
#include <fmt/format.h>

#include <algorithm>
#include <sstream>

#include "doctor/diagnosis.hpp"

namespace weft::doctor {
namespace {

constexpr std::size_t columns = 100;

// `text` after `head`, in lines of at most 100 columns; further lines are indented by the length of `head`. A longer
// word (a path) has a line of its own.
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
  const char* verdict = o.progressed < 0.25  ? "no progress between MPI calls"
                        : o.progressed < 0.7 ? "partial progress between MPI calls"
                        : o.fraction < 0.25  ? "asynchronous progress that slows the computation"
                                             : "asynchronous progress";
  const std::string time = o.transfer_seconds < 1e-3 ? fmt::format("{:.0f} us", 1e6 * o.transfer_seconds)
                                                     : fmt::format("{:.3g} ms", 1e3 * o.transfer_seconds);
  return fmt::format("{} in {}; overlap fraction {:.0f} % with equally long computation: {}", bytes(o.bytes), time,
                     100 * o.fraction, verdict);
}

std::string eager(const Examined& e) {
  const double measured = e.measured->eager_bytes;
  std::string settings;
  for (const auto& [transport, limit] : e.eager_settings)
    settings += fmt::format("{}{} {}", settings.empty() ? "" : ", ",
                            transport == "sm" || transport == "vader" ? "shared memory" : transport, bytes(limit));
  return (settings.empty() ? "" : settings + " (settings of its pml ob1); ") +
         fmt::format("measured: sends of {} {} end while the receiver is outside MPI",
                     measured < (4 << 20) ? "up to" : "at least", bytes(measured));
}

std::string pinning(const Measured& m, const Machine& machine) {
  const std::string first = ranges(m.cores_of_ranks.front()), last = ranges(m.cores_of_ranks.back());
  if (!m.pinned(machine)) return fmt::format("none: each of two ranks may use hardware threads {}", first);
  return fmt::format("the launcher pins two ranks to hardware threads {} and {}", first, last);
}

std::string device(const DeviceProbe& d) {
  if (!d.tried) return "not tried: " + d.trouble;
  const auto of = d.device.empty() ? "" : d.device + ": ";
  if (!d.trouble.empty()) return of + "can't be sent directly: " + d.trouble;
  return of + "can be sent directly; WEFT_DIRECT_FROM_DEVICE=1 lets the tuner try it";
}

std::string library(const Examined& e, const Machine& machine) {
  std::string out = wrapped("  ", e.library.title() + (e.library.family.empty() ? "" : "  " + e.library.path.string()));
  out += row("ABI", abi(e.library));
  if (!e.library.trouble.empty()) return out + row("not usable", e.library.trouble);
  out += row("launcher", e.launcher ? e.launcher->path.string() : "none of its own was found; nothing is measured");
  if (!e.trouble.empty()) out += row("not measured", e.trouble);
  if (e.device) out += row("GPU memory", device(*e.device));
  if (!e.measured) return out;
  const Measured& m = *e.measured;
  out += row(
      "thread level", "MPI_THREAD_" + [&] {
        std::string upper = m.thread_level;
        std::ranges::transform(upper, upper.begin(),
                               [](unsigned char c) { return static_cast<char>(std::toupper(c)); });
        return upper;
      }());
  out += row("eager limit", eager(e)) + row("MPI_Isend", progress(m.isend)) +
         row("MPI_Iallreduce", progress(m.iallreduce)) + row("pinning", pinning(m, machine));
  return out;
}

std::string tool(const std::string& name, const std::string& path, const Examined* of, const std::string& otherwise) {
  if (path.empty()) return fmt::format("  {:<10}  not in PATH\n", name);
  return wrapped(fmt::format("  {:<10}  ", name),
                 of != nullptr ? fmt::format("{}: {}, {}", path, of->library.title(), of->library.path.string())
                               : path + ": " + otherwise);
}

// A command that can be copied: continued lines end with a backslash.
std::string command(const std::string& text) {
  std::string out, line = "      ";
  std::istringstream words(text);
  bool fresh = true;
  for (std::string word; words >> word; fresh = false) {
    if (!fresh && line.size() + word.size() + 3 > columns) {
      out += line + " \\\n";
      line = "        ";
      fresh = true;
    }
    line += (fresh ? "" : " ") + word;
  }
  return out + line + "\n";
}

std::string list(const std::string& title, const std::vector<std::string>& texts) {
  std::string out = texts.empty() ? "" : "\n" + title + "\n";
  for (const auto& text : texts) out += wrapped("  - ", text);
  return out;
}

std::string machine(const Machine& m) {
  const auto count = [](int n, const char* what) { return fmt::format("{} {}{}", n, what, n == 1 ? "" : "s"); };
  std::string text = m.host + ": " + count(m.cores, "core");
  if (m.hardware_threads != m.cores) text += " with " + count(m.hardware_threads, "hardware thread");
  return text + fmt::format("; this process may use {} (hardware threads {})", count(m.allowed_cores, "core"),
                            ranges(m.allowed));
}

}  // namespace

std::string as_text(const Findings& f, const Diagnosis& d) {
  std::string out = wrapped("weft doctor: ", d.verdict);
  if (d.problems.size() > 1) out += list("What does not match", d.problems);
  out += list("Notes", d.notes);
  out += "\nMachine\n" + wrapped("  ", machine(f.machine)) + "\nIn use\n";
  out += tool("mpicc", f.compiler.path, f.of_compiler, "its library is not known");
  out += tool("mpirun", f.launcher.path.string(), f.of_launcher,
              f.launcher.trouble.empty() ? f.launcher.title() : f.launcher.trouble);
  if (!f.program.path.empty())
    out += tool("program", f.program.path, f.of_program,
                f.program.mpi.empty() ? "no MPI library" : f.program.mpi[0].name + ", not found");
  out += "\nLibraries\n";
  if (f.libraries.empty()) out += "  none\n";
  for (const Examined& e : f.libraries) out += library(e, f.machine);
  double waited = 0;
  for (const Examined& e : f.libraries)
    if (e.measured && e.measured->disturbed()) waited = std::max(waited, e.measured->waited_for_core);
  if (waited > 0 && f.machine.allowed_cores > 1)
    out += "\n" + wrapped("", fmt::format("The machine was busy: a rank waited for a core in {:.0f} % of the time. The "
                                          "overlap fractions are noise; measure again on a quiet machine.",
                                          100 * waited));
  if (std::ranges::any_of(f.libraries, [](const Examined& e) { return e.measured.has_value(); }))
    out +=
        "\n" +
        wrapped(
            "",
            fmt::format(
                "Measured with two ranks on this machine, in shared memory: the ranks' own cores copy each message, so "
                "little can be overlapped. 0 % means that the library makes no progress between MPI calls; it says "
                "nothing about a network card. To measure that between nodes: weft bench network.{}",
                f.machine.allowed_cores < 2 ? " Both ranks shared one core, so the overlap fractions are noise." : ""));
  if (!d.advice.empty()) out += "\nWhat to set\n";
  for (const Advice& a : d.advice) out += wrapped("  - ", a.text) + (a.command.empty() ? "" : command(a.command));
  return out;
}

}  // namespace weft::doctor
