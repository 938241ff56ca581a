#pragma once

#include "varimesh/paper/chapter.h"
#include "varimesh/paper/study.h"

namespace varimesh::paper {

// The experiments of the paper, a file each. What they compute lands in options.directory / NAME; what is there from an
// earlier run with the same settings is read. They throw StudyInterrupted if the observer stops them.

Chapter poisson_1d(const StudyOptions& options);
Chapter poisson_2d(const StudyOptions& options);
Chapter benchmark(const StudyOptions& options);
Chapter bimodal(const StudyOptions& options);

}  // namespace varimesh::paper
