// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>
#include <string_view>
#include <utility>

namespace weft::view {

/// 128 random bits, in hex. Throws Error if the system has none.
std::string random_token();

/// Compares in constant time, so that a secret can't be guessed digit by digit.
bool equal_secrets(std::string_view given, std::string_view secret);

/// "/path" and the value of `token` in a request's target "/path?token=...". `token` is "" if there is none.
struct Target {
  std::string_view path, token;
};
Target read_target(std::string_view target);

/// Access control by the headers of the browser.
///
/// On loopback, the name in Host must be loopback's: otherwise a foreign page whose name was made to resolve here (DNS
/// rebinding) would be admitted. And a WebSocket must be opened by our own page (Origin), or by no page at all.
class Access {
 public:
  Access(bool loopback, std::string token) : loopback_(loopback), token_(std::move(token)) {}

  /// Whether the request is meant for this server. Any port, since a tunnel has another one.
  bool host(std::string_view host) const;
  /// For a WebSocket. `origin` is empty if none was sent.
  bool origin(std::string_view origin, std::string_view host) const;
  bool token(std::string_view given) const { return token_.empty() || equal_secrets(given, token_); }
  const std::string& secret() const { return token_; }

 private:
  bool loopback_;
  std::string token_;
};

}  // namespace weft::view
