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
    return {gptr(), static_cast<std::size_t>(egptr() - gptr())};
  }

 protected:
  int_type underflow() override {
    pollfd input{STDIN_FILENO, POLLIN, 0};
    constexpr int kMilliseconds = 100;
    while (poll(&input, 1, kMilliseconds) <= 0) {
      if (was_interrupted()) throw Cancelled();
    }
    const ssize_t count = ::read(STDIN_FILENO, buffer_.data(), buffer_.size());
    if (count <= 0) return traits_type::eof();
    setg(buffer_.data(), buffer_.data(), buffer_.data() + count);
    return traits_type::to_int_type(buffer_[0]);
  }

 private:
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
