# tests/bench/local.mk - what tests/bench.tap puts beside the benchmark, never installed.
#
# Copyright (c) 2026 The ompi-symm authors
# SPDX-License-Identifier: BSD-3-Clause

TESTS += tests/bench.tap tests/overlap.tap
dist_check_SCRIPTS += tests/bench.tap tests/overlap.tap

# Loaded at run time.
check_LTLIBRARIES += tests/bench/cublas_double.la tests/bench/nccl_double.la \
	tests/bench/staging.la

tests_bench_cublas_double_la_SOURCES = tests/bench/cublas_double.c tests/bench/driver.h
tests_bench_cublas_double_la_LDFLAGS = $(loaded_ldflags)

tests_bench_nccl_double_la_SOURCES = tests/bench/nccl_double.c tests/bench/driver.h
tests_bench_nccl_double_la_LDFLAGS = $(loaded_ldflags)

tests_bench_staging_la_SOURCES = tests/bench/staging.c tests/bench/driver.h
tests_bench_staging_la_LDFLAGS = $(loaded_ldflags)
