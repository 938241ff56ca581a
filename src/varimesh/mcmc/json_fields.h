#pragma once

#include <nlohmann/json_fwd.hpp>

#include "varimesh/types.h"

namespace varimesh::mcmc {

/// A member of an object. Here and below, InputError says what was expected of which member.
const nlohmann::json& field(const nlohmann::json& object, const char* name);

/// A member that is a number, perhaps not finite.
double decode_number(const nlohmann::json& object, const char* name);
/// A member that is an integer from 0 to `most`.
Index decode_index(const nlohmann::json& object, const char* name, Index most);
/// A member that is an integer from 0.
long long decode_count(const nlohmann::json& object, const char* name);

/// A vector as bytes, eight a number.
nlohmann::json encode_vector(const Vector& x);
/// A member that is a vector of this size.
Vector decode_vector(const nlohmann::json& object, const char* name, Eigen::Index size);

}  // namespace varimesh::mcmc
