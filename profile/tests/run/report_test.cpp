// SPDX-License-Identifier: BSD-3-Clause
#include "run/report/report.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <fstream>
#include <limits>
#include <nlohmann/json.hpp>
#include <regex>
#include <set>
#include <sstream>

#include "run/report/environment.hpp"
#include "run/report/findings.hpp"
#include "run/report/text.hpp"

namespace weft::run {
namespace {

using Json = nlohmann::json;

const std::vector<std::string> all_runs{"jacobi",      "lulesh",   "wrappers", "no_steps",
                                        "ended_early", "few_keys", "hostile"};

Json load(const std::string& name) {
  std::ifstream in(std::string(WEFT_RUN_DATA) + "/" + name + ".json");
  return Json::parse(in);
}

std::vector<std::string> lines_of(const std::string& text) {
  std::vector<std::string> lines;
  std::istringstream in(text);
  for (std::string line; std::getline(in, line);) lines.push_back(line);
  return lines;
}

std::string replaced(std::string text, const std::string& from, const std::string& to) {
  for (auto at = text.find(from); at != text.npos; at = text.find(from, at + to.size()))
    text.replace(at, from.size(), to);
  return text;
}

// The page, as text like the terminal's.
std::string plain(const Json& run) {
  return replaced(replaced(replaced(html_report(run), "\u00a0", " "), "\u00b5s", "us"), "&#39;", "'");
}

std::size_t times(const std::string& text, const std::string& piece) {
  std::size_t n = 0;
  for (auto at = text.find(piece); at != text.npos; at = text.find(piece, at + piece.size())) ++n;
  return n;
}

bool has(const std::string& text, const std::string& piece) { return text.find(piece) != text.npos; }

std::vector<double> numbers_in(const std::string& text, const std::string& pattern) {
  std::vector<double> found;
  const std::regex expression(pattern);
  for (std::sregex_iterator it(text.begin(), text.end(), expression), end; it != end; ++it)
    found.push_back(std::stod((*it)[1]));
  return found;
}

double sum(const std::vector<double>& values) {
  double all = 0;
  for (const double v : values) all += v;
  return all;
}

// The first error in a page's tags, or nothing: each tag is closed, attributes are quoted, text has no bare < or &.
std::string fault_of(const std::string& page) {
  std::vector<std::string> open;
  static const std::set<std::string> empty{"meta", "br"};
  static const std::regex tag("^<(/?)([a-z][a-z0-9]*)((?: [A-Za-z-]+=\"[^\"<>]*\")*)(/?)>");
  static const std::regex entity("^&(amp|lt|gt|quot|#39);");
  for (std::size_t at = page.find("<html"); at < page.size();) {
    if (page[at] == '&' && !std::regex_search(page.substr(at, 8), entity)) return "bare & at " + page.substr(at, 40);
    if (page[at] == '>') return "bare > at " + page.substr(at, 40);
    if (page[at] != '<') {
      ++at;
      continue;
    }
    const auto end = page.find('>', at);
    if (end == page.npos) return "no end of " + page.substr(at, 40);
    const auto text = page.substr(at, end - at + 1);
    std::smatch m;
    if (!std::regex_match(text, m, tag)) return "not a tag: " + text;
    at = end + 1;
    if (m[1] == "/") {
      if (open.empty() || open.back() != m[2]) return "closed without being open: " + text;
      open.pop_back();
    } else if (m[4] != "/" && !empty.contains(m[2])) {
      open.push_back(m[2]);
      if (m[2] == "style") at = page.find("</style>", at);
    }
  }
  return open.empty() ? "" : "never closed: " + open.back();
}

void expect_readable(const Json& run, const std::string& what) {
  const auto terminal = terminal_report(run);
  const auto lines = lines_of(terminal);
  EXPECT_GE(lines.size(), 1u) << what;
  EXPECT_LE(lines.size(), 25u) << what << "\n" << terminal;
  for (const auto& line : lines) EXPECT_LE(width_of(line), 100u) << what << "\n" << line;
  const auto page = html_report(run);
  EXPECT_EQ(fault_of(page), "") << what;
  for (const auto* text : {&terminal, &page}) {
    EXPECT_FALSE(std::regex_search(*text, std::regex("[ (>-](nan|inf)\\b"))) << what;
    EXPECT_FALSE(std::regex_search(*text, std::regex("[0-9]e[+-]?[0-9]+ (us|ms|s|%)"))) << what;
  }
}

TEST(RunReport, HasAtMost25LinesOf100ColumnsAndAWellFormedPage) {
  for (const auto& name : all_runs) expect_readable(load(name), name);
}

TEST(RunReport, KeepsWhatToDoOnTheTerminal) {
  auto run = load("wrappers");
  run["step"]["warning"] = "no call is " + std::string(90, 'x') + " in any of the steps of this program";
  for (const auto* name : {"a", "b", "c", "d", "e", "f", "g", "h", "i"})
    run["regions"].push_back({{"name", name}, {"seconds", 1e-4}, {"messages", 1}});
  const auto terminal = terminal_report(run);
  EXPECT_LE(lines_of(terminal).size(), 25u);
  const auto f = findings_of(run);
  const auto at = terminal.find("What to do (");
  ASSERT_NE(at, terminal.npos) << terminal;
  for (std::size_t i = 0; i < f.remedies.size() && i < 4; ++i)
    EXPECT_TRUE(has(terminal.substr(at), f.remedies[i].name)) << terminal;
  EXPECT_TRUE(has(terminal, "  a  ")) << terminal;
  EXPECT_TRUE(terminal.ends_with("\nMore is on the page.\n")) << terminal;
  EXPECT_FALSE(has(terminal, "...")) << terminal;
  EXPECT_FALSE(has(terminal_report(load("few_keys")), "on the page"));
}

TEST(RunReport, HasNoOverlapOfARegionThatHardlyCommunicates) {
  auto run = load("jacobi");
  const double step = run["mean"]["seconds"];
  run["regions"] = {{{"name", "self"},
                     {"messages", 1},
                     {"needed_seconds", 0.009 * step},
                     {"overlappable_seconds", 0.009 * step},
                     {"overlap_fraction", 0.33}}};
  EXPECT_FALSE(has(terminal_report(run), "33 %")) << terminal_report(run);
  EXPECT_TRUE(has(terminal_report(run), "hardly any communication"));
  EXPECT_TRUE(has(html_report(run), "hardly any communication"));
  run["regions"][0]["needed_seconds"] = 0.011 * step;
  EXPECT_TRUE(has(terminal_report(run), "33 %"));
}

TEST(RunReport, RanksAtOnePlaceAreSeveral) {
  Reading::RankNow now;
  now.process = "ended", now.inside = true, now.call = "MPI_Recv", now.place = "a.c:3 f";
  auto other = now;
  other.rank = 1;
  EXPECT_EQ(lines_of_ranks({now, other}).at(0), "ranks 0 and 1: were in MPI_Recv at f (a.c:3) when they ended");
  EXPECT_EQ(lines_of_ranks({now}).at(0), "rank 0: was in MPI_Recv at f (a.c:3) when it ended");
}

TEST(RunReport, FaultyPagesAreFoundByTheCheck) {
  EXPECT_EQ(fault_of("<html><p class=\"a\">1 &lt; 2<br></p><rect x=\"1\"/></html>"), "");
  for (const auto* wrong : {"<html><p></html>", "<html></p></html>", "<html>a & b</html>", "<html><b>",
                            "<html><p x=1></p></html>", "<html>1 < 2</html>", "<html>2 > 1</html>"})
    EXPECT_NE(fault_of(wrong), "") << wrong;
}

TEST(RunReport, ThePageNeedsNothingElse) {
  for (const auto& name : all_runs) {
    const auto page = html_report(load(name));
    for (const auto* loader : {"http:", "https:", "<script", "<link", "<img", "<iframe", "@import", "url("})
      EXPECT_FALSE(has(page, loader)) << name << " " << loader;
    EXPECT_FALSE(std::regex_search(page, std::regex("<[^>]* (src|href|on[a-z]+)="))) << name;
    EXPECT_TRUE(has(page, "prefers-color-scheme:dark")) << name;
  }
}

// The parts of a step on the page: share and time.
struct Parts {
  std::vector<double> shares, times;
};
Parts parts_on(const std::string& page) {
  const auto from = page.find("<ul class=\"parts\">"), to = page.find("</ul>", from);
  const auto list = page.substr(from, to - from);
  return {numbers_in(list, "<b>([0-9.]+) %</b>"), numbers_in(list, "<span>([0-9.]+) [num]?s</span>")};
}

TEST(RunReport, PartsOfAStepAddUpAsPrinted) {
  for (const auto& name : all_runs) {
    const auto run = load(name);
    const auto parts = parts_on(plain(run));
    ASSERT_GE(parts.shares.size(), 2u) << name;
    ASSERT_EQ(parts.shares.size(), parts.times.size()) << name;
    EXPECT_NEAR(sum(parts.shares), 100, 1e-9) << name;
    const double step = std::stod(findings_of(run).step.time);
    EXPECT_NEAR(sum(parts.times), step, 1e-9) << name;
    for (std::size_t i = 0; i < parts.shares.size(); ++i)  // each share is that of its time, except for rounding
      EXPECT_NEAR(100 * parts.times[i] / step, parts.shares[i], 0.16) << name;
  }
}

TEST(RunReport, TerminalAndPageSayTheSameNumbers) {
  for (const auto& name : all_runs) {
    const auto run = load(name);
    const auto terminal = terminal_report(run), page = plain(run);
    const auto lines = lines_of(terminal);
    const auto split =
        std::ranges::find_if(lines, [](const auto& line) { return line.rfind("  = computing", 0) == 0; });
    ASSERT_NE(split, lines.end()) << name;
    EXPECT_EQ(numbers_in(*split, "([0-9.]+) %"), parts_on(page).shares) << name;
    const auto f = findings_of(run);
    EXPECT_TRUE(has(page, "<h1>" + f.headline + "</h1>")) << name;
    EXPECT_TRUE(has(replaced(terminal, "\n  ", " "), f.headline)) << name;
    for (std::size_t i = 0; i < f.main_places; ++i) {
      EXPECT_TRUE(has(terminal, f.place_amounts[i].time + " ")) << name;
      EXPECT_TRUE(has(page, f.place_amounts[i].time)) << name;
      EXPECT_TRUE(has(terminal, f.place_amounts[i].share)) << name;
      EXPECT_TRUE(has(page, "<strong>" + f.place_amounts[i].share + "</strong>")) << name;
    }
    EXPECT_EQ(f.can_overlap, has(page, "<b>Overlap fraction</b>: " + f.overlap_percent + " = " + f.overlapped.time +
                                           " / " + f.overlappable.time + ": overlapped"))
        << name;
    for (std::size_t i = 0; i < f.remedies.size() && i < 4; ++i) {
      EXPECT_TRUE(has(terminal, f.remedies[i].name + ": " + f.gain(f.remedies[i]))) << name;
      EXPECT_TRUE(has(page, "<strong>" + f.gain(f.remedies[i]) + "</strong>")) << name;
    }
  }
}

TEST(RunReport, PrintedNumbersReproduceEachOther) {
  const std::regex overlap(
      "([0-9.]+) ([num]?s) of it could be overlapped with computation, ([0-9.]+) ([num]?s) was: overlap fraction "
      "([0-9]+) %");
  const std::regex gain("([0-9.]+) (us|ms|s) per step \\(([0-9.]+) %\\), ([0-9.]+) (ns|us|ms|s) over ([0-9]+) steps");
  const std::map<std::string, double> unit{{"s", 1}, {"ms", 1e-3}, {"us", 1e-6}, {"ns", 1e-9}};
  int seen = 0;
  for (const auto* name : {"jacobi", "lulesh", "wrappers", "few_keys"}) {
    const auto run = load(name);
    const auto terminal = replaced(terminal_report(run), "\n  ", " ");
    std::smatch m;
    ASSERT_TRUE(std::regex_search(terminal, m, overlap)) << name;
    EXPECT_EQ(m[2], m[4]);
    EXPECT_NEAR(100 * std::stod(m[3]) / std::stod(m[1]), std::stod(m[5]), 0.51) << name;
    EXPECT_NEAR(100 * run["mean"]["overlap_fraction"].get<double>(), std::stod(m[5]), 0.51) << name;
    const auto f = findings_of(run);
    for (std::sregex_iterator it(terminal.begin(), terminal.end(), gain), end; it != end; ++it, ++seen) {
      const double seconds = std::stod((*it)[1]) * unit.at((*it)[2]);
      EXPECT_NEAR(100 * seconds / f.step.seconds, std::stod((*it)[3]), 0.1) << name;
      const double all = std::stod((*it)[4]) * unit.at((*it)[5]);
      EXPECT_NEAR(seconds * std::stod((*it)[6]), all, 0.02 * all) << name;
    }
  }
  EXPECT_GE(seen, 8);
}

TEST(RunReport, CommunicationIsWithoutLateRanks) {
  const auto f = findings_of(load("wrappers"));
  EXPECT_NEAR(f.communication.seconds, f.in_calls.seconds - f.late.seconds, 1e-12);
  EXPECT_DOUBLE_EQ(f.communication.units, f.messages.units + f.other.units);
  EXPECT_NEAR(f.late.seconds, load("wrappers")["mean"]["late_seconds"].get<double>(), 1e-12);
  EXPECT_TRUE(has(f.headline, percent(f.communication.tenths / 1000) + " of each step"));
  ASSERT_FALSE(f.asides.empty());
  EXPECT_TRUE(has(f.asides.back(), "imbalance"));
}

bool has_aside(const nlohmann::json& run, const std::string& text) {
  return std::ranges::any_of(findings_of(run).asides, [&](const auto& aside) { return has(aside, text); });
}

TEST(RunReport, SaysHowMuchIsInCallsThatAreNotJudged) {
  auto run = load("jacobi");
  EXPECT_FALSE(has_aside(run, "is not known"));
  for (auto& site : run["sites"])
    if (site["call"] == "MPI_Allreduce") site["call"] = "MPI_File_write_at", site["kind"] = "file";
  EXPECT_TRUE(has_aside(run, "is in calls for files"));
}

TEST(RunReport, NamesTheCallsOfTheOtherTime) {
  auto run = load("jacobi");
  const double step = run["mean"]["seconds"];
  for (auto& site : run["sites"]) {
    auto& own = site["a_step"];
    own["exposed_seconds"] = own["late_seconds"] = own["seconds"] = 0.0;
    if (site["call"] == "MPI_Allreduce") own["seconds"] = 0.4 * step;
    if (site["call"] == "MPI_Waitall") own["seconds"] = 0.2 * step;
  }
  run["mean"]["mpi_seconds"] = 0.6 * step;
  run["mean"]["late_seconds"] = 0.0;
  EXPECT_TRUE(has_aside(run, "60 % is other time in MPI calls: 40 % MPI_Allreduce and 20 % MPI_Waitall."));
  run["mean"]["mpi_seconds"] = 0.05 * step;
  EXPECT_FALSE(has_aside(run, "is other time"));
}

TEST(RunReport, NamesTheRankThatComputesLongest) {
  auto run = load("jacobi");
  const double step = run["mean"]["seconds"];
  EXPECT_EQ(findings_of(run).ranks_line, "");
  const auto times = [&](double inside) {
    return nlohmann::json{{"seconds", step}, {"mpi_seconds", inside * step}, {"late_seconds", 0.0}};
  };
  run["by_rank"] = {times(0.5), times(0.1), times(0.6)};
  EXPECT_TRUE(has(findings_of(run).ranks_line, "Rank 1 computes longest"));
  EXPECT_TRUE(has(findings_of(run).ranks_line, "rank 2 needs"));
  EXPECT_TRUE(has(terminal_report(run), "Rank 1 computes longest"));
  EXPECT_TRUE(has(html_report(run), "Times of each rank"));
  run["by_rank"] = {times(0.5), times(0.501), times(0.502)};
  EXPECT_EQ(findings_of(run).ranks_line, "");
}

TEST(RunReport, BlamesNoImbalanceForWhatIsOther) {
  auto run = load("jacobi");
  run["mean"]["progress_thread_gain_seconds"] = 0.0;
  run["advice"] = nlohmann::json::array();
  for (auto& site : run["sites"]) site["a_step"]["exposed_seconds"] = site["a_step"]["late_seconds"] = 0.0;
  run["mean"]["late_seconds"] = 0.1 * run["mean"]["seconds"].get<double>();
  const auto f = findings_of(run);
  EXPECT_GT(f.other.seconds, f.late.seconds);
  EXPECT_FALSE(has(f.nothing_to_gain(), "imbalance")) << f.nothing_to_gain();
}

TEST(RunReport, AsksForNoLessThreadsThanTheHelperThreadNeeds) {
  auto run = load("jacobi");
  run["environment"]["thread_level"] = "multiple";
  EXPECT_TRUE(has(terminal_report(run) + html_report(run), "ask for less"));
  run["progress_thread"] = true;
  EXPECT_FALSE(has(terminal_report(run) + html_report(run), "ask for less"));
}

const Hotspot* place_of(const Findings& f, const std::string& function) {
  const auto found = std::ranges::find(f.places.all, function, &Hotspot::function);
  return found == f.places.all.end() ? nullptr : &*found;
}

// A run with one site, in an executable or called by it.
Json run_of(const std::string& module, const std::string& place, const std::string& function, const Json& callers) {
  auto run = load("jacobi");
  auto site = run["sites"][0];
  site.update({{"module", module}, {"place", place}, {"function", function}, {"file", ""}, {"line", 0}});
  site["callers"] = callers;
  run["sites"] = Json::array({site});
  return run;
}

TEST(RunPlaces, AddUpToTheTimeInCalls) {
  for (const auto* name : {"jacobi", "lulesh", "wrappers", "no_steps", "ended_early"}) {
    const auto run = load(name);
    const auto f = findings_of(run);
    double units = 0, seconds = 0;
    for (const auto& amount : f.place_amounts) units += amount.units, seconds += amount.seconds;
    EXPECT_DOUBLE_EQ(units, f.in_calls.units) << name;
    EXPECT_NEAR(seconds, f.in_calls.seconds, 0.01 * f.in_calls.seconds) << name;
    const auto page = plain(run);
    const auto table = page.substr(page.find("<summary>All call sites"));
    auto shares = numbers_in(table, "<td>([0-9.]+) %</td>");
    ASSERT_EQ(shares.size(), f.places.all.size() + 1) << name;
    const double all = shares.back();
    shares.pop_back();
    EXPECT_NEAR(sum(shares), all, 1e-9) << name;
    EXPECT_TRUE(std::ranges::is_sorted(shares, std::greater<>())) << name;
  }
}

TEST(RunPlaces, ManyRowsOfAFunctionAreOnePlace) {
  const auto run = load("lulesh");
  double seconds = 0;
  int rows = 0;
  for (const auto& site : run["sites"])
    if (site["function"] == "CommSBN") seconds += site["a_step"]["seconds"].get<double>(), ++rows;
  ASSERT_EQ(rows, 82);
  const auto f = findings_of(run);
  EXPECT_EQ(f.places.all[0].function, "CommSBN");
  EXPECT_NEAR(f.places.all[0].seconds, seconds, 1e-9);
  EXPECT_EQ(std::ranges::count(f.places.all, "CommSBN", &Hotspot::function), 1);
  EXPECT_TRUE(f.places.all[0].wrappers.empty());  // a function that calls MPI at 82 places is no wrapper
  ASSERT_EQ(f.places.all[0].callers.size(), 2u);
  EXPECT_EQ(f.places.all[0].callers[0].first, "LagrangeNodal");
  EXPECT_NEAR(f.places.all[0].callers[0].second, 0.7, 1e-6);
  EXPECT_TRUE(has(terminal_report(run), "CommSBN (82 addresses in lulesh2.0)"));
  EXPECT_EQ(times(html_report(run), "<b>CommSBN</b>"), 1u);
}

TEST(RunPlaces, InAWrapperIsShownAsTheCallersLine) {
  const auto f = findings_of(load("wrappers"));
  for (const auto* wrapper : {"mp_sum", "mp_wait_all", "PL_Exchange"})
    EXPECT_EQ(place_of(f, wrapper), nullptr) << wrapper;
  const auto* sweep = place_of(f, "sweep");  // several callers
  ASSERT_NE(sweep, nullptr);
  EXPECT_EQ(sweep->name(), "sweep (solver.f90:120)");
  EXPECT_EQ(sweep->wrappers, std::vector<std::string>{"mp_sum (mp.f90:88)"});
  EXPECT_NEAR(sweep->seconds, 0.6 * 900e-6, 1e-9);
  EXPECT_NEAR(sweep->calls, 1.8, 1e-9);
  const auto* halo =
      // it has one caller, but the name of an MPI function; the caller's own call is merged with it
      place_of(f, "exchange_halo");
  ASSERT_NE(halo, nullptr);
  EXPECT_EQ(halo->lines, (std::vector<int>{55, 61}));
  EXPECT_NEAR(halo->seconds, 612e-6, 1e-9);
  const auto* advect = place_of(f, "advect");  // a function of a library
  ASSERT_NE(advect, nullptr);
  EXPECT_EQ(advect->name(), "advect (tracer.f90:77 and 91)");
  EXPECT_NE(place_of(f, "mp_post"), nullptr);  // it has one caller, and a name of its own
  EXPECT_TRUE(has(html_report(load("wrappers")), "through mp_sum (mp.f90:88)"));
}

TEST(RunPlaces, WithoutTimeAreNotAmongTheMainOnes) {
  auto run = load("jacobi");
  for (std::size_t i = 1; i < run["sites"].size(); ++i) {
    run["sites"][i]["function"] = "start_up";
    run["sites"][i]["a_step"] = {{"calls", 0.0}, {"seconds", 0.0}};
  }
  const auto f = findings_of(run);
  ASSERT_EQ(f.places.all.size(), 2u);
  EXPECT_EQ(f.main_places, 1u);
  const auto terminal = terminal_report(run), page = plain(run);
  EXPECT_FALSE(has(terminal, "start_up")) << terminal;
  EXPECT_FALSE(has(terminal, "no time")) << terminal;
  const auto list = page.substr(page.find("<ol class=\"places\">"));
  EXPECT_FALSE(has(list.substr(0, list.find("</section>")), "start_up"));
  EXPECT_TRUE(has(page.substr(page.find("All call sites (2)")), "start_up"));
  EXPECT_TRUE(has(page, "All of the time in MPI calls is at 1 call site."));
}

TEST(RunPlaces, SayTheSizesOfTheirMessages) {
  const auto run = load("jacobi");
  const auto f = findings_of(run);
  EXPECT_EQ(messages_of(*place_of(f, "main")), "1 collective of 8 bytes");
  EXPECT_EQ(messages_of(*place_of(f, "post")), "6 messages of 4 KiB sent");
  EXPECT_TRUE(has(terminal_report(run), "16 calls per step, 6 messages of 4 KiB sent; "));
  EXPECT_TRUE(has(plain(run), "16 calls per step, 6 messages of 4 KiB sent: "));
}

TEST(RunPlaces, InPackagesOfPythonAreTheCallers) {
  const auto callers = Json::array({{{"place", "heat.py:42 _step"}, {"share", 1.0}}});
  auto run =
      run_of("/usr/lib/python3/dist-packages/halo/parts.py", "parts.py:7 Halo.exchange", "Halo.exchange", callers);
  run["sites"][0]["line"] = 7;
  run["sites"][0]["file"] = run["sites"][0]["module"];
  auto own = run["sites"][0];
  own.update({{"module", "/home/u/heat.py"},
              {"file", "/home/u/heat.py"},
              {"place", "heat.py:50 main"},
              {"function", "main"},
              {"line", 50}});
  run["sites"].push_back(own);
  own.update({{"place", "heat.py:51 main"}, {"line", 51}});
  run["sites"].push_back(own);
  const auto f = findings_of(run);
  EXPECT_EQ(place_of(f, "Halo.exchange"), nullptr);
  ASSERT_NE(place_of(f, "_step"), nullptr);
  EXPECT_EQ(place_of(f, "_step")->name(), "_step (heat.py:42)");
}

TEST(RunReport, HasTheTotalsOfTheRun) {
  auto run = load("jacobi");
  run["mpi_seconds"] = 0.0446;
  EXPECT_TRUE(has(terminal_report(run), "Whole run: 44.6 ms in MPI calls per rank.\n"));
  run["sent"] = {{"messages", 4776.0}, {"bytes", 4776 * 2048.0}};
  const std::string totals =
      "Whole run: 44.6 ms in MPI calls per rank; all ranks sent 4,776 messages, 9.3 MiB (2 KiB each).";
  EXPECT_TRUE(has(replaced(terminal_report(run), "\n  ", " "), totals)) << terminal_report(run);
  EXPECT_TRUE(has(plain(run), totals));
  run["recorded_share"] = 0.5;
  EXPECT_TRUE(has(plain(run), "sent about 4,776 messages"));
}

TEST(RunPlaces, SayWhatTheyWaitFor) {
  Hotspot place;
  place.seconds = 10;
  place.late_seconds = 6;
  place.exposed_seconds = 3;
  EXPECT_EQ(place.waits_for(3), "60 % late ranks, 30 % messages in flight and 10 % the calls themselves");
  EXPECT_EQ(place.waits_for(1), "60 % late ranks");
  place.collective_seconds = 9;
  place.exposed_seconds = 9;  // not more than the remaining time
  EXPECT_EQ(place.waits_for(3), "60 % late ranks and 40 % a collective in flight");
}

TEST(RunPlaces, NamesAreReadInEachForm) {
  const auto line = parsed("src/jacobi.c:94 ns::f<a, b>");
  EXPECT_EQ(line.function, "ns::f<a, b>");
  EXPECT_EQ(line.file, "jacobi.c");
  EXPECT_EQ(line.line, 94);
  EXPECT_EQ(parsed("lulesh2.0+0x12 CommSBN").function, "CommSBN");
  EXPECT_EQ(parsed("CommSBN lulesh2.0+0x12").function, "CommSBN");
  EXPECT_EQ(parsed("CommSBN lulesh2.0+0x12").address, "lulesh2.0+0x12");
  EXPECT_EQ(parsed("operator new libx.so+0x12").function, "operator new");
  EXPECT_TRUE(parsed("program+0x12").guessed);
  EXPECT_EQ(parsed("").function, "");
  EXPECT_EQ(parsed("a.c:99999999999999999999 f").line, 0);
}

TEST(RunPlaces, OfAProgramThatIsASharedLibraryAreItsOwn) {
  const auto callers = Json::array({{{"place", "md+0x20 Verlet::run"}, {"share", 1.0}}});
  auto run = run_of("/usr/lib/libmd.so.0", "libmd.so.0+0x10 Brick::comm", "Brick::comm", callers);
  auto more = run["sites"][0];
  more["place"] = "libmd.so.0+0x14 Brick::comm";
  run["sites"].push_back(more);
  auto other = more;  // the executable, which only starts the library
  other.update({{"module", "/usr/bin/md"}, {"place", "md+0x1 main"}, {"function", "main"}});
  run["sites"].push_back(other);
  EXPECT_NE(place_of(findings_of(run), "Brick::comm"), nullptr);
  EXPECT_EQ(place_of(findings_of(run), "Verlet::run"), nullptr);
  // A call in another library is attributed to its caller, if the caller is outside the library.
  for (auto i : {0, 1}) run["sites"][i]["callers"][0]["place"] = "md+0x30 step";
  run["sites"].push_back(other);
  run["sites"].push_back(other);
  EXPECT_NE(place_of(findings_of(run), "step"), nullptr);
  for (auto i : {0, 1}) run["sites"][i]["callers"][0]["place"] = "libmd.so.0+0x30 step";
  EXPECT_EQ(place_of(findings_of(run), "step"), nullptr);
}

TEST(RunPlaces, FortransModulesCallAndAreCalled) {
  const auto callers = Json::array({{{"place", "ocean+0x20 __solver_MOD_sweep"}, {"share", 0.5}},
                                    {{"place", "ocean+0x30 __tracer_MOD_advect"}, {"share", 0.5}}});
  const auto f = findings_of(run_of("/opt/ocean", "ocean+0x10 __mp_MOD_mp_sum", "__mp_MOD_mp_sum", callers));
  EXPECT_EQ(place_of(f, "mp::mp_sum"), nullptr);
  ASSERT_NE(place_of(f, "solver::sweep"), nullptr);
  EXPECT_EQ(place_of(f, "solver::sweep")->wrappers, std::vector<std::string>{"mp::mp_sum"});
  EXPECT_NE(place_of(f, "tracer::advect"), nullptr);
}

TEST(RunPlaces, MpisOwnFunctionsAreNobodysCallers) {
  const auto callers = Json::array({{{"place", "libmpi.so.40+0x60 ompi_attr_delete"}, {"share", 1.0}}});
  const auto f = findings_of(run_of("/opt/a", "a+0x10 bcast", "bcast", callers));
  ASSERT_NE(place_of(f, "bcast"), nullptr);
  EXPECT_TRUE(place_of(f, "bcast")->callers.empty());
}

TEST(RunPlaces, TheTerminalNamesTheWrapper) {
  const auto terminal = terminal_report(load("wrappers"));
  for (const auto* wrapper :
       {"; through mp_wait_all (mp.f90:30)\n", "; through mp_sum (mp.f90:88)\n", "; through PL_Exchange"})
    EXPECT_TRUE(has(terminal, wrapper)) << wrapper;
}

TEST(RunPlaces, RareCallsAreCountedInAllSteps) {
  Findings f;
  f.has_steps = true;
  f.reading.steps = 299;
  Hotspot place;
  place.calls = 1.0 / 299;
  EXPECT_EQ(f.calls_of(place), "1 call in 299 steps");
  place.calls = 4;
  EXPECT_EQ(f.calls_of(place), "4 calls per step");
  f.has_steps = false;
  EXPECT_EQ(f.calls_of(place), "4 calls");
}

TEST(RunPlaces, WithoutNamesTheReportSaysHowToHaveThem) {
  const auto nameless = run_of("/opt/pw.x", "pw.x+0x53e2d8", "", Json::array());
  EXPECT_TRUE(has(terminal_report(nameless), "Build the program with -g"));
  EXPECT_TRUE(has(html_report(nameless), "Build the program with -g"));
  const auto named = run_of("/opt/pw.x", "pw.x+0x53e2d8 fft", "fft", Json::array());
  EXPECT_FALSE(has(html_report(named), "Build the program with -g"));
}

TEST(RunNames, AreAsTheirAuthorsWroteThem) {
  EXPECT_EQ(readable("__solver_MOD_sweep"), "solver::sweep");
  EXPECT_EQ(readable("solver_mp_sweep_"), "solver::sweep");
  EXPECT_EQ(readable("MAIN__"), "main program");
  EXPECT_EQ(readable("sweep_", "a.F90"), "sweep");
  EXPECT_EQ(readable("sweep_", "a.c"), "sweep_");
  EXPECT_EQ(readable("__pyx_pw_6mpi4py_3MPI_4Comm_77Isend"), "mpi4py.MPI.Comm.Isend");
  EXPECT_EQ(readable("__pyx_f_6mpi4py_3MPI_PyMPI_bcast_p2p.constprop.0"), "mpi4py.MPI.PyMPI_bcast_p2p");
  EXPECT_EQ(readable("update [clone .isra.0]"), "update");
  EXPECT_EQ(readable("inner.3"), "inner");
  for (const auto* same : {"main", "ns::f<a, b>", "mp_sum", "_start", "__MOD_x", "__pyx_pw_", "__pyx_pw_7", "_", ""})
    EXPECT_EQ(readable(same), same);
}

TEST(RunRemedies, StandInTheOrderOfWhatTheyGain) {
  for (const auto* name : {"lulesh", "wrappers", "jacobi", "few_keys"}) {
    const auto run = load(name);
    const auto f = findings_of(run);
    ASSERT_GE(f.remedies.size(), 2u) << name;
    EXPECT_TRUE(std::ranges::is_sorted(f.remedies, std::greater<>(), &Remedy::gain_seconds)) << name;
    const auto page = html_report(run);
    const auto shares = numbers_in(replaced(page.substr(page.find("<ol class=\"todo\">")), "\u00a0", " "),
                                   "\\(([0-9.]+) %\\)</strong>");
    EXPECT_EQ(shares.size(), f.remedies.size()) << name;
    EXPECT_TRUE(std::ranges::is_sorted(shares, std::greater<>())) << name;
    EXPECT_EQ(times(page, "<figcaption>before</figcaption>"), f.remedies.size()) << name;
    EXPECT_EQ(times(page, "<figcaption>after</figcaption>"), f.remedies.size()) << name;
  }
}

TEST(RunRemedies, WhatIsNotHiddenIsSharedAmongItsCauses) {
  const auto f = findings_of(load("wrappers"));
  double gain = 0;
  std::map<What, const Remedy*> found;
  for (const auto& r : f.remedies) {
    found[r.what] = &r;
    if (r.what == What::post_earlier || r.what == What::wait_later || r.what == What::start_collective)
      gain += r.gain_seconds;
  }
  EXPECT_NEAR(gain, 700e-6, 1e-9);
  ASSERT_TRUE(found.contains(What::start_collective) && found.contains(What::wait_later) &&
              found.contains(What::post_earlier));
  const auto first = [&](What what) { return f.places.all[found[what]->where.at(0)].function; };
  EXPECT_EQ(first(What::start_collective), "sweep");
  EXPECT_EQ(first(What::wait_later), "exchange_halo");
  EXPECT_EQ(first(What::post_earlier), "advect");
  // 3 reductions of 150 us; 8 x 50 us, of which 0.8 is exposed; 8 x 60 us, of which 0.9 is exposed
  EXPECT_NEAR(found[What::start_collective]->gain_seconds, 700e-6 * 450 / (450 + 320 + 432), 1e-8);
}

TEST(RunRemedies, NoPlaceGainsMoreThanItsMessagesExpose) {
  auto run = load("wrappers");
  const auto gain_of_collective = [&](double gain) {
    for (auto& advice : run["advice"])
      if (advice["what"] == "post_earlier") advice["gain_seconds_a_step"] = gain;
    for (const auto& r : findings_of(run).remedies)
      if (r.what == What::start_collective) return r.gain_seconds;
    return 0.0;
  };
  EXPECT_NEAR(gain_of_collective(5e-3), 450e-6, 1e-8);
  // A reduction now and then is not blamed for what the others expose.
  for (auto& advice : run["advice"]) advice["places"] = nlohmann::json::array({"sweep"});
  for (auto& site : run["sites"])
    if (site["call"].get<std::string>().find("llreduce") != std::string::npos) {
      site["place"] = "sweep";
      site["a_step"]["messages"] = 0.03;
    }
  EXPECT_LT(gain_of_collective(700e-6), 4.5e-6);
}

TEST(RunRemedies, LittleIsSaidToBeLittle) {
  auto run = load("jacobi");
  for (auto& advice : run["advice"]) advice["gain_seconds_a_step"] = 0.009 * run["mean"]["seconds"].get<double>();
  run["mean"]["late_seconds"] = 0.0;
  EXPECT_TRUE(has(terminal_report(run), "What to do: Nothing by another order of the calls: "));
  EXPECT_TRUE(
      has(plain(run), "<p>Nothing by another order of the calls: most of this time is no waiting for messages"));
  EXPECT_TRUE(has(plain(run), "Not worth it, less than 1 %: "));
  EXPECT_FALSE(has(plain(run), "<figcaption>before"));
  for (auto& advice : run["advice"]) advice["gain_seconds_a_step"] = 0.011 * run["mean"]["seconds"].get<double>();
  EXPECT_FALSE(has(terminal_report(run), "Nothing"));
}

TEST(RunRemedies, SaysThatAllComputationIsOverlapped) {
  auto run = load("jacobi");
  const double step = run["mean"]["seconds"];
  run["advice"] = nlohmann::json::array();
  auto& mean = run["mean"];
  mean["mpi_seconds"] = 0.8 * step, mean["late_seconds"] = 0.0;
  mean["needed_seconds"] = step, mean["overlappable_seconds"] = mean["overlapped_seconds"] = 0.2 * step;
  run["sites"][0]["a_step"]["exposed_seconds"] = 0.8 * step;
  EXPECT_TRUE(has(findings_of(run).nothing_to_gain(), "all computation is overlapped already"));
  mean["overlapped_seconds"] = 0.0;
  EXPECT_TRUE(has(findings_of(run).nothing_to_gain(), "there is hardly any computation"));
}

TEST(RunRemedies, NoSecondHelperThread) {
  auto run = load("lulesh");
  ASSERT_TRUE(has(terminal_report(run), "--drive"));
  run["progress_thread"] = true;
  EXPECT_FALSE(has(terminal_report(run), "--drive"));
  EXPECT_FALSE(has(html_report(run), "--drive --"));
  EXPECT_TRUE(has(html_report(run), "it gained nothing and was turned off"));
  run["progress_thread_gains"] = true;
  EXPECT_TRUE(has(html_report(run), "it made progress calls for the program"));
  run["progress_thread"] = false;
  run["waits_yield"] = true;
  EXPECT_FALSE(has(terminal_report(run), "--drive"));
  EXPECT_TRUE(has(html_report(run), "waiting ranks yielded their cores"));
}

TEST(RunRemedies, LinesAreInTheProgramsLanguage) {
  EXPECT_TRUE(has(html_report(load("wrappers")), "call MPI_Iallreduce("));
  EXPECT_FALSE(has(html_report(load("wrappers")), "MPI_Iallreduce(&amp;mine"));
  auto run = load("wrappers");
  for (auto& site : run["sites"]) site["file"] = "/home/u/ocean.cpp";
  EXPECT_TRUE(has(html_report(run), "MPI_Iallreduce(&amp;mine"));
  for (auto& site : run["sites"]) site["module"] = "/usr/lib/python3/dist-packages/mpi4py/MPI.so";
  EXPECT_TRUE(has(html_report(run), "comm.Iallreduce(mine, total)"));
}

TEST(RunRemedies, EachLanguageHasLinesForEach) {
  std::set<std::string> seen;
  for (const auto language : {Language::c, Language::fortran, Language::python})
    for (const auto what :
         {What::post_earlier, What::start_collective, What::wait_later, What::one_wait, What::send_together}) {
      const auto lines = lines_of(what, language);
      EXPECT_NE(lines.before, lines.after);
      EXPECT_TRUE(seen.insert(lines.before + lines.after).second);
    }
}

TEST(RunReport, HostileNamesAreHarmless) {
  const auto run = load("hostile");
  const auto page = html_report(run), terminal = terminal_report(run);
  for (const auto* piece : {"<script", "<img", "<u>", "<host>", "<lib>", "<b>&amp;amp;", "<Put>", "\"><i>"})
    EXPECT_FALSE(has(page, piece)) << piece;
  EXPECT_TRUE(has(page, "&lt;b&gt;&amp;amp;&quot;&#39;&lt;/b&gt;"));
  EXPECT_TRUE(has(page, "größe_漢字"));
  for (const auto* text : {&page, &terminal})
    for (const char c : *text) ASSERT_TRUE(static_cast<unsigned char>(c) >= 0x20 || c == '\n') << static_cast<int>(c);
  EXPECT_FALSE(has(page, "\u202e"));
  EXPECT_TRUE(has(page, "std::enable_if&lt;"));
  EXPECT_TRUE(has(page, "ns::Exchange&lt;3&gt;::finish</span>"));  // long names are shortened at template arguments
}

TEST(RunReport, TheTerminalIsAscii) {
  for (const auto& name : all_runs)
    for (const char c : terminal_report(load(name))) ASSERT_LT(static_cast<unsigned char>(c), 0x7f) << name;
  EXPECT_EQ(ascii("a\u00e9b\u6f22c"), "a?b??c");
}

TEST(RunReport, TheTitleHasTheOverlapFractionOnlyWhereItIsKnown) {
  EXPECT_TRUE(has(plain(load("jacobi")),
                  "<title>weft run: overlap fraction " + findings_of(load("jacobi")).overlap_percent + "</title>"));
  const auto early = load("ended_early");
  EXPECT_TRUE(has(plain(early), "<title>weft run: " + findings_of(early).in_calls.share + " in MPI</title>"));
}

TEST(RunReport, RanksThatShareCoresNeedNotBeUneven) {
  auto run = load("jacobi");
  run["environment"]["shared_cores"] = true;
  EXPECT_TRUE(has(plain(run), "may not be imbalance"));
  EXPECT_FALSE(has(plain(run), "That is imbalance"));
  EXPECT_FALSE(has(plain(run), "(imbalance)"));
  run["environment"]["shared_cores"] = false;
  EXPECT_FALSE(has(plain(run), "may not be imbalance"));
  EXPECT_TRUE(has(plain(run), "That is imbalance"));
  EXPECT_TRUE(has(plain(run), "(imbalance)"));
}

TEST(RunReport, AnEarlyEndIsSaidFirst) {
  const auto run = load("ended_early");
  const auto terminal = terminal_report(run), page = html_report(run);
  EXPECT_TRUE(has(lines_of(terminal).at(1), "ENDED EARLY"));
  EXPECT_LT(page.find("<b>Ended early.</b>"), page.find("<h1>"));
  EXPECT_TRUE(has(page, "2 of 2 ranks"));
  EXPECT_TRUE(has(replaced(terminal, "\n  ", " "), "the overlap fraction is not known"));
  EXPECT_FALSE(has(terminal, "that is not overlapped"));
  EXPECT_FALSE(has(page, "<dt class=\"costs\">"));  // the machine is unknown
  for (const auto* name : {"jacobi", "no_steps", "few_keys"})
    EXPECT_FALSE(has(html_report(load(name)), "Ended early")) << name;
}

TEST(RunReport, WithoutStepsAllIsOfTheRun) {
  const auto run = load("no_steps");
  const auto terminal = terminal_report(run), page = plain(run);
  EXPECT_TRUE(has(terminal, "No step was found"));
  EXPECT_FALSE(has(terminal, " per step"));
  EXPECT_FALSE(has(terminal, "each step"));
  EXPECT_TRUE(has(page, "One run of all") || !has(page, "class=\"picture\""));
  EXPECT_TRUE(has(page, "MPI_Pcontrol(1)"));
  EXPECT_FALSE(has(html_report(load("jacobi")), "MPI_Pcontrol(1)"));
}

// Replaces a key by every other kind of value.
void expect_readable_without(const Json& run, const Json::json_pointer& key) {
  const auto what = key.to_string();
  for (const auto& instead :
       {Json(), Json("text"), Json(-1), Json(0), Json(1e300), Json(std::numeric_limits<double>::infinity()),
        Json(std::nan("")), Json::array({1, "a", nullptr}), Json::object({{"a", 1}}), Json(true)}) {
    auto other = run;
    other[key] = instead;
    expect_readable(other, what + " " + instead.dump());
  }
  auto other = run;
  other.at(key.parent_pointer()).erase(key.back());
  expect_readable(other, what + " missing");
}

TEST(RunReport, AnyKeyMayBeMissingOrWrong) {
  auto run = load("wrappers");
  run["picture"] = load("jacobi")["picture"];
  for (auto& rank : run["picture"]["ranks"]) rank["spans"].erase(rank["spans"].begin() + 2, rank["spans"].end());
  std::vector<Json::json_pointer> keys;
  for (const auto& [name, value] : run.items()) {
    keys.emplace_back("/" + name);
    if (value.is_object())
      for (const auto& [inner, ignored] : value.items()) keys.emplace_back("/" + name + "/" + inner);
  }
  for (const auto& [name, value] : run["sites"][0].items()) {
    keys.emplace_back("/sites/0/" + name);
    if (value.is_object())
      for (const auto& [inner, ignored] : value.items()) keys.emplace_back("/sites/0/" + name + "/" + inner);
  }
  for (const auto* more :
       {"/sites/0/callers/0/place", "/advice/0/places", "/advice/2/gain_seconds_a_step", "/picture/ranks/0/spans",
        "/picture/ranks/0/spans/0/to", "/picture/ranks/0/spans/0/site", "/picture/ranks/0/rank"})
    keys.emplace_back(more);
  EXPECT_GT(keys.size(), 80u);
  for (const auto& key : keys) expect_readable_without(run, key);
  for (const auto& nothing : {Json(), Json::object(), Json::array(), Json("a"), Json(1)})
    expect_readable(nothing, nothing.dump());
}

TEST(RunPicture, ShowsAtMost32RanksAndSaysWhich) {
  const auto page = html_report(load("lulesh"));
  ASSERT_EQ(load("lulesh")["picture"]["ranks"].size(), 36u);
  EXPECT_EQ(times(page, "<div class=\"row\">"), 32u);
  EXPECT_TRUE(has(page, "Drawn are 32 of 64 ranks, 0 to 31."));
  const auto few = html_report(load("jacobi"));
  EXPECT_EQ(times(few, "<div class=\"row\">"), 4u);
  EXPECT_FALSE(has(few, "Drawn are"));
  EXPECT_TRUE(has(few, "One step of all ranks"));
  EXPECT_FALSE(has(html_report(load("few_keys")), "class=\"picture\""));
}

TEST(RunPicture, DrawsSpansWhereTheyAre) {
  auto run = load("jacobi");
  run["picture"] = Json::parse(
      R"({"seconds": 1e-3, "ranks": [{"rank": 5, "spans": [{"kind": "call", "from": 2e-4, "to": 5e-4, "site": 0, "lane": 0},
    {"kind": "late", "from": 2e-4, "to": 3e-4, "site": 0, "lane": 0}, {"kind": "flight", "from": 1e-4, "to": 9e-4, "site": 4, "lane": 1}]}]})");
  const auto page = html_report(run);
  EXPECT_TRUE(has(page, "<rect class=\"call\" x=\"200.0\" y=\"8\" width=\"300.0\" height=\"14\">"));
  EXPECT_TRUE(has(page, "<rect class=\"late\" x=\"200.0\" y=\"8\" width=\"100.0\" height=\"14\">"));
  EXPECT_TRUE(has(page, "<rect class=\"flight\" x=\"100.0\" y=\"0.5\" width=\"800.0\" height=\"3\">"));
  EXPECT_TRUE(has(page, "<b>5</b>"));
}

