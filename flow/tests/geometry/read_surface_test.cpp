// SPDX-License-Identifier: BSD-3-Clause
#include "geometry/read_surface.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstring>
#include <string>

#include "tests/support/geometry_shapes.hpp"
#include "tests/support/scratch.hpp"
#include "tests/support/vtp_writer.hpp"
#include "weft/error.hpp"

using namespace weft::geometry;
using namespace weft::geometry::test;
using ::testing::AllOf;
using ::testing::HasSubstr;

namespace {

class ReadSurface : public ::testing::Test {
 protected:
  ~ReadSurface() override { std::filesystem::remove(path_); }

  Surface read(const std::string& bytes, const std::string& extension = ".dat", double metres_per_unit = 1) {
    std::filesystem::remove(path_);
    path_ =
        std::filesystem::temp_directory_path() /
        (std::string("weft_surface_") + ::testing::UnitTest::GetInstance()->current_test_info()->name() + extension);
    write_file(path_, std::vector<char>(bytes.begin(), bytes.end()));
    return read_surface(path_, metres_per_unit);
  }
  std::string refusal(const std::string& bytes, const std::string& extension = ".dat") {
    try {
      read(bytes, extension);
    } catch (const weft::InputError& e) {
      EXPECT_THAT(e.what(), HasSubstr(path_.string()));
      return e.what();
    }
    return "none";
  }

  std::filesystem::path path_;
};

// The unit box as quadrilaterals, oriented outwards.
const std::vector<Vector> box_points = {{0, 0, 0}, {1, 0, 0}, {1, 1, 0}, {0, 1, 0},
                                        {0, 0, 1}, {1, 0, 1}, {1, 1, 1}, {0, 1, 1}};
const std::vector<std::vector<int>> box_faces = {{3, 2, 1, 0}, {4, 5, 6, 7}, {0, 1, 5, 4},
                                                 {1, 2, 6, 5}, {2, 3, 7, 6}, {3, 0, 4, 7}};

void expect_box(const Surface& s, double scale = 1) {
  EXPECT_EQ(s.vertices.size(), 8U);
  EXPECT_EQ(s.triangles.size(), 12U);
  auto closed = s;
  EXPECT_NO_THROW(close_surface(closed, {}, "box", 1));
  double volume = 0;
  for (const auto& t : s.triangles) volume += dot(s.vertices[t[0]], cross(s.vertices[t[1]], s.vertices[t[2]])) / 6;
  EXPECT_NEAR(volume / (scale * scale * scale), 1, 1e-6);
}

std::string box_obj() {
  std::string text = "# a box\r\nmtllib box.mtl\r\no box\r\nvn 0 0 1\r\nvt 0 0\r\n";
  for (const auto& p : box_points)
    text += "v " + std::to_string(p[0]) + " " + std::to_string(p[1]) + " " + std::to_string(p[2]) + "\r\n";
  text += "g sides\r\ns off\r\nf 4/1 3/1 2/1 1/1\r\nf 5//1 6//1 7//1 8//1\r\nf 1/1/1 2/1/1 \\\r\n 6/1/1 5/1/1\r\n";
  return text + "f 2 3 7 6\r\nf -6 -5 -1 -2 # from behind\r\nf 4 1 5 8\r\nl 1 2\r\n";
}

template <class T>
void put(std::string& bytes, T value, bool big) {
  std::string own(sizeof value, '\0');
  std::memcpy(own.data(), &value, sizeof value);
  bytes += big ? std::string(own.rbegin(), own.rend()) : own;
}

// Its elements have additional properties, and there is an additional element.
std::string box_ply(const std::string& format) {
  std::string text = "ply\nformat " + format +
                     " 1.0\ncomment in mm\nelement camera 1\nproperty list uchar short lens\nproperty double f\n"
                     "element vertex 8\nproperty float x\nproperty float y\nproperty double z\nproperty uchar red\n"
                     "element face 6\nproperty uchar flags\nproperty list uchar int vertex_indices\nend_header\n";
  const bool big = format == "binary_big_endian";
  if (format == "ascii") {
    text += "2 7 8 0.5\n";
    for (const auto& p : box_points)
      text += std::to_string(p[0]) + " " + std::to_string(p[1]) + " " + std::to_string(p[2]) + " 255\n";
    for (const auto& f : box_faces) {
      text += "0 4";
      for (const int v : f) text += " " + std::to_string(v);
      text += "\n";
    }
    return text;
  }
  put(text, std::uint8_t{2}, big), put(text, std::int16_t{7}, big), put(text, std::int16_t{8}, big);
  put(text, 0.5, big);
  for (const auto& p : box_points) {
    put(text, static_cast<float>(p[0]), big), put(text, static_cast<float>(p[1]), big), put(text, p[2], big);
    put(text, std::uint8_t{255}, big);
  }
  for (const auto& f : box_faces) {
    put(text, std::uint8_t{0}, big), put(text, std::uint8_t{4}, big);
    for (const int v : f) put(text, std::int32_t{v}, big);
  }
  return text;
}

std::string changed(std::string text, const std::string& old, const std::string& by) {
  return text.replace(text.find(old), old.size(), by);
}

}  // namespace

