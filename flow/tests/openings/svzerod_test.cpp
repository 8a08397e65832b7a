// SPDX-License-Identifier: BSD-3-Clause
#include "openings/svzerod.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <functional>

#include "weft/error.hpp"

using namespace weft::openings;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

namespace {

class SvZeroD : public ::testing::Test {
 protected:
  ~SvZeroD() override { std::filesystem::remove(file_); }

  // An inlet vessel without an own outlet, and one vessel per condition.
  std::vector<ZeroDOutlet> read(const std::string& conditions, const std::string& outlets) {
    std::ofstream(file_) << R"({"simulation_parameters": {}, "boundary_conditions": [
      {"bc_name": "INFLOW", "bc_type": "FLOW", "bc_values": {"Q": [5, 5], "t": [0, 1]}}, )"
                         << conditions << R"(], "vessels": [
      {"vessel_id": 0, "vessel_name": "trunk", "boundary_conditions": {"inlet": "INFLOW"}}, )"
                         << outlets << "]}";
    return read_svzerod(file_, *zero_d_units.find("cgs"));
  }
  // The file of a coupled run, with more keys behind the conditions.
  std::vector<ZeroDOutlet> read_coupled(const std::string& conditions, const std::string& more,
                                        const char* units = "cgs") {
    std::ofstream(file_) << "\xEF\xBB\xBF"
                         << R"({"boundary_conditions": [)" << conditions << "]" << more << "}";
    return read_svzerod(file_, *zero_d_units.find(units));
  }
  std::string refusal_of_coupled(const std::string& conditions, const std::string& more) {
    return refusal([&] { read_coupled(conditions, more); });
  }
  std::string refusal(const std::string& conditions, const std::string& outlets) {
    return refusal([&] { read(conditions, outlets); });
  }
  std::string refusal(const std::function<void()>& action) {
    try {
      action();
    } catch (const weft::InputError& e) {
      EXPECT_THAT(e.what(), HasSubstr(file_.string()));
      return e.what();
    }
    return "none";
  }

  std::filesystem::path file_ =
      std::filesystem::temp_directory_path() / ("weft-svzerod-" + std::to_string(::getpid()) + ".json");
};

const std::string rcr =
    R"({"bc_name": "RCR_0", "bc_type": "RCR", "bc_values": {"Rp": 100, "C": 1e-3, "Rd": 1000, "Pd": 13332.2}})";
const std::string resistance =
    R"({"bc_name": "R_1", "bc_type": "RESISTANCE", "bc_values": {"R": [500.0, 500.0], "Pd": 0}})";
const std::string coronary = R"({"bc_name": "COR", "bc_type": "CORONARY", "bc_values": {"Ra1": 10, "Ra2": 20,
  "Rv1": 30, "Ca": 1e-5, "Cc": 2e-5, "Pim": [0, 9, 0], "t": [0, 0.5, 1], "P_v": 0}})";
const std::string left = R"({"vessel_name": "left", "boundary_conditions": {"outlet": "RCR_0"}})",
                  right = R"({"vessel_name": "right", "boundary_conditions": {"outlet": "R_1"}})",
                  heart = R"({"vessel_name": "heart", "boundary_conditions": {"outlet": "COR"}})";

}  // namespace

TEST_F(SvZeroD, outlets_are_read_in_si_units_in_the_order_of_vessels) {
  const auto o = read(rcr + "," + resistance + "," + coronary, heart + "," + left + "," + right);
  ASSERT_EQ(o.size(), 3U);
  EXPECT_EQ(o[0].name, "COR");
  EXPECT_DOUBLE_EQ(o[0].proximal, 1e6);
  EXPECT_DOUBLE_EQ(o[0].resistance, 5e6);
  EXPECT_DOUBLE_EQ(o[0].capacitance, 3e-10);
  EXPECT_DOUBLE_EQ(o[1].proximal, 1e7);
  EXPECT_DOUBLE_EQ(o[1].resistance, 1e8);
  EXPECT_DOUBLE_EQ(o[1].capacitance, 1e-8);
  EXPECT_DOUBLE_EQ(o[1].pressure, 1333.22);
  EXPECT_DOUBLE_EQ(o[2].resistance, 5e7);
  EXPECT_EQ(condition_text(o[1]),
            "windkessel = {resistance = \"0.75006 mmHg s/ml\", capacitance = \"1.3332 ml/mmHg\", proximal = \"0.075006 "
            "mmHg s/ml\", pressure = \"10 mmHg\"}\n");
  EXPECT_EQ(condition_text(o[2]), "windkessel = {resistance = \"0.37503 mmHg s/ml\"}\n");
}

TEST_F(SvZeroD, outlets_go_to_openings_by_name_by_number_or_by_width) {
  using enum Role;
  auto o = read(rcr + "," + resistance, left + "," + right);
  VesselAnalysis vessel;
  for (const double area : {9.0, 4.0, 1.0}) vessel.openings.emplace_back().area = area;
  const std::vector<Role> roles = {inlet, outlet, outlet};
  EXPECT_THAT(match_outlets(o, vessel, roles, {}, file_), ElementsAre(-1, 1, 0));  // the resistance is less there
  EXPECT_THAT(match_outlets(o, vessel, roles, {1, 2}, file_), ElementsAre(-1, 0, 1));
  o[0].vessel = "outlet3", o[1].name = "outlet2";
  EXPECT_THAT(match_outlets(o, vessel, roles, {1, 2}, file_), ElementsAre(-1, 1, 0));
  EXPECT_THROW(match_outlets(o, vessel, {inlet, outlet, closed}, {}, file_), weft::InputError);
}

