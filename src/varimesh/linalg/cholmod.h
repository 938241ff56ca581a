#pragma once

#include <cholmod.h>

#include <memory>

#include "varimesh/linalg/lower_pattern.h"

namespace varimesh::linalg {

/// CHOLMOD's settings and workspace, for one ordering method; not for two threads at once.
class CholmodCommon {
 public:
  CholmodCommon(int ordering_method, bool postorder);
  ~CholmodCommon() { cholmod_finish(&common_); }
  CholmodCommon(const CholmodCommon&) = delete;
  CholmodCommon& operator=(const CholmodCommon&) = delete;

  cholmod_common* get() { return &common_; }
  cholmod_common* operator->() { return &common_; }

 private:
  cholmod_common common_;
};

/// A factor that is freed with its owner; the common must outlive it.
struct CholmodFree {
  CholmodCommon* common;
  void operator()(cholmod_factor* factor) const { cholmod_free_factor(&factor, common->get()); }
};
using CholmodFactor = std::unique_ptr<cholmod_factor, CholmodFree>;

/// The order of elimination (Perm) and the number of entries in each column of the factor (ColCount). Of CHOLMOD only
/// parts under the LGPL are used: not its supernodal module, which is under the GPL. Throws bad_alloc without memory.
CholmodFactor cholmod_analysis(const LowerPattern& pattern, CholmodCommon& common);

}  // namespace varimesh::linalg