TEST(RunPicture, SpansSayWhichCall) {
  auto run = load("jacobi");
  run["picture"] = Json::parse(
      R"({"seconds": 1e-3, "ranks": [{"rank": 0, "spans": [{"kind": "call", "from": 0, "to": 4e-4, "call": "MPI_Bcast"},
    {"kind": "call", "from": 4.001e-4, "to": 9e-4, "call": "MPI_Recv"}, {"kind": "flight", "from": 1e-4, "to": 2e-4, "site": 0}]}]})");
  const auto page = html_report(run);
  EXPECT_TRUE(has(page, "MPI_Bcast</title>"));
  EXPECT_TRUE(has(page, "MPI_Recv</title>"));  // two calls, however close
  const auto site = run["sites"][0]["call"].get<std::string>();
  EXPECT_TRUE(has(page, ", " + site + " in main (jacobi.c:"));
}

TEST(RunPicture, OfAStepThatIsNotLikeTheMeanIsSaidToBe) {
  auto run = load("jacobi");
  const double mean = run["mean"]["seconds"];
  for (const auto& [part, words] :
       {std::pair(0.1, "much longer"), std::pair(3.0, "much shorter"), std::pair(1.1, "")}) {
    run["picture"]["seconds"] = part * mean;
    const auto page = html_report(run);
    EXPECT_EQ(has(page, "some steps are much"), *words != 0) << part;
    EXPECT_TRUE(has(page, words)) << part;
  }
}

