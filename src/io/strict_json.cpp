// SPDX-License-Identifier: BSD-3-Clause
#include "io/strict_json.h"

#include <fmt/format.h>

#include <set>
#include <vector>

#include "gckn/error.h"

namespace gckn {

nlohmann::json parse_strict_json(std::string_view text, int max_depth) {
  std::vector<std::set<std::string>> keys;  // of the objects that are open
  const auto watch = [&](int depth, nlohmann::json::parse_event_t event, nlohmann::json& parsed) {
    switch (event) {
      case nlohmann::json::parse_event_t::object_start:
        keys.emplace_back();
        [[fallthrough]];
      case nlohmann::json::parse_event_t::array_start:
        if (depth >= max_depth) throw InputError(fmt::format("nested more than {} levels deep", max_depth));
        break;
      case nlohmann::json::parse_event_t::key: {
        const auto& key = parsed.get_ref<const std::string&>();
        if (!keys.back().insert(key).second) throw InputError(fmt::format("the key \"{}\" appears twice", key));
        break;
      }
      case nlohmann::json::parse_event_t::object_end:
        keys.pop_back();
        break;
      default:
        break;
    }
    return true;
  };
  try {
    return nlohmann::json::parse(text, watch);
  } catch (const nlohmann::json::exception& error) {
    // nlohmann's text begins with an error number in brackets, which says nothing to a user.
    const std::string_view message = error.what();
    const std::size_t bracket = message.find("] ");
    throw InputError(
        fmt::format("not JSON: {}", bracket == std::string_view::npos ? message : message.substr(bracket + 2)));
  }
}

std::string json_excerpt(const nlohmann::json& value) {
  constexpr std::size_t kLongest = 60;
  std::string text = value.dump(-1, ' ', true);  // ASCII only, so that it can be cut anywhere
  if (text.size() > kLongest) text.replace(kLongest - 3, std::string::npos, "...");
  return text;
}

}  // namespace gckn
