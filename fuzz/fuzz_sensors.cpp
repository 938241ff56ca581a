#include <cstddef>
#include <cstdint>
#include <string_view>

#include "varimesh/error.h"
#include "varimesh/io/csv.h"
#include "varimesh/mesh/generate.h"
#include "varimesh/run/sensor_data.h"

/// Any table is either measurements on a square, with as many values as sensors, or an InputError. Seeds:
/// fuzz/corpus/sensors.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace varimesh;
  static const mesh::Mesh square = mesh::create_rectangle(mesh::CellType::triangle, {2, 2}, {});
  try {
    const std::string_view text(reinterpret_cast<const char*>(data), size);
    const io::CsvTable table = io::parse_csv(text, "fuzz.csv");
    run::NoiseConfig noise;
    noise.sigma = 0.1;
    const run::SensorData read = run::read_sensor_data(table, square, noise, {});
    if (read.observations.mean.size() != read.sensors.size()) __builtin_trap();
  } catch (const InputError&) {
  }
  return 0;
}
