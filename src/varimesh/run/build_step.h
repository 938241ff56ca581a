#pragma once

#include <string_view>

#include "varimesh/error.h"
#include "varimesh/io/csv.h"
#include "varimesh/run/config.h"

namespace varimesh::run {

/// One visitor for a variant, made of several functions.
template <class... Visitors>
struct Overloaded : Visitors... {
  using Visitors::operator()...;
};
template <class... Visitors>
Overloaded(Visitors...) -> Overloaded<Visitors...>;

/// Runs a step and puts the setting's place in front of what it complains about.
template <class Step>
decltype(auto) at(const Origin& origin, const Step& step) {
  try {
    return step();
  } catch (const InputError& error) {
    // What names its own place already, such as an expression that fails when it is evaluated, needs no other.
    if (origin.empty() || std::string_view(error.what()).starts_with(origin + ":")) throw;
    throw InputError(origin + ": " + error.what());
  }
}

/// Throws an InputError at the setting that names a file if that is not there.
void require_file(const InputFile& file, const Origin& origin, std::string_view hint = "");

/// The table in a CSV file.
io::CsvTable read_csv(const InputFile& file, const io::IsText& is_text = {});

}  // namespace varimesh::run
