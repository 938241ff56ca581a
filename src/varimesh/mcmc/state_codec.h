#pragma once

#include <nlohmann/json_fwd.hpp>

#include "varimesh/mcmc/chain.h"

namespace varimesh::mcmc {

/// A chain's state as a value for CBOR, to the last bit. Not in it is the first scale: initial_scale gives it again.
nlohmann::json encode_state(const ChainState& state);

/// The state that was encoded. Throws InputError for a value that is not the state of a chain with this posterior and
/// these options.
ChainState decode_state(const nlohmann::json& value, const inverse::Posterior& posterior,
                        const SamplerOptions& options);

}  // namespace varimesh::mcmc
