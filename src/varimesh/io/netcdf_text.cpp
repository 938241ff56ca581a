// Text in variables: add_texts and find_texts of netcdf.h.
#include <fmt/format.h>
#include <netcdf.h>

#include <algorithm>
#include <array>

#include "varimesh/io/netcdf.h"

namespace varimesh::io {
namespace {

constexpr std::size_t longest = 1000;  // bytes of one text

}  // namespace

void NetcdfGroup::add_texts(const std::string& name, const std::string& dimension,
                            const std::vector<std::string>& texts) const {
  std::size_t width = 1;
  for (const std::string& text : texts) width = std::max(width, std::min(text.size(), longest));
  add_dimension(name + "_length", width);
  std::array<int, 2> dimensions = {};
  check(nc_inq_dimid(group_id(), dimension.c_str(), dimensions.data()));
  check(nc_inq_dimid(group_id(), (name + "_length").c_str(), &dimensions[1]));
  int variable = 0;
  check(nc_def_var(group_id(), name.c_str(), NC_CHAR, 2, dimensions.data(), &variable));
  NetcdfVariable(file(), path_of(name), group_id(), variable).set("_Encoding", "utf-8");
  std::string bytes(texts.size() * width, '\0');
  for (std::size_t i = 0; i < texts.size(); ++i)
    std::ranges::copy(std::string_view(texts[i]).substr(0, width),
                      bytes.begin() + static_cast<std::ptrdiff_t>(i * width));
  check(nc_put_var_text(group_id(), variable, bytes.data()));
}

std::vector<std::string> NetcdfGroup::find_texts(const std::string& name, std::size_t count) const {
  int variable = 0;
  if (nc_inq_varid(group_id(), name.c_str(), &variable) != NC_NOERR) return {};
  nc_type type = NC_NAT;
  int rank = 0;
  check(nc_inq_var(group_id(), variable, nullptr, &type, &rank, nullptr, nullptr));
  std::array<int, 2> dimensions = {};
  std::array<std::size_t, 2> lengths = {};
  if (type == NC_CHAR && rank == 2) {
    check(nc_inq_vardimid(group_id(), variable, dimensions.data()));
    for (std::size_t i = 0; i < 2; ++i) check(nc_inq_dimlen(group_id(), dimensions[i], &lengths[i]));
  }
  if (lengths[0] != count || lengths[1] < 1 || lengths[1] > longest)
    fail(fmt::format("expected {} to be {} texts of at most {} bytes", name, count, longest));
  std::string bytes(count * lengths[1], '\0');
  check(nc_get_var_text(group_id(), variable, bytes.data()));
  std::vector<std::string> texts;
  for (std::size_t i = 0; i < count; ++i) {
    const std::string_view padded = std::string_view(bytes).substr(i * lengths[1], lengths[1]);
    texts.emplace_back(padded.substr(0, padded.find('\0')));
  }
  return texts;
}

}  // namespace varimesh::io
