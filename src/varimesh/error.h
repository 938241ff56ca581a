#pragma once

#include <stdexcept>

namespace varimesh {

/// Bad input, said in one sentence that names the file, key, line, cell or node, what was expected and what was found.
class InputError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

}  // namespace varimesh
