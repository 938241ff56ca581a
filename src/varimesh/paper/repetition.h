#pragma once

#include <string>
#include <vector>

#include "varimesh/result/method_record.h"
#include "varimesh/result/problem_record.h"

namespace varimesh::paper {

/// What is kept of a method's answer to one of many problems.
struct Repetition {
  std::string method;  ///< "fcvb"
  double kappa_error = 0, u_error = 0;
  double coverage = 0;  ///< share of unknowns whose truth is within two sds of the mean
  double flux_mean = 0, flux_sd = 0;
  double largest_shift = 0;                                     ///< of means, in sds of the referee
  double least_ratio = 0, median_ratio = 0, largest_ratio = 0;  ///< of sds to the referee's
  double rhat = 0, ess = 0;                                     ///< worst of all unknowns; zero of fits
  double elbo = 0;                                              ///< zero of chains
  double khat = 0;                                              ///< zero of chains
  double seconds = 0;
};

Repetition summarize(const result::ProblemRecord& problem, const result::MethodRecord& method,
                     const result::MethodRecord& referee);

/// As text, and back; empty if the text is not of the same key.
std::string format_repetitions(const std::string& key, const std::vector<Repetition>& repetitions);
std::vector<Repetition> parse_repetitions(const std::string& text, const std::string& key);

/// Linear interpolation between the values; they must be finite, and not none.
double quantile(std::vector<double> values, double level);

}  // namespace varimesh::paper
