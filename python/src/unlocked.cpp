// SPDX-License-Identifier: BSD-3-Clause
#include "unlocked.h"

#include <pthread.h>

#include <atomic>
#include <chrono>
#include <thread>

#include "bindings.h"

namespace gckn::python {
namespace {

namespace nb = nanobind;
using namespace std::chrono_literals;

constexpr auto kPatience = 10s;  // with calls that report no progress for so long

std::atomic<int> running = 0;
std::atomic<std::thread::id> ender;  // the thread that ends Python, once it does
std::atomic<bool> given_up = false;

void wait_for_running_calls() {
  ender = std::this_thread::get_id();
  const nb::gil_scoped_release release;
  const auto begin = std::chrono::steady_clock::now();
  while (running > 0 && std::chrono::steady_clock::now() - begin < kPatience) std::this_thread::sleep_for(2ms);
  given_up = running > 0;
}

}  // namespace

bool python_is_ending() {
  const std::thread::id by = ender;
  return by != std::thread::id{} && by != std::this_thread::get_id();
}

void end_thread() {
  PyErr_SetString(PyExc_SystemExit, "Python ends");
  throw nb::python_error();
}

Unlocked::Unlocked() {
  if (python_is_ending()) end_thread();
  ++running;
  released_.emplace();
}

Unlocked::~Unlocked() {
  while (given_up) std::this_thread::sleep_for(1h);  // there is no lock to be had any more
  released_.reset();
  --running;
}

void bind_end() {
  // A forked process has none of the threads that were running.
  pthread_atfork(nullptr, nullptr, [] { running = 0; });
  nb::module_::import_("atexit").attr("register")(nb::cpp_function(&wait_for_running_calls));
}

}  // namespace gckn::python
