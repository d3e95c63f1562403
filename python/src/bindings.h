// The parts of the extension module, one function per file that adds its own to the module.
#pragma once

#include <nanobind/nanobind.h>

#include <filesystem>

#include "palimpsest/trace/trace_source.h"

namespace palimpsest::python {

void add_statistics(nanobind::module_& module);
void add_program(nanobind::module_& module);
void add_traces(nanobind::module_& module);
void add_audit(nanobind::module_& module);
void add_engine(nanobind::module_& module);
void add_evaluation(nanobind::module_& module);
void add_metrics(nanobind::module_& module);
void add_reports(nanobind::module_& module);
void add_texts(nanobind::module_& module);

// The fields of a trace that it has, as a dict with numpy arrays. Needs the GIL.
nanobind::dict trace_to_python(const trace::Trace& trace);

// Writes a trace file of traces in memory, rounded as the library rounds them.
void write_trace_file(const trace::TraceSet& set, const std::filesystem::path& path);

}  // namespace palimpsest::python