TEST(RunPicture, ManySpansDoNotMakeALargePage) {
  auto run = load("jacobi");
  auto spans = Json::array();
  for (int i = 0; i < 20000; ++i)
    spans.push_back({{"kind", i % 2 == 0 ? "call" : "flight"},
                     {"from", i * 1e-6},
                     {"to", i * 1e-6 + 3e-7},
                     {"site", i % 5},
                     {"lane", i % 7}});
  run["picture"] = {{"seconds", 0.02}, {"ranks", Json::array({{{"rank", 0}, {"spans", spans}}})}};
  const auto drawn = times(html_report(run), "<rect ");
  EXPECT_LT(drawn, 1000u);
  EXPECT_GT(drawn, 3u);
}

TEST(RunEnvironment, SaysWhatCosts) {
  const auto costs = [](const Json& run) {
    std::set<std::string> names;
    for (const auto& fact : findings_of(run).facts)
      if (!fact.costs.empty()) names.insert(fact.what);
    return names;
  };
  EXPECT_EQ(costs(load("jacobi")), (std::set<std::string>{"Cores", "Pinning", "Eager limit"}));
  EXPECT_EQ(costs(load("wrappers")), (std::set<std::string>{"Recording", "Eager limit"}));
  auto run = load("wrappers");
  run["recorded_share"] = 1.0;
  run["network"]["eager_bytes"] = 65536.0;
  EXPECT_EQ(costs(run), std::set<std::string>{});
  EXPECT_FALSE(has(html_report(run), "class=\"costs\""));
  run["mean"]["matched"] = 0.5;
  run["unwatched"] = {{{"call", "MPI_Put"}, {"calls", 12.0}}};
  run["environment"]["thread_level"] = "multiple";
  run["recorder"]["cost_share"] = 0.07;
  EXPECT_EQ(costs(run), (std::set<std::string>{"Matching", "Not analysed", "Threads", "The recorder"}));
  EXPECT_TRUE(has(html_report(run), "12 MPI_Put"));
}

