// SPDX-License-Identifier: BSD-3-Clause
#include "view/server.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <mutex>
#include <thread>
#include <vector>

#include "flow/tests/view/raw_client.hpp"
#include "weft/error.hpp"

namespace weft::view {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;
using testing::port_of;
using testing::RawClient;

std::string take_all(std::string_view) { return ""; }

Picture picture(std::int64_t step, int size = 16) {
  return {.step = step,
          .width = size,
          .height = size,
          .rgb = std::vector<std::uint8_t>(static_cast<std::size_t>(3 * size * size), 99)};
}

void wait_for_watchers(const Server& server, int count) {
  while (server.watchers() != count) std::this_thread::yield();
}

TEST(Server, serves_the_page) {
  const Server server({.open = true}, take_all);
  EXPECT_THAT(server.url(), ::testing::MatchesRegex("http://127.0.0.1:[0-9]+/"));
  const auto page = RawClient(port_of(server.url())).get("/");
  EXPECT_THAT(page, HasSubstr("200 OK"));
  EXPECT_THAT(page, HasSubstr("Content-Type: text/html; charset=utf-8"));
  EXPECT_THAT(page, HasSubstr("<!doctype html>"));
  for (const auto* header : {"Content-Security-Policy: default-src 'none'", "Cache-Control: no-store",
                             "X-Content-Type-Options: nosniff", "Referrer-Policy: no-referrer"}) {
    EXPECT_THAT(page, HasSubstr(header));
  }
  EXPECT_THAT(RawClient(port_of(server.url())).get("/main.js"), HasSubstr("text/javascript"));
  EXPECT_THAT(RawClient(port_of(server.url())).get("/../../etc/passwd"), HasSubstr("404"));
  EXPECT_THAT(RawClient(port_of(server.url())).get("/watch"), HasSubstr("426"));
  EXPECT_THAT(RawClient(port_of(server.url())).get("/status"), HasSubstr(R"({"watchers":0,"most_watchers":16})"));
}

TEST(Server, keeps_a_connection_for_several_files) {
  const Server server({.open = true}, take_all);
  RawClient client(port_of(server.url()));
  for (int i = 0; i < 3; ++i) {
    client.say("HEAD / HTTP/1.1\r\nHost: localhost\r\n\r\n");
    EXPECT_THAT(client.read_header(), HasSubstr("200 OK"));
  }
  client.say("POST / HTTP/1.1\r\nHost: localhost\r\n\r\n");
  EXPECT_THAT(client.read_header(), HasSubstr("405"));
}

TEST(Server, tells_a_watcher_what_there_is) {
  Server server({.open = true}, take_all);
  server.row(std::vector<double>{1, 2.5});
  server.row(std::vector<double>{2, 3.5});
  server.state(R"({"type":"state"})");
  // also processes the messages before it, so that the next viewer gets them
  server.hello(R"({"type":"hello"})");
  RawClient client(port_of(server.url()));
  EXPECT_THAT(client.watch(), HasSubstr("101 Switching"));
  EXPECT_EQ(client.next(1), R"({"type":"hello"})");
  EXPECT_EQ(client.next(1), R"({"type":"state"})");
  EXPECT_EQ(client.next(1), R"({"type":"rows","values":[[1,2.5],[2,3.5]]})");
  server.notice("written: \"a\"");
  EXPECT_EQ(client.next(1), R"({"type":"notice","text":"written: \"a\""})");
  server.hello(R"({"type":"hello","again":1})");
  EXPECT_EQ(client.next(1), R"({"type":"hello","again":1})");
}

TEST(Server, sends_pictures_to_who_watches) {
  Server server({.open = true}, take_all);
  EXPECT_FALSE(server.wants_picture());
  server.picture(picture(1));  // no viewer receives it
  RawClient client(port_of(server.url()));
  client.watch();
  wait_for_watchers(server, 1);
  while (!server.wants_picture()) std::this_thread::yield();
  server.picture(picture(7));
  const auto frame = client.next(2);
  ASSERT_GT(frame.size(), 10U);
  EXPECT_EQ(frame.substr(0, 8), std::string("\7\0\0\0\0\0\0\0", 8));
  EXPECT_EQ(frame.substr(8, 2), "\xff\xd8");
}

