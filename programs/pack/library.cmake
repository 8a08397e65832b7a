# SPDX-License-Identifier: BSD-3-Clause
find_package(fmt REQUIRED)
find_package(PkgConfig REQUIRED)
find_package(BZip2 REQUIRED)
find_package(ZLIB REQUIRED)
pkg_check_modules(ZSTD REQUIRED IMPORTED_TARGET libzstd)
pkg_check_modules(DIVSUFSORT REQUIRED IMPORTED_TARGET libdivsufsort)
pkg_check_modules(LZMA IMPORTED_TARGET liblzma)  # without liblzma, xz is not supported

add_library(weft_pack STATIC
  pack/codec.cpp pack/codec_zstd.cpp pack/codec_bzip2.cpp pack/codec_gzip.cpp pack/bzip2_encoder.cpp pack/bzip2_decoder.cpp pack/bzip2_huffman.cpp pack/bzip2_marks.cpp pack/container.cpp
 pack/archive.cpp pack/archive_gzip.cpp pack/archive_zstd.cpp
  pack/lane.cpp pack/dealer.cpp pack/ordered_map.cpp pack/input.cpp pack/output.cpp pack/pack.cpp pack/unpack.cpp pack/tune.cpp)
weft_compile(-O3 weft_pack)
target_include_directories(weft_pack PUBLIC ${CMAKE_CURRENT_SOURCE_DIR})
target_link_libraries(weft_pack PUBLIC weft_program
  PRIVATE weft_build fmt::fmt BZip2::BZip2 ZLIB::ZLIB PkgConfig::DIVSUFSORT PkgConfig::ZSTD)  # libzstd.a has another divsufsort
if(LZMA_FOUND)
  target_sources(weft_pack PRIVATE pack/codec_xz.cpp)
  target_compile_definitions(weft_pack PRIVATE WEFT_HAVE_LZMA)
  target_link_libraries(weft_pack PRIVATE PkgConfig::LZMA)
endif()
find_package(nlohmann_json REQUIRED)
add_library(weft_pack_command OBJECT pack/command.cpp)  # two programs have the same command line
target_include_directories(weft_pack_command PUBLIC ${CMAKE_CURRENT_SOURCE_DIR})
target_link_libraries(weft_pack_command PRIVATE weft_pack weft_command_line weft_build CLI11::CLI11 fmt::fmt
  nlohmann_json::nlohmann_json)
weft_command(pack SOURCES pack/main.cpp LIBRARIES weft_pack_command weft_pack)
weft_command(unpack SOURCES pack/main_unpack.cpp LIBRARIES weft_pack_command weft_pack)
