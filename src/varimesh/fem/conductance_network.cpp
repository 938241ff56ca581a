#include "varimesh/fem/conductance_network.h"

#include <algorithm>
#include <cmath>

#include "varimesh/fem/element.h"
#include "varimesh/linalg/simd.h"

namespace varimesh::fem {
namespace {

using linalg::Pack;
using linalg::pack_size;

/// One cell's share in the conductance between two nodes, the lower-numbered of which is known from its place.
struct Share {
  Index end, coefficient;
  double value;
};

/// Reads rows of G.
class ShareReader {
 public:
  ShareReader(const std::vector<Index>& start, const std::vector<Index>& coefficient, const std::vector<double>& share)
      : start_(start.data()), coefficient_(coefficient.data()), share_(share.data()) {}

  /// W_p = sum_c G_pc theta_c
  double conductance(Index p, const double* theta) const {
    double sum = 0;
    for (Index k = start_[p]; k < start_[p + 1]; ++k) sum += share_[k] * theta[coefficient_[k]];
    return sum;
  }

 private:
  const Index* start_;
  const Index* coefficient_;
  const double* share_;
};

}  // namespace

ConductanceNetwork::ConductanceNetwork(const mesh::Mesh& mesh, const CoefficientMap& map,
                                       const std::vector<Index>& position, Index num_free)
    : num_free_(num_free), num_coefficients_(map.num_coefficients) {
  const auto num_nodes = static_cast<std::size_t>(mesh.num_nodes());
  const int n = topology(mesh.cell_type).num_nodes;

  // Bucket all shares by their first node (counting sort), then sort and merge within each bucket.
  std::vector<std::size_t> start(num_nodes + 1, 0);
  for (Index c = 0; c < mesh.num_cells(); ++c) {
    const auto nodes = mesh.cell(c);
    for (int a = 0; a < n; ++a)
      for (int b = a + 1; b < n; ++b) ++start[std::min(position[nodes[a]], position[nodes[b]]) + 1];
  }
  for (std::size_t i = 0; i < num_nodes; ++i) start[i + 1] += start[i];
  std::vector<Share> shares(start.back());
  {
    auto next = start;
    for (Index c = 0; c < mesh.num_cells(); ++c) {
      const auto nodes = mesh.cell(c);
      const ElementMatrix stiffness = unit_stiffness(mesh, c);
      for (int a = 0; a < n; ++a) {
        for (int b = a + 1; b < n; ++b) {
          const auto [first, second] = std::minmax(position[nodes[a]], position[nodes[b]]);
          shares[next[first]++] = {second, map.of_cell[c], -stiffness(a, b)};
        }
      }
    }
  }
  edge_start_.reserve(num_nodes + 1);
  edge_start_.push_back(0);
  share_start_.push_back(0);
  for (std::size_t i = 0; i < num_nodes; ++i) {
    const auto first = shares.begin() + static_cast<std::ptrdiff_t>(start[i]);
    const auto last = shares.begin() + static_cast<std::ptrdiff_t>(start[i + 1]);
    std::stable_sort(first, last, [](const Share& a, const Share& b) {
      return a.end != b.end ? a.end < b.end : a.coefficient < b.coefficient;
    });
    for (auto share = first; share != last; ++share) {
      const bool same_edge = share != first && (share - 1)->end == share->end;
      if (same_edge && (share - 1)->coefficient == share->coefficient) {
        share_.back() += share->value;
        continue;
      }
      if (!same_edge) {
        edge_end_.push_back(share->end);
        share_start_.push_back(share_start_.back());
      }
      share_coefficient_.push_back(share->coefficient);
      share_.push_back(share->value);
      ++share_start_.back();
    }
    edge_start_.push_back(static_cast<Index>(edge_end_.size()));
  }
  // A's column i holds the diagonal, then the edges to free nodes, which come before those to fixed ones.
  for (Index i = 0; i < num_free; ++i) {
    pattern_.row.push_back(i);
    for (Index p = edge_start_[i]; p < edge_start_[i + 1] && edge_end_[p] < num_free; ++p)
      pattern_.row.push_back(edge_end_[p]);
    pattern_.start.push_back(static_cast<Index>(pattern_.row.size()));
  }
}

double ConductanceNetwork::bytes() const {
  const std::size_t indices = edge_start_.size() + edge_end_.size() + share_start_.size() + share_coefficient_.size() +
                              pattern_.start.size() + pattern_.row.size();
  return static_cast<double>(indices * sizeof(Index) + share_.size() * sizeof(double));
}

// The loops below run over raw pointers: through the members, every store would make the compiler reload them.

void ConductanceNetwork::assemble(const Vector& conductivity, const Vector& u_fixed, Vector& values,
                                  Vector& load) const {
  values.setZero();
  const Index* edge_start = edge_start_.data();
  const Index* edge_end = edge_end_.data();
  const Index* column_start = pattern_.start.data();
  const double* theta = conductivity.data();
  const double* fixed = u_fixed.data();
  double* a = values.data();
  double* b = load.data();
  const ShareReader shares(share_start_, share_coefficient_, share_);
  for (Index i = 0; i < num_free_; ++i) {
    const Index diagonal = column_start[i];
    Index slot = diagonal;
    double sum = 0;
    for (Index p = edge_start[i]; p < edge_start[i + 1]; ++p) {
      const double conductance = shares.conductance(p, theta);
      sum += conductance;
      const Index j = edge_end[p];
      if (j < num_free_) {
        a[++slot] = -conductance;
        a[column_start[j]] += conductance;
      } else {
        b[i] += conductance * fixed[j - num_free_];
      }
    }
    a[diagonal] += sum;
  }
}

Vector ConductanceNetwork::apply(const Vector& conductivity, const Vector& u) const {
  Vector result = Vector::Zero(num_nodes());
  const ShareReader shares(share_start_, share_coefficient_, share_);
  for (Index i = 0; i < num_nodes(); ++i) {
    for (Index p = edge_start_[i]; p < edge_start_[i + 1]; ++p) {
      const double current = shares.conductance(p, conductivity.data()) * (u[i] - u[edge_end_[p]]);
      result[i] += current;
      result[edge_end_[p]] -= current;
    }
  }
  return result;
}

double ConductanceNetwork::current_bound(const Vector& conductivity, const Vector& u) const {
  const ShareReader shares(share_start_, share_coefficient_, share_);
  double sum = 0;
  for (Index i = 0; i < num_nodes(); ++i) {
    for (Index p = edge_start_[i]; p < edge_start_[i + 1]; ++p)
      sum += std::abs(shares.conductance(p, conductivity.data())) * (std::abs(u[i]) + std::abs(u[edge_end_[p]]));
  }
  return sum;
}

void ConductanceNetwork::sensitivity(const Vector& conductivity, const double* lambda, const Vector& u,
                                     double* gradient) const {
  std::fill_n(gradient, num_coefficients_, 0.0);
  const Index* edge_start = edge_start_.data();
  const Index* edge_end = edge_end_.data();
  const Index* share_start = share_start_.data();
  const Index* coefficient = share_coefficient_.data();
  const double* share = share_.data();
  const double* v = u.data();
  for (Index i = 0, n = num_nodes(); i < n; ++i) {
    const double lambda_i = lambda[i], u_i = v[i];
    for (Index p = edge_start[i]; p < edge_start[i + 1]; ++p) {
      const double product = (lambda_i - lambda[edge_end[p]]) * (u_i - v[edge_end[p]]);
      for (Index k = share_start[p]; k < share_start[p + 1]; ++k) gradient[coefficient[k]] -= share[k] * product;
    }
  }
  for (Index c = 0; c < num_coefficients_; ++c) gradient[c] *= conductivity[c];
}

VARIMESH_SIMD_CLONES void ConductanceNetwork::sensitivity_interleaved(const Vector& conductivity, const double* lambda,
                                                                      const Vector& u, double* gradient) const {
  std::fill_n(gradient, static_cast<std::size_t>(num_coefficients_) * pack_size, 0.0);
  const auto at = [](Index row) { return static_cast<std::ptrdiff_t>(row) * pack_size; };
  for (Index i = 0; i < num_nodes(); ++i) {
    const Pack lambda_i = linalg::load_aligned(lambda + at(i));
    for (Index p = edge_start_[i]; p < edge_start_[i + 1]; ++p) {
      const Index j = edge_end_[p];
      const Pack product = (lambda_i - linalg::load_aligned(lambda + at(j))) * (u[i] - u[j]);
      for (Index k = share_start_[p]; k < share_start_[p + 1]; ++k) {
        double* target = gradient + at(share_coefficient_[k]);
        linalg::store_aligned(target, linalg::load_aligned(target) - product * share_[k]);
      }
    }
  }
  for (Index c = 0; c < num_coefficients_; ++c) {
    double* target = gradient + at(c);
    linalg::store_aligned(target, linalg::load_aligned(target) * conductivity[c]);
  }
}

}  // namespace varimesh::fem
