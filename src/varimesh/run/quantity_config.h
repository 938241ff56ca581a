#pragma once

#include "varimesh/run/config.h"
#include "varimesh/run/toml_reader.h"

namespace varimesh::run {

/// A quantity as a problem file asks for it.
QuantityConfig read_quantity(const Setting& quantity);

}  // namespace varimesh::run
