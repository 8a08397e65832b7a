// SPDX-License-Identifier: BSD-3-Clause
#include "view/access.hpp"

#include <sys/random.h>

#include <algorithm>
#include <array>
#include <cctype>

#include "weft/error.hpp"

namespace weft::view {
namespace {

bool equal_names(std::string_view a, std::string_view b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(),
                    [](unsigned char x, unsigned char y) { return std::tolower(x) == std::tolower(y); });
}

// "name:80" -> "name", "[::1]:80" -> "[::1]"
std::string_view without_port(std::string_view host) {
  const auto colon = host.rfind(':');
  const auto bracket = host.rfind(']');
  if (colon == host.npos || (bracket != host.npos && bracket > colon)) return host;
  const auto port = host.substr(colon + 1);
  const bool number =
      port.size() <= 5 && std::all_of(port.begin(), port.end(), [](unsigned char c) { return std::isdigit(c); });
  return number ? host.substr(0, colon) : std::string_view{};
}

}  // namespace

std::string random_token() {
  std::array<unsigned char, 16> bytes{};
  if (getrandom(bytes.data(), bytes.size(), 0) != static_cast<ssize_t>(bytes.size())) {
    throw Error(
        "No token could be generated for the viewer (the system provides no random numbers). Run without --view.");
  }
  constexpr std::string_view digits = "0123456789abcdef";
  std::string token;
  for (const auto byte : bytes) (token += digits[byte >> 4]) += digits[byte & 15];
  return token;
}

bool equal_secrets(std::string_view given, std::string_view secret) {
  unsigned different = given.size() == secret.size() ? 0 : 1;
  for (std::size_t i = 0; i < secret.size(); ++i) {
    const char digit = i < given.size() ? given[i] : '\0';
    different |= static_cast<unsigned>(static_cast<unsigned char>(digit) ^ static_cast<unsigned char>(secret[i]));
  }
  return different == 0;
}

Target read_target(std::string_view target) {
  const auto question = target.find('?');
  Target result{target.substr(0, question), {}};
  auto query = question == target.npos ? std::string_view{} : target.substr(question + 1);
  while (!query.empty()) {
    const auto field = query.substr(0, query.find('&'));
    query.remove_prefix(std::min(query.size(), field.size() + 1));
    if (field.starts_with("token=")) result.token = field.substr(6);
  }
  return result;
}

bool Access::host(std::string_view host) const {
  if (!loopback_) return true;  // a request with the token is intended
  const auto name = without_port(host);
  const bool digits = name.find_first_not_of("0123456789.") == name.npos;
  return equal_names(name, "localhost") || (digits && name.starts_with("127.")) || name == "[::1]";
}

bool Access::origin(std::string_view origin, std::string_view host) const {
  if (origin.empty()) return true;
  for (const std::string_view scheme : {"http://", "https://"}) {  // https behind a proxy
    if (origin.starts_with(scheme) && equal_names(origin.substr(scheme.size()), host)) return true;
  }
  return false;
}

}  // namespace weft::view
