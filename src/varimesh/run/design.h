#pragma once

#include <string>

#include "varimesh/run/infer.h"
#include "varimesh/run/sensor_data.h"
#include "varimesh/variational/greedy_design.h"

namespace varimesh::run {

struct DesignOptions {
  Index choose = 10;
  std::string quantity = {};  ///< to be known best; empty: the whole field
  bool from_prior = false;    ///< as if nothing had been measured yet
  int threads = 1;
};

/// Where to measure next.
struct Design {
  Sensors candidates;
  Vector sigma;                       ///< of each candidate's noise
  variational::GreedyDesign sensors;  ///< numbers of candidates
  double quantity_mean = 0;           ///< of the quantity, if there is one, where the model was linearised
  std::string basis;                  ///< what is known before, in words
};

/// Candidates from a table of positions (sensor_data.h), with a column sigma or the problem's noise. The model is
/// linearised at the mean of a fit to the problem's data, or of the prior: what a sensor is expected to tell is then a
/// log-determinant (greedy_design.h). Throws InputError for what is missing.
Design choose_sensors(const Config& config, const Problem& problem, const io::CsvTable& table,
                      const DesignOptions& options);

/// The columns: rank (0: not chosen), position, label, sigma, gain alone, gain when chosen, in the candidates' order.
std::string format_design(const Design& design, int dimension);

/// A page with a map of the gains (lines and planes) and the chosen sensors.
std::string format_design_page(const Config& config, const Problem& problem, const Design& design,
                               const DesignOptions& options);

}  // namespace varimesh::run
