# tests/processes/local.mk - processes and what they run out of: scripts, longest first, and their
# programs.
#
# Copyright (c) 2026 The ompi-symm authors
# SPDX-License-Identifier: BSD-3-Clause

processes_tests = \
	tests/processes/lifecycle.tap \
	tests/processes/progress_thread.tap \
	tests/processes/mixtures.tap \
	tests/processes/later.tap \
	tests/processes/environment.tap \
	tests/processes/fallback.tap \
	tests/processes/across.tap \
	tests/processes/nodes.tap \
	tests/processes/wire.tap \
	tests/processes/mpool.tap \
	tests/processes/cleanup.tap \
	tests/processes/intruders.tap \
	tests/processes/messages.tap \
	tests/processes/release.tap \
	tests/processes/failures.tap

processes_programs = \
	tests/processes/check_crowd \
	tests/processes/check_descriptors \
	tests/processes/check_environment \
	tests/processes/check_failures \
	tests/processes/check_finalize \
	tests/processes/check_fork \
	tests/processes/check_freeing \
	tests/processes/check_progress_thread \
	tests/processes/check_intruders \
	tests/processes/check_lanes \
	tests/processes/check_leaks \
	tests/processes/check_memory \
	tests/processes/check_messages \
	tests/processes/check_mixtures \
	tests/processes/check_across \
	tests/processes/check_across_requests \
	tests/processes/check_wire \
	tests/processes/check_nodes \
	tests/processes/check_outstanding \
	tests/processes/check_recovery \
	tests/processes/check_reuse \
	tests/processes/check_sessions \
	tests/processes/check_shortage \
	tests/processes/check_slots \
	tests/processes/check_spawn \
	tests/processes/hints \
	tests/processes/intruder \
	tests/processes/later/check_later \
	tests/processes/squat \
	tests/processes/victim

TESTS += $(processes_tests)
dist_check_SCRIPTS += $(processes_tests)
check_PROGRAMS += $(processes_programs)

tests_processes_later_check_later_SOURCES = tests/processes/later/check_later.c \
	tests/processes/later/later_call.c tests/processes/later/later_call.h \
	tests/processes/later/later_data.c tests/processes/later/later_data.h \
	tests/processes/later/later_exchange.c tests/processes/later/later_exchange.h \
	tests/processes/later/later_memory.c \
	tests/processes/later/later_worker.c tests/processes/later/later_worker.h
tests_processes_check_failures_SOURCES = tests/processes/check_failures.c \
	tests/processes/survivors.c tests/processes/survivors.h
tests_processes_check_outstanding_SOURCES = tests/processes/check_outstanding.c \
	tests/processes/outstanding.c tests/processes/outstanding.h \
	tests/processes/survivors.c tests/processes/survivors.h
tests_processes_intruder_CPPFLAGS = $(base_cppflags)
tests_processes_intruder_LDADD =

# Libraries that jobs preload.
check_LTLIBRARIES += tests/processes/other_release.la tests/processes/refuse.la

tests_processes_other_release_la_CPPFLAGS = $(component_cppflags)
tests_processes_other_release_la_LDFLAGS = $(loaded_ldflags)
tests_processes_other_release_la_LIBADD = $(OMPI_LIBS)

tests_processes_refuse_la_CFLAGS = $(AM_CFLAGS) -fno-builtin
tests_processes_refuse_la_LDFLAGS = $(loaded_ldflags)
