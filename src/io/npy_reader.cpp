// SPDX-License-Identifier: BSD-3-Clause
// NumPy's .npy format, versions 1 to 3: magic, version, header length, a Python dict as text, raw values.
#include "gckn/npy_reader.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <charconv>
#include <cstdint>
#include <fstream>
#include <string>
#include <string_view>
#include <vector>

#include "gckn/error.h"
#include "io/half.h"
#include "io/source_file.h"

namespace gckn {

static_assert(std::endian::native == std::endian::little, "values are copied from the file as they are");

namespace {

// What follows a key of the header's dict, from the first character of its value.
std::string_view value_of(std::string_view header, std::string_view key) {
  const std::size_t at = header.find(fmt::format("'{}':", key));
  if (at == std::string_view::npos) throw InputError(fmt::format("its header has no '{}'", key));
  header.remove_prefix(at + key.size() + 3);
  header.remove_prefix(std::min(header.find_first_not_of(' '), header.size()));
  return header;
}

// Of "(2, 3)".
std::vector<std::uint64_t> shape_of(std::string_view text) {
  std::vector<std::uint64_t> shape;
  const std::size_t close = text.find(')');
  if (!text.starts_with('(') || close == std::string_view::npos) throw InputError("its header has no shape");
  text = text.substr(1, close - 1);
  while (true) {
    text.remove_prefix(std::min(text.find_first_not_of(" ,"), text.size()));
    if (text.empty()) return shape;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), shape.emplace_back());
    if (error != std::errc{}) throw InputError(fmt::format("its shape has {}, which is no size", in_quotes(text)));
    text.remove_prefix(static_cast<std::size_t>(end - text.data()));
  }
}

// Reads exactly so many bytes.
std::string take(std::istream& stream, std::size_t bytes) {
  std::string text(bytes, '\0');
  stream.read(text.data(), static_cast<std::streamsize>(bytes));
  if (static_cast<std::size_t>(stream.gcount()) != bytes) throw InputError("is truncated");
  return text;
}

std::string read_header(std::istream& stream) {
  constexpr std::string_view kMagic = "\x93NUMPY";
  const std::string preamble = take(stream, kMagic.size() + 2);
  if (!preamble.starts_with(kMagic)) throw InputError("is no NumPy file");
  const int version = static_cast<unsigned char>(preamble[kMagic.size()]);
  if (version < 1 || version > 3) throw InputError(fmt::format("is a NumPy file of version {}, not 1 to 3", version));
  const std::string length = take(stream, version == 1 ? 2 : 4);
  std::size_t bytes = 0;
  for (std::size_t i = length.size(); i > 0; --i) bytes = bytes << 8 | static_cast<unsigned char>(length[i - 1]);
  constexpr std::size_t kLongestHeader = std::size_t{1} << 16;
  if (bytes > kLongestHeader) throw InputError(fmt::format("has a header of {} bytes", bytes));
  return take(stream, bytes);
}

}  // namespace

struct NpyReader::Impl {
  std::string name;
  std::ifstream stream;
  std::uint64_t rows = 0;
  std::uint64_t columns = 0;
  std::uint64_t value_bytes = 0;
  std::uint64_t done = 0;  // rows

  void read_shape(std::uint64_t file_bytes) {
    const std::string header = read_header(stream);
    const std::string_view type = value_of(header, "descr");
    value_bytes = type.starts_with("'<f2'") ? 2 : type.starts_with("'<f4'") ? 4 : type.starts_with("'<f8'") ? 8 : 0;
    if (value_bytes == 0) {
      throw InputError("has values of another type than float16 ('<f2'), float32 ('<f4') and float64 ('<f8')");
    }
    if (!value_of(header, "fortran_order").starts_with("False"))
      throw InputError("is in Fortran order, not in C order");
    const std::vector<std::uint64_t> shape = shape_of(value_of(header, "shape"));
    if (shape.size() != 2) throw InputError(fmt::format("has {} dimensions, where a matrix has 2", shape.size()));
    rows = shape[0];
    columns = shape[1];
    if (columns == 0) throw InputError("has rows without values");
    const std::uint64_t begin = static_cast<std::uint64_t>(stream.tellg());
    const std::uint64_t row_bytes = columns > file_bytes ? 0 : columns * value_bytes;
    const std::uint64_t data_bytes = file_bytes - begin;
    const bool fits = row_bytes > 0 && data_bytes % row_bytes == 0 && data_bytes / row_bytes == rows;
    if (!fits) {
      throw InputError(
          fmt::format("has {} bytes of values, which is not what {} rows of {} need", data_bytes, rows, columns));
    }
  }

  // Exactly what `values` has room for.
  template <typename Value>
  void fill(Value* values, std::size_t count) {
    stream.read(reinterpret_cast<char*>(values), static_cast<std::streamsize>(count * sizeof(Value)));
    if (static_cast<std::size_t>(stream.gcount()) != count * sizeof(Value)) {
      throw InputError(fmt::format("{}: cannot be read to its end", name));
    }
  }

  // The same for numbers of another type, each turned into a float.
  template <typename Value, typename ToFloat>
  void fill_converted(Matrix& block, const ToFloat& to_float) {
    std::vector<Value> values(block.size());
    fill(values.data(), values.size());
    std::ranges::transform(values, block.data(), to_float);
  }
};

NpyReader::NpyReader(const std::filesystem::path& path) : impl_(std::make_unique<Impl>()) {
  impl_->name = path.string();
  std::error_code error;
  if (!std::filesystem::exists(path, error)) throw InputError(fmt::format("{}: no such file", impl_->name));
  if (!std::filesystem::is_regular_file(path, error)) {
    throw InputError(fmt::format("{}: not a regular file", impl_->name));
  }
  impl_->stream.open(path, std::ios::binary);
  if (!impl_->stream) throw InputError(fmt::format("{}: cannot be read", impl_->name));
  try {
    impl_->read_shape(std::filesystem::file_size(path));
  } catch (const InputError& problem) {
    throw InputError(fmt::format("{}: {}", impl_->name, problem.what()));
  }
}

NpyReader::~NpyReader() = default;

std::size_t NpyReader::rows() const {
  return impl_->rows;
}
std::size_t NpyReader::columns() const {
  return impl_->columns;
}

std::optional<Matrix> NpyReader::next() {
  if (impl_->done == impl_->rows) return std::nullopt;
  constexpr std::uint64_t kBlockValues = std::uint64_t{1} << 22;
  const std::uint64_t most = std::max<std::uint64_t>(1, kBlockValues / impl_->columns);
  const std::uint64_t count = std::min(most, impl_->rows - impl_->done);
  auto block = Matrix::uninitialised(count, impl_->columns);
  if (impl_->value_bytes == sizeof(float)) {
    impl_->fill(block.data(), block.size());
  } else if (impl_->value_bytes == sizeof(double)) {
    impl_->fill_converted<double>(block, [](double value) { return static_cast<float>(value); });
  } else {
    impl_->fill_converted<std::uint16_t>(block, float_of_half);
  }
  impl_->done += count;
  return block;
}

}  // namespace gckn
