// SPDX-License-Identifier: BSD-3-Clause
// The safetensors reader against files that lie, and the writer against the reader.
#include "io/safetensors.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <cstring>
#include <filesystem>
#include <string>
#include <vector>

#include "gckn/error.h"
#include "support/files.h"

namespace gckn {
namespace {

std::string file_bytes(const std::string& header, std::size_t data_bytes, std::uint64_t claimed_header_bytes) {
  std::string bytes(8, '\0');
  std::memcpy(bytes.data(), &claimed_header_bytes, 8);
  return bytes + header + std::string(data_bytes, '\0');
}

std::string file_bytes(const std::string& header, std::size_t data_bytes) {
  return file_bytes(header, data_bytes, header.size());
}

// The message of the InputError that reading these bytes throws.
std::string complaint(const std::string& bytes) {
  try {
    Safetensors::parse(bytes, "evil.gckn");
  } catch (const InputError& error) {
    EXPECT_EQ(std::string(error.what()).rfind("evil.gckn: ", 0), 0U) << error.what();
    return error.what();
  }
  return "accepted";
}

void expect_refused(const std::string& bytes, const std::string& part_of_message) {
  const std::string message = complaint(bytes);
  EXPECT_NE(message.find(part_of_message), std::string::npos) << "message: " << message;
}

TEST(Safetensors, WrittenFilesReadBack) {
  const test::TempDir folder;
  const std::filesystem::path path = folder / "round_trip.gckn";
  const std::vector<float> floats = {1.5F, -2.0F, 0.25F, 3.0F, 4.0F, 5.0F};
  const std::vector<double> doubles = {1.0 / 3, -1e300};
  write_safetensors(path, {{"config", "{\"a\": 1}\n"}},
                    {{"a", view_tensor(floats, {3, 2})},
                     {"z", view_tensor(doubles, {2})},
                     {"none", view_tensor(std::span<const float>(), {0, 7})}});
  const Safetensors file = Safetensors::read(path);
  EXPECT_EQ(file.metadata().at("config"), "{\"a\": 1}\n");
  ASSERT_EQ(file.tensors().size(), 3U);
  EXPECT_EQ(file.tensors().at("a").shape, (std::vector<std::uint64_t>{3, 2}));
  EXPECT_EQ(float_values(file.tensors().at("a")), floats);
  const TensorView& z = file.tensors().at("z");
  ASSERT_EQ(z.type, TensorType::float64);
  ASSERT_EQ(z.bytes.size(), sizeof(double) * doubles.size());
  EXPECT_EQ(std::memcmp(z.bytes.data(), doubles.data(), z.bytes.size()), 0);
  EXPECT_TRUE(file.tensors().at("none").bytes.empty());
}

TEST(Safetensors, AcceptsEntriesInAnyOrder) {
  const Safetensors file = Safetensors::parse(
      file_bytes(
          R"({"b":{"data_offsets":[8,12],"shape":[1],"dtype":"F32"},"a":{"dtype":"F64","shape":[],"data_offsets":[0,8]}})",
          12),
      "x");
  EXPECT_EQ(file.tensors().size(), 2U);
}

TEST(Safetensors, RefusesLengthsThatLie) {
  expect_refused("", "too short");
  expect_refused("1234567", "too short");
  expect_refused(file_bytes("{}", 0, 3), "header claims 3 bytes");
  expect_refused(file_bytes("{}", 0, ~std::uint64_t{0}), "header claims");
  expect_refused(file_bytes("{}", 0, std::uint64_t{1} << 40), "header claims");
  expect_refused(file_bytes("{}", 4), "after the last tensor");
}

TEST(Safetensors, RefusesHeadersThatAreNotAsTheyShould) {
  expect_refused(file_bytes("[]", 0), "not a JSON object");
  expect_refused(file_bytes("{", 0), "not JSON");
  expect_refused(file_bytes("", 0), "not JSON");
  expect_refused(file_bytes("{\"a\": \"\xff\"}", 0), "not JSON");
  expect_refused(file_bytes("{} {}", 0), "not JSON");
  expect_refused(file_bytes(std::string(100'000, '['), 0), "nested");
  expect_refused(file_bytes(R"({"__metadata__":{"a":1}})", 0), "not a string");
  expect_refused(file_bytes(R"({"__metadata__":[]})", 0), "not a JSON object");
  const std::string entry = R"({"dtype":"F32","shape":[1],"data_offsets":[0,4]})";
  expect_refused(file_bytes("{\"a\":" + entry + ",\"a\":" + entry + "}", 4), "\"a\" appears twice");
  expect_refused(file_bytes(R"({"a":{"dtype":"F32","shape":[1]}})", 0), "exactly");
  expect_refused(file_bytes(R"({"a":7})", 0), "exactly");
}

TEST(Safetensors, RefusesTensorsThatContradictThemselves) {
  const auto with = [](const std::string& dtype, const std::string& shape, const std::string& offsets) {
    return file_bytes(R"({"a":{"dtype":)" + dtype + R"(,"shape":)" + shape + R"(,"data_offsets":)" + offsets + "}}",
                      16);
  };
  EXPECT_EQ(complaint(with(R"("F32")", "[2,2]", "[0,16]")), "accepted");
  expect_refused(with(R"("F16")", "[2,2]", "[0,16]"), "dtype");
  expect_refused(with("3", "[2,2]", "[0,16]"), "dtype");
  expect_refused(with(R"("F32")", "[2,3]", "[0,16]"), "shape");
  expect_refused(with(R"("F64")", "[2,2]", "[0,16]"), "shape");
  expect_refused(with(R"("F32")", "[2,-2]", "[0,16]"), "whole number");
  expect_refused(with(R"("F32")", "[2,2.0]", "[0,16]"), "whole number");
  expect_refused(with(R"("F32")", "[1e30]", "[0,16]"), "whole number");
  expect_refused(with(R"("F32")", "4", "[0,16]"), "list");
  // 2^62 * 4 bytes and 2^32 * 2^32 * ... wrap around to small numbers in 64 bits.
  expect_refused(with(R"("F32")", "[4611686018427387904]", "[0,0]"), "impossible shape");
  expect_refused(with(R"("F32")", "[4294967296,4294967296,4]", "[0,16]"), "impossible shape");
  expect_refused(with(R"("F32")", "[4611686018427387908]", "[0,16]"), "impossible shape");
  expect_refused(with(R"("F32")", "[2,2]", "[0,20]"), "claims bytes");
  expect_refused(with(R"("F32")", "[2,2]", "[16,0]"), "claims bytes");
  expect_refused(with(R"("F32")", "[2,2]", "[0,18446744073709551615]"), "claims bytes");
  expect_refused(with(R"("F32")", "[2,2]", "[0,16,32]"), "two numbers");
  expect_refused(with(R"("F32")", "[3]", "[0,12]"), "after the last tensor");
  expect_refused(with(R"("F32")", "[3]", "[2,14]"), "multiple of its element size");
  expect_refused(with(R"("F32")", "[3]", "[4,16]"), "hole");
}

TEST(Safetensors, RefusesOverlapAndHoles) {
  const auto two = [](const std::string& first, const std::string& second) {
    return file_bytes(R"({"a":{"dtype":"F32","shape":[2],"data_offsets":)" + first +
                          R"(},"b":{"dtype":"F32","shape":[2],"data_offsets":)" + second + "}}",
                      16);
  };
  EXPECT_EQ(complaint(two("[0,8]", "[8,16]")), "accepted");
  expect_refused(two("[0,8]", "[4,12]"), "overlap");
  expect_refused(two("[0,8]", "[0,8]"), "overlap");
  expect_refused(two("[8,16]", "[8,16]"), "");
}

TEST(Safetensors, EveryTruncationIsRefused) {
  const std::string whole = file_bytes(R"({"a":{"dtype":"F32","shape":[2],"data_offsets":[0,8]}})", 8);
  ASSERT_EQ(complaint(whole), "accepted");
  for (std::size_t size = 0; size < whole.size(); ++size) EXPECT_NE(complaint(whole.substr(0, size)), "accepted");
}

}  // namespace
}  // namespace gckn
