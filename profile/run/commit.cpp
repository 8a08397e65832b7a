// SPDX-License-Identifier: BSD-3-Clause
#include "run/commit.hpp"

#include <cstdlib>
#include <initializer_list>

#include "run/process.hpp"
#include "run/report/text.hpp"

namespace weft::run {
namespace {

// On a network's file system the first look at a large tree takes seconds.
constexpr double patience_seconds = 20;

// The output, without the line's end. Nothing if git fails.
std::optional<std::string> git(Words words) {
  words.insert(words.begin(), "git");
  auto text = result_of(words, environment({"GIT_OPTIONAL_LOCKS=0", "LC_ALL=C"}), patience_seconds);
  while (text && text->ends_with('\n')) text->pop_back();
  return text;
}

bool is_hash(const std::string& text) {
  return text.size() >= 7 && text.size() <= 64 && text.find_first_not_of("0123456789abcdef") == std::string::npos;
}

std::string first_of(std::initializer_list<const char*> names) {
  for (const auto* name : names)
    if (const char* value = std::getenv(name); value != nullptr && *value != '\0') return clean(value);
  return {};
}

}  // namespace

Commit commit_here() {
  Commit commit;
  if (const auto hash = git({"rev-parse", "HEAD"}); hash && is_hash(*hash)) {
    commit.hash = *hash;
    commit.branch = clean(git({"symbolic-ref", "--quiet", "--short", "HEAD"}).value_or(""));
    if (const auto changes = git({"status", "--porcelain", "--untracked-files=no"})) commit.dirty = !changes->empty();
  }
  if (commit.hash.empty()) commit.hash = first_of({"GITHUB_SHA", "CI_COMMIT_SHA"});
  if (!is_hash(commit.hash)) commit.hash.clear();
  if (commit.branch.empty()) commit.branch = first_of({"GITHUB_REF_NAME", "CI_COMMIT_REF_NAME"});
  return commit;
}

}  // namespace weft::run
