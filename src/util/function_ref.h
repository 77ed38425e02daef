// SPDX-License-Identifier: BSD-3-Clause
// A function that is called while the caller's expression lives: std::function without its memory. For parameters only.
#pragma once

#include <memory>
#include <utility>

namespace gckn {

template <typename Signature>
class FunctionRef;

template <typename Result, typename... Args>
class FunctionRef<Result(Args...)> {
 public:
  template <typename Function>
  FunctionRef(const Function& function)  // not explicit: lambdas are passed as they are
      : object_(std::addressof(function)), call_([](const void* object, Args... args) -> Result {
          return (*static_cast<const Function*>(object))(std::forward<Args>(args)...);
        }) {}

  Result operator()(Args... args) const { return call_(object_, std::forward<Args>(args)...); }

 private:
  const void* object_;
  Result (*call_)(const void*, Args...);
};

}  // namespace gckn
