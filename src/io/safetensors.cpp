// SPDX-License-Identifier: BSD-3-Clause
#include "io/safetensors.h"

#define XXH_INLINE_ALL
#include <xxhash.h>

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cassert>
#include <cstring>
#include <limits>
#include <memory>
#include <new>
#include <nlohmann/json.hpp>
#include <utility>

#include "gckn/error.h"
#include "io/atomic_file.h"
#include "io/looks_like.h"
#include "io/source_file.h"
#include "io/strict_json.h"

namespace gckn {

static_assert(std::endian::native == std::endian::little, "tensors are copied to and from the file as they are");

namespace {

constexpr std::uint64_t kLengthBytes = 8;
constexpr std::size_t kMaxDimensions = 16;
constexpr const char* kMetadataKey = "__metadata__";
constexpr const char* kChecksumKey = "checksum";

std::uint64_t element_size(TensorType type) {
  return type == TensorType::float32 ? sizeof(float) : sizeof(std::uint64_t);
}

const char* type_word(TensorType type) {
  return type == TensorType::float32 ? "F32" : type == TensorType::float64 ? "F64" : "U64";
}

TensorType parse_type(const nlohmann::json& word) {
  if (word == "F32") return TensorType::float32;
  if (word == "F64") return TensorType::float64;
  if (word == "U64") return TensorType::uint64;
  throw InputError(fmt::format("has the dtype {}; only \"F32\", \"F64\" and \"U64\" are known", json_excerpt(word)));
}

std::uint64_t parse_size(const nlohmann::json& value, const char* key) {
  if (!value.is_number_unsigned()) {
    throw InputError(fmt::format("has {} in \"{}\", where a whole number from 0 belongs", json_excerpt(value), key));
  }
  return value.get<std::uint64_t>();
}

// Bytes of a tensor of this shape; refuses what does not fit 64 bits.
std::uint64_t byte_size(const std::vector<std::uint64_t>& shape, TensorType type) {
  // A zero anywhere makes the tensor empty, whatever the other sizes are.
  if (std::ranges::find(shape, std::uint64_t{0}) != shape.end()) return 0;
  std::uint64_t bytes = element_size(type);
  for (const std::uint64_t size : shape) {
    if (size > std::numeric_limits<std::uint64_t>::max() / bytes) throw InputError("has an impossible shape");
    bytes *= size;
  }
  return bytes;
}

// One entry of the header, checked against itself and the bytes that follow the header.
TensorView parse_tensor(const nlohmann::json& entry, std::span<const std::byte> data) {
  if (!entry.is_object() || entry.size() != 3 || !entry.contains("dtype") || !entry.contains("shape") ||
      !entry.contains("data_offsets")) {
    throw InputError("is not described by exactly \"dtype\", \"shape\" and \"data_offsets\"");
  }
  TensorView tensor;
  tensor.type = parse_type(entry["dtype"]);
  const nlohmann::json& shape = entry["shape"];
  if (!shape.is_array() || shape.size() > kMaxDimensions) {
    throw InputError(fmt::format("has a \"shape\" that is not a list of at most {} sizes", kMaxDimensions));
  }
  for (const nlohmann::json& size : shape) tensor.shape.push_back(parse_size(size, "shape"));

  const nlohmann::json& offsets = entry["data_offsets"];
  if (!offsets.is_array() || offsets.size() != 2) throw InputError("has \"data_offsets\" that are not two numbers");
  const std::uint64_t begin = parse_size(offsets[0], "data_offsets");
  const std::uint64_t end = parse_size(offsets[1], "data_offsets");
  if (begin > end || end > data.size()) {
    throw InputError(fmt::format("claims bytes {} to {} of {}", begin, end, data.size()));
  }
  if (begin % element_size(tensor.type) != 0) {
    throw InputError(fmt::format("begins at byte {}, which is not a multiple of its element size", begin));
  }
  if (byte_size(tensor.shape, tensor.type) != end - begin) {
    throw InputError(
        fmt::format("has {} bytes, which is not what its shape {} needs", end - begin, json_excerpt(shape)));
  }
  tensor.bytes = data.subspan(begin, end - begin);
  return tensor;
}

// Every byte of the data belongs to exactly one tensor.
void check_tiling(const std::map<std::string, TensorView>& tensors, std::span<const std::byte> data) {
  std::vector<std::pair<const std::byte*, const std::byte*>> ranges;
  for (const auto& [name, tensor] : tensors) {
    if (!tensor.bytes.empty()) ranges.emplace_back(tensor.bytes.data(), tensor.bytes.data() + tensor.bytes.size());
  }
  std::ranges::sort(ranges);
  const std::byte* reached = data.data();
  for (const auto& [begin, end] : ranges) {
    if (begin < reached) throw InputError("two tensors overlap");
    if (begin > reached) throw InputError("there is a hole between two tensors");
    reached = end;
  }
  if (reached != data.data() + data.size()) throw InputError("there are bytes after the last tensor");
}

// Of everything that a file says: "xxh3:" and 32 hexadecimal digits.
std::string checksum_of(const std::map<std::string, std::string>& metadata,
                        const std::map<std::string, TensorView>& tensors) {
  const std::unique_ptr<XXH3_state_t, decltype(&XXH3_freeState)> state(XXH3_createState(), XXH3_freeState);
  if (!state) throw std::bad_alloc();
  XXH3_128bits_reset(state.get());
  const auto add_bytes = [&](const void* bytes, std::size_t size) { XXH3_128bits_update(state.get(), bytes, size); };
  const auto add_number = [&](std::uint64_t number) { add_bytes(&number, sizeof number); };
  const auto add_text = [&](std::string_view text) {
    add_number(text.size());
    add_bytes(text.data(), text.size());
  };
  add_number(metadata.size());
  for (const auto& [key, text] : metadata) {
    add_text(key);
    add_text(text);
  }
  for (const auto& [name, tensor] : tensors) {
    add_text(name);
    add_text(type_word(tensor.type));
    add_number(tensor.shape.size());
    for (const std::uint64_t size : tensor.shape) add_number(size);
    add_bytes(tensor.bytes.data(), tensor.bytes.size());
  }
  const XXH128_hash_t digest = XXH3_128bits_digest(state.get());
  return fmt::format("xxh3:{:016x}{:016x}", digest.high64, digest.low64);
}

}  // namespace

TensorView view_tensor(std::span<const float> values, std::vector<std::uint64_t> shape) {
  return {TensorType::float32, std::move(shape), std::as_bytes(values)};
}

TensorView view_tensor(std::span<const double> values, std::vector<std::uint64_t> shape) {
  return {TensorType::float64, std::move(shape), std::as_bytes(values)};
}

TensorView view_tensor(std::span<const std::uint64_t> values, std::vector<std::uint64_t> shape) {
  return {TensorType::uint64, std::move(shape), std::as_bytes(values)};
}

Safetensors Safetensors::read(const std::filesystem::path& path) {
  return parse(read_whole_file(path), path.string());
}

Safetensors Safetensors::parse(std::string bytes, const std::string& name) {
  Safetensors result;
  result.bytes_ = std::move(bytes);
  const std::span<const std::byte> all = std::as_bytes(std::span<const char>(result.bytes_));
  std::string where;  // the tensor being read, for errors
  try {
    if (all.size() < kLengthBytes) throw InputError("is too short for a model file");
    std::uint64_t header_bytes = 0;
    std::memcpy(&header_bytes, all.data(), kLengthBytes);
    if (header_bytes > all.size() - kLengthBytes || header_bytes > kMaxHeaderBytes) {
      const std::string_view other = looks_like(result.bytes_);
      if (!other.empty() && !begins_like_a_model(result.bytes_)) {
        throw InputError(fmt::format("is no gckn model: it looks like {}", other));
      }
      throw InputError(fmt::format("is truncated or no model file: its header claims {} bytes", header_bytes));
    }
    const std::span<const std::byte> data = all.subspan(kLengthBytes + header_bytes);
    const std::string_view header_text = std::string_view(result.bytes_).substr(kLengthBytes, header_bytes);
    // The parser would take it for the end of the text.
    if (header_text.find('\0') != std::string_view::npos) throw InputError("its header is not JSON");
    const nlohmann::json header = parse_strict_json(header_text, 3);
    if (!header.is_object()) throw InputError("its header is not a JSON object");
    for (const auto& [key, entry] : header.items()) {
      if (key == kMetadataKey) {
        where.clear();
        if (!entry.is_object()) throw InputError("its \"__metadata__\" is not a JSON object");
        for (const auto& [meta_key, text] : entry.items()) {
          if (!text.is_string()) throw InputError(fmt::format("its metadata \"{}\" is not a string", meta_key));
          result.metadata_.emplace(meta_key, text.get<std::string>());
        }
      } else {
        where = fmt::format("tensor \"{}\" ", key);
        result.tensors_.emplace(key, parse_tensor(entry, data));
      }
    }
    where.clear();
    check_tiling(result.tensors_, data);
    if (const auto checksum = result.metadata_.extract(kChecksumKey)) {
      result.has_checksum_ = true;
      if (checksum.mapped() != checksum_of(result.metadata_, result.tensors_)) {
        throw InputError("is damaged: its contents do not fit its checksum");
      }
    }
  } catch (const InputError& error) {
    throw InputError(fmt::format("{}: {}{}", name, where, error.what()));
  }
  return result;
}

namespace {

template <typename Value>
std::vector<Value> values_of(const TensorView& tensor) {
  std::vector<Value> values(tensor.bytes.size() / sizeof(Value));
  if (!values.empty()) std::memcpy(values.data(), tensor.bytes.data(), tensor.bytes.size());
  return values;
}

}  // namespace

std::vector<float> float_values(const TensorView& tensor) {
  assert(tensor.type == TensorType::float32);
  return values_of<float>(tensor);
}

std::vector<double> double_values(const TensorView& tensor) {
  assert(tensor.type == TensorType::float64);
  return values_of<double>(tensor);
}

std::vector<std::uint64_t> uint64_values(const TensorView& tensor) {
  assert(tensor.type == TensorType::uint64);
  return values_of<std::uint64_t>(tensor);
}

std::string safetensors_bytes(const std::string& name, const std::map<std::string, std::string>& metadata,
                              const std::map<std::string, TensorView>& tensors) {
  // What has eight bytes first, so that every tensor begins at a multiple of its element size.
  std::vector<std::pair<std::string, const TensorView*>> order;
  for (const TensorType type : {TensorType::float64, TensorType::uint64, TensorType::float32}) {
    for (const auto& [key, tensor] : tensors) {
      if (tensor.type == type) order.emplace_back(key, &tensor);
    }
  }
  nlohmann::ordered_json header;
  header[kMetadataKey] = metadata;
  header[kMetadataKey][kChecksumKey] = checksum_of(metadata, tensors);
  std::uint64_t offset = 0;
  for (const auto& [key, tensor] : order) {
    const std::uint64_t end = offset + tensor->bytes.size();
    header[key] = {{"dtype", type_word(tensor->type)}, {"shape", tensor->shape}, {"data_offsets", {offset, end}}};
    offset = end;
  }
  std::string text = header.dump();
  text.resize((text.size() + 7) / 8 * 8, ' ');  // the tensors begin aligned in the file, too
  if (text.size() > kMaxHeaderBytes) {
    throw InputError(fmt::format("{}: the description of the network is too large for a model file", name));
  }

  const std::uint64_t header_bytes = text.size();
  std::string bytes(reinterpret_cast<const char*>(&header_bytes), kLengthBytes);
  bytes.reserve(kLengthBytes + text.size() + offset);
  bytes += text;
  for (const auto& [key, tensor] : order) {
    bytes.append(reinterpret_cast<const char*>(tensor->bytes.data()), tensor->bytes.size());
  }
  return bytes;
}

void write_safetensors(const std::filesystem::path& path, const std::map<std::string, std::string>& metadata,
                       const std::map<std::string, TensorView>& tensors) {
  const std::string bytes = safetensors_bytes(path.string(), metadata, tensors);
  AtomicFile file(path);
  file.write(bytes);
  file.commit();
}

}  // namespace gckn
