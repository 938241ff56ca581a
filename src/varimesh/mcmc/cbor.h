#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string_view>

namespace varimesh::mcmc {

/// The value that CBOR bytes stand for. Throws InputError for bytes that are not CBOR, and for CBOR of kinds that
/// checkpoints do not have: deep nesting, tags, lengths that are not given beforehand.
nlohmann::json parse_cbor(std::string_view bytes);

}  // namespace varimesh::mcmc
