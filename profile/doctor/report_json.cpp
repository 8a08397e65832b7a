// SPDX-License-Identifier: BSD-3-Clause
#include <weft_version.h>

#include <nlohmann/json.hpp>

#include "doctor/diagnosis.hpp"

namespace weft::doctor {
namespace {

using Ordered = nlohmann::ordered_json;

Ordered or_null(const std::string& text) { return text.empty() ? Ordered() : Ordered(text); }
Ordered path_of(const Examined* examined) {
  return examined != nullptr ? Ordered(examined->library.path.string()) : Ordered();
}

Ordered entry(const Overlap& o) {
  return {{"bytes", o.bytes},
          {"transfer_seconds", o.transfer_seconds},
          {"progressed", o.progressed},
          {"overlap_fraction", o.fraction},
          {"repeats", o.repeats}};
}

Ordered entry(const Measured& m, const Machine& machine) {
  return {{"ranks", 2},
          {"thread_level", m.thread_level},
          {"eager_bytes", m.eager_bytes},
          {"pinned", m.pinned(machine)},
          {"cores_of_ranks", m.cores_of_ranks},
          {"waited_for_core_share", m.waited_for_core},
          {"isend", entry(m.isend)},
          {"iallreduce", entry(m.iallreduce)}};
}

Ordered entry(const Launcher& l) {
  if (l.path.empty()) return {};
  return {{"path", l.path.string()},
          {"real_path", l.real.string()},
          {"family", l.family},
          {"version", l.version},
          {"trouble", or_null(l.trouble)}};
}

Ordered entry(const Examined& e, const Machine& machine) {
  Ordered settings = Ordered::object();
  for (const auto& [transport, bytes] : e.eager_settings) settings[transport] = bytes;
  return {{"path", e.library.path.string()},
          {"name", e.library.name},
          {"abi", abi_names.of(e.library.abi)},
          {"family", e.library.family},
          {"version", e.library.version},
          {"version_text", e.library.text},
          {"trouble", or_null(e.library.trouble.empty() ? e.trouble : e.library.trouble)},
          {"launcher", e.launcher ? entry(*e.launcher) : Ordered()},
          {"device", e.device ? Ordered{{"name", or_null(e.device->device)},
                                        {"sends_directly", e.device->tried && e.device->trouble.empty()},
                                        {"trouble", or_null(e.device->trouble)}}
                              : Ordered()},
          {"measured", e.measured ? entry(*e.measured, machine) : Ordered()},
          {"eager_settings", settings}};
}

}  // namespace

std::string as_json(const Findings& f, const Diagnosis& d) {
  Ordered environment = Ordered::object(), advice = Ordered::array(), libraries = Ordered::array(), program;
  for (const auto& [name, value] : f.machine.environment) environment[name] = value;
  for (const auto& a : d.advice) advice.push_back({{"text", a.text}, {"command", a.command}});
  for (const auto& e : f.libraries) libraries.push_back(entry(e, f.machine));
  if (!f.program.path.empty()) {
    program = {{"path", f.program.path}, {"library", path_of(f.of_program)}, {"needed", Ordered::array()}};
    for (const auto& needed : f.program.mpi)
      program["needed"].push_back({{"name", needed.name}, {"path", or_null(needed.path)}});
  }
  Ordered mpicc, mpirun = entry(f.launcher);
  if (!f.compiler.path.empty())
    mpicc = {{"path", f.compiler.path}, {"command", f.compiler.command}, {"library", path_of(f.of_compiler)}};
  if (!mpirun.is_null()) mpirun["library"] = path_of(f.of_launcher);
  const Ordered all = {{"format", 1},
                       {"weft", WEFT_VERSION},
                       {"verdict", d.verdict},
                       {"matches", d.problems.empty()},
                       {"problems", d.problems},
                       {"notes", d.notes},
                       {"advice", advice},
                       {"machine",
                        {{"host", f.machine.host},
                         {"cores", f.machine.cores},
                         {"hardware_threads", f.machine.hardware_threads},
                         {"cores_of_this_process", f.machine.allowed_cores},
                         {"hardware_threads_of_this_process", f.machine.allowed},
                         {"quota_cores", f.machine.quota > 0 ? Ordered(f.machine.quota) : Ordered()},
                         {"root", f.machine.root}}},
                       {"mpicc", mpicc},
                       {"mpirun", mpirun},
                       {"program", program},
                       {"libraries", libraries},
                       {"environment", environment},
                       {"seconds", f.seconds}};
  return all.dump(2, ' ', false, Ordered::error_handler_t::replace) + "\n";
}

}  // namespace weft::doctor
