#pragma once

namespace varimesh::test {

/// A line of 8 cells with a sensor at each node, without data: calibration makes its own.
constexpr const char* line_problem = R"([mesh]
kind = "interval"
cells = 8
[equation]
source = 1
[boundary]
left = { dirichlet = 0 }
right = { dirichlet = 0 }
[observations]
sensors = "nodes"
sigma = 0.02
[prior]
kind = "gaussian_process"
kernel = "squared_exponential"
length_scale = 0.4
[quantities]
log_flux = { log_flux = "left" }
)";

}  // namespace varimesh::test
