#include "answer.h"

#include <nanobind/stl/filesystem.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/string_view.h>
#include <nanobind/stl/variant.h>
#include <nanobind/stl/vector.h>

#include "arrays.h"
#include "gaussian.h"
#include "varimesh/error.h"
#include "varimesh/io/report.h"
#include "varimesh/io/summary_file.h"
#include "varimesh/run/comparisons.h"
#include "varimesh/run/predict_load.h"
#include "varimesh/run/result_directory.h"
#include "varimesh/run/sample.h"
#include "varimesh/version.h"

namespace nb = nanobind;

namespace varimesh::python {
namespace {

using Class = nb::class_<Answer>;
using Self = nb::handle_t<Answer>;

const Answer& of(Self self) { return nb::cast<const Answer&>(self); }

/// A read-only view of a vector of the method's record.
template <class Get>
void add_vector(Class& answer, const char* name, const Get& get, const char* words) {
  answer.def_prop_ro(name, [get](Self self) { return view(get(*of(self).method), self); }, words);
}

/// The same of a matrix with a draw in each column: draws come first in Python.
template <class Get>
void add_draws(Class& answer, const char* name, const Get& get, const char* words) {
  answer.def_prop_ro(name, [get](Self self) { return view_of_columns(get(*of(self).method), self); }, words);
}

nb::list list_trust(const Answer& answer) {
  nb::list items;
  for (const result::TrustItem& item : answer.method->trust) {
    nb::dict numbers, entry;
    for (const auto& [name, number] : item.numbers) numbers[name.c_str()] = number;
    entry["level"] = std::string(result::level_names[static_cast<std::size_t>(item.level)]);
    entry["kind"] = std::string(result::kind_names[static_cast<std::size_t>(item.kind)]);
    entry["headline"] = item.headline;
    entry["explanation"] = item.explanation;
    entry["action"] = item.action;
    entry["quantity"] = item.quantity;
    entry["numbers"] = numbers;
    items.append(entry);
  }
  return items;
}

void bind_text(Class& answer) {
  answer.def_prop_ro(
            "method", [](const Answer& a) { return a.method->method; }, "The method's word in problem files.")
      .def_prop_ro(
          "name", [](const Answer& a) { return a.method->name; }, "The method's name in legends.")
      .def_prop_ro(
          "status", [](const Answer& a) { return std::string(name(a.method->status)); }, "How it ended.")
      .def_prop_ro(
          "message", [](const Answer& a) { return a.method->message; }, "Why it ended, in a sentence.")
      .def_prop_ro(
          "has_answer", [](const Answer& a) { return a.method->has_answer(); },
          "Whether it came to an answer before it ended.")
      .def_prop_ro("trust", &list_trust, "All findings about the answer.")
      .def_prop_ro(
          "level",
          [](const Answer& a) {
            return std::string(result::level_names[static_cast<std::size_t>(worst_level(a.method->trust))]);
          },
          "The worst of all findings: good, warn or bad.")
      .def_prop_ro(
          "verdict",
          [](const Answer& a) { return result::verdict(a.method->trust, result::names_of(a.problem->quantities)); },
          "One sentence that says whether, and for what, the answer can be used.")
      .def_prop_ro(
          "summary_json", [](const Answer& a) { return io::format_summary(*a.problem, *a.method); },
          "What summary.json has.")
      .def_prop_ro(
          "labels",
          [](const Answer& a) {
            const result::Labels& labels = a.problem->labels;
            nb::dict words;
            words["title"] = labels.title;
            words["u"] = labels.u;
            words["conductivity"] = labels.conductivity;
            words["length_unit"] = labels.length_unit;
            words["u_unit"] = labels.u_unit;
            words["conductivity_unit"] = labels.conductivity_unit;
            words["flux_unit"] = labels.flux_unit;
            return words;
          },
          "What the problem calls things.")
      .def_prop_ro(
          "quantity_names", [](const Answer& a) { return result::names_of(a.problem->quantities); },
          "The keys of the quantities in the problem file.")
      .def_prop_ro(
          "quantity_labels",
          [](const Answer& a) {
            std::vector<std::string> labels;
            for (const result::QuantityName& quantity : a.problem->quantities) labels.push_back(quantity.label);
            return labels;
          },
          "The quantities in words.");
}

void bind_draws(Class& answer) {
  answer
      .def_prop_ro(
          "num_chains", [](const Answer& a) { return a.method->draws.num_chains(); },
          "Chains; a fit's independent draws are one.")
      .def_prop_ro(
          "num_draws",
          [](const Answer& a) { return a.method->draws.num_chains() == 0 ? 0 : a.method->draws.num_draws(); },
          "Draws of the shortest chain.")
      .def(
          "chain",
          [](Self self, Index c) {
            const result::Draws& draws = of(self).method->draws;
            if (c < 0 || c >= draws.num_chains()) throw nb::index_error("no such chain");
            const result::Draws::ChainView chain = draws.chain(c);
            return View<double>(chain.data(),
                                {static_cast<std::size_t>(chain.cols()), static_cast<std::size_t>(chain.rows())}, self,
                                {chain.outerStride(), 1});
          },
          nb::arg("number"), "The draws of one chain, draws x unknowns: a view of them.")
      .def(
          "statistic",
          [](const Answer& a, const std::string& name) {
            for (Index s = 0; s < result::num_statistics; ++s) {
              if (result::statistic_names[s] == name)
                return keep(a.method->draws.statistic(static_cast<result::Statistic>(s)));
            }
            throw nb::key_error(name.c_str());
          },
          nb::arg("name"), "A statistic of every draw, draws x chains.");
  add_draws(
      answer, "prior_draws", [](const auto& m) -> const Matrix& { return m.prior_draws; },
      "Draws of the prior, draws x unknowns.");
  add_draws(
      answer, "predicted_draws", [](const auto& m) -> const Matrix& { return m.predicted_draws; },
      "What the sensors would read, draws x sensors.");
  add_draws(
      answer, "quantity_draws", [](const auto& m) -> const Matrix& { return m.quantity_draws; },
      "Draws of the quantities, draws x quantities.");
  add_draws(
      answer, "u_draws", [](const auto& m) -> const Matrix& { return m.u_draws; },
      "Draws of u, draws x nodes; empty if they are too many to keep.");
}

void bind_summaries(Class& answer) {
  using Record = result::MethodRecord;
  add_vector(answer, "mean", [](const Record& m) -> const Vector& { return m.kappa.mean; }, "Means of the unknowns.");
  add_vector(answer, "sd", [](const Record& m) -> const Vector& { return m.kappa.sd; }, "Sds of the unknowns.");
  add_vector(answer, "q05", [](const Record& m) -> const Vector& { return m.kappa.q05; }, "5 % quantiles.");
  add_vector(answer, "q50", [](const Record& m) -> const Vector& { return m.kappa.q50; }, "Medians.");
  add_vector(answer, "q95", [](const Record& m) -> const Vector& { return m.kappa.q95; }, "95 % quantiles.");
  add_vector(
      answer, "log_weights", [](const Record& m) -> const Vector& { return m.log_weights; },
      "Smoothed importance weights of a fit's draws.");
  add_vector(answer, "u_mean", [](const Record& m) -> const Vector& { return m.u.mean; }, "Means of u at the nodes.");
  add_vector(answer, "u_sd", [](const Record& m) -> const Vector& { return m.u.sd; }, "Sds of u at the nodes.");
  add_vector(
      answer, "predicted_mean", [](const Record& m) -> const Vector& { return m.predicted.mean; },
      "Means of what the sensors would read, without noise.");
  add_vector(answer, "predicted_sd", [](const Record& m) -> const Vector& { return m.predicted.sd; }, "Their sds.");
  answer.def_prop_ro(
      "trace",
      [](const Answer& a) {
        const auto& trace = a.method->trace;
        Matrix rows(std::ssize(trace), 4);
        for (Eigen::Index k = 0; k < rows.rows(); ++k) {
          const result::TracePoint& point = trace[static_cast<std::size_t>(k)];
          rows.row(k) << point.iteration, point.samples, point.elbo, point.elbo_standard_error;
        }
        return keep(std::move(rows));
      },
      nb::rv_policy::automatic,
      "How a fit went, a row for each iteration: its number, draws, ELBO and the error of that.");
}

void bind_problem(Class& answer) {
  answer
      .def_prop_ro(
          "nodes", [](Self self) { return view(of(self).problem->mesh.nodes, self); }, "The mesh's nodes, nodes x 3.")
      .def_prop_ro(
          "cells",
          [](Self self) {
            const mesh::Mesh& mesh = of(self).problem->mesh;
            const auto per_cell = static_cast<std::size_t>(topology(mesh.cell_type).num_nodes);
            return view(mesh.cell_nodes, {mesh.cell_nodes.size() / per_cell, per_cell}, self);
          },
          "Numbers of the nodes of each cell, in Gmsh's and VTK's order.")
      .def_prop_ro(
          "cell_type", [](const Answer& a) { return std::string(topology(a.problem->mesh.cell_type).name); },
          "What cells are.")
      .def_prop_ro(
          "dimension", [](const Answer& a) { return a.problem->mesh.dimension(); }, "Of the mesh.")
      .def_prop_ro(
          "on_nodes", [](const Answer& a) { return a.problem->on_nodes(); },
          "Whether the unknowns are at the nodes, not in the cells.")
      .def_prop_ro(
          "positions", [](Self self) { return view(of(self).problem->positions, self); },
          "Of each of the coefficient's unknowns: its node, or the centroid of its cells.")
      .def_prop_ro(
          "unknown_of_cell",
          [](Self self) {
            const auto& numbers = of(self).problem->unknown_of_cell;
            return view(numbers, {numbers.size()}, self);
          },
          "The unknown of each cell, -1 where it is known; empty if they are at the nodes.")
      .def(
          "on_cells",
          [](const Answer& a, const VectorIn& of_unknown) {
            if (static_cast<Index>(of_unknown.shape(0)) != a.problem->num_field_unknowns())
              throw InputError("on_cells: expected a number for each of the coefficient's unknowns");
            return keep(a.problem->on_cells(read(of_unknown), a.problem->known_kappa));
          },
          nb::arg("of_unknown"), "The value of each cell's unknown, or what is known there.")
      .def_prop_ro(
          "sensor_points", [](Self self) { return view(of(self).problem->sensors.points, self); },
          "Where the sensors are, sensors x 3.")
      .def_prop_ro(
          "sensor_labels", [](const Answer& a) { return a.problem->sensors.labels; }, "What they are called.")
      .def_prop_ro(
          "measured", [](Self self) { return view(of(self).problem->sensors.mean, self); },
          "The mean of each sensor's measurements; empty without measurements.")
      .def_prop_ro(
          "sigma", [](Self self) { return view(of(self).problem->sensors.sigma, self); },
          "The sd of one measurement of each sensor.")
      .def_prop_ro(
          "count", [](Self self) { return view(of(self).problem->sensors.count, self); },
          "How many measurements each sensor has.")
      .def_prop_ro(
          "true_unknowns",
          [](Self self) -> std::optional<View<double>> {
            const auto& truth = of(self).problem->truth;
            if (!truth) return std::nullopt;
            return view(truth->kappa, self);
          },
          "The truth of made-up data, if there is one.");
}

void bind_files(Class& answer) {
  answer
      .def_prop_ro(
          "components",
          [](const Answer& a) {
            std::vector<Component> components;
            for (const auto& gaussian : a.method->components) components.push_back({gaussian});
            return components;
          },
          "The normal distributions of a fit, equally weighted.")
      .def(
          "write",
          [](const Answer& a, const std::filesystem::path& directory) {
            run::write_result(directory, *a.problem, *a.method);
          },
          nb::arg("directory"), nb::call_guard<nb::gil_scoped_release>(),
          "Writes summary.json, kappa.csv, posterior.nc and the VTK files.")
      .def(
          "sample",
          [](const Answer& a, const MatrixIn& points) {
            const run::Samples samples = run::sample_result({*a.problem, *a.method}, read_points(points));
            nb::dict columns;
            for (std::size_t k = 0; k < samples.names.size(); ++k)
              columns[samples.names[k].c_str()] =
                  keep(Vector(Eigen::Map<const Vector>(samples.values[k].data(), std::ssize(samples.values[k]))));
            return columns;
          },
          nb::arg("points"), "The fields at points, NaN outside the mesh.");
}

}  // namespace

void bind_answer(nb::module_& module) {
  Class answer(module, "Answer", "A method's answer with the problem that it answers: plain data.");
  bind_text(answer);
  bind_draws(answer);
  bind_summaries(answer);
  bind_problem(answer);
  bind_files(answer);
  module.def(
      "read",
      [](const std::filesystem::path& directory) {
        std::vector<Answer> answers;
        for (const std::filesystem::path& found : run::find_results(directory)) {
          run::StoredResult stored = run::read_result(found);
          answers.push_back({std::make_shared<const result::ProblemRecord>(std::move(stored.problem)),
                             std::make_shared<const result::MethodRecord>(std::move(stored.method))});
        }
        return answers;
      },
      nb::arg("directory"), nb::call_guard<nb::gil_scoped_release>(), "The results in a directory.");
  module.def(
      "report",
      [](const std::vector<Answer>& answers, const std::string& date, const std::string& command) {
        if (answers.empty()) throw InputError("report: expected a result, found none");
        std::vector<result::MethodRecord> methods;
        for (const Answer& answer : answers) methods.push_back(*answer.method);
        return io::format_report(*answers.front().problem, methods, run::compare_methods(methods, 1),
                                 {std::string(version()), date, command});
      },
      nb::arg("answers"), nb::arg("date"), nb::arg("command"), nb::call_guard<nb::gil_scoped_release>(),
      "report.html of results of one problem, as text.");
}

}  // namespace varimesh::python
