#include "varimesh/io/geotiff.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cstdint>
#include <cstring>
#include <stdexcept>

#include "varimesh/error.h"

namespace varimesh::io {
namespace {

static_assert(std::endian::native == std::endian::little, "the file is written as numbers stand in memory");

template <class Number>
void append(std::string& bytes, Number number) {
  bytes.append(reinterpret_cast<const char*>(&number), sizeof number);
}

/// A TIFF directory: entries of 12 bytes, and behind it the values that do not fit into these.
class Directory {
 public:
  void shorts(std::uint16_t tag, const std::vector<std::uint16_t>& values) { add(tag, 3, values); }
  void longs(std::uint16_t tag, const std::vector<std::uint32_t>& values) { add(tag, 4, values); }
  void doubles(std::uint16_t tag, const std::vector<double>& values) { add(tag, 12, values); }
  void text(std::uint16_t tag, const std::string& value) {
    std::vector<char> characters(value.begin(), value.end());
    characters.push_back('\0');
    add(tag, 2, characters);
  }

  /// Bytes it takes, at an even place.
  std::size_t size() const {
    std::size_t bytes = 2 + 12 * entries_.size() + 4;
    for (const Entry& entry : entries_) bytes += entry.values.size() > 4 ? (entry.values.size() + 1) / 2 * 2 : 0;
    return bytes;
  }

  std::string format(std::size_t place) {
    std::ranges::sort(entries_, {}, &Entry::tag);
    std::string bytes, behind;
    append(bytes, static_cast<std::uint16_t>(entries_.size()));
    const std::size_t after = place + 2 + 12 * entries_.size() + 4;
    for (const Entry& entry : entries_) {
      append(bytes, entry.tag);
      append(bytes, entry.type);
      append(bytes, entry.count);
      if (entry.values.size() > 4) {
        append(bytes, static_cast<std::uint32_t>(after + behind.size()));
        behind += entry.values;
        if (behind.size() % 2 != 0) behind += '\0';
      } else {
        bytes += entry.values + std::string(4 - entry.values.size(), '\0');
      }
    }
    append(bytes, std::uint32_t{0});  // no further directory
    return bytes + behind;
  }

 private:
  struct Entry {
    std::uint16_t tag, type;
    std::uint32_t count;
    std::string values;
  };

  template <class Value>
  void add(std::uint16_t tag, std::uint16_t type, const std::vector<Value>& values) {
    Entry entry{tag, type, static_cast<std::uint32_t>(values.size()), {}};
    for (const Value& value : values) append(entry.values, value);
    entries_.push_back(std::move(entry));
  }

  std::vector<Entry> entries_;
};

/// The names of the bands, as GDAL keeps them.
std::string metadata(const std::vector<std::string>& names) {
  std::string text = "<GDALMetadata>";
  for (std::size_t band = 0; band < names.size(); ++band)
    text += fmt::format("<Item name=\"DESCRIPTION\" sample=\"{}\" role=\"description\">{}</Item>", band, names[band]);
  return text + "</GDALMetadata>";
}

}  // namespace

std::string format_geotiff(const Raster& raster) {
  constexpr std::size_t header = 8;
  const std::size_t bands = raster.bands.size();
  const std::size_t pixels = static_cast<std::size_t>(raster.columns) * static_cast<std::size_t>(raster.rows);
  const std::size_t band_bytes = pixels * sizeof(double);
  for (const std::vector<double>& band : raster.bands)
    if (band.size() != pixels || raster.names.size() != bands)
      throw std::invalid_argument("format_geotiff: expected bands of as many numbers as there are pixels");
  if (static_cast<double>(band_bytes) * static_cast<double>(bands) > 4e9)
    throw InputError(fmt::format("expected a raster of at most 4 GB, found {} bands of {} x {} pixels", bands,
                                 raster.columns, raster.rows));
  const auto each = [&](std::uint16_t value) { return std::vector(bands, value); };
  Directory directory;
  directory.longs(256, {static_cast<std::uint32_t>(raster.columns)});  // width
  directory.longs(257, {static_cast<std::uint32_t>(raster.rows)});     // height
  directory.shorts(258, each(64));                                     // bits
  directory.shorts(259, {1});                                          // not compressed
  directory.shorts(262, {1});                                          // black is zero
  directory.shorts(277, {static_cast<std::uint16_t>(bands)});
  directory.longs(278, {static_cast<std::uint32_t>(raster.rows)});                   // one strip for each band
  directory.longs(279, std::vector(bands, static_cast<std::uint32_t>(band_bytes)));  // bytes of the strips
  directory.shorts(284, {2});                                                        // band after band
  if (bands > 1) directory.shorts(338, std::vector<std::uint16_t>(bands - 1, 0));    // the others are no colours
  directory.shorts(339, each(3));                                                    // floats
  directory.doubles(33550, {raster.step, raster.step, 0});                           // pixel scale
  directory.doubles(33922, {0, 0, 0, raster.x, raster.y, 0});                        // the corner's place
  // GeoKeys: version 1.1.0; a projected system, pixels are areas, and which system
  const bool known = raster.epsg.has_value();
  const auto code = static_cast<std::uint16_t>(known ? *raster.epsg : 32767);
  directory.shorts(34735, {1, 1, 0, 3, 1024, 0, 1, 1, 1025, 0, 1, 1, 3072, 0, 1, code});
  directory.text(42112, metadata(raster.names));
  directory.text(42113, "nan");
  // Where the strips begin is as long whatever it says.
  Directory sized = directory;
  sized.longs(273, std::vector<std::uint32_t>(bands, 0));
  const std::size_t first = (header + sized.size() + 7) / 8 * 8;
  std::vector<std::uint32_t> strips;
  for (std::size_t band = 0; band < bands; ++band)
    strips.push_back(static_cast<std::uint32_t>(first + band * band_bytes));
  directory.longs(273, strips);

  std::string bytes = "II";
  append(bytes, std::uint16_t{42});
  append(bytes, static_cast<std::uint32_t>(header));
  bytes += directory.format(header);
  bytes.resize(first, '\0');
  for (const std::vector<double>& band : raster.bands)
    bytes.append(reinterpret_cast<const char*>(band.data()), band_bytes);
  return bytes;
}

}  // namespace varimesh::io
