#pragma once

#include <map>
#include <set>
#include <string>
#include <vector>

#include "varimesh/io/netcdf.h"
#include "varimesh/result/problem_record.h"

namespace varimesh::io {

/// A group of posterior.nc that is being written. Dimensions come into being, with their coordinates, when the first
/// variable needs them.
class DataGroup {
 public:
  DataGroup(NetcdfGroup group, const result::ProblemRecord& problem, Index chains = 0, Index draws = 0);

  const NetcdfGroup& group() const { return group_; }

  NetcdfVariable add(const std::string& name, const std::vector<std::string>& dimensions,
                     NetcdfType type = NetcdfType::float64);
  /// The same with its values; nothing if there are none.
  void add(const std::string& name, const std::string& dimension, const Vector& values);

  /// A dimension that only this group has.
  void set_length(const std::string& dimension, std::size_t length) { lengths_[dimension] = length; }
  /// Makes a dimension now, for those who write to the group themselves.
  void add_dimension(const std::string& dimension);

 private:
  void number(const std::string& dimension) const;
  void locate(const std::string& dimension, const std::vector<Point>& points);

  NetcdfGroup group_;
  const result::ProblemRecord& problem_;
  std::map<std::string, std::size_t> lengths_;
  std::set<std::string> made_;
  std::map<std::string, std::string> auxiliary_;  // of a dimension: " cell_x cell_y"
  std::string all_auxiliary_;
};

}  // namespace varimesh::io
