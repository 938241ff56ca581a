#pragma once

#include <vector>

#include "varimesh/types.h"

namespace varimesh::run {

/// Finds the nearest of many points by halving them along their axes in turn (a k-d tree).
class NearestPoint {
 public:
  /// One point or more, in so many dimensions.
  NearestPoint(std::vector<Point> points, int dimension);

  /// The number of the nearest point; of several equally near, the lowest.
  std::size_t find(const Point& x) const;

 private:
  struct Best {
    double distance;
    std::size_t point;
  };
  void split(std::size_t begin, std::size_t end, int axis);
  void search(const Point& x, std::size_t begin, std::size_t end, int axis, Best& best) const;

  std::vector<Point> points_;
  int dimension_;
  std::vector<std::size_t> order_;  // the middle of each range parts those below from those above
};

}  // namespace varimesh::run
