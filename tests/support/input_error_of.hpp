#pragma once
#include <gtest/gtest.h>

#include <string>

#include "fem/input_error.hpp"

namespace cardiowarp::test {

/// The message of the InputError that `action` throws; a failure of the test when it throws none.
template <class Action>
std::string input_error_of(Action action) {
  try {
    action();
  } catch (const InputError& error) {
    return error.what();
  }
  ADD_FAILURE() << "expected an InputError";
  return {};
}

}  // namespace cardiowarp::test
