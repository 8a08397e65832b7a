// SPDX-License-Identifier: BSD-3-Clause
#include "advise/live.hpp"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <fstream>

#include "advise/recorder.hpp"

namespace weft::advise {
namespace {

namespace fs = std::filesystem;

constexpr char magic[16] = "weft live 1";
constexpr std::size_t most_modules = 64;

struct SiteName {
  char call[40], function[88];
  std::uint64_t offset;
  std::uint32_t module, kind;
};

void copy(char* to, std::size_t size, const std::string& text) { std::snprintf(to, size, "%s", text.c_str()); }

std::string text_of(const char* text, std::size_t size) { return {text, strnlen(text, size)}; }

}  // namespace

struct LiveFile::Content {
  char magic[16];
  std::int32_t rank, ranks, pid;
  std::uint32_t sites, modules;
  TickScale::Moment start, now;
  char library[128];
  char module_paths[most_modules][256];
  SiteName names[Recorder::most_sites];
  Site sums[Recorder::most_sites];
};

LiveFile::LiveFile(const std::string& prefix, int rank, int ranks, bool wanted)
    : path_(prefix + ".rank-" + std::to_string(rank) + ".live") {
  // Always a new file: an existing one may be mapped by another program with the same prefix, which would crash if it
  // were truncated.
  if (wanted) unlink(path_.c_str());
  const int file = wanted ? open(path_.c_str(), O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0666) : -1;
  struct stat about {};
  if (file >= 0 && fstat(file, &about) == 0) inode_ = about.st_ino;
  void* memory = MAP_FAILED;
  // Disk space is allocated at once: access to a mapped page without disk space would kill the process.
  if (file >= 0 && posix_fallocate(file, 0, sizeof(Content)) == 0)
    memory = mmap(nullptr, sizeof(Content), PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
  if (file >= 0) close(file);
  mapped_ = memory != MAP_FAILED;
  if (!mapped_) {
    if (file >= 0) unlink(path_.c_str());
    memory = mmap(nullptr, sizeof(Content), PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (memory == MAP_FAILED) throw std::bad_alloc();
  }
  content_ = static_cast<Content*>(memory);
  content_->rank = rank;
  content_->ranks = ranks;
  content_->pid = static_cast<std::int32_t>(getpid());
  std::memcpy(content_->magic, magic, sizeof magic);
}

LiveFile::~LiveFile() { munmap(content_, sizeof(Content)); }

Site* LiveFile::sites() { return content_->sums; }

void LiveFile::add_site(std::size_t number, const Site& site, const CallSite& place) {
  auto& name = content_->names[number];
  copy(name.call, sizeof name.call, site.call);
  copy(name.function, sizeof name.function, place.function);
  name.offset = place.offset;
  name.kind = static_cast<std::uint32_t>(site.kind);
  auto& n = content_->modules;
  for (name.module = 0; name.module < n; ++name.module)
    if (place.module == content_->module_paths[name.module]) break;
  if (name.module == n && n < most_modules)
    copy(content_->module_paths[n++], sizeof content_->module_paths[0], place.module);
  content_->sites = static_cast<std::uint32_t>(number) + 1;
}

void LiveFile::set_library(const std::string& name) { copy(content_->library, sizeof content_->library, name); }

void LiveFile::set_clock(const TickScale::Moment& start, const TickScale::Moment& now) {
  content_->start = start;
  content_->now = now;
}

void LiveFile::remove() {
  struct stat about {};
  const bool is_ours = mapped_ && stat(path_.c_str(), &about) == 0 && about.st_ino == inode_;
  if (is_ours) unlink(path_.c_str());
}

std::optional<Recovered> recover(const std::string& prefix) {
  const fs::path at(prefix);
  const auto start = at.filename().string() + ".rank-";
  Recovered all;
  std::error_code none;
  for (const auto& entry : fs::directory_iterator(at.has_parent_path() ? at.parent_path() : ".", none)) {
    const auto name = entry.path().filename().string();
    if (!name.starts_with(start) || !name.ends_with(".live")) continue;
    auto content = std::make_unique<LiveFile::Content>();
    std::ifstream file(entry.path(), std::ios::binary);
    if (!file.read(reinterpret_cast<char*>(content.get()), sizeof *content)) continue;
    const auto& c = *content;
    if (std::memcmp(c.magic, magic, sizeof magic) != 0 || c.sites > Recorder::most_sites || c.modules > most_modules)
      continue;
    all.ranks = std::max(all.ranks, c.ranks);
    all.found.push_back(c.rank);
    all.library = text_of(c.library, sizeof c.library);
    all.files.push_back(entry.path().string());
    const TickScale scale(c.start, c.now, 0);
    const double a_tick = scale.seconds(c.start.ticks + 1'000'000'000) - scale.seconds(c.start.ticks);
    double last = 0;
    for (std::uint32_t i = 0; i < c.sites; ++i) {
      const auto& sums = c.sums[i];
      const auto& site = c.names[i];
      Rows::Entry row;
      row.place.offset = site.offset;
      row.place.function = text_of(site.function, sizeof site.function);
      if (site.module < c.modules) row.place.module = text_of(c.module_paths[site.module], sizeof c.module_paths[0]);
      row.call = text_of(site.call, sizeof site.call);
      row.sums.kind = static_cast<Kind>(site.kind);
      row.sums.total_calls = static_cast<double>(sums.calls);
      row.sums.total_bytes = static_cast<double>(sums.bytes);
      row.sums.total_seconds = static_cast<double>(sums.ticks) * a_tick * 1e-9;
      row.sums.total_fruitless = static_cast<double>(sums.fruitless);
      all.mpi_seconds += row.sums.total_seconds;
      if (sums.last > c.start.ticks) last = std::max(last, scale.seconds(sums.last) - scale.seconds(c.start.ticks));
      all.rows.add(row);
    }
    all.seconds = std::max(all.seconds, last);
  }
  if (all.found.empty()) return {};
  std::ranges::sort(all.found);
  all.mpi_seconds /= static_cast<double>(all.found.size());
  return all;
}

std::optional<std::string> recovered_json(const std::string& prefix, bool remove) {
  const auto left = recover(prefix);
  if (!left) return {};
  Report report;
  report.early = true;
  report.ranks = left->ranks;
  report.left_by = left->found;
  report.library = left->library;
  report.seconds = left->seconds;
  report.mpi_seconds = left->mpi_seconds;
  report.rows = left->rows.named(Naming{});
  std::ranges::sort(report.rows, [](const Row& a, const Row& b) { return a.total_seconds > b.total_seconds; });
  for (const auto& file : left->files)
    if (remove) unlink(file.c_str());
  return json_of(report);
}

}  // namespace weft::advise
