#pragma once

#include <functional>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "varimesh/fem/coefficient_map.h"
#include "varimesh/mesh/mesh.h"

namespace varimesh::fem {

/// Numbers a(z) that the load, the Dirichlet values and the mass terms are linear in: functions of unknowns z that the
/// equation has besides its coefficient. The first ones are the unknowns as the equation sees them.
class Amplitudes {
 public:
  virtual ~Amplitudes() = default;

  virtual Index num_unknowns() const = 0;
  /// Known once the terms are assembled.
  virtual Index size() const = 0;
  /// Sets a(z) and its derivative, size x num_unknowns. Safe from many threads.
  virtual void evaluate(const Eigen::Ref<const Vector>& z, Vector& a, SparseRows& slope) const = 0;
};

/// A term of the equation that is an amplitude times a function of position.
struct InputTerm {
  enum class Kind { source, reaction, dirichlet, neumann, robin };  ///< robin: its coefficient, in the matrix
  Kind kind = Kind::source;
  std::string part;  ///< a region, empty for everywhere, or a boundary
  ScalarFunction shape;
  Index amplitude = 0;
  /// Instead of a shape and one amplitude: the amplitude at each point where the function is needed.
  std::function<Index(const Point&)> pointwise = nullptr;
};

/// A rate at a point that is an amplitude.
struct PointInput {
  Point point;
  Index amplitude = 0;
};

/// A term of f with an unknown for each cell, block or node of a map: amplitude `first` is that of its first unknown.
struct FieldInput {
  CoefficientMap map;
  Index first = 0;
};

/// All that an equation has of further unknowns.
struct Inputs {
  std::shared_ptr<const Amplitudes> amplitudes;  ///< null without unknowns
  std::vector<InputTerm> terms;
  std::vector<PointInput> points;
  std::vector<FieldInput> fields;
};

/// value * a, of a node.
struct LoadEntry {
  Index node, amplitude;
  double value;
};
/// value * a, in rows i and j of the matrix, i <= j, and in j and i.
struct MassEntry {
  Index i, j, amplitude;
  double value;
};

/// Inputs brought down to nodes of the mesh.
struct NodeInputs {
  std::vector<LoadEntry> load, fixed;  ///< of the right-hand side, and of Dirichlet values
  std::vector<MassEntry> mass;

  /// Sums of the rows of all mass matrices, for amplitudes of one; no entries without any.
  Vector row_sums(Index num_nodes) const;
};

/// Where Dirichlet values of two parts share a node, those of the first count. Throws an InputError for an unknown part
/// and a point outside the mesh.
NodeInputs assemble_inputs(const mesh::Mesh& mesh, const Inputs& inputs);

/// Only what Neumann and Robin terms bring through some facets.
NodeInputs assemble_exchange(const mesh::Mesh& mesh, const Inputs& inputs,
                             const std::function<bool(std::span<const Index> facet)>& is_wanted);

}  // namespace varimesh::fem
