# SPDX-License-Identifier: BSD-3-Clause
# cmake -D FOLDER=web -D OUTPUT=assets.cpp -P Embed.cmake: the files of a folder as one source of view/assets.hpp.
file(GLOB files RELATIVE ${FOLDER} ${FOLDER}/*.html ${FOLDER}/*.css ${FOLDER}/*.js ${FOLDER}/*.svg)
list(SORT files)
set(type_html "text/html")
set(type_css "text/css")
set(type_js "text/javascript")
set(type_svg "image/svg+xml")
set(arrays "")
set(entries "")
set(count 0)
foreach(file ${files})
  file(READ ${FOLDER}/${file} bytes HEX)
  string(LENGTH "${bytes}" size)
  math(EXPR size "${size} / 2")
  string(REGEX REPLACE "(..)" "'\\\\x\\1'," bytes "${bytes}")
  string(REGEX REPLACE "((.......){20})" "\\1\n" bytes "${bytes}")
  get_filename_component(extension ${file} LAST_EXT)
  string(SUBSTRING ${extension} 1 -1 extension)
  string(APPEND arrays "constexpr char file_${count}[] = {\n${bytes}\n};\n")
  string(APPEND entries
    "    {\"/${file}\", \"${type_${extension}}; charset=utf-8\", {file_${count}, ${size}}},\n")
  math(EXPR count "${count} + 1")
endforeach()
file(WRITE ${OUTPUT}.new "// Made by cmake/Embed.cmake of the files in web/.
#include \"view/assets.hpp\"

namespace weft::view {
namespace {

${arrays}
constexpr Asset assets[] = {
${entries}};

}  // namespace

const Asset* find_asset(std::string_view path) {
  if (path == \"/\") path = \"/index.html\";
  for (const auto& asset : assets)
    if (asset.path == path) return &asset;
  return nullptr;
}

}  // namespace weft::view
")
file(RENAME ${OUTPUT}.new ${OUTPUT})
