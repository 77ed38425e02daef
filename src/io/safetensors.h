// SPDX-License-Identifier: BSD-3-Clause
// The safetensors layout: a little-endian u64 header length, a JSON header, then the raw little-endian tensors.
//
//   {"__metadata__": {"key": "text"}, "name": {"dtype": "F32", "shape": [2, 3], "data_offsets": [0, 24]}, ...}
//
// Offsets count from the end of the header. The reader is strict: tensors lie side by side without overlap or holes
// and end where the file ends, every shape agrees with its bytes, and nothing is allocated on the word of the file.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <map>
#include <span>
#include <string>
#include <vector>

namespace gckn {

// Far beyond any real header, and small enough to parse without harm.
inline constexpr std::uint64_t kMaxHeaderBytes = std::uint64_t{32} << 20;

enum class TensorType { float32, float64, uint64 };

// A tensor whose bytes live elsewhere: in the Safetensors it came from, or with the caller who writes it.
struct TensorView {
  TensorType type = TensorType::float32;
  std::vector<std::uint64_t> shape;  // row-major, slowest first
  std::span<const std::byte> bytes;
};

TensorView view_tensor(std::span<const float> values, std::vector<std::uint64_t> shape);
TensorView view_tensor(std::span<const double> values, std::vector<std::uint64_t> shape);
TensorView view_tensor(std::span<const std::uint64_t> values, std::vector<std::uint64_t> shape);

// The contents of one file.
class Safetensors {
 public:
  // Throws InputError naming the file if it cannot be read, is not as the layout says, or has a checksum that its
  // contents do not fit.
  static Safetensors read(const std::filesystem::path& path);

  // As read, for bytes in memory; `name` stands in for the file's in errors.
  static Safetensors parse(std::string bytes, const std::string& name);

  // Without the checksum.
  [[nodiscard]] const std::map<std::string, std::string>& metadata() const { return metadata_; }
  // Files had none before the second format.
  [[nodiscard]] bool has_checksum() const { return has_checksum_; }
  [[nodiscard]] const std::map<std::string, TensorView>& tensors() const { return tensors_; }

 private:
  // Moving keeps the views valid: bytes that hold a tensor are longer than what a string stores within itself.
  std::string bytes_;
  std::map<std::string, std::string> metadata_;
  std::map<std::string, TensorView> tensors_;
  bool has_checksum_ = false;
};

// The values of a tensor of that type.
std::vector<float> float_values(const TensorView& tensor);
std::vector<double> double_values(const TensorView& tensor);
std::vector<std::uint64_t> uint64_values(const TensorView& tensor);

// A file's bytes, with a checksum over metadata and tensors. Equal contents give equal bytes. Throws InputError if the
// header would be too large; `name` stands in for the file's in errors.
std::string safetensors_bytes(const std::string& name, const std::map<std::string, std::string>& metadata,
                              const std::map<std::string, TensorView>& tensors);

// Writes these beside and renames.
void write_safetensors(const std::filesystem::path& path, const std::map<std::string, std::string>& metadata,
                       const std::map<std::string, TensorView>& tensors);

}  // namespace gckn
