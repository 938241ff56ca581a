#pragma once

#include <nanobind/nanobind.h>

#include <map>
#include <mutex>
#include <optional>
#include <string>

#include "varimesh/result/chain_record.h"
#include "varimesh/result/fit_record.h"
#include "varimesh/run/infer.h"

namespace varimesh::python {

/// Where an inference is, as its thread says and Python's asks now and then.
class Progress {
 public:
  void set(const run::InferenceProgress& now);
  /// Calls back with a dict if there is anything new.
  void tell(nanobind::handle callback);

 private:
  std::mutex mutex_;
  bool changed_ = false;
  std::string method_, stage_;
  std::optional<result::TracePoint> fit_;
  std::map<Index, result::ChainProgress> chains_;
  Index num_chains_ = 0;
  double done_ = 0;
};

}  // namespace varimesh::python
