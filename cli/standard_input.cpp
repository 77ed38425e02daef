// SPDX-License-Identifier: BSD-3-Clause
#include "standard_input.h"

#include <poll.h>
#include <unistd.h>

#include <array>
#include <streambuf>

#include "console.h"
#include "gckn/error.h"

namespace gckn::cli {

namespace {

class StandardInput : public std::streambuf {
 public:
  std::string_view head() {
    if (sgetc() == traits_type::eof()) return {};
    // The first line at least: a pipe may bring it in pieces.
    while (std::string_view(gptr(), egptr()).find('\n') == std::string_view::npos && egptr() < buffer_.end()) {
      const ssize_t count = read_some(egptr(), static_cast<std::size_t>(buffer_.end() - egptr()));
      if (count <= 0) break;
      setg(eback(), gptr(), egptr() + count);
    }
    return {gptr(), egptr()};
  }

 protected:
  int_type underflow() override {
    const ssize_t count = read_some(buffer_.data(), buffer_.size());
    if (count <= 0) return traits_type::eof();
    setg(buffer_.data(), buffer_.data(), buffer_.data() + count);
    return traits_type::to_int_type(buffer_[0]);
  }

 private:
  static ssize_t read_some(char* to, std::size_t most) {
    pollfd input{STDIN_FILENO, POLLIN, 0};
    constexpr int kMilliseconds = 100;
    while (poll(&input, 1, kMilliseconds) <= 0) {
      if (was_interrupted()) throw Cancelled();
    }
    return ::read(STDIN_FILENO, to, most);
  }

  std::array<char, std::size_t{1} << 16> buffer_{};
};

StandardInput& buffer() {
  static StandardInput input;
  return input;
}

}  // namespace

std::istream& standard_input() {
  static std::istream stream(&buffer());
  stream.exceptions(std::ios::badbit);  // what the buffer throws is not to be swallowed
  return stream;
}

std::string_view standard_input_head() {
  return buffer().head();
}

}  // namespace gckn::cli
