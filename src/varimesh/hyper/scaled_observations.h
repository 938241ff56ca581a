#pragma once

#include "varimesh/inverse/observations.h"

namespace varimesh::hyper {

/// The same measurements with every sigma multiplied by a factor. Throws InputError for noise that is correlated or not
/// normal, and a factor that is not positive.
inverse::Observations scaled(const inverse::Observations& observations, double factor);

}  // namespace varimesh::hyper
