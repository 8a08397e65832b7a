// SPDX-License-Identifier: BSD-3-Clause
#include "view/access.hpp"

#include <gtest/gtest.h>

namespace weft::view {
namespace {

TEST(Access, on_loopback_only_its_names) {
  const Access access(true, "");
  for (const auto* host :
       {"localhost", "localhost:80", "LOCALHOST:8080", "127.0.0.1:9", "127.0.0.1", "[::1]:9", "[::1]", "127.0.1.1:3"}) {
    EXPECT_TRUE(access.host(host)) << host;
  }
  for (const auto* host : {"", "evil.example", "evil.example:80", "localhost.evil.example", "127.0.0.1.evil.example",
                           "localhost:80x", "localhost:", "::1", "10.0.0.1", "evil@localhost", "127.0.0.1:80:80"}) {
    EXPECT_EQ(access.host(host), std::string_view(host) == "localhost:") << host;
  }
}

TEST(Access, elsewhere_any_name_since_the_token_counts) {
  const Access access(false, "5ecret");
  EXPECT_TRUE(access.host("node7.cluster.example:8080"));
  EXPECT_TRUE(access.token("5ecret"));
  for (const auto* wrong : {"", "5ecre", "5ecret ", "6ecret", "5ecret5ecret"})
    EXPECT_FALSE(access.token(wrong)) << wrong;
}

TEST(Access, only_its_own_pages_open_a_web_socket) {
  const Access access(true, "");
  EXPECT_TRUE(access.origin("", "localhost:80"));
  EXPECT_TRUE(access.origin("http://localhost:80", "localhost:80"));
  EXPECT_TRUE(access.origin("https://localhost:80", "LocalHost:80"));
  for (const auto* other :
       {"http://evil.example", "http://localhost:81", "http://localhost", "null", "localhost:80", "file://"}) {
    EXPECT_FALSE(access.origin(other, "localhost:80")) << other;
  }
}

TEST(Access, reads_the_token) {
  EXPECT_EQ(read_target("/watch?token=ab").token, "ab");
  EXPECT_EQ(read_target("/watch?x=1&token=ab&y").token, "ab");
  EXPECT_EQ(read_target("/?token=ab").path, "/");
  for (const auto* none : {"/", "/?", "/?token", "/?token=", "/?mytoken=a", "", "?&&&"})
    EXPECT_EQ(read_target(none).token, "") << none;
}

TEST(Access, tokens_are_long_and_differ) {
  const auto token = random_token();
  EXPECT_EQ(token.size(), 32U);
  EXPECT_EQ(token.find_first_not_of("0123456789abcdef"), token.npos);
  EXPECT_NE(token, random_token());
}

}  // namespace
}  // namespace weft::view
