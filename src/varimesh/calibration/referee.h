#pragma once

#include <optional>
#include <vector>

#include "varimesh/calibration/experiment.h"

namespace varimesh::calibration {

/// The place among the methods of the one that others are measured by: nuts, else hmc, if it is there.
std::optional<std::size_t> find_referee(const std::vector<Repeat>& repeats);

/// Whether an answer can judge others: there is one, and its chains agree.
bool can_judge(const MethodScore& referee);

/// Whether an answer is the referee's for all that users would notice: the mean of every quantity is within 0.3 of its
/// sds, and the sd within a factor of 1.3. With 400 effective draws, the referee's own errors are 0.05 and 4 %.
bool is_close(const MethodScore& answer, const MethodScore& referee);

}  // namespace varimesh::calibration
