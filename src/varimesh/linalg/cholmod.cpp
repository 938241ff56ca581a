#include "varimesh/linalg/cholmod.h"

#include <new>

namespace varimesh::linalg {

CholmodCommon::CholmodCommon(int ordering_method, bool postorder) {
  cholmod_start(&common_);
  common_.print = 0;
  common_.supernodal = CHOLMOD_SIMPLICIAL;
  common_.nmethods = 1;
  common_.method[0].ordering = ordering_method;
  common_.postorder = postorder ? 1 : 0;
}

CholmodFactor cholmod_analysis(const LowerPattern& pattern, CholmodCommon& common) {
  cholmod_sparse view{};
  view.nrow = view.ncol = static_cast<std::size_t>(pattern.size());
  view.nzmax = pattern.row.size();
  // CHOLMOD's interface does not know const; it does not change the matrix.
  view.p = const_cast<Index*>(pattern.start.data());
  view.i = const_cast<Index*>(pattern.row.data());
  view.stype = -1;
  view.itype = CHOLMOD_INT;
  view.xtype = CHOLMOD_PATTERN;
  view.dtype = CHOLMOD_DOUBLE;
  view.sorted = 1;
  view.packed = 1;
  CholmodFactor factor(cholmod_analyze(&view, common.get()), CholmodFree{&common});
  if (!factor) throw std::bad_alloc();
  return factor;
}

}  // namespace varimesh::linalg
