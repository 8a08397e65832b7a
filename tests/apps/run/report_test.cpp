// SPDX-License-Identifier: BSD-3-Clause
#include "report/report.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <regex>
#include <sstream>

#include "report/findings.hpp"
#include "report/words.hpp"

namespace weft::run {
namespace {

using json = nlohmann::json;

json site(const std::string& place, const std::string& function, const std::string& call, double seconds) {
  return {{"place", place},
          {"function", function},
          {"module", "/home/a/program"},
          {"call", call},
          {"kind", "wait"},
          {"calls", 200},
          {"seconds", 200 * seconds},
          {"callers", json::array()},
          {"a_step",
           {{"calls", 2},
            {"seconds", seconds},
            {"exposed_seconds", seconds / 2},
            {"late_seconds", seconds / 4},
            {"messages", 0}}},
          {"a_call_seconds", seconds / 2}};
}

// A step of 1 ms, 400 us of it in MPI: 200 us waiting, 100 us late, 100 us other.
json report() {
  return {{"format", 2},
          {"ended", "finalize"},
          {"ranks", 2},
          {"library", "Open MPI v4.1.4"},
          {"seconds", 0.1},
          {"mpi_seconds", 0.04},
          {"looked_at", 1.0},
          {"step", {{"found_by", "period"}, {"ends_with", "MPI_Waitall a.c:9 main"}}},
          {"mean",
           {{"steps", 100},
            {"seconds", 1e-3},
            {"mpi_seconds", 4e-4},
            {"needed_seconds", 5e-4},
            {"hidden_seconds", 3e-4},
            {"hidden_fraction", 0.6},
            {"late_seconds", 1e-4},
            {"messages", 4},
            {"matched", 1.0}}},
          {"sites", {site("a.c:9 main", "main", "MPI_Waitall", 3e-4), site("a.c:20 post", "post", "MPI_Isend", 1e-4)}},
          {"advice",
           {{{"what", "coalesce"}, {"places", {"a.c:20 post"}}, {"gain_seconds_a_step", 1e-5}, {"gain_share", 0.01}},
            {{"what", "post_earlier"}, {"places", {"a.c:9 main"}}, {"gain_seconds_a_step", 2e-4}, {"gain_share", 0.2}},
            {{"what", "synchronise"}, {"places", json::array()}, {"gain_seconds_a_step", 0.0}, {"gain_share", 0.0}}}},
          {"picture",
           {{"seconds", 1e-3},
            {"ranks",
             {{{"rank", 0},
               {"spans", {{{"kind", "flight"}, {"from", 0.0}, {"to", 5e-4}, {"call", "MPI_Isend"}, {"lane", 0}}}}}}}}}};
}

std::vector<std::string> lines_of(const std::string& text) {
  std::istringstream in(text);
  std::vector<std::string> lines;
  for (std::string line; std::getline(in, line);) lines.push_back(line);
  return lines;
}

// Every element that is opened is closed, in order; those that need no end are named.
bool is_balanced(const std::string& html) {
  std::vector<std::string> open;
  const std::regex tag("<(/?)([a-z0-9]+)[^>]*>");
  for (std::sregex_iterator it(html.begin(), html.end(), tag), end; it != end; ++it) {
    const std::string name = (*it)[2];
    if (name == "meta" || name == "br") continue;
    if ((*it)[1].length() == 0) {
      open.push_back(name);
    } else {
      if (open.empty() || open.back() != name) return false;
      open.pop_back();
    }
  }
  return open.empty();
}

bool has(const std::string& text, const std::string& what) { return text.find(what) != std::string::npos; }

TEST(RunReport, parts_of_a_step_are_the_step) {
  const auto f = findings(report());
  EXPECT_NEAR(f.computing + f.waiting + f.late + f.other, f.step_seconds, 1e-12);
  EXPECT_NEAR(f.waiting, 2e-4, 1e-9);
  EXPECT_NEAR(f.other, 1e-4, 1e-9);
  EXPECT_NEAR(f.hidden_fraction, 0.6, 1e-12);
}

TEST(RunReport, both_forms_print_the_same_numbers) {
  const auto page = html_report(report()), text = terminal_report(report());
  for (const char* number : {"60 % (600 us)", "20 % (200 us)", "10 % (100 us)", "40 % of the run"}) {
    EXPECT_TRUE(has(page, number)) << number;
    EXPECT_TRUE(has(text, number)) << text;
  }
  EXPECT_TRUE(has(page, "300 us / 500 us = 60 %"));
}

TEST(RunReport, the_terminal_has_25_lines_of_100_columns) {
  auto long_one = report();
  long_one["library"] = std::string(300, 'x');
  for (int i = 0; i < 40; ++i)
    long_one["sites"].push_back(site("f" + std::string(200, 'y'), "g" + std::to_string(i), "MPI_Wait", 1e-5 * i));
  for (const auto& one : {report(), long_one}) {
    const auto lines = lines_of(terminal_report(one));
    EXPECT_LE(lines.size(), 25U);
    for (const auto& line : lines) EXPECT_LE(line.size(), 100U) << line;
  }
}

TEST(RunReport, what_gains_most_comes_first_and_nothing_is_left_out_silently) {
  const auto f = findings(report());
  ASSERT_EQ(f.remedies.size(), 2U);
  EXPECT_EQ(f.remedies[0].title, "Post earlier, wait later");
  EXPECT_NEAR(f.remedies[0].run_seconds, 0.02, 1e-9);
  EXPECT_TRUE(has(f.remedies[0].after, "MPI_Isend"));
  auto none = report();
  none["advice"] = json::array();
  EXPECT_TRUE(has(html_report(none), "Nothing to gain"));
  EXPECT_TRUE(has(terminal_report(none), "Nothing to gain"));
}

TEST(RunReport, many_sites_of_one_function_are_one_place) {
  auto r = report();
  for (int i = 0; i < 82; ++i)
    r["sites"].push_back(site("lulesh+0x" + std::to_string(i) + " CommSBN", "CommSBN", "MPI_Isend", 1e-5));
  const auto f = findings(r);
  EXPECT_TRUE(has(f.places[0].where, "CommSBN"));
  EXPECT_NEAR(f.places[0].seconds, 8.2e-4, 1e-9);
  EXPECT_EQ(f.places[0].sites, 82U);
}

TEST(RunReport, a_wrapper_is_shown_by_the_line_that_calls_it) {
  auto r = report();
  auto wrapped = site("wrap.c:3 my_isend", "my_isend", "MPI_Isend", 9e-4);
  wrapped["callers"] = {{{"place", "solver.c:120 sweep"}, {"share", 1.0}}};
  r["sites"].push_back(wrapped);
  const auto f = findings(r);
  EXPECT_EQ(f.places[0].where, "solver.c:120 sweep");
  EXPECT_EQ(f.places[0].wrapper, "my_isend");
}

TEST(RunReport, names_of_a_program_are_text) {
  auto r = report();
  r["sites"][0]["place"] = "<script>alert('1' & \"2\")</script>";
  r["library"] = "a<b";
  const auto page = html_report(r);
  EXPECT_FALSE(has(page, "<script>"));
  EXPECT_TRUE(has(page, "&lt;script&gt;alert(&#39;1&#39; &amp; &quot;2&quot;)"));
  EXPECT_TRUE(is_balanced(page));
}

TEST(RunReport, whatever_is_missing_is_left_out) {
  const auto whole = report();
  for (const auto& [key, value] : whole.items()) {
    auto r = whole;
    r.erase(key);
    EXPECT_TRUE(is_balanced(html_report(r))) << key;
    EXPECT_FALSE(terminal_report(r).empty()) << key;
    r[key] = nullptr;
    EXPECT_TRUE(is_balanced(html_report(r))) << key;
  }
  EXPECT_TRUE(is_balanced(html_report(json::object())));
}

TEST(RunReport, a_program_that_ended_early_is_said_to_have) {
  auto r = report();
  r["ended"] = "early";
  r.erase("mean");
  const auto page = html_report(r), text = terminal_report(r);
  EXPECT_TRUE(has(page, "did not come to MPI_Finalize"));
  EXPECT_TRUE(has(text, "ended before MPI_Finalize"));
  EXPECT_TRUE(has(text, "a.c:9 main"));
  EXPECT_FALSE(has(text, "Nothing to gain"));
}

TEST(RunReport, advice_is_in_the_program_s_language) {
  auto r = report();
  r["sites"][0]["file"] = "/a/heat.F90";
  EXPECT_TRUE(has(html_report(r), "call MPI_Isend"));
  r["sites"][0]["file"] = "";
  r["sites"][0]["module"] = "/env/mpi4py/MPI.so";
  EXPECT_TRUE(has(html_report(r), "comm.Isend"));
}

TEST(RunWords, units_and_limits) {
  EXPECT_EQ(time_text(1.5e-6), "1.5 us");
  EXPECT_EQ(time_text(2e-3), "2 ms");
  EXPECT_EQ(time_text(3), "3 s");
  EXPECT_EQ(share_text(0.123), "12 %");
  EXPECT_EQ(share_text(0.0234), "2.3 %");
  EXPECT_EQ(shortened(std::string(50, 'a'), 10), "aaa...aaaa");
}

}  // namespace
}  // namespace weft::run
