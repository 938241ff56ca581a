# Installs the headers that users may include, and what these include. Runs at installation, with SOURCE and DESTINATION.
cmake_policy(VERSION 3.25)
set(public
  inverse/block_prior.h inverse/contract.h inverse/elliptic_model.h inverse/forward_model.h inverse/gaussian_likelihood.h
  inverse/gaussian_mixture_prior.h inverse/gaussian_process.h inverse/independent_prior.h inverse/log_likelihood.h
  inverse/observations.h inverse/posterior.h inverse/spde_prior.h inverse/stacked_model.h noise/correlated_noise.h noise/student_noise.h
  mesh/decimate.h mesh/generate.h mesh/gmsh.h mesh/locate.h mesh/measure.h mesh/refine.h
  fem/elliptic_problem.h fem/observable.h
  variational/elbo.h variational/fit.h variational/fit_summary.h variational/importance.h variational/mixture.h
  variational/randomize_then_optimize.h variational/sparse_precision.h
  mcmc/chains_summary.h mcmc/run_chains.h
  diagnostics/chain_diagnostics.h diagnostics/chains_verdict.h diagnostics/compare.h diagnostics/density.h
  diagnostics/error_norms.h diagnostics/leave_one_out.h diagnostics/psis.h
  run/check.h run/configured_problem.h run/evaluate.h run/predict_load.h run/read_methods.h run/record_on_mesh.h run/result_directory.h
  run/run_methods.h run/sample.h run/simulate.h
  calibration/calibrate.h calibration/summary.h
  cancellation.h error.h parallel.h random.h random_streams.h version.h)
list(TRANSFORM public PREPEND varimesh/)
set(open ${public})
set(found "")
while(open)
  list(POP_FRONT open header)
  if(header IN_LIST found)
    continue()
  endif()
  list(APPEND found ${header})
  file(STRINGS ${SOURCE}/${header} lines REGEX "^#include \"varimesh/")
  foreach(line IN LISTS lines)
    string(REGEX REPLACE "^#include \"([^\"]+)\".*" "\\1" included "${line}")
    list(APPEND open ${included})
  endforeach()
endwhile()
foreach(header IN LISTS found)
  get_filename_component(folder ${header} DIRECTORY)
  file(INSTALL DESTINATION ${DESTINATION}/${folder} TYPE FILE FILES ${SOURCE}/${header})
endforeach()
