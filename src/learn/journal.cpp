// SPDX-License-Identifier: BSD-3-Clause
#include "learn/journal.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <fstream>
#include <iterator>
#include <stdexcept>

#include "gckn/error.h"

namespace gckn {
namespace {

using Json = nlohmann::ordered_json;

// A name that is not UTF-8 must not stop the work.
std::string text_of(const Json& json) {
  return json.dump(-1, ' ', false, Json::error_handler_t::replace);
}

Json to_json(const DoubleMatrix& matrix) {
  Json rows = Json::array();
  for (std::size_t i = 0; i < matrix.rows(); ++i) {
    rows.push_back(std::vector<double>(matrix.row(i), matrix.row(i) + matrix.cols()));
  }
  return {{"columns", matrix.cols()}, {"rows", std::move(rows)}};
}

DoubleMatrix matrix_of(const Json& json) {
  const Json& rows = json.at("rows");
  DoubleMatrix matrix(rows.size(), json.at("columns").get<std::size_t>());
  for (std::size_t i = 0; i < matrix.rows(); ++i) {
    for (std::size_t j = 0; j < matrix.cols(); ++j) matrix(i, j) = rows.at(i).at(j).get<double>();
  }
  return matrix;
}

// NaN and infinities (a score that no fold defines) are null in JSON.
double number_of(const Json& json) {
  return json.is_null() ? -std::numeric_limits<double>::infinity() : json.get<double>();
}

Evaluation evaluation_of(const Json& json) {
  Evaluation result;
  result.score = number_of(json.at("score"));
  result.C = json.at("C").get<std::vector<double>>();
  for (const Json& score : json.at("score_by_C")) result.score_by_c.push_back(number_of(score));
  result.unconverged = json.value("unconverged", std::size_t{0});
  for (const Json& fold : json.value("predictions", Json::array())) {
    result.predictions.emplace_back();
    for (const Json& target : fold) result.predictions.back().push_back(matrix_of(target));
  }
  return result;
}

}  // namespace

Journal::Journal(const std::filesystem::path& path, const Json& header, bool resume) : path_(path.string()) {
  const std::filesystem::file_status status = std::filesystem::status(path);
  const bool exists = std::filesystem::exists(status);
  if (exists && !std::filesystem::is_regular_file(status)) {
    throw InputError(fmt::format("{}: a journal must be a regular file, which this is not", path_));
  }
  if (exists && !resume) {
    throw InputError(fmt::format("{} exists: resume to go on with it, or remove it to begin anew", path_));
  }
  descriptor_ = ::open(path_.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0666);
  if (descriptor_ < 0) throw InputError(fmt::format("{}: cannot be written: {}", path_, std::strerror(errno)));
  try {
    if (::flock(descriptor_, LOCK_EX | LOCK_NB) != 0 && errno == EWOULDBLOCK) {
      throw InputError(fmt::format("{}: is in use by another run", path_));
    }
    if (exists) read(path, header);
    if (std::filesystem::file_size(path) == 0) append(text_of(header));
  } catch (...) {
    ::close(descriptor_);
    throw;
  }
}

Journal::~Journal() {
  if (descriptor_ >= 0) ::close(descriptor_);
}

void Journal::read(const std::filesystem::path& path, const Json& header) {
  std::ifstream file(path, std::ios::binary);
  const std::string text{std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
  if (!file) throw InputError(fmt::format("{}: cannot be read", path_));
  std::size_t line = 0;
  std::size_t begin = 0;
  for (std::size_t end = 0; (end = text.find('\n', begin)) != std::string::npos; begin = end + 1) {
    ++line;
    try {
      const Json json = Json::parse(text.begin() + static_cast<std::ptrdiff_t>(begin),
                                    text.begin() + static_cast<std::ptrdiff_t>(end));
      if (line > 1) {
        units_[json.at("unit").get<std::string>()] = evaluation_of(json);
        continue;
      }
      const Json expected = Json::parse(text_of(header));
      for (const auto& [key, value] : expected.items()) {
        if (!json.contains(key) || json[key] != value) {
          constexpr std::size_t kReadable = 60;
          const std::string there = json.contains(key) ? text_of(json[key]) : "missing";
          const std::string here = text_of(value);
          throw InputError(there.size() > kReadable || here.size() > kReadable
                               ? fmt::format("{}: is of another experiment: its \"{}\" is not the same", path_, key)
                               : fmt::format("{}: is of another experiment: its \"{}\" is {}, here it is {}", path_,
                                             key, there, here));
        }
      }
    } catch (const nlohmann::json::exception& error) {
      throw InputError(fmt::format("{}:{}: is no line of a journal: {}", path_, line, error.what()));
    }
  }
  // A line without its end was being written when the program was stopped.
  if (begin < text.size()) {
    if (line == 0 && !text_of(header).starts_with(text)) throw InputError(fmt::format("{}: is no journal", path_));
    std::filesystem::resize_file(path, begin);
  }
}

const Evaluation* Journal::find(const std::string& unit) const {
  const std::lock_guard lock(mutex_);
  const auto found = units_.find(unit);
  return found == units_.end() ? nullptr : &found->second;
}

void Journal::record(const std::string& unit, const Evaluation& result, bool with_predictions) {
  Json json{{"unit", unit}, {"score", result.score}, {"C", result.C}, {"score_by_C", result.score_by_c}};
  if (result.unconverged > 0) json["unconverged"] = result.unconverged;
  if (with_predictions) {
    json["predictions"] = Json::array();
    for (const std::vector<DoubleMatrix>& fold : result.predictions) {
      Json targets = Json::array();
      for (const DoubleMatrix& scores : fold) targets.push_back(to_json(scores));
      json["predictions"].push_back(std::move(targets));
    }
  }
  const std::lock_guard lock(mutex_);
  Evaluation& kept = units_[unit];
  kept = result;
  if (!with_predictions) kept.predictions.clear();
  if (descriptor_ >= 0) append(text_of(json));
}

void Journal::append(const std::string& line) {
  const std::string text = line + "\n";
  for (std::size_t done = 0; done < text.size();) {
    const ssize_t written = ::write(descriptor_, text.data() + done, text.size() - done);
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) throw std::runtime_error(fmt::format("{}: cannot be written: {}", path_, std::strerror(errno)));
    done += static_cast<std::size_t>(written);
  }
}

}  // namespace gckn
