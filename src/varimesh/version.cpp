#include "varimesh/version.h"

namespace varimesh {

std::string_view version() { return VARIMESH_VERSION; }

}  // namespace varimesh
