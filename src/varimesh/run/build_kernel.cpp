#include "varimesh/run/build_kernel.h"

#include <fmt/format.h>

#include <map>

#include "varimesh/error.h"

namespace varimesh::run {

inverse::Kernel build_kernel(const std::string& name, double sigma, const std::vector<double>& length_scale,
                             double period, int dimension) {
  static const std::map<std::string, inverse::KernelType> kernels{
      {"squared_exponential", inverse::KernelType::squared_exponential},
      {"matern12", inverse::KernelType::matern12},
      {"matern32", inverse::KernelType::matern32},
      {"matern52", inverse::KernelType::matern52},
      {"periodic", inverse::KernelType::periodic}};
  const std::size_t given = length_scale.size();
  if (given != 1 && given != static_cast<std::size_t>(dimension))
    throw InputError(fmt::format("expected one length-scale or {}, one for each axis, found {}", dimension, given));
  inverse::Kernel kernel{kernels.at(name), sigma, {1, 1, 1}, period};
  for (std::size_t axis = 0; axis < 3; ++axis) kernel.length_scale[axis] = length_scale[std::min(axis, given - 1)];
  return kernel;
}

}  // namespace varimesh::run
