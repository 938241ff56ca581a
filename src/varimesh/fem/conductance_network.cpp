#include "varimesh/fem/conductance_network.h"

#include <algorithm>
#include <cmath>

#include "varimesh/linalg/simd.h"

namespace varimesh::fem {
namespace {

using linalg::Pack;
using linalg::pack_size;

/// One cell's share in the conductance between two nodes, the lower-numbered of which is known from its place.
struct CellShare {
  Index end, coefficient;
  double value;
};

}  // namespace

ConductanceNetwork::ConductanceNetwork(const mesh::Mesh& mesh, const CoefficientMap& map,
                                       const std::vector<Index>& position, Index num_free)
    : num_free_(num_free), num_coefficients_(map.num_coefficients + static_cast<Index>(map.known.size())) {
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
  std::vector<CellShare> cell_shares(start.back());
  {
    auto next = start;
    for (Index c = 0; c < mesh.num_cells(); ++c) {
      const auto nodes = mesh.cell(c);
      const ElementMatrix stiffness = unit_stiffness(mesh, c, map.tensor(c));
      for (int a = 0; a < n; ++a) {
        for (int b = a + 1; b < n; ++b) {
          const auto [first, second] = std::minmax(position[nodes[a]], position[nodes[b]]);
          cell_shares[next[first]++] = {second, map.of_cell[c], -stiffness(a, b)};
        }
      }
    }
  }
  edge_start_.reserve(num_nodes + 1);
  edge_start_.push_back(0);
  for (std::size_t i = 0; i < num_nodes; ++i) {
    const auto first = cell_shares.begin() + static_cast<std::ptrdiff_t>(start[i]);
    const auto last = cell_shares.begin() + static_cast<std::ptrdiff_t>(start[i + 1]);
    std::stable_sort(first, last, [](const CellShare& a, const CellShare& b) {
      return a.end != b.end ? a.end < b.end : a.coefficient < b.coefficient;
    });
    int used = 0;  // shares of the current edge
    for (auto share = first; share != last; ++share) {
      if (share == first || (share - 1)->end != share->end) {
        edge_end_.push_back(share->end);
        shares_.push_back({{share->coefficient, share->coefficient}, {share->value, 0}});
        used = 1;
      } else if ((share - 1)->coefficient == share->coefficient) {
        (used <= 2 ? shares_.back().value[used - 1] : further_shares_.back().value) += share->value;
      } else if (++used == 2) {
        shares_.back().coefficient[1] = share->coefficient;
        shares_.back().value[1] = share->value;
      } else {
        further_shares_.push_back({static_cast<Index>(edge_end_.size()) - 1, share->coefficient, share->value});
      }
    }
    edge_start_.push_back(static_cast<Index>(edge_end_.size()));
  }
  transpose_shares();
  // A's column i holds the diagonal, then the edges to free nodes, which come before those to fixed ones.
  for (Index i = 0; i < num_free; ++i) {
    pattern_.row.push_back(i);
    for (Index p = edge_start_[i]; p < edge_start_[i + 1] && edge_end_[p] < num_free; ++p)
      pattern_.row.push_back(edge_end_[p]);
    pattern_.start.push_back(static_cast<Index>(pattern_.row.size()));
  }
}

void ConductanceNetwork::transpose_shares() {
  const auto for_each_share = [&](const auto& visit) {
    for (std::size_t p = 0; p < shares_.size(); ++p) {
      const Share& s = shares_[p];
      visit(static_cast<Index>(p), s.coefficient[0], s.value[0]);
      if (s.coefficient[1] != s.coefficient[0]) visit(static_cast<Index>(p), s.coefficient[1], s.value[1]);
    }
    for (const FurtherShare& s : further_shares_) visit(s.edge, s.coefficient, s.value);
  };
  column_start_.assign(static_cast<std::size_t>(num_coefficients_) + 1, 0);
  for_each_share([&](Index, Index coefficient, double) { ++column_start_[coefficient + 1]; });
  for (Index c = 0; c < num_coefficients_; ++c) column_start_[c + 1] += column_start_[c];
  column_edge_.resize(static_cast<std::size_t>(column_start_.back()));
  column_share_.resize(column_edge_.size());
  auto next = column_start_;
  for_each_share([&](Index edge, Index coefficient, double value) {
    column_edge_[next[coefficient]] = edge;
    column_share_[next[coefficient]++] = value;
  });
}

void ConductanceNetwork::add_mass(std::span<const Index> nodes, const ElementMatrix& mass) {
  if (ground_.size() == 0) {
    ground_ = Vector::Zero(num_nodes());
    mass_conductance_ = Vector::Zero(std::ssize(edge_end_));
  }
  for (std::size_t a = 0; a < nodes.size(); ++a) {
    ground_[nodes[a]] += mass.row(static_cast<Eigen::Index>(a)).sum();
    for (std::size_t b = a + 1; b < nodes.size(); ++b) {
      const auto [first, second] = std::minmax(nodes[a], nodes[b]);
      const auto edge =
          std::lower_bound(edge_end_.begin() + edge_start_[first], edge_end_.begin() + edge_start_[first + 1], second) -
          edge_end_.begin();
      mass_conductance_[edge] -= mass(static_cast<Eigen::Index>(a), static_cast<Eigen::Index>(b));
    }
  }
}

double ConductanceNetwork::bytes() const {
  const std::size_t indices = column_start_.size() + column_edge_.size() + edge_start_.size() + edge_end_.size() +
                              pattern_.start.size() + pattern_.row.size();
  return static_cast<double>(indices * sizeof(Index) + shares_.size() * sizeof(Share) +
                             further_shares_.size() * sizeof(FurtherShare) + column_share_.size() * sizeof(double)) +
         static_cast<double>(mass_conductance_.size() + ground_.size()) * sizeof(double);
}

void ConductanceNetwork::conductances(const Vector& conductivity, Vector& w) const {
  w.resize(static_cast<Eigen::Index>(shares_.size()));
  const double* theta = conductivity.data();
  double* target = w.data();
  for (const Share& s : shares_)
    *target++ = s.value[0] * theta[s.coefficient[0]] + s.value[1] * theta[s.coefficient[1]];
  for (const FurtherShare& s : further_shares_) w[s.edge] += s.value * theta[s.coefficient];
}

void ConductanceNetwork::for_each_conductance(
    const std::function<void(Index i, Index j, Index coefficient, double value)>& visit) const {
  for (Index i = 0; i < num_nodes(); ++i) {
    for (Index p = edge_start_[i]; p < edge_start_[i + 1]; ++p) {
      const Share& s = shares_[p];
      visit(i, edge_end_[p], s.coefficient[0], s.value[0]);
      if (s.coefficient[1] != s.coefficient[0]) visit(i, edge_end_[p], s.coefficient[1], s.value[1]);
      if (mass_conductance_.size() > 0) visit(i, edge_end_[p], -1, mass_conductance_[p]);
    }
  }
  for (const FurtherShare& s : further_shares_) {
    const auto next = std::upper_bound(edge_start_.begin(), edge_start_.end(), s.edge);
    visit(static_cast<Index>(next - edge_start_.begin()) - 1, edge_end_[s.edge], s.coefficient, s.value);
  }
}

void ConductanceNetwork::all_conductances(const Vector& conductivity, Vector& w) const {
  conductances(conductivity, w);
  if (mass_conductance_.size() > 0) w += mass_conductance_;
}

template <class Number>
[[gnu::always_inline]] inline void ConductanceNetwork::collect(const Vector& conductivity, const Number* products,
                                                               Number* gradient) const {
  const Index* edge = column_edge_.data();
  const double* share = column_share_.data();
  for (Index c = 0; c < num_coefficients_; ++c) {
    Number even{}, odd{};
    Index k = column_start_[c];
    const Index last = column_start_[c + 1];
    for (; k + 1 < last; k += 2) {
      even += products[edge[k]] * share[k];
      odd += products[edge[k + 1]] * share[k + 1];
    }
    if (k < last) even += products[edge[k]] * share[k];
    gradient[c] = (even + odd) * -conductivity[c];
  }
}

// The loops below run over raw pointers: through the members, every store would make the compiler reload them.

void ConductanceNetwork::assemble(const Vector& conductivity, const Vector& u_fixed, Vector& values,
                                  Vector& load) const {
  thread_local Vector w;
  all_conductances(conductivity, w);
  const Index* edge_start = edge_start_.data();
  const Index* edge_end = edge_end_.data();
  const Index* column_start = pattern_.start.data();
  const double* conductance = w.data();
  const double* fixed = u_fixed.data();
  double* a = values.data();
  double* b = load.data();
  for (Index i = 0; i < num_free_; ++i) a[column_start[i]] = 0;
  for (Index i = 0, p = 0; i < num_free_; ++i) {
    const Index diagonal = column_start[i], last = edge_start[i + 1];
    double sum = 0;
    // The column's other entries are its edges to free nodes; edges to fixed ones come behind.
    for (Index slot = diagonal + 1; slot < column_start[i + 1]; ++slot, ++p) {
      a[slot] = -conductance[p];
      a[column_start[edge_end[p]]] += conductance[p];
      sum += conductance[p];
    }
    for (; p < last; ++p) {
      b[i] += conductance[p] * fixed[edge_end[p] - num_free_];
      sum += conductance[p];
    }
    a[diagonal] += sum;
  }
  if (ground_.size() > 0) {
    for (Index i = 0; i < num_free_; ++i) a[column_start[i]] += ground_[i];
  }
}

Vector ConductanceNetwork::currents(const Vector& w, const Vector& u) const {
  Vector result = Vector::Zero(num_nodes());
  for (Index i = 0; i < num_nodes(); ++i) {
    for (Index p = edge_start_[i]; p < edge_start_[i + 1]; ++p) {
      const double current = w[p] * (u[i] - u[edge_end_[p]]);
      result[i] += current;
      result[edge_end_[p]] -= current;
    }
  }
  return result;
}

Vector ConductanceNetwork::apply(const Vector& conductivity, const Vector& u) const {
  Vector w;
  all_conductances(conductivity, w);
  Vector result = currents(w, u);
  if (ground_.size() > 0) result += ground_.cwiseProduct(u);
  return result;
}

Vector ConductanceNetwork::apply_change(const Vector& change, const Vector& u) const {
  Vector w;
  conductances(change, w);
  return currents(w, u);
}

double ConductanceNetwork::current_bound(const Vector& conductivity, const Vector& u) const {
  Vector w;
  all_conductances(conductivity, w);
  double sum = ground_.size() > 0 ? ground_.cwiseProduct(u).lpNorm<1>() : 0;
  for (Index i = 0; i < num_nodes(); ++i) {
    for (Index p = edge_start_[i]; p < edge_start_[i + 1]; ++p)
      sum += std::abs(w[p]) * (std::abs(u[i]) + std::abs(u[edge_end_[p]]));
  }
  return sum;
}

void ConductanceNetwork::sensitivity(const Vector& conductivity, const double* lambda, const Vector& u,
                                     double* gradient) const {
  thread_local Vector products;
  products.resize(static_cast<Eigen::Index>(shares_.size()));
  const Index* edge_start = edge_start_.data();
  const Index* edge_end = edge_end_.data();
  const double* v = u.data();
  double* product = products.data();
  for (Index i = 0, n = num_nodes(); i < n; ++i) {
    for (Index p = edge_start[i]; p < edge_start[i + 1]; ++p)
      product[p] = (lambda[i] - lambda[edge_end[p]]) * (v[i] - v[edge_end[p]]);
  }
  collect(conductivity, product, gradient);
}

VARIMESH_SIMD_CLONES void ConductanceNetwork::sensitivity_interleaved(const Vector& conductivity, const double* lambda,
                                                                      const Vector& u, double* gradient) const {
  thread_local Vector products;
  products.resize(static_cast<Eigen::Index>((shares_.size() + 1) * pack_size));
  auto* product = reinterpret_cast<Pack*>(linalg::align(products.data()));
  const auto* packed = reinterpret_cast<const Pack*>(lambda);
  for (Index i = 0, n = num_nodes(); i < n; ++i) {
    for (Index p = edge_start_[i]; p < edge_start_[i + 1]; ++p)
      product[p] = (packed[i] - packed[edge_end_[p]]) * (u[i] - u[edge_end_[p]]);
  }
  collect(conductivity, product, reinterpret_cast<Pack*>(gradient));
}

}  // namespace varimesh::fem
