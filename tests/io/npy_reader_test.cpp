// SPDX-License-Identifier: BSD-3-Clause
#include "gckn/npy_reader.h"

#include <gtest/gtest.h>

#include <cstring>
#include <string>

#include "gckn/io.h"
#include "support/files.h"

namespace gckn {
namespace {

using test::expect_input_error;
using test::TempDir;

TEST(NpyReader, ReadsWhatIsWritten) {
  const TempDir dir;
  Matrix matrix(5000, 1001);  // more than one block
  for (std::size_t i = 0; i < matrix.size(); ++i) matrix.data()[i] = static_cast<float>(i) / 7;
  write_npy(matrix, dir / "m.npy");
  NpyReader reader(dir / "m.npy");
  EXPECT_EQ(reader.rows(), 5000u);
  EXPECT_EQ(reader.columns(), 1001u);
  std::size_t done = 0;
  std::size_t blocks = 0;
  while (const std::optional<Matrix> block = reader.next()) {
    ASSERT_LE(done + block->size(), matrix.size());
    EXPECT_EQ(std::memcmp(block->data(), matrix.data() + done, block->size() * sizeof(float)), 0);
    done += block->size();
    ++blocks;
  }
  EXPECT_EQ(done, matrix.size());
  EXPECT_GT(blocks, 1u);

  DoubleMatrix doubles(1, 2);
  doubles(0, 1) = 0.1;
  write_npy(doubles, dir / "d.npy");
  EXPECT_EQ((*NpyReader(dir / "d.npy").next())(0, 1), 0.1F);
  write_npy(Matrix(0, 3), dir / "empty.npy");
  EXPECT_FALSE(NpyReader(dir / "empty.npy").next().has_value());
}

std::string npy(const std::string& header, const std::string& values, char version = 1) {
  std::string bytes = "\x93NUMPY";
  bytes += version;
  bytes += '\0';
  bytes += static_cast<char>(header.size());
  bytes.append(version == 1 ? 1 : 3, '\0');
  return bytes + header + values;
}

TEST(NpyReader, TakesWhatNumpyWritesAndNothingElse) {
  const TempDir dir;
  const std::string good = "{'descr': '<f4', 'fortran_order': False, 'shape': (1, 2), }\n";
  const std::string values(8, '\0');
  for (const char version : {char{1}, char{2}, char{3}})
    EXPECT_EQ(NpyReader(dir.write("x.npy", npy(good, values, version))).columns(), 2u);
  const auto expect_refused = [&](const std::string& bytes, const std::string& message) {
    expect_input_error([&] { NpyReader(dir.write("x.npy", bytes)); }, {"x.npy: " + message});
  };
  const std::string whole = npy(good, values);
  for (std::size_t length = 0; length < whole.size(); ++length) {
    SCOPED_TRACE(length);
    expect_refused(whole.substr(0, length), length < whole.size() - 8 ? "is truncated" : "has ");
  }
  const auto with = [&](const std::string& header) { return npy(header, values); };
  expect_refused(npy(good, values + "x"), "has 9 bytes of values, which is not what 1 rows of 2 need");
  expect_refused(npy(good, values, 4), "is a NumPy file of version 4");
  expect_refused("{\"num_nodes\": 1, \"edges\": []}", "is no NumPy file");
  expect_refused(with("{'descr': '>f4', 'fortran_order': False, 'shape': (1, 2), }"), "has values of another type");
  expect_refused(with("{'descr': '<i8', 'fortran_order': False, 'shape': (1, 1), }"), "has values of another type");
  expect_refused(with("{'descr': '<f4', 'fortran_order': True, 'shape': (1, 2), }"), "is in Fortran order");
  expect_refused(with("{'descr': '<f4', 'fortran_order': False, 'shape': (2,), }"), "has 1 dimensions");
  expect_refused(with("{'descr': '<f4', 'fortran_order': False, 'shape': (2, 0), }"), "has rows without values");
  expect_refused(with("{'descr': '<f4', 'fortran_order': False, 'shape': (1, x), }"), "its shape has");
  expect_refused(with("{'descr': '<f4', 'fortran_order': False, }"), "its header has no 'shape'");
  // Sizes whose products do not fit 64 bits.
  expect_refused(with("{'descr': '<f4', 'fortran_order': False, 'shape': (2, 4611686018427387905), }"), "has 8 bytes");
  expect_refused(with("{'descr': '<f4', 'fortran_order': False, 'shape': (4611686018427387906, 1), }"), "has 8 bytes");
  expect_input_error([&] { NpyReader(dir / "missing.npy"); }, {"missing.npy: no such file"});
  expect_input_error([&] { NpyReader(dir.path()); }, {": not a regular file"});
}

}  // namespace
}  // namespace gckn
