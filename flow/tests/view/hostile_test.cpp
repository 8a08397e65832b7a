// SPDX-License-Identifier: BSD-3-Clause
//
// Viewers that connect and disconnect, do not read, or send garbage: the server continues, and other viewers are not
// affected.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <random>
#include <thread>
#include <vector>

#include "flow/tests/view/raw_client.hpp"
#include "view/server.hpp"

namespace weft::view {
namespace {

using ::testing::HasSubstr;
using testing::port_of;
using testing::RawClient;

#ifdef WEFT_SANITIZED
constexpr int tries = 400;
#else
constexpr int tries = 2000;
#endif

class Hostile : public ::testing::Test {
 protected:
  // A well-behaved viewer is served as before.
  void expect_well() {
    RawClient good(port_);
    EXPECT_THAT(good.watch(), HasSubstr("101"));
    server_.state("still here");
    EXPECT_EQ(good.next_with("still here"), "still here");
  }

  std::string random_bytes(std::size_t most) {
    std::string bytes(random_() % (most + 1), '\0');
    for (auto& byte : bytes) byte = static_cast<char>(random_());
    return bytes;
  }

  // Flips, removes, doubles or cuts bytes at random positions.
  std::string spoil(std::string bytes) {
    for (auto changes = 1 + random_() % 4; changes > 0 && !bytes.empty(); --changes) {
      const auto at = random_() % bytes.size();
      switch (random_() % 5) {
        case 0: bytes[at] = static_cast<char>(random_()); break;
        case 1: bytes.erase(at, 1 + random_() % 8); break;
        case 2: bytes.insert(at, bytes.substr(at, 1 + random_() % 64)); break;
        case 3: bytes.resize(at); break;
        default: bytes.insert(at, random_bytes(16));
      }
    }
    return bytes;
  }

  std::minstd_rand random_{20260107};
  Server server_{{.open = true, .most_watchers = 1000, .most_connections = 1000},
                 [](std::string_view json) { return std::string(json.size() % 2 == 0 ? "" : "odd"); }};
  std::uint16_t port_ = port_of(server_.url());
};

TEST_F(Hostile, many_come_and_go) {
  server_.hello("hello");
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t) {
    threads.emplace_back([this, t] {
      for (int i = 0; i < 25; ++i) {
        RawClient client(port_);
        EXPECT_THAT(client.watch(), HasSubstr("101"));
        server_.row(std::vector<double>{1.0 * t, 1.0 * i});
        server_.picture({.step = i, .width = 2, .height = 2, .rgb = std::vector<std::uint8_t>(12)});
        server_.notice("one more");
        if (i % 2 == 0) {
          EXPECT_EQ(client.next(1), "hello");
        }
        if (i % 3 == 0) client.send_frame(8, "");
      }
    });
  }
  for (auto& thread : threads) thread.join();
  expect_well();
  while (server_.watchers() > 0) std::this_thread::yield();
}

TEST_F(Hostile, who_does_not_read_gets_the_newest_only) {
  RawClient slow(port_), fast(port_);
  slow.watch();
  fast.watch();
  while (server_.watchers() != 2) std::this_thread::yield();
  const std::string filler(1'000'000, 'x');
  constexpr int states = 30;  // far more bytes than the network buffers
  const auto state = [&](int i) { return filler + std::to_string(i); };
  for (int i = 1; i <= states; ++i) {
    server_.state(state(i));
    ASSERT_EQ(fast.next(1), state(i));
  }
  int received = 1;
  for (auto next = slow.next(1); next != state(states); ++received) {
    ASSERT_NE(next, "(closed)");
    next = slow.next(1);
  }
  EXPECT_LT(received, states);
}

TEST_F(Hostile, too_much_at_once_is_cut_off) {
  RawClient client(port_);
  client.watch();
  client.send_frame(1, std::string(70'000, 'x'));
  EXPECT_EQ(client.next(1), "(closed)");
  RawClient header(port_);
  std::string request = "GET / HTTP/1.1\r\nHost: localhost\r\nX: ";
  request.append(20'000, 'x').append("\r\n\r\n");
  header.say(request);
  EXPECT_THAT(header.read_header(), HasSubstr("431"));
  RawClient body(port_);
  body.say("POST / HTTP/1.1\r\nHost: localhost\r\nContent-Length: 1000000\r\n\r\n");
  EXPECT_THAT(body.read_header(), ::testing::HasSubstr("HTTP/1.1 4"));
  expect_well();
}

TEST_F(Hostile, a_flood_is_refused_then_cut_off) {
  RawClient client(port_);
  client.watch();
  std::thread flood([&] {
    for (int i = 0; i < 1'000'000; ++i) {
      if (!client.send_frame(1, "even")) return;
    }
    ADD_FAILURE() << "a million messages were taken";
  });
  auto said = client.next(1);
  EXPECT_THAT(said, HasSubstr("Too many messages"));
  constexpr int most = 20;  // on a slow machine the message is repeated in the next second
  for (int k = 0; k < most && said.find("Too many messages") != std::string::npos; ++k) said = client.next(1);
  EXPECT_EQ(said, "(closed)");
  flood.join();
  expect_well();
}

TEST_F(Hostile, nonsense_instead_of_http) {
  for (int i = 0; i < tries; ++i) {
    RawClient client(port_);
    client.say(random_bytes(300));
    client.end();
    if (i % 16 == 0) client.read_all();
  }
  expect_well();
}

TEST_F(Hostile, spoiled_requests) {
  const std::string page =
      "GET /?token=a HTTP/1.1\r\nHost: localhost\r\nConnection: keep-alive\r\nContent-Length: 0\r\n\r\n";
  const std::string watch =
      "GET /watch HTTP/1.1\r\nHost: localhost\r\nOrigin: http://localhost\r\nConnection: Upgrade\r\nUpgrade: "
      "websocket\r\n"
      "Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n";
  for (int i = 0; i < tries; ++i) {
    RawClient client(port_);
    client.say(spoil(i % 2 == 0 ? page + page : watch));
    client.end();
    if (i % 16 == 0) client.read_all();
  }
  expect_well();
}

TEST_F(Hostile, spoiled_frames) {
  const std::string frame("\x81\x84\x01\x02\x03\x04\x64\x74\x66\x6a", 10);
  const std::string parts("\x01\x82\x01\x02\x03\x04\x64\x74\x89\x80\x01\x02\x03\x04\x80\x82\x01\x02\x03\x04\x66\x6a",
                          22);
  for (int i = 0; i < tries; ++i) {
    RawClient client(port_);
    client.watch();
    client.say(i % 3 == 0 ? random_bytes(100) : spoil(i % 3 == 1 ? frame + frame + frame : parts + frame));
    client.end();
    if (i % 16 == 0) client.read_all();
  }
  expect_well();
  while (server_.watchers() > 0) std::this_thread::yield();
}

}  // namespace
}  // namespace weft::view