TEST(RunEnvironment, WhatCostsComesFirst) {
  for (const auto& name : all_runs) {
    const auto page = html_report(load(name));
    const auto last = page.rfind("<dt class=\"costs\">"), first = page.find("<dt>");
    EXPECT_TRUE(last == page.npos || first == page.npos || last < first) << name;
  }
}

TEST(RunText, IsCleanAndCut) {
  EXPECT_EQ(clean("a\x1b[31m\tb\xff\u202e\u00e9"), "a?[31m b??\u00e9");
  EXPECT_EQ(clean("\xed\xa0\x80"), "???");  // no surrogates
  EXPECT_EQ(cut_name("Solver<double, Layout<3>>::step (solver.cpp:88)", 34), "Solver<...>::step (solver.cpp:88)");
  EXPECT_EQ(cut_name("Solver<double>::first_step_of_all (a.cpp:8)", 36), "Solver<...>::first_step... (a.cpp:8)");
  EXPECT_EQ(cut_name("ns::first_function::second_function", 30), "ns::first_function::second_...");
  EXPECT_EQ(cut_name("f", 1), "f");
  EXPECT_LE(width_of(cut_name("漢字漢字漢字漢字漢字", 12)), 12u);
  EXPECT_EQ(width_of("漢字"), 4u);
  EXPECT_EQ(cut_end("abcdef", 5), "ab...");
  EXPECT_EQ(wrapped("it takes 45 % of it", 12), (std::vector<std::string>{"it takes", "45 % of it"}));
  EXPECT_EQ(wrapped("abcdefgh", 3), (std::vector<std::string>{"abc", "def", "gh"}));
}

