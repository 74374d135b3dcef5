/*
 * test_hints.c - what the pool understands of the info value `mpool_hints`.
 *
 * Copyright (c) 2026 The ompi-symm authors
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "mca/mpool/symm/mpool_symm.h"

#include "tests/unit/harness/unit.h"

#include <string.h>

struct expectation {
    const char *text;
    enum symm_hints_verdict verdict;
    enum symm_kind_name kind;
    const char *offender;
};

static void expect(const struct expectation *expectations, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        struct symm_hints hints;
        memset(&hints, 0xff, sizeof(hints));
        mca_mpool_symm_hints_parse(expectations[i].text, SYMM_KIND_HOST, &hints);
        if (hints.verdict != expectations[i].verdict) {
            fail_msg("\"%s\": verdict %d, not %d", expectations[i].text, (int)hints.verdict,
                     (int)expectations[i].verdict);
        }
        if (hints.verdict == SYMM_HINTS_OURS || hints.verdict == SYMM_HINTS_DEFAULT) {
            assert_int_equal(hints.kind, expectations[i].kind);
        }
        if (hints.verdict == SYMM_HINTS_INVALID) {
            assert_string_equal(hints.offender, expectations[i].offender);
        }
    }
}

static void test_nothing_said(void **state)
{
    static const struct expectation expectations[] = {
        {NULL, SYMM_HINTS_DEFAULT, SYMM_KIND_HOST, NULL},
        {"", SYMM_HINTS_DEFAULT, SYMM_KIND_HOST, NULL},
    };
    struct symm_hints hints;
    (void)state;
    expect(expectations, sizeof(expectations) / sizeof(*expectations));
    mca_mpool_symm_hints_parse(NULL, SYMM_KIND_CUDA, &hints); /* the parameter's kind */
    assert_int_equal(hints.kind, SYMM_KIND_CUDA);
    mca_mpool_symm_hints_parse("mpool=symm", SYMM_KIND_CUDA, &hints);
    assert_int_equal(hints.kind, SYMM_KIND_CUDA);
    mca_mpool_symm_hints_parse("mpool=symm,kind=host", SYMM_KIND_CUDA, &hints);
    assert_int_equal(hints.kind, SYMM_KIND_HOST);
}

static void test_ours(void **state)
{
    static const struct expectation expectations[] = {
        {"mpool=symm", SYMM_HINTS_OURS, SYMM_KIND_HOST, NULL},
        {"mpool=symm,kind=host", SYMM_HINTS_OURS, SYMM_KIND_HOST, NULL},
        {"kind=host,mpool=symm", SYMM_HINTS_OURS, SYMM_KIND_HOST, NULL},
        {"mpool=symm,kind=system", SYMM_HINTS_OURS, SYMM_KIND_HOST, NULL},
        {"mpool=symm,kind=cuda", SYMM_HINTS_OURS, SYMM_KIND_CUDA, NULL},
        {"mpool=symm,kind=cuda:device", SYMM_HINTS_OURS, SYMM_KIND_CUDA, NULL},
        {"kind=cuda", SYMM_HINTS_OURS, SYMM_KIND_CUDA, NULL},
        {"kind=host", SYMM_HINTS_OURS, SYMM_KIND_HOST, NULL},
        {"MPOOL=Symm,KIND=Host", SYMM_HINTS_OURS, SYMM_KIND_HOST, NULL},
    };
    (void)state;
    expect(expectations, sizeof(expectations) / sizeof(*expectations));
}

static void test_others(void **state)
{
    static const struct expectation expectations[] = {
        {"mpool=hugepage", SYMM_HINTS_OTHER, SYMM_KIND_HOST, NULL},
        {"mpool=hugepage,kind=host", SYMM_HINTS_OTHER, SYMM_KIND_HOST, NULL},
        {"mpool=symm,mpool=hugepage", SYMM_HINTS_OTHER, SYMM_KIND_HOST, NULL},
        {"mpool=hugepage,page_size=2M", SYMM_HINTS_OTHER, SYMM_KIND_HOST, NULL},
        {"page_size=2M", SYMM_HINTS_OTHER, SYMM_KIND_HOST, NULL},
        {"mpool=symmetric", SYMM_HINTS_OTHER, SYMM_KIND_HOST, NULL},
        {"mpool=", SYMM_HINTS_OTHER, SYMM_KIND_HOST, NULL},
        {"symm", SYMM_HINTS_OTHER, SYMM_KIND_HOST, NULL},
        {"kind=fast", SYMM_HINTS_OTHER, SYMM_KIND_HOST, NULL},
        {"kind=host,page_size=2M", SYMM_HINTS_OTHER, SYMM_KIND_HOST, NULL},
    };
    (void)state;
    expect(expectations, sizeof(expectations) / sizeof(*expectations));
}

static void test_invalid(void **state)
{
    static const struct expectation expectations[] = {
        {"mpool=symm,kind=fast", SYMM_HINTS_INVALID, SYMM_KIND_HOST, "kind=fast"},
        {"mpool=symm,kind=", SYMM_HINTS_INVALID, SYMM_KIND_HOST, "kind="},
        {"page_size=2M,mpool=symm", SYMM_HINTS_INVALID, SYMM_KIND_HOST, "page_size=2M"},
        {"one=1,mpool=symm,two=2", SYMM_HINTS_INVALID, SYMM_KIND_HOST, "one=1"},
        {"mpool=symm,kinds=host", SYMM_HINTS_INVALID, SYMM_KIND_HOST, "kinds=host"},
    };
    char text[400] = "mpool=symm,";
    struct symm_hints hints;
    (void)state;
    expect(expectations, sizeof(expectations) / sizeof(*expectations));
    memset(text + strlen(text), 'x', 300);
    mca_mpool_symm_hints_parse(text, SYMM_KIND_HOST, &hints);
    assert_int_equal(hints.verdict, SYMM_HINTS_INVALID);
    assert_int_equal(strlen(hints.offender), sizeof(hints.offender) - 1); /* cut, but closed */
}

UNIT_MAIN("test_hints", 60,
    cmocka_unit_test(test_nothing_said),
    cmocka_unit_test(test_ours),
    cmocka_unit_test(test_others),
    cmocka_unit_test(test_invalid))
