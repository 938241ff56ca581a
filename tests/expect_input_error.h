#pragma once

#include <gtest/gtest.h>

#include <string>

#include "varimesh/error.h"

namespace varimesh::test {

/// What an action complains about, or nothing.
template <class Action>
std::string input_error(const Action& action) {
  try {
    action();
  } catch (const InputError& error) {
    return error.what();
  }
  return "";
}

}  // namespace varimesh::test

/// The expression throws an InputError with exactly this message ("": it does not throw).
#define EXPECT_INPUT_ERROR(expression, message) \
  EXPECT_EQ(::varimesh::test::input_error([&] { static_cast<void>(expression); }), message)
