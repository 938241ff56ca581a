#include "varimesh/available_memory.h"

#include <fstream>
#include <limits>
#include <string>

namespace varimesh {

double available_bytes() {
  std::ifstream file("/proc/meminfo");
  std::string key, unit;
  double kilobytes = 0;
  while (file >> key >> kilobytes) {
    if (key == "MemAvailable:") return 1024 * kilobytes;
    std::getline(file, unit);
  }
  return std::numeric_limits<double>::infinity();
}

}  // namespace varimesh
