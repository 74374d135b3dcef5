/*
 * module.cpp - the backend as Python sees it: a function that makes one.
 *
 * Copyright (c) 2026 The ompi-symm authors
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "backend.h"

#include <pybind11/functional.h>
#include <torch/extension.h>

PYBIND11_MODULE(TORCH_EXTENSION_NAME, module)
{
    typedef std::vector<std::tuple<at::ScalarType, uintptr_t, std::vector<uintptr_t>>> types;
    module.def("create", [](int rank, int size, std::string path, const types &known,
                            uintptr_t byte, ompi_symm::lane::opener open,
                            std::function<void()> close,
                            std::function<c10::intrusive_ptr<c10d::Backend>()> fallback,
                            bool coalesces) {
        ompi_symm::setup given{std::move(path), {}, byte, std::move(open), std::move(close),
                               std::move(fallback), coalesces};
        for (const auto &[type, datatype, ops] : known) {
            given.elements[static_cast<int>(type)] = {
                reinterpret_cast<ompi_symm::handle>(datatype), ops};
        }
        return ompi_symm::backend_make(rank, size, std::move(given));
    });
}
