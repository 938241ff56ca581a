#pragma once

#include <memory>

#include "varimesh/inverse/gaussian_prior.h"
#include "varimesh/linalg/clique_tree.h"

namespace varimesh::variational {

/// How the n-neighbourhoods of cells become a pattern that is closed under elimination.
enum class PatternKind {
  band,  ///< reverse Cuthill-McKee order and the whole band, as in the paper
  graph  ///< nested dissection and its fill-in: far fewer entries on large meshes
};

/// The pattern of a sparse precision matrix: cells at most n steps apart in the graph of neighbours, and, so that its
/// projection is itself, the prior's precision matrix if that is sparse (else null). Behind the cells are so many
/// scalars, which are coupled with everything and eliminated last. Throws InputError for a negative n or a pattern that
/// does not fit into memory.
std::shared_ptr<const linalg::CliqueTree> create_pattern(const linalg::Graph& neighbours, Index n, PatternKind kind,
                                                         const inverse::SparseMatrix* prior_precision,
                                                         Index scalars = 0);

}  // namespace varimesh::variational
