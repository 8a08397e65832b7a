// SPDX-License-Identifier: BSD-3-Clause
#include "doctor/measure.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <regex>

#include "doctor/process.hpp"
#include "weft/clock.hpp"

namespace weft::doctor {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::json;

Overlap overlap_from(const Json& json) {
  return {json.at("bytes"), json.at("transfer_seconds"), json.at("progressed"), json.at("overlap_fraction"),
          json.at("repeats")};
}

Measured measured_from(const Json& json) {
  return {json.at("thread_level"),          json.at("cores_of_ranks"),      json.at("eager_bytes"),
          json.at("waited_for_core_share"), overlap_from(json.at("isend")), overlap_from(json.at("iallreduce"))};
}

// Open MPI has one eager limit per transport; ompi_info lists them.
void read_settings(Examined& examined, double seconds) {
  std::error_code none;
  const fs::path info = examined.launcher->real.parent_path() / "ompi_info";
  if (examined.library.family != "Open MPI" || !fs::exists(info, none)) return;
  const std::string out = run({info, "--param", "btl", "all", "--level", "9", "--parsable"}, seconds).out;
  // Version 5 also lists sm under its old name.
  const std::string shadowed = out.find(":btl_sm_eager_limit") != std::string::npos ? "vader" : "";
  static const std::regex limit(R"(:param:btl_([a-z]+)_eager_limit:value:([1-9]\d*))");
  for (std::sregex_iterator found(out.begin(), out.end(), limit), end; found != end; ++found)
    if ((*found)[1] != "self" && (*found)[1] != shadowed)
      examined.eager_settings.emplace_back((*found)[1], std::stod((*found)[2]));
}

}  // namespace

bool Measured::pinned(const Machine& machine) const {
  return std::ranges::all_of(cores_of_ranks, [&](const auto& cores) { return cores.size() < machine.allowed.size(); });
}

Variables launch_environment(const Launcher& launcher, const Machine& machine) {
  Variables variables;
  if (launcher.family == "Open MPI" && machine.root)
    for (const char* of : {"OMPI", "PRTE"})
      if (of == std::string("OMPI") || launcher.version >= "5")
        for (const char* name : {"_ALLOW_RUN_AS_ROOT", "_ALLOW_RUN_AS_ROOT_CONFIRM"})
          variables.emplace_back(fmt::format("{}{}", of, name), "1");
  return variables;
}

namespace {

// Runs the probe on two ranks.
Ended run_two(const Examined& examined, const Machine& machine, const std::string& what, double for_probe, double end) {
  Variables environment = launch_environment(*examined.launcher, machine);
  environment.emplace_back("WEFT_ADVISE", "off");
  std::vector<std::string> words{examined.launcher->path};
  const bool openmpi = examined.launcher->family == "Open MPI";
  if (openmpi && machine.allowed_cores < 2) words.emplace_back("--oversubscribe");
  words.insert(words.end(),
               {"-n", "2", probe(examined.library.abi), what, examined.library.path, fmt::format("{:.2f}", for_probe)});
  Ended ended = run(words, end - now_seconds(), environment);
  if (openmpi && ended.err.find("slots") != std::string::npos) {  // in a container or job with one core
    words.insert(words.begin() + 1, "--oversubscribe");
    ended = run(words, end - now_seconds(), environment);
  }
  return ended;
}

}  // namespace

void try_device(Examined& examined, const Machine& machine, double seconds) {
  const Ended ended = run_two(examined, machine, "device", seconds, now_seconds() + seconds);
  const std::string line = probe_line(ended.out);
  auto& found = examined.device.emplace();
  if (line.empty()) {
    found.trouble = fmt::format("two ranks that sent memory of a device have failed ({})", ended.why());
    return;
  }
  const Json json = Json::parse(line);
  found = {json.at("device"), json.at("none"), json.at("none").get<std::string>().empty()};
  if (const std::size_t wrong = json.at("wrong_bytes"); wrong > 0)
    found.trouble = fmt::format("a message of {} bytes was not sent, or arrived with other bytes", wrong);
}

void measure(Examined& examined, const Machine& machine, double seconds) {
  const double end = now_seconds() + seconds;
  const Ended ended = run_two(examined, machine, "measure", std::clamp(0.3 * seconds, 0.2, 1.0), end);
  const std::string line = probe_line(ended.out);
  if (line.empty()) {
    examined.failed = true;
    examined.trouble = fmt::format("two ranks did not run ({})", ended.why());
    return;
  }
  examined.measured = measured_from(Json::parse(line));
  read_settings(examined, std::max(0.3, end - now_seconds()));
}

}  // namespace weft::doctor
