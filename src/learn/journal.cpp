// SPDX-License-Identifier: BSD-3-Clause
#include "learn/journal.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <fstream>
#include <iterator>
#include <limits>
#include <stdexcept>

#include "gckn/error.h"
#include "learn/linear_model.h"

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

// What is wrong with a line; the reader of the file says which one it is.
struct WrongShape {
  std::string why;
};

// The JSON library reads true and 1.5 as the whole number 1, and the members of an object as a list.
const Json& member(const Json& json, const char* key) {
  if (!json.is_object() || !json.contains(key)) throw WrongShape{fmt::format("there is no \"{}\"", key)};
  return json.at(key);
}

const Json& list_of(const Json& json, const char* key) {
  if (!json.is_array()) throw WrongShape{fmt::format("\"{}\" is not a list where it should be one", key)};
  return json;
}

double number_of(const Json& json, const char* key) {
  if (!json.is_number()) throw WrongShape{fmt::format("\"{}\" has {} where a number belongs", key, text_of(json))};
  return json.get<double>();
}

// NaN and infinities (a score that no fold defines) are null in JSON.
double score_of(const Json& json, const char* key) {
  return json.is_null() ? -std::numeric_limits<double>::infinity() : number_of(json, key);
}

std::size_t count_of(const Json& json, const char* key) {
  if (!json.is_number_unsigned()) throw WrongShape{fmt::format("\"{}\" is not a whole number from 0", key)};
  return json.get<std::size_t>();
}

DoubleMatrix matrix_of(const Json& json) {
  constexpr const char* kRows = "rows";
  const Json& rows = list_of(member(json, kRows), kRows);
  const std::size_t columns = count_of(member(json, "columns"), "columns");
  for (const Json& row : rows) {  // before there is memory for them
    if (list_of(row, kRows).size() != columns) {
      throw WrongShape{fmt::format("a row of \"rows\" has {} numbers where \"columns\" says {}", row.size(), columns)};
    }
  }
  DoubleMatrix matrix(rows.size(), columns);
  for (std::size_t i = 0; i < matrix.rows(); ++i) {
    for (std::size_t j = 0; j < columns; ++j) matrix(i, j) = number_of(rows[i][j], kRows);
  }
  return matrix;
}

Evaluation evaluation_of(const Json& json) {
  Evaluation result;
  result.score = score_of(member(json, "score"), "score");
  for (const Json& c : list_of(member(json, "C"), "C")) result.C.push_back(number_of(c, "C"));
  for (const Json& score : list_of(member(json, "score_by_C"), "score_by_C")) {
    result.score_by_c.push_back(score_of(score, "score_by_C"));
  }
  if (json.contains("loss_by_epoch")) {
    for (const Json& loss : list_of(json.at("loss_by_epoch"), "loss_by_epoch")) {
      result.loss_by_epoch.push_back(loss.is_null() ? std::numeric_limits<double>::quiet_NaN()
                                                    : number_of(loss, "loss_by_epoch"));
    }
  }
  if (json.contains("unconverged")) result.unconverged = count_of(json.at("unconverged"), "unconverged");
  if (!json.contains("predictions")) return result;
  for (const Json& fold : list_of(json.at("predictions"), "predictions")) {
    result.predictions.emplace_back();
    for (const Json& target : list_of(fold, "predictions")) result.predictions.back().push_back(matrix_of(target));
  }
  if (result.predictions.empty()) throw WrongShape{"\"predictions\" is empty"};
  return result;
}

// Throws WrongShape unless it can be the result of an experiment that predicts these folds.
void check_result(const Evaluation& result, const Experiment& experiment, const std::vector<Fold>& prediction) {
  const std::vector<double>& grid = experiment.learning.C;
  const std::size_t targets = experiment.targets.size();
  const auto require = [](const char* key, std::size_t found, std::size_t expected) {
    if (found == expected) return;
    throw WrongShape{fmt::format("\"{}\" has {} where there should be {}", key, found, expected)};
  };
  require("C", result.C.size(), targets);
  for (const double c : result.C) {
    if (std::ranges::find(grid, c) == grid.end()) throw WrongShape{fmt::format("\"C\" has {}, which was not tried", c)};
  }
  require("score_by_C", result.score_by_c.size(), grid.size());
  if (!result.loss_by_epoch.empty()) require("loss_by_epoch", result.loss_by_epoch.size(), grid.size());
  if (result.predictions.empty()) return;
  require("predictions", result.predictions.size(), prediction.size());
  for (std::size_t f = 0; f < prediction.size(); ++f) {
    require("predictions", result.predictions[f].size(), targets);
    for (std::size_t t = 0; t < targets; ++t) {
      const TargetColumn& target = experiment.targets[t];
      require("rows", result.predictions[f][t].rows(), target.tested(prediction[f]).size());
      require("columns", result.predictions[f][t].cols(), num_outputs(target));
    }
  }
}

std::string wrong_line(const std::string& path, std::size_t line, const std::string& why) {
  return fmt::format("{}:{}: is no line of a journal: {}", path, line, why);
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
        const Json& unit = member(json, "unit");
        if (!unit.is_string()) throw WrongShape{"\"unit\" is not a text"};
        units_[unit.get<std::string>()] = {evaluation_of(json), line};
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
      throw InputError(wrong_line(path_, line, error.what()));
    } catch (const WrongShape& wrong) {
      throw InputError(wrong_line(path_, line, wrong.why));
    }
  }
  // A line without its end was being written when the program was stopped.
  if (begin < text.size()) {
    if (line == 0 && !text_of(header).starts_with(text)) throw InputError(fmt::format("{}: is no journal", path_));
    std::filesystem::resize_file(path, begin);
  }
}

const Evaluation* Journal::find(const std::string& unit, const Experiment& experiment,
                                const std::vector<Fold>& prediction, bool wants_predictions) const {
  const std::lock_guard lock(mutex_);
  const auto found = units_.find(unit);
  if (found == units_.end()) return nullptr;
  const auto& [evaluation, line] = found->second;
  if (line > 0) {
    try {
      check_result(evaluation, experiment, prediction);
      if (wants_predictions && evaluation.predictions.empty()) throw WrongShape{"there is no \"predictions\""};
    } catch (const WrongShape& wrong) {
      throw InputError(wrong_line(path_, line, wrong.why));
    }
  }
  return &evaluation;
}

void Journal::record(const std::string& unit, const Evaluation& result, bool with_predictions) {
  Json json{{"unit", unit}, {"score", result.score}, {"C", result.C}, {"score_by_C", result.score_by_c}};
  if (!result.loss_by_epoch.empty()) json["loss_by_epoch"] = result.loss_by_epoch;
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
  units_[unit] = {result, 0};
  Evaluation& kept = units_[unit].evaluation;
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
