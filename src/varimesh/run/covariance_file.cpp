#include "varimesh/run/covariance_file.h"

#include <fmt/format.h>

#include <charconv>
#include <cmath>
#include <string_view>
#include <vector>

#include "varimesh/error.h"
#include "varimesh/noise/correlated_noise.h"
#include "varimesh/number_words.h"
#include "varimesh/quote.h"

namespace varimesh::run {
namespace {

constexpr std::string_view separators = ", \t;\r";

std::vector<double> read_row(std::string_view line, const std::string& place) {
  std::vector<double> row;
  for (std::size_t begin = line.find_first_not_of(separators); begin != std::string_view::npos;
       begin = line.find_first_not_of(separators, begin)) {
    const std::size_t end = std::min(line.find_first_of(separators, begin), line.size());
    const std::string_view word = line.substr(begin, end - begin);
    double number = 0;
    if (std::from_chars(word.data(), word.data() + word.size(), number).ptr != word.data() + word.size() ||
        !std::isfinite(number))
      throw InputError(fmt::format("{}: expected a finite number, found {}", place, quote(std::string(word))));
    row.push_back(number);
    begin = end;
  }
  return row;
}

}  // namespace

Matrix read_covariance(const InputFile& file, Index sensors) {
  constexpr std::uintmax_t bytes_per_number = 40;
  if (sensors > noise::CorrelatedNoise::max_sensors)
    throw InputError(fmt::format("correlated noise is dense and takes at most {} sensors, found {}",
                                 Index{noise::CorrelatedNoise::max_sensors}, sensors));
  const auto size = static_cast<std::uintmax_t>(sensors);
  const std::shared_ptr<const std::string> bytes = file.bytes(bytes_per_number * (size * size + size) + 100'000);
  const std::string& text = *bytes;
  Matrix result(sensors, sensors);
  Index rows = 0;
  int number = 0;
  for (std::size_t begin = 0; begin < text.size();) {
    const std::size_t end = std::min(text.find('\n', begin), text.size());
    const std::string_view line = std::string_view(text).substr(begin, end - begin);
    begin = end + 1;
    const std::string place = fmt::format("{}:{}", file.string(), ++number);
    if (line.starts_with('#')) continue;
    const std::vector<double> row = read_row(line, place);
    if (row.empty()) continue;
    if (std::ssize(row) != sensors || rows == sensors)
      throw InputError(fmt::format("{}: expected {} of {}, one for each sensor, found {}", place,
                                   counted(sensors, "row"), counted(sensors, "number"),
                                   rows == sensors ? "another row" : counted(std::ssize(row), "number")));
    result.row(rows++) = Eigen::Map<const Eigen::RowVectorXd>(row.data(), sensors);
  }
  if (rows < sensors)
    throw InputError(fmt::format("{}: expected {} rows, one for each sensor, found {}", file.string(), sensors, rows));
  const double asymmetry = (result - result.transpose()).cwiseAbs().maxCoeff();
  if (asymmetry > 1e-8 * result.cwiseAbs().maxCoeff())
    throw InputError(
        fmt::format("{}: expected a symmetric matrix, found entries that differ from their mirror images "
                    "by {:.3g}",
                    file.string(), asymmetry));
  return 0.5 * (result + result.transpose());
}

}  // namespace varimesh::run
