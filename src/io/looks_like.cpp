// SPDX-License-Identifier: BSD-3-Clause
#include "io/looks_like.h"

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <fstream>

#include "io/safetensors.h"

namespace gckn {

namespace {

constexpr std::size_t kHeadBytes = 256;  // enough to tell

bool is_text(std::string_view head) {
  return !head.empty() && std::ranges::all_of(head, [](char c) {
    const auto byte = static_cast<unsigned char>(c);
    constexpr unsigned char kNotInUtf8 = 0xF8;  // this and those above
    return (byte >= ' ' && byte < kNotInUtf8) || c == '\t' || c == '\r' || c == '\n';
  });
}

}  // namespace

std::string read_head(const std::filesystem::path& path, std::size_t bytes) {
  std::ifstream stream(path, std::ios::binary);
  std::string head(bytes, '\0');
  stream.read(head.data(), static_cast<std::streamsize>(head.size()));
  head.resize(static_cast<std::size_t>(stream.gcount()));
  return head;
}

bool begins_like_a_model(std::string_view head) {
  std::uint64_t header_bytes = 0;
  if (head.size() <= sizeof(header_bytes) || head[sizeof(header_bytes)] != '{') return false;
  std::memcpy(&header_bytes, head.data(), sizeof(header_bytes));
  return header_bytes <= kMaxHeaderBytes;
}

std::string_view looks_like(std::string_view head) {
  head = head.substr(0, kHeadBytes);
  if (begins_like_a_model(head)) return "a gckn model";
  if (head.starts_with("PK\x03\x04") || head.starts_with("PK\x05\x06")) return "a zip file";
  if (head.starts_with("\x93NUMPY")) return "a NumPy array";
  if (!is_text(head)) return "";
  const std::size_t first = head.find_first_not_of(" \t\r\n\xEF\xBB\xBF");
  return first != std::string_view::npos && head[first] == '{' ? "JSON lines" : "text";
}

}  // namespace gckn
