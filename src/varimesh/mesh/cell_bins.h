#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <utility>
#include <vector>

#include "varimesh/mesh/mesh.h"

namespace varimesh::mesh {

/// Cells by the bins of a regular grid that their bounding boxes touch.
class CellBins {
 public:
  explicit CellBins(const Mesh& mesh) : mesh_(mesh) {
    lower_ = upper_ = mesh.nodes.front();
    for (const Point& x : mesh.nodes) {
      lower_ = lower_.cwiseMin(x);
      upper_ = upper_.cwiseMax(x);
    }
    // About one bin a cell; fewer if long thin cells would be listed in too many.
    constexpr double most_listings = 64;
    count_ = std::max(1, static_cast<int>(std::pow(mesh.num_cells(), 1.0 / mesh.dimension())));
    const auto listings = [&] {
      double sum = 0;
      for (Index c = 0; c < mesh.num_cells(); ++c) for_each_bin(c, [&](std::int64_t) { ++sum; });
      return sum;
    };
    while (count_ > 1 && listings() > most_listings * mesh.num_cells()) count_ /= 2;
    for (Index c = 0; c < mesh.num_cells(); ++c)
      for_each_bin(c, [&](std::int64_t bin) { cells_.emplace_back(bin, c); });
    std::ranges::sort(cells_);
  }

  /// Calls visit(cell) for the cells that may touch a box, some more than once.
  template <class Visit>
  void for_each_touching(const Point& low, const Point& high, const Visit& visit) const {
    const auto all = [&](Index cell) {
      visit(cell);
      return false;
    };
    const auto first = place(low), last = place(high);
    for (std::int64_t k = first[2]; k <= last[2]; ++k)
      for (std::int64_t j = first[1]; j <= last[1]; ++j)
        for (std::int64_t i = first[0]; i <= last[0]; ++i) for_each_in_bin(number({i, j, k}), all);
  }

  /// Calls visit(cell) for the cells near a point until it returns true.
  template <class Visit>
  void for_each_near(const Point& x, const Visit& visit) const {
    for_each_in_bin(number(place(x)), visit);
  }

 private:
  template <class Visit>
  void for_each_in_bin(std::int64_t bin, const Visit& visit) const {
    for (auto at = std::ranges::lower_bound(cells_, std::pair(bin, Index{0})); at != cells_.end() && at->first == bin;
         ++at)
      if (visit(at->second)) return;
  }

  std::array<std::int64_t, 3> place(const Point& x) const {
    std::array<std::int64_t, 3> result{};
    for (int d = 0; d < mesh_.dimension(); ++d) {
      const double extent = upper_[d] - lower_[d];
      if (extent > 0)
        result[d] = std::clamp<std::int64_t>(
            static_cast<std::int64_t>((x[d] - lower_[d]) / extent * static_cast<double>(count_)), 0, count_ - 1);
    }
    return result;
  }

  std::int64_t number(const std::array<std::int64_t, 3>& at) const { return at[0] + count_ * (at[1] + count_ * at[2]); }

  template <class Visit>
  void for_each_bin(Index cell, const Visit& visit) const {
    Point low = mesh_.nodes[mesh_.cell(cell)[0]], high = low;
    for (const Index n : mesh_.cell(cell)) {
      low = low.cwiseMin(mesh_.nodes[n]);
      high = high.cwiseMax(mesh_.nodes[n]);
    }
    const auto first = place(low), last = place(high);
    for (std::int64_t k = first[2]; k <= last[2]; ++k)
      for (std::int64_t j = first[1]; j <= last[1]; ++j)
        for (std::int64_t i = first[0]; i <= last[0]; ++i) visit(number({i, j, k}));
  }

  const Mesh& mesh_;
  Point lower_, upper_;
  std::int64_t count_ = 1;
  std::vector<std::pair<std::int64_t, Index>> cells_;
};

}  // namespace varimesh::mesh
