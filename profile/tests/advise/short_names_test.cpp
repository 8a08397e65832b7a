// SPDX-License-Identifier: BSD-3-Clause
#include "advise/short_names.hpp"

#include <gtest/gtest.h>

#include "advise/table.hpp"

namespace weft::advise {
namespace {

TEST(ShortNames, are_without_template_arguments_first) {
  EXPECT_EQ(without_details("Solver<double, Layout<3>>::step"), "Solver<...>::step");
  EXPECT_EQ(without_details("(anonymous namespace)::Solver<double, A<B>>::apply<std::vector<int>>"),
            "Solver<...>::apply<...>");
  EXPECT_EQ(without_details("Exchange<3>::finish"), "Exchange<3>::finish");
  for (const auto* same : {"ns::operator<", "ns::operator<<", "operator->", "main::<lambda(int, double)>", "<module>",
                           "f<unfinished", "a > b", ""})
    EXPECT_EQ(without_details(same), same);
}

TEST(ShortNames, end_between_words) {
  EXPECT_EQ(short_name("solver.cpp:88 Solver<double, Layout<3>>::step", 40), "solver.cpp:88 Solver<...>::step");
  EXPECT_EQ(short_name("solver.cpp:88 ns::first_function::second_function", 40),
            "solver.cpp:88 ns::first_function::...");
  EXPECT_EQ(short_name("abcdefghijklmnopqrstuvwxyz", 13), "abcdefghij...");
  EXPECT_EQ(short_name("aößößößöß", 9), "aöß...");
  EXPECT_EQ(short_name("step", 4), "step");
}

Report report_of(const std::string& place) {
  Report report;
  report.rows.push_back({});
  report.rows[0].name.text = place;
  report.rows[0].call = "MPI_Waitall";
  report.rows[0].kind = Kind::wait;
  return report;
}

TEST(ShortNames, are_in_the_table) {
  const auto table =
      table_of(report_of("solver.cpp:88 Solver<double, Layout<std::vector<double, std::allocator<double>>>>::step"));
  EXPECT_NE(table.find("solver.cpp:88 Solver<...>::step MPI_Waitall"), table.npos) << table;
}

TEST(Table, has_the_sizes_of_messages_and_the_totals_of_the_run) {
  auto report = report_of("a.c:1 main");
  report.ranks = 2;
  report.seconds = 2;
  report.mpi_seconds = 0.5;
  report.mean.messages = 4;
  report.mean.peers = 1;
  report.mean.steps = 100;
  report.sent = {800, 800 * 2048.0};
  const auto table = table_of(report);
  EXPECT_NE(table.find("Per step: 4 messages of 2 KiB to 1 neighbour, 0 waits"), table.npos) << table;
  EXPECT_NE(table.find("In the whole run: 500 ms per rank in MPI calls; all ranks sent 800 messages, 1.56 MiB.\n"),
            table.npos)
      << table;
  report.recorded_share = 0.5;
  EXPECT_NE(table_of(report).find("sent about 800 messages"), std::string::npos);
  report.sent = {};
  EXPECT_EQ(table_of(report).find("all ranks sent"), std::string::npos);
}

}  // namespace
}  // namespace weft::advise