TEST_F(ReadSurface, an_obj_with_every_kind_of_face) {
  expect_box(read(box_obj(), ".obj"));
  expect_box(read(box_obj(), ".stl", 0.5), 0.5);  // the content counts, not the file's name
}

TEST_F(ReadSurface, a_ply_in_every_format) {
  for (const char* format : {"ascii", "binary_little_endian", "binary_big_endian"}) {
    expect_box(read(box_ply(format), ".ply"));
    expect_box(read(box_ply(format), "", 1e-3), 1e-3);
  }
}

// The mark hid the first keyword, so an OBJ lost its first vertex.
TEST_F(ReadSurface, text_of_every_format_after_a_byte_order_mark) {
  auto first_vertex = box_obj();
  first_vertex.erase(0, first_vertex.find("v 0"));
  for (const auto& text : {first_vertex, box_obj(), box_ply("ascii")}) expect_box(read("\xEF\xBB\xBF" + text));
  const std::string facet =
      "facet normal 0 0 1\nouter loop\nvertex 0 0 0\nvertex 1 0 0\nvertex 0 1 0\nendloop\nendfacet\n";
  EXPECT_EQ(read("\xEF\xBB\xBFsolid s\n" + facet + "endsolid s\n").triangles.size(), 1U);
}

TEST_F(ReadSurface, of_a_moving_wall_is_one_of_its_frames) {
  EXPECT_THAT(refusal("<?xml version=\"1.0\"?>\n<VTKFile type=\"Collection\"><Collection>"
                      "<DataSet timestep=\"0\" file=\"a_0.vtp\"/></Collection></VTKFile>"),
              HasSubstr("Give one of the files in it"));
  EXPECT_THAT(refusal("{\"file-series-version\": \"1.0\", \"files\": []}", ".series"),
              HasSubstr("Give one of the files in it"));
  const weft::test::Scratch folder;
  for (const char* name : {"wall_2.stl", "wall_10.stl", "wall.stl", "wall_3.vtp", "other_4.stl"})
    folder.write(name, "");
  EXPECT_THAT(series_text(folder.path() / "wall_10.stl"), HasSubstr("wall_10.stl is one of 2 surfaces, wall_2.stl to"));
  for (const char* name : {"wall.stl", "other_4.stl", "nowhere_1.stl"})
    EXPECT_EQ(series_text(folder.path() / name), "");
}

TEST_F(ReadSurface, a_vtp_in_every_encoding) {
  using Format = VtpWriter::Format;
  for (const auto format : {Format::ascii, Format::binary, Format::appended_raw, Format::appended_base64})
    for (const bool packed : {false, true})
      for (const bool long_words : {false, true})
        for (const bool big : {false, true})
          for (const bool doubles : {false, true}) {
            const VtpWriter writer{format, packed, long_words, big, doubles};
            SCOPED_TRACE(writer.text({}, {}, {}).substr(0, 200));
            expect_box(read(writer.text(box_points, box_faces, {}), ".vtp"));
            // A tetrahedron is a strip that returns to its start.
            const auto strip =
                read(writer.text({{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, 0, 1}}, {}, {{0, 2, 1, 3, 0, 2}}));
            EXPECT_EQ(strip.triangles.size(), 4U);
            auto closed = strip;
            EXPECT_NO_THROW(close_surface(closed, {}, "strip", 1));
          }
}

