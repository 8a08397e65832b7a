// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <arpa/inet.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include <array>
#include <cstdint>
#include <cstdlib>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>

namespace weft::view::testing {

/// A client that sends any bytes, correct or wrong. Reads time out after 20 s, so that a test fails instead of hanging.
class RawClient {
 public:
  explicit RawClient(std::uint16_t port) : socket_(::socket(AF_INET, SOCK_STREAM, 0)) {
    const timeval timeout{20, 0};
    setsockopt(socket_, SOL_SOCKET, SO_RCVTIMEO, &timeout, sizeof timeout);
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_port = htons(port);
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    if (::connect(socket_, reinterpret_cast<const sockaddr*>(&address), sizeof address) != 0) {
      ::close(socket_);
      throw std::runtime_error("can't connect");
    }
  }
  ~RawClient() { ::close(socket_); }
  RawClient(const RawClient&) = delete;
  RawClient& operator=(const RawClient&) = delete;

  /// False if the other side has closed the connection.
  bool say(std::string_view bytes) {
    while (!bytes.empty()) {
      const auto sent = ::send(socket_, bytes.data(), bytes.size(), MSG_NOSIGNAL);
      if (sent <= 0) return false;
      bytes.remove_prefix(static_cast<std::size_t>(sent));
    }
    return true;
  }
  void end() { ::shutdown(socket_, SHUT_WR); }

  /// This number of bytes; fewer if the other side closed the connection.
  std::string read(std::size_t count) {
    while (buffer_.size() < count && more()) {
    }
    auto result = buffer_.substr(0, count);
    buffer_.erase(0, count);
    return result;
  }
  std::string read_all() {
    while (more()) {
    }
    return std::exchange(buffer_, {});
  }
  std::string read_header() {
    while (buffer_.find("\r\n\r\n") == buffer_.npos && more()) {
    }
    return read(buffer_.find("\r\n\r\n") + 4);
  }

  /// The whole response, header and content, of one request on this connection.
  std::string get(const std::string& target, const std::string& headers = "Host: localhost\r\n") {
    say("GET " + target + " HTTP/1.1\r\n" + headers + "Connection: close\r\n\r\n");
    return read_all();
  }

  /// The header of the response; status 101 if the connection becomes a WebSocket.
  std::string watch(const std::string& target = "/watch", const std::string& headers = "Host: localhost\r\n") {
    say("GET " + target + " HTTP/1.1\r\n" + headers +
        "Connection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\n"
        "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n");
    return read_header();
  }

  struct Frame {
    int kind = -1;  ///< 1 text, 2 binary, 8 close, 9 ping, 10 pong; -1: the connection ended
    std::string data;
  };
  Frame next_frame() {
    const auto start = read(2);
    if (start.size() < 2) return {};
    auto length = static_cast<std::size_t>(start[1] & 0x7f);
    if (length >= 126) {
      const auto digits = read(length == 126 ? 2 : 8);
      length = 0;
      for (const char digit : digits) length = length << 8 | static_cast<unsigned char>(digit);
    }
    return {start[0] & 0x0f, read(length)};
  }
  /// The next frame of this kind. Pings before it are answered.
  std::string next(int kind) {
    for (;;) {
      auto frame = next_frame();
      if (frame.kind == 9) send_frame(10, frame.data);
      if (frame.kind == kind) return frame.data;
      if (frame.kind == 8 || frame.kind == -1) return "(closed)";
    }
  }
  /// The next text that contains this.
  std::string next_with(std::string_view part) {
    for (;;) {
      auto text = next(1);
      if (text.find(part) != text.npos || text == "(closed)") return text;
    }
  }
  bool send_frame(int kind, std::string_view data) {
    std::string frame(1, static_cast<char>(0x80 | kind));
    if (data.size() < 126) {
      frame += static_cast<char>(0x80 | data.size());
    } else {
      frame += static_cast<char>(0xff);
      for (int byte = 7; byte >= 0; --byte) frame += static_cast<char>(data.size() >> (8 * byte) & 0xff);
    }
    constexpr std::array<char, 4> mask{1, 2, 3, 4};
    frame.append(mask.data(), mask.size());
    for (std::size_t i = 0; i < data.size(); ++i) frame += static_cast<char>(data[i] ^ mask[i % 4]);
    return say(frame);
  }

 private:
  bool more() {
    std::array<char, 65536> chunk{};
    const auto got = ::recv(socket_, chunk.data(), chunk.size(), 0);
    if (got > 0) buffer_.append(chunk.data(), static_cast<std::size_t>(got));
    return got > 0;
  }

  int socket_;
  std::string buffer_;
};

inline std::uint16_t port_of(const std::string& url) {
  return static_cast<std::uint16_t>(std::atoi(url.c_str() + url.find(':', 6) + 1));
}

}  // namespace weft::view::testing
