#pragma once

#include "varimesh/run/input_file.h"
#include "varimesh/types.h"

namespace varimesh::run {

/// A covariance matrix of the sensors' measurements from a text file: a line for each sensor, with as many numbers as
/// there are sensors, separated by commas or spaces; lines that begin with '#' are comments. Throws InputError for
/// another shape, text, and a matrix that is not symmetric to 1e-8 of its largest entry.
Matrix read_covariance(const InputFile& file, Index sensors);

}  // namespace varimesh::run