TEST_F(ReadSurface, a_mark_and_any_line_end_change_nothing) {
  const std::string mark = "\xEF\xBB\xBF";
  const auto with_ends = [](const std::string& text, const std::string& end) {
    std::string result;
    for (const char c : text)
      if (c != '\r') result += c == '\n' ? end : std::string(1, c);
    return result;
  };
  const std::string triangle =
      "facet normal 0 0 0\nouter loop\nvertex 0 0 0\nvertex 1 0 0\nvertex 0 1 0\nendloop\nendfacet";
  const auto stl = "solid of a mesher\n" + triangle + "\nendsolid of a mesher\nsolid two\n" + triangle + "\nendsolid\n";
  const auto vtp = VtpWriter{VtpWriter::Format::binary}.text(box_points, box_faces, {});
  for (const auto& begin : {std::string(), mark})
    for (const std::string end : {"\n", "\r\n", "\r"}) {
      expect_box(read(begin + with_ends(box_obj(), end)));
      expect_box(read(begin + with_ends(box_ply("ascii"), end)));
      expect_box(read(begin + with_ends(vtp, end)));
      EXPECT_EQ(read(begin + with_ends(stl, end)).triangles.size(), 2U);
      expect_box(read(begin + "v" + with_ends(box_obj().substr(box_obj().find(" 0.0")), end)));  // a vertex comes first
    }
  const auto ply = box_ply("binary_little_endian");
  const auto header = ply.find("end_header") + 11;
  for (const std::string end : {"\r\n", "\r"})
    expect_box(read(with_ends(ply.substr(0, header), end) + ply.substr(header)));
  expect_box(read(mark + VtpWriter{VtpWriter::Format::appended_raw}.text(box_points, box_faces, {})));
}

TEST_F(ReadSurface, refuses_wide_characters) {
  for (const std::string wide : {"\xFF\xFE", "\xFE\xFF"})
    for (const char* extension : {".obj", ".stl", ".vtp", ".ply"})
      EXPECT_THAT(refusal(wide + std::string("v\0 \0", 4), extension), HasSubstr("This text is UTF-16"));
}

TEST_F(ReadSurface, a_polygon_that_is_not_convex_becomes_triangles_inside_of_it) {
  // An L, and a comb of 200 teeth, with known areas.
  const auto area_of = [](const Surface& s) {
    double sum = 0;
    for (const auto& t : s.triangles)
      sum += 0.5 * length(cross(s.vertices[t[1]] - s.vertices[t[0]], s.vertices[t[2]] - s.vertices[t[0]]));
    return sum;
  };
  const auto l = read("v 0 0 0\nv 2 0 0\nv 2 1 0\nv 1 1 0\nv 1 2 0\nv 0 2 0\nf 1 2 3 4 5 6\n");
  EXPECT_EQ(l.triangles.size(), 4U);
  EXPECT_NEAR(area_of(l), 3, 1e-12);
  std::string comb = "v 0 -1 5\nv 200 -1 5\n", face = "f 1 2";
  for (int k = 199; k >= 0; --k) {
    comb += "v " + std::to_string(k + 1) + " 0 5\nv " + std::to_string(k + 0.5) + " 3 5\n";
    face += " " + std::to_string(3 + 2 * (199 - k)) + " " + std::to_string(4 + 2 * (199 - k));
  }
  EXPECT_NEAR(area_of(read(comb + "v 0 0 5\n" + face + " 403\n")), 500, 1e-9);
}

TEST_F(ReadSurface, refuses_a_broken_obj_with_its_line) {
  EXPECT_THAT(refusal("v 0 0 0\nv 1 0\nv 0 1 0\nf 1 2 3\n"), HasSubstr("line 2: The file ends where \"a number\""));
  EXPECT_THAT(refusal("v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 4\n"),
              HasSubstr("line 4: A face has vertex 4 (the file has 3)"));
  EXPECT_THAT(refusal("v 0 0 0\nv 1 0 0\nf 1 2 -3\n"), HasSubstr("line 3: A face has vertex -3"));
  EXPECT_THAT(refusal("v 0 0 0\nv 1 0 0\nf 1 2 0\n"), HasSubstr("line 3: A face has vertex 0"));
  EXPECT_THAT(refusal("v 0 0 0\nv 1 0 0\nf 1 2\n"), HasSubstr("line 3"));
  EXPECT_THAT(refusal("v 0 0 nan\n"), HasSubstr("line 1: A coordinate is not a finite number"));
  EXPECT_THAT(refusal("v 0 0 1\n"), HasSubstr("no triangles"));
}

