// SPDX-License-Identifier: BSD-3-Clause
// What gckn throws. Numerical outcomes (not converged, sampled) are fields of results, never exceptions.
#pragma once

#include <stdexcept>
#include <string>

namespace gckn {

// Bad data from outside: a file, a value in it, a model that does not fit the graphs. The message is one
// sentence for a user and names the file, line and value where there are any. The command line exits with 3.
class InputError : public std::runtime_error {
 public:
  explicit InputError(const std::string& message) : std::runtime_error(message) {}
};

// These graphs and this network do not go together, and longer paths would not either: there is no path of that length
// to learn from. A search leaves such a network out.
class UnsuitableNetwork : public InputError {
 public:
  using InputError::InputError;
};

// The same because the work passes a limit of RunOptions: there are too many paths.
class LimitError : public UnsuitableNetwork {
 public:
  using UnsuitableNetwork::UnsuitableNetwork;
};

// The caller's options contradict themselves (a negative sigma, no layers). The command line exits with 2.
class UsageError : public std::invalid_argument {
 public:
  explicit UsageError(const std::string& message) : std::invalid_argument(message) {}
};

// A progress callback asked to stop. The command line exits with 130.
class Cancelled : public std::runtime_error {
 public:
  Cancelled() : std::runtime_error("cancelled") {}
};

}  // namespace gckn