TEST(Server, tells_why_it_refuses) {
  std::mutex mutex;
  std::vector<std::string> got;
  Server server({.open = true}, [&](std::string_view json) -> std::string {
    const std::lock_guard lock(mutex);
    got.emplace_back(json);
    if (json == "throw") throw Error("thrown");
    return json == "good" ? "" : "no \"such\" thing";
  });
  RawClient client(port_of(server.url()));
  client.watch();
  client.send_frame(1, "good");
  client.send_frame(1, "bad");
  EXPECT_EQ(client.next(1), R"({"type":"refused","text":"no \"such\" thing"})");
  client.send_frame(1, "throw");
  EXPECT_EQ(client.next(1), R"({"type":"refused","text":"thrown"})");
  client.send_frame(2, "good");
  EXPECT_THAT(client.next(1), HasSubstr("not text"));
  const std::lock_guard lock(mutex);
  EXPECT_THAT(got, ::testing::ElementsAre("good", "bad", "throw"));
}

TEST(Server, lets_nobody_in_by_another_name) {
  const Server server({.open = true}, take_all);
  const auto port = port_of(server.url());
  EXPECT_THAT(RawClient(port).get("/", "Host: evil.example\r\n"), HasSubstr("403"));
  EXPECT_THAT(RawClient(port).get("/", ""), HasSubstr("403"));
  EXPECT_THAT(RawClient(port).watch("/watch", "Host: evil.example\r\nOrigin: http://evil.example\r\n"),
              HasSubstr("403"));
  EXPECT_THAT(RawClient(port).watch("/watch", "Host: localhost:9\r\nOrigin: http://evil.example\r\n"),
              HasSubstr("403"));
  EXPECT_THAT(RawClient(port).watch("/watch", "Host: localhost:9\r\nOrigin: null\r\n"), HasSubstr("403"));
  EXPECT_THAT(RawClient(port).watch("/watch", "Host: localhost:9\r\nOrigin: http://localhost:9\r\n"), HasSubstr("101"));
}

TEST(Server, believes_neither_of_two_names) {
  const Server server({.open = true}, take_all);
  const auto port = port_of(server.url());
  for (const auto* hosts : {"Host: localhost\r\nHost: evil.example\r\n", "Host: evil.example\r\nHost: localhost\r\n",
                            "Host: localhost\r\nhost: localhost\r\n"}) {
    EXPECT_THAT(RawClient(port).get("/", hosts), HasSubstr("HTTP/1.1 400")) << hosts;
    EXPECT_THAT(RawClient(port).watch("/watch", hosts), HasSubstr("HTTP/1.1 400")) << hosts;
  }
  EXPECT_THAT(
      RawClient(port).watch("/watch", "Host: localhost\r\nOrigin: http://localhost\r\nOrigin: http://evil.example\r\n"),
      HasSubstr("HTTP/1.1 400"));
}

TEST(Server, offers_what_the_program_has_to_who_may_watch) {
  Server server({}, take_all);
  const auto port = port_of(server.url());
  const auto token = server.url().substr(server.url().find('?'));
  server.offer("/surface", "application/octet-stream", std::make_shared<const std::string>("a\0b", 3));
  server.front("/set-up.html");
  server.accept([](std::string_view) { return std::string("another one is asked"); });
  RawClient client(port);
  client.watch(std::string("/watch").append(token));
  client.send_frame(1, "{}");
  EXPECT_THAT(client.next(1), HasSubstr("another one is asked"));
  const auto offered = RawClient(port).get("/surface" + token);
  EXPECT_THAT(offered, HasSubstr("Content-Type: application/octet-stream"));
  EXPECT_THAT(offered, ::testing::EndsWith(std::string("\r\n\r\na\0b", 7)));
  EXPECT_THAT(RawClient(port).get("/surface"), HasSubstr("403"));
  EXPECT_THAT(RawClient(port).get("/" + token), HasSubstr("Set up a vessel"));
}

