// SPDX-License-Identifier: BSD-3-Clause
#include "output.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <filesystem>
#include <iterator>

#include "console.h"
#include "gckn/error.h"
#include "gckn/io.h"

namespace gckn::cli {

namespace {

bool has_suffix(const std::string& path, const char* suffix) {
  return std::filesystem::path(path).extension() == suffix;
}

template <typename Real>
void print_csv(const BasicMatrix<Real>& matrix) {
  std::string line;
  for (std::size_t i = 0; i < matrix.rows(); ++i) {
    line.clear();
    fmt::format_to(std::back_inserter(line), "{}\n", fmt::join(matrix.row(i), matrix.row(i) + matrix.cols(), ","));
    print_data(line);
  }
}

template <typename Real>
void write(const BasicMatrix<Real>& matrix, const std::string& path, const RunOptions& run) {
  if (is_standard_output(path)) {
    print_csv(matrix);
  } else if (has_suffix(path, ".npy")) {
    write_npy(matrix, path, run);
  } else {
    write_csv(matrix, path, run);
  }
}

}  // namespace

CLI::Option* add_output_option(CLI::App& command, std::string& path, const std::string& what) {
  return command.add_option("--out", path, what + ": FILE.npy or FILE.csv; - prints CSV")->type_name("FILE");
}

bool is_standard_output(const std::string& path) {
  return path == "-";
}

void check_matrix_output(const std::string& path) {
  if (is_standard_output(path)) return;
  if (!has_suffix(path, ".npy") && !has_suffix(path, ".csv")) {
    throw UsageError(fmt::format("--out {}: the name must end in .npy or .csv", path));
  }
  check_output_folder(path);
}

void check_output_folder(const std::string& path) {
  if (is_standard_output(path)) throw UsageError("- does not stand for a file here: give the name of one");
  check_writable(path);
}

RowOutput::RowOutput(const std::string& path, const Shape& shape, const std::string& names,
                     const ResumableOutput::Work& work)
    : shape_(shape), is_array_(has_suffix(path, ".npy")) {
  std::vector<ResumableOutput::File> files;
  if (!is_standard_output(path)) {
    rows_file_ = files.size();
    files.push_back({path, is_array_ ? shape.columns : 0, shape.type});
  }
  if (!names.empty()) {
    names_file_ = files.size();
    files.push_back({names});
  }
  if (!files.empty()) files_ = std::make_unique<ResumableOutput>(files, work);
  const bool goes_on = rows_file_ && (files_->blocks_done() > 0 || files_->is_complete());
  if (is_array_ || goes_on) return;
  std::string header = shape.by_node ? "graph,node" : "graph";
  if (shape.has_status) header += ",status";
  for (std::size_t c = 1; c <= shape.columns; ++c) header += fmt::format(",v{}", c);
  header += '\n';
  if (rows_file_) {
    files_->set_header(*rows_file_, header);
  } else {
    print_data(header);
  }
}

void RowOutput::put_text(std::string_view text) {
  if (rows_file_) {
    files_->append(*rows_file_, text);
  } else {
    print_data(text);
  }
}

void RowOutput::append(const Matrix& rows, const Labels& labels, const RunOptions& run) {
  const auto& [names, nodes, errors] = labels;
  std::string text;
  for (std::size_t i = 0; names_file_ && i < rows.rows(); ++i) {
    text += to_line(names[i]) + (nodes.empty() ? "" : fmt::format("\t{}", nodes[i])) + '\n';
  }
  if (names_file_) files_->append(*names_file_, text);
  if (is_array_) return files_->append(*rows_file_, rows, run);
  text.clear();
  constexpr std::size_t kFlushBytes = 1 << 20;
  for (std::size_t i = 0; i < rows.rows(); ++i) {
    text += csv_field(names[i]);
    if (!nodes.empty()) text += fmt::format(",{}", nodes[i]);
    if (shape_.has_status) text += ',' + csv_field(status_text(errors[i]));
    if (shape_.has_status && !errors[i].empty()) {
      text.append(rows.cols(), ',');
    } else {
      fmt::format_to(std::back_inserter(text), ",{}", fmt::join(rows.row(i), rows.row(i) + rows.cols(), ","));
    }
    text += '\n';
    if (text.size() < kFlushBytes) continue;
    if (run.progress && !run.progress({"writing", i, rows.rows()})) throw Cancelled();
    put_text(text);
    text.clear();
  }
  put_text(text);
}

void RowOutput::finish() {
  if (files_) files_->finish();
}

std::string status_text(const std::string& error) {
  return error.empty() ? "ok" : error;
}

std::string to_line(std::string_view name) {
  std::string line;
  for (const char c : name) {
    if (c == '\\' || c == '\n' || c == '\r') line += '\\';
    line += c == '\n' ? 'n' : c == '\r' ? 'r' : c;
  }
  return line;
}

std::string from_line(std::string_view line) {
  std::string name;
  for (std::size_t i = 0; i < line.size(); ++i) {
    const bool escapes = line[i] == '\\' && i + 1 < line.size();
    const char c = escapes ? line[++i] : line[i];
    name += escapes && c == 'n' ? '\n' : escapes && c == 'r' ? '\r' : c;
  }
  return name;
}

std::vector<std::string> graph_names(const GraphSet& graphs, std::size_t begin, std::size_t end, std::size_t first) {
  std::vector<std::string> names;
  names.reserve(end - begin);
  for (std::size_t g = begin; g < end; ++g) {
    const bool has_id = !graphs.ids().empty() && !graphs.ids()[g].empty();
    names.push_back(has_id ? graphs.ids()[g] : fmt::to_string(first + g));
  }
  return names;
}

void write_matrix(const Matrix& matrix, const std::string& path, const RunOptions& run) {
  write(matrix, path, run);
}
void write_matrix(const DoubleMatrix& matrix, const std::string& path, const RunOptions& run) {
  write(matrix, path, run);
}

}  // namespace gckn::cli
