#pragma once

#include <cholmod.h>

#include <memory>

#include "varimesh/linalg/lower_pattern.h"

namespace varimesh::linalg {

/// CHOLMOD's settings and workspace, for supernodal factors in one given ordering method; not for two threads at once.
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

/// A pattern, with values if they are given, as CHOLMOD sees it; refers to both.
cholmod_sparse cholmod_view(const LowerPattern& pattern, const double* values = nullptr);

/// The symbolic factor. Throws InputError if it is too large for CHOLMOD, bad_alloc without memory.
CholmodFactor cholmod_symbolic(const LowerPattern& pattern, CholmodCommon& common);

}  // namespace varimesh::linalg