TEST(Server, asks_for_its_token) {
  const Server everywhere({.address = "0.0.0.0"}, take_all);
  EXPECT_THAT(everywhere.url(), ::testing::MatchesRegex("http://.+:[0-9]+/.token=[0-9a-f]+"));
  const Server here({}, take_all);
  for (const auto* server : {&everywhere, &here}) {
    const auto port = port_of(server->url());
    const auto token = server->url().substr(server->url().find('?'));
    for (const auto* path : {"/", "/status", "/?token=", "/status?token=00000000000000000000000000000000"}) {
      EXPECT_THAT(RawClient(port).get(path), HasSubstr("403")) << path;
    }
    EXPECT_THAT(RawClient(port).watch("/watch"), HasSubstr("403"));
    EXPECT_THAT(RawClient(port).watch(std::string("/watch").append(token).append("0")), HasSubstr("403"));
    EXPECT_THAT(RawClient(port).watch(std::string("/watch").append(token)), HasSubstr("101"));
    EXPECT_THAT(RawClient(port).get(std::string("/").append(token)), HasSubstr("200 OK"));
  }
  const auto path = everywhere.url().substr(everywhere.url().rfind('/'));
  EXPECT_THAT(RawClient(port_of(everywhere.url())).get(path, "Host: node7\r\n"), HasSubstr("200 OK"));
}

TEST(Server, says_what_is_wrong_with_its_address) {
  const auto message = [](const ServerOptions& options) -> std::string {
    try {
      const Server server(options, take_all);
    } catch (const InputError& error) {
      return error.what();
    }
    return "(nothing)";
  };
  const Server server({.open = true}, take_all);
  const auto port = port_of(server.url());
  EXPECT_THAT(message({.port = port}),
              ::testing::MatchesRegex("--view=[0-9]+: The port is in use at 127.0.0.1. Give another port.*"));
  EXPECT_THAT(message({.address = "here"}), HasSubstr("--view-address: 'here' is not an IP address. Give"));
  EXPECT_THAT(message({.address = "192.0.2.1"}), HasSubstr("--view-address: The viewer can't listen at 192.0.2.1 ("));
  EXPECT_EQ(message({.address = "localhost"}), "(nothing)");
}

TEST(Server, wants_its_answer_heard_before_messages) {
  const Server server({.open = true}, take_all);
  RawClient client(port_of(server.url()));
  client.say(
      "GET /watch HTTP/1.1\r\nHost: localhost\r\nConnection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: "
      "13\r\n"
      "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\nmore");
  EXPECT_THAT(client.read_header(), HasSubstr("400"));
}

TEST(Server, takes_only_so_many_watchers) {
  const Server server({.open = true, .most_watchers = 2}, take_all);
  const auto port = port_of(server.url());
  {
    RawClient first(port), second(port);
    EXPECT_THAT(first.watch(), HasSubstr("101"));
    EXPECT_THAT(second.watch(), HasSubstr("101"));
    wait_for_watchers(server, 2);
    EXPECT_THAT(RawClient(port).watch(), HasSubstr("503"));
    EXPECT_THAT(RawClient(port).get("/status"), HasSubstr(R"({"watchers":2,)"));
  }
  wait_for_watchers(server, 0);
  EXPECT_THAT(RawClient(port).watch(), HasSubstr("101"));
}

TEST(Server, takes_only_so_many_connections) {
  const Server server({.open = true, .most_connections = 1}, take_all);
  const auto port = port_of(server.url());
  RawClient first(port);
  first.say("HEAD / HTTP/1.1\r\nHost: localhost\r\n\r\n");
  EXPECT_THAT(first.read_header(), HasSubstr("200 OK"));
  EXPECT_THAT(RawClient(port).get("/"), HasSubstr("503"));
}

TEST(Server, says_good_bye_with_the_last_state) {
  auto server = std::make_unique<Server>(ServerOptions{.open = true}, take_all);
  RawClient client(port_of(server->url()));
  client.watch();
  wait_for_watchers(*server, 1);
  server->state("last");  // before the picture, which is sent as soon as it is encoded
  server->picture(picture(3));
  std::thread ending([&] { server.reset(); });
  EXPECT_EQ(client.next_with("last"), "last");
  EXPECT_NE(client.next(2), "(closed)");
  const auto closing = client.next_frame();
  EXPECT_EQ(closing.kind == 9 ? client.next_frame().kind : closing.kind, 8);
  client.send_frame(8, "");
  client.end();
  ending.join();
}

TEST(Server, ends_though_a_watcher_does_not_read) {
  auto server = std::make_unique<Server>(ServerOptions{.open = true}, take_all);
  RawClient client(port_of(server->url()));
  client.watch();
  wait_for_watchers(*server, 1);
  for (int i = 0; i < 50; ++i) server->state(std::string(1'000'000, 'x'));
  server.reset();
}

}  // namespace
}  // namespace weft::view
