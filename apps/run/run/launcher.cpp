// SPDX-License-Identifier: BSD-3-Clause
#include "run/launcher.hpp"

#include <algorithm>
#include <filesystem>

#include "run/execute.hpp"

namespace weft::run {
namespace {

bool has(const std::string& text, const char* what) { return text.find(what) != std::string::npos; }

// srun takes one list of variables, so a list that is there grows.
Words with_export(Words words, const Variables& variables) {
  std::string list;
  for (const auto& [name, value] : variables) list += "," + name + "=" + value;
  for (std::size_t i = 1; i < words.size() && words[i].starts_with("-"); ++i) {
    if (!words[i].starts_with("--export=")) continue;
    words[i] = words[i] == "--export=NONE" ? "--export=" + list.substr(1) : words[i] + list;
    return words;
  }
  words.insert(words.begin() + 1, "--export=ALL" + list);
  return words;
}

}  // namespace

Launcher launcher_of(const std::string& command) {
  const auto name = std::filesystem::path(command).filename().string();
  const auto called = [&](const char* word) { return name.starts_with(word); };
  if (!called("mpirun") && !called("mpiexec") && !called("orterun") && !called("prterun") && !called("srun"))
    return Launcher::none;
  const auto said = output_of({command, "--version"}, 5);
  if (has(said, "Open MPI") || has(said, "OpenRTE") || has(said, "PRRTE") || has(said, "prterun"))
    return Launcher::open_mpi;
  if (has(said, "HYDRA") || has(said, "Intel(R) MPI")) return Launcher::hydra;
  if (has(said, "slurm")) return Launcher::slurm;
  return Launcher::none;
}

Words with_variables(Launcher launcher, Words words, const Variables& variables) {
  if (launcher == Launcher::none) return words;
  if (launcher == Launcher::slurm) return with_export(std::move(words), variables);
  Words options;
  for (const auto& [name, value] : variables) {
    if (launcher == Launcher::open_mpi)
      options.insert(options.end(), {"-x", name + "=" + value});
    else
      options.insert(options.end(), {"-genv", name, value});
  }
  // Open MPI wants them for each program of a job, MPICH once.
  Words all;
  for (std::size_t i = 0; i < words.size(); ++i) {
    all.push_back(words[i]);
    if (i == 0 || (launcher == Launcher::open_mpi && words[i] == ":"))
      all.insert(all.end(), options.begin(), options.end());
  }
  return all;
}

}  // namespace weft::run
