#include "varimesh/run/nearest_point.h"

#include <algorithm>
#include <limits>
#include <numeric>

namespace varimesh::run {

NearestPoint::NearestPoint(std::vector<Point> points, int dimension)
    : points_(std::move(points)), dimension_(dimension), order_(points_.size()) {
  std::iota(order_.begin(), order_.end(), std::size_t{0});
  split(0, order_.size(), 0);
}

void NearestPoint::split(std::size_t begin, std::size_t end, int axis) {
  if (end - begin < 2) return;
  const std::size_t middle = begin + (end - begin) / 2;
  const auto at = [&](std::size_t k) { return order_.begin() + static_cast<std::ptrdiff_t>(k); };
  std::nth_element(at(begin), at(middle), at(end),
                   [&](std::size_t a, std::size_t b) { return points_[a][axis] < points_[b][axis]; });
  split(begin, middle, (axis + 1) % dimension_);
  split(middle + 1, end, (axis + 1) % dimension_);
}

std::size_t NearestPoint::find(const Point& x) const {
  Best best{std::numeric_limits<double>::infinity(), 0};
  search(x, 0, order_.size(), 0, best);
  return best.point;
}

void NearestPoint::search(const Point& x, std::size_t begin, std::size_t end, int axis, Best& best) const {
  if (begin >= end) return;
  const std::size_t middle = begin + (end - begin) / 2, point = order_[middle];
  const double distance = (points_[point] - x).head(dimension_).squaredNorm();
  if (distance < best.distance || (distance == best.distance && point < best.point)) best = {distance, point};
  const double gap = x[axis] - points_[point][axis];
  const int next = (axis + 1) % dimension_;
  const bool below = gap < 0;
  search(x, below ? begin : middle + 1, below ? middle : end, next, best);
  if (gap * gap <= best.distance) search(x, below ? middle + 1 : begin, below ? end : middle, next, best);
}

}  // namespace varimesh::run
