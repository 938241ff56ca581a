#pragma once

#include <string>
#include <vector>

#include "varimesh/types.h"

namespace varimesh::run {

/// The function that an expression of the first `dimension` of x, y, z denotes (muParser syntax, with pi and e).
/// `origin` prefixes messages. An InputError for a bad expression; evaluating to a non-finite number is an InputError
/// that names the point. The function may be called from several threads.
/// `unknowns` are names that may stand in it, too; their values are zero.
ScalarFunction parse_expression(const std::string& expression, const std::string& origin, int dimension = 3,
                                const std::vector<std::string>& unknowns = {});

/// The names that have a meaning in every expression.
std::vector<std::string> expression_names();

}  // namespace varimesh::run