TEST_F(ReadSurface, refuses_a_broken_ply_with_its_place) {
  const auto ascii = box_ply("ascii"), binary = box_ply("binary_little_endian");
  EXPECT_THAT(refusal(ascii.substr(0, 100)), HasSubstr("no \"end_header\""));
  EXPECT_THAT(refusal(ascii.substr(0, ascii.size() - 10)), HasSubstr("line 30: The file ends where \"a number\""));
  EXPECT_THAT(refusal(binary.substr(0, binary.size() - 1)),
              HasSubstr("The file ends too early (its header announces more"));
  EXPECT_THAT(refusal(changed(ascii, "vertex 8", "vertex 7")), HasSubstr("Face 3 has vertex 7 (the file has 7"));
  EXPECT_THAT(refusal(changed(binary, "vertex 8", "vertex 99999999999999999")), HasSubstr("announces more"));
  EXPECT_THAT(refusal(changed(ascii, "0 4 3 2 1 0", "0 4 3 2 1 9")), HasSubstr("Face 0 has vertex 9"));
  EXPECT_THAT(refusal(changed(ascii, "float x", "float u")), HasSubstr("have no x, y and z"));
  EXPECT_THAT(refusal(changed(ascii, "vertex_indices", "corners")), HasSubstr("no list \"vertex_indices\""));
  EXPECT_THAT(refusal(changed(ascii, "element face", "element edge")), HasSubstr("no element \"face\""));
}

TEST_F(ReadSurface, refuses_a_broken_vtp_with_its_line) {
  using Format = VtpWriter::Format;
  const auto text = [](const VtpWriter& writer) { return writer.text(box_points, box_faces, {}); };
  const auto ascii = text({.format = Format::ascii}), raw = text({.format = Format::appended_raw});
  EXPECT_THAT(refusal(ascii.substr(0, ascii.size() / 2)), AllOf(HasSubstr("line"), HasSubstr("not XML")));
  EXPECT_THAT(refusal(raw.substr(0, raw.size() - 60)), HasSubstr("The data end too early"));
  EXPECT_THAT(refusal(changed(raw, "offset=\"0\"", "offset=\"99999\"")), HasSubstr("offset is \"99999\""));
  EXPECT_THAT(refusal(changed(ascii, "\"PolyData\"", "\"UnstructuredGrid\"")), HasSubstr("a surface is PolyData"));
  EXPECT_THAT(refusal(changed(ascii, "Float32", "String")), HasSubstr("type is \"String\""));
  EXPECT_THAT(refusal(changed(ascii, "3 2 1 0 ", "3 2 1 8 ")), HasSubstr("(there are 8, counted from 0)"));
  const auto packed = text({.format = Format::binary, .packed = true});
  EXPECT_THAT(refusal(changed(packed, "vtkZLibDataCompressor", "vtkLZ4DataCompressor")),
              HasSubstr("weft reads vtkZLibDataCompressor"));
  auto damaged = text({.format = Format::appended_raw, .packed = true});
  damaged[damaged.find("\n _") + 40] ^= 0x55;
  EXPECT_NE(refusal(damaged), "none");
}

TEST_F(ReadSurface, names_the_formats_where_it_knows_none) {
  EXPECT_THAT(refusal("hello"), AllOf(HasSubstr("VTP"), HasSubstr("PLY"), HasSubstr("OBJ")));
  EXPECT_THAT(refusal("hello", ".stl"), HasSubstr("neither an ASCII STL file"));
  EXPECT_THAT(refusal("# vtk DataFile Version 3.0\n", ".vtk"), HasSubstr("legacy VTK file"));
  EXPECT_THAT(refusal("<html></html>", ".vtp"), HasSubstr("<VTKFile>"));
}
