#include "varimesh/linalg/cholmod.h"

#include <new>

#include "varimesh/error.h"

namespace varimesh::linalg {

CholmodCommon::CholmodCommon(int ordering_method, bool postorder) {
  cholmod_start(&common_);
  common_.print = 0;
  common_.supernodal = CHOLMOD_SUPERNODAL;
  common_.nmethods = 1;
  common_.method[0].ordering = ordering_method;
  common_.postorder = postorder ? 1 : 0;
}

cholmod_sparse cholmod_view(const LowerPattern& pattern, const double* values) {
  cholmod_sparse view{};
  view.nrow = view.ncol = static_cast<std::size_t>(pattern.size());
  view.nzmax = pattern.row.size();
  // CHOLMOD's interface does not know const; it does not change the matrix.
  view.p = const_cast<Index*>(pattern.start.data());
  view.i = const_cast<Index*>(pattern.row.data());
  view.x = const_cast<double*>(values);
  view.stype = -1;
  view.itype = CHOLMOD_INT;
  view.xtype = values != nullptr ? CHOLMOD_REAL : CHOLMOD_PATTERN;
  view.dtype = CHOLMOD_DOUBLE;
  view.sorted = 1;
  view.packed = 1;
  return view;
}

CholmodFactor cholmod_symbolic(const LowerPattern& pattern, CholmodCommon& common) {
  cholmod_sparse view = cholmod_view(pattern);
  CholmodFactor factor(cholmod_analyze(&view, common.get()), CholmodFree{&common});
  if (factor) return factor;
  if (common->status == CHOLMOD_TOO_LARGE)
    throw InputError(
        "the problem is too large for a direct solver: its Cholesky factor would have more than 2^31 entries");
  throw std::bad_alloc();
}

}  // namespace varimesh::linalg
