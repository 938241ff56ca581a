#pragma once

namespace varimesh {

/// Bytes that this machine can still give; infinity if it does not say.
double available_bytes();

}  // namespace varimesh
