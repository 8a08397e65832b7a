// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>
#include <string_view>
#include <utility>

namespace weft::view {

/// 128 random bits, in hex. Throws Error if the system has none.
std::string random_token();

/// Takes as long wherever the two differ, so that nobody can guess a secret digit by digit.
bool equal_secrets(std::string_view given, std::string_view secret);

/// "/path" and the value of `token` of a request's target "/path?token=...". Token "" if there is none.
struct Target {
  std::string_view path, token;
};
Target read_target(std::string_view target);

/// Who may connect, by what his browser says.
///
/// On loopback, the name in Host must be loopback's: else a page elsewhere, whose name was made to lead here (DNS
/// rebinding), would be let in. And what opens a WebSocket must be our own page (Origin), or no page at all.
class Access {
 public:
  Access(bool loopback, std::string token) : loopback_(loopback), token_(std::move(token)) {}

  /// Whether the request came here on purpose. Any port: a tunnel has another one.
  bool host(std::string_view host) const;
  /// Of a WebSocket. `origin` is empty if none was sent.
  bool origin(std::string_view origin, std::string_view host) const;
  bool token(std::string_view given) const { return token_.empty() || equal_secrets(given, token_); }
  const std::string& secret() const { return token_; }

 private:
  bool loopback_;
  std::string token_;
};

}  // namespace weft::view