// A block of a coupled run at the inlet of the 0-D model, which is the 3-D vessel's outlet.
std::string block(const std::string& condition, const std::string& location = "inlet") {
  return R"({"name": "to_)" + condition + R"(", "type": "FLOW", "location": ")" + location +
         R"(", "connected_block": ")" + condition + R"(", "periodic": false, "values": {"t": [0, 1], "Q": [1, 1]}})";
}

TEST_F(SvZeroD, the_outlets_of_a_coupled_run_are_its_coupling_blocks) {
  const auto blocks = R"(, "external_solver_coupling_blocks": [)" + block("R_1") + "," + block("pump", "outlet") + "," +
                      block("RCR_0") + "]";
  for (const auto& vessels :
       {std::string(), std::string(R"(, "vessels": [])"), R"(, "junctions": [], "vessels": [)" + left + "]"}) {
    const auto o = read_coupled(rcr + "," + resistance, blocks + vessels);
    ASSERT_EQ(o.size(), 2U);
    EXPECT_EQ(o[0].name, "R_1");
    EXPECT_EQ(o[0].vessel, "to_R_1");
    EXPECT_DOUBLE_EQ(o[1].proximal, 1e7);
  }
  const std::string empty = R"(, "external_solver_coupling_blocks": [], "vessels": [)";
  EXPECT_EQ(read_coupled(rcr, empty + left + "]").size(), 1U);
  EXPECT_THAT(refusal_of_coupled(rcr, ""), HasSubstr("No block of \"external_solver_coupling_blocks\", and no vessel"));
  EXPECT_THAT(refusal_of_coupled(rcr, empty + "]"), HasSubstr("No block"));
  EXPECT_THAT(refusal_of_coupled(rcr, R"(, "external_solver_coupling_blocks": {})"), HasSubstr("There is no list"));
  EXPECT_THAT(refusal_of_coupled(rcr, R"(, "external_solver_coupling_blocks": [7])"),
              HasSubstr("has no text \"name\""));
  EXPECT_THAT(refusal_of_coupled(rcr, R"(, "external_solver_coupling_blocks": [)" + block("aorta") + "]"),
              HasSubstr("'to_aorta' has the connected_block 'aorta' (it is not the name of a boundary condition"));
}

TEST_F(SvZeroD, a_file_does_not_say_its_unit) {
  const auto blocks = R"(, "external_solver_coupling_blocks": [)" + block("X") + "]";
  const std::string clinical =
      R"({"bc_name": "X", "bc_type": "RCR", "bc_values": {"Rp": 0.09, "Rd": 0.91, "C": 0.2, "Pd": 5}})";
  const auto o = read_coupled(clinical, blocks, "mmHg");
  EXPECT_NEAR(o[0].total(), 1.33322e8, 1e3);
  EXPECT_NEAR(o[0].pressure, 5 * 133.322, 1e-9);
  EXPECT_NEAR(o[0].resistance * o[0].capacitance, 0.91 * 0.2, 1e-12);
  EXPECT_NO_THROW(check_units(o, "mmHg", 90e-6, file_));
  const auto wrong = read_coupled(clinical, blocks);
  EXPECT_EQ(
      refusal([&] { check_units(wrong, "cgs", 90e-6, file_); }),
      file_.string() +
          ": The resistances of the outlets raise the mean pressure by 0.068 mmHg with a mean flow of 90 ml/s (in a "
          "body it is 1 to 300 mmHg). Give --outlets-unit mmHg (90 mmHg), or correct them.");
  auto far = o;
  far[0].resistance *= 1e4;
  EXPECT_THAT(refusal([&] { check_units(far, "mmHg", 90e-6, file_); }), HasSubstr("or give the mean flow with --flow"));
}

TEST_F(SvZeroD, refuses_what_it_does_not_know) {
  EXPECT_THAT(refusal(rcr, right), HasSubstr("has the outlet 'R_1' (no boundary condition has this name)"));
  EXPECT_THAT(refusal(R"({"bc_name": "R_1", "bc_type": "ClosedLoopRCR", "bc_values": {}})", right),
              HasSubstr("bc_type 'ClosedLoopRCR' (weft reads RCR"));
  EXPECT_THAT(refusal(R"({"bc_name": "R_1", "bc_type": "RESISTANCE", "bc_values": {"Pd": 0}})", right),
              HasSubstr("has no \"R\""));
  EXPECT_THAT(refusal(R"({"bc_name": "R_1", "bc_type": "RESISTANCE", "bc_values": {"R": -1, "Pd": 0}})", right),
              HasSubstr("is -1 (it must be a number of at least 0)"));
  EXPECT_THAT(refusal(rcr, R"({"vessel_name": "x"})"), HasSubstr("No block of"));
  EXPECT_THAT(refusal(rcr + "}", left), HasSubstr("not JSON"));
  EXPECT_THAT(refusal(R"({"bc_name": "R_1", "bc_type": "RESISTANCE", "bc_values": {"R": 1e999, "Pd": 0}})", right),
              HasSubstr("has a number that is too large"));
  EXPECT_THAT(refusal(R"({"bc_name": "R_1", "bc_type": "RESISTANCE", "bc_values": {"R": 1e307, "Pd": 0}})", right),
              HasSubstr("must be a number"));
  EXPECT_THAT(refusal(rcr, R"({"vessel_name": 7, "boundary_conditions": {"outlet": "RCR_0"}})"),
              HasSubstr("has no text \"vessel_name\""));
}