TEST(RunText, NumbersHaveThreeDigitsAndAUnit) {
  EXPECT_EQ(duration(0), "0 s");
  EXPECT_EQ(duration(31.7e-9), "32 ns");
  EXPECT_EQ(duration(33.92e-6), "33.9 us");
  EXPECT_EQ(duration(999.9e-6), "1.00 ms");
  EXPECT_EQ(duration(9.996e-3), "10.0 ms");
  EXPECT_EQ(duration(1.234), "1.23 s");
  EXPECT_EQ(duration(7200), "2.00 h");
  EXPECT_EQ(count(12800), "12,800");
  EXPECT_EQ(count(1.8), "1.8");
  EXPECT_EQ(count(4), "4");
  EXPECT_EQ(size_of(2048), "2 KiB");
  EXPECT_EQ(size_of(1.5 * 1024 * 1024), "1.5 MiB");
  EXPECT_EQ(percent(0.003), "<1 %");
  EXPECT_EQ(percent(0.999), ">99 %");
  EXPECT_EQ(percent(1), "100 %");
  EXPECT_EQ(listed({"a", "b", "c", "d"}, 2), "a, b and 2 more");
  EXPECT_EQ(listed({"a", "b"}, 2), "a and b");
}

TEST(RunText, PartsAddUp) {
  EXPECT_EQ(parts_of(1000, {1, 1, 1}), (std::vector<double>{334, 333, 333}));
  EXPECT_EQ(parts_of(100, {0, 0}), (std::vector<double>{0, 0}));
  EXPECT_EQ(parts_of(7, {1, 0, 6}), (std::vector<double>{1, 0, 6}));
}

}  // namespace
}  // namespace weft::run
