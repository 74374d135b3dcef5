/*
 * choose/table_file.c - see choose/table_file.h.
 *
 * Copyright (c) 2026 The ompi-symm authors
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "mca/coll/symm/choose/table_file.h"

#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "mca/coll/symm/report/verbose.h"
#include "mca/help.h"
#include "mca/old_words.h"
#include "mca/once.h"

enum { WORDS = 7, LINE_SIZE = 512, SIZE_MOST = 1 << 20 };

static const char *const memories[SYMM_ALGORITHM_MEMORIES] = {"host", "device"};

static const char blanks[] = " \t\r\n";

/* The file that is being read. */
struct reader {
    struct symm_row *rows;
    size_t count;
    struct symm_table_fault *fault;
};

/* Describe the fault, with the value as far as it can be shown. */
static bool refuse(struct reader *reader, const char *value, const char *allowed)
{
    struct symm_table_fault *fault = reader->fault;
    (void)snprintf(fault->value, sizeof(fault->value), "%.60s", value);
    for (char *c = fault->value; *c != '\0'; c++) {
        *c = (char)(isprint((unsigned char)*c) ? *c : '?');
    }
    (void)snprintf(fault->allowed, sizeof(fault->allowed), "%s", allowed);
    return false;
}

/* ---- words ----------------------------------------------------------------------------------- */

/* The place of a word among others; -1: it is none of them. */
static int word_find(const char *word, const char *const words[], int count)
{
    for (int i = 0; i < count; i++) {
        if (strcmp(word, words[i]) == 0) {
            return i;
        }
    }
    return -1;
}

static bool choice_parse(struct reader *reader, const char *word, const char *const words[],
                         int count, const char *allowed, uint8_t *value)
{
    int found = word_find(word, words, count);
    if (found < 0) {
        return refuse(reader, word, allowed);
    }
    *value = (uint8_t)found;
    return true;
}

static bool collective_parse(struct reader *reader, const char *word, struct symm_row *row)
{
    const char *names[SYMM_COLLECTIVE_COUNT];
    char allowed[SYMM_TABLE_FILE_TEXT];
    int length = snprintf(allowed, sizeof(allowed), "collective:");
    for (int i = 0; i < SYMM_COLLECTIVE_COUNT; i++) {
        const char *between = i == 0 ? "" : i < SYMM_COLLECTIVE_COUNT - 1 ? "," : " or";
        names[i] = symm_collective_get((enum symm_collective)i)->name;
        if (length < (int)sizeof(allowed)) {
            length += snprintf(allowed + length, sizeof(allowed) - (size_t)length, "%s %s", between,
                               names[i]);
        }
    }
    return choice_parse(reader, word, names, SYMM_COLLECTIVE_COUNT, allowed, &row->collective);
}

/* Parse a number without sign.  *end is left behind the number. */
static bool number_parse(const char *text, unsigned long long most, uint64_t *number,
                         const char **end)
{
    char *stop;
    errno = 0;
    unsigned long long value = strtoull(text, &stop, 10);
    if (!isdigit((unsigned char)*text) || errno != 0 || value > most) {
        return false;
    }
    *number = value;
    *end = stop;
    return true;
}

static bool bytes_parse(const char *text, uint64_t *bytes, const char **end)
{
    static const char suffixes[] = "KMG";
    if (!number_parse(text, UINT64_C(1) << 32, bytes, end)) {
        return false;
    }
    const char *suffix = **end != '\0' ? strchr(suffixes, toupper((unsigned char)**end)) : NULL;
    if (suffix != NULL) {
        *bytes <<= 10 * (suffix - suffixes + 1);
        (*end)++;
    }
    return true;
}

/* A number of ranks; a range, which has no upper limit if nothing follows its dash; or "any". */
static bool ranks_parse(struct reader *reader, const char *word, struct symm_row *row)
{
    uint64_t least = 2, most = SYMM_ROW_RANKS_MOST;
    const char *end = word + strlen(word);
    bool good = strcmp(word, "any") == 0;
    if (!good) {
        good = number_parse(word, SYMM_ROW_RANKS_MOST - 1, &least, &end);
        most = least;
    }
    if (good && *end == '-') {
        most = SYMM_ROW_RANKS_MOST;
        good = *++end == '\0' || number_parse(end, SYMM_ROW_RANKS_MOST - 1, &most, &end);
    }
    if (!good || *end != '\0' || least < 2 || most < least) {
        return refuse(reader, word, "ranks: a number from 2 on, like 4; 3-8; 3-; or any");
    }
    row->ranks_least = (uint16_t)least;
    row->ranks_most = (uint16_t)most;
    return true;
}

static bool range_parse(struct reader *reader, const char *word, struct symm_row *row)
{
    const char *end;
    bool good = bytes_parse(word, &row->from, &end);
    row->to = UINT64_MAX;
    if (good && *end == '-') {
        good = bytes_parse(end + 1, &row->to, &end);
    }
    if (!good || *end != '\0' || row->to <= row->from) {
        return refuse(reader, word,
                      "bytes: from where on, like 64K, or from and to below where, like 64K-1M; "
                      "suffixes K, M, G");
    }
    return true;
}

/* List the words of the algorithms that there are. */
static void algorithms_list(const struct symm_row *row, char *text, size_t size)
{
    enum symm_collective collective = (enum symm_collective)row->collective;
    enum symm_algorithm_memory memory = (enum symm_algorithm_memory)row->memory;
    int length = snprintf(text, size, "%s in %s memory:", symm_collective_get(collective)->name,
                          memories[memory]);
    for (int algorithm = 0; algorithm <= SYMM_ALGORITHM_BELOW; algorithm++) {
        if ((algorithm == SYMM_ALGORITHM_BELOW ||
             symm_algorithm_is_for(algorithm, collective, memory)) && length < (int)size) {
            length += snprintf(text + length, size - (size_t)length, " %s",
                               mca_coll_symm_table_word(algorithm));
        }
    }
}

static bool algorithm_parse(struct reader *reader, const char *word, struct symm_row *row)
{
    char allowed[SYMM_TABLE_FILE_TEXT];
    int algorithm = mca_coll_symm_table_algorithm((enum symm_collective)row->collective,
                                                  (enum symm_algorithm_memory)row->memory, word);
    const char *now = symm_word_now(word);
    if (algorithm < 0 && now != NULL) {
        algorithm = mca_coll_symm_table_algorithm((enum symm_collective)row->collective,
                                                  (enum symm_algorithm_memory)row->memory, now);
        if (algorithm >= 0) {
            symm_old_word_warn("coll_symm_table", word, now);
        }
    }
    if (algorithm < 0) {
        algorithms_list(row, allowed, sizeof(allowed));
        return refuse(reader, word, allowed);
    }
    bool in_slot = algorithm != SYMM_ALGORITHM_BELOW &&
                   symm_algorithm_get((enum symm_algorithm)algorithm)->in_slot;
    if (in_slot && (row->place != SYMM_ROW_ANYWHERE || row->multicast != SYMM_ROW_EITHER)) {
        return refuse(reader, word, "any for place and multicast, of which nothing is known then");
    }
    row->algorithm = (uint8_t)algorithm;
    return true;
}

/* ---- lines ----------------------------------------------------------------------------------- */

static bool row_parse(struct reader *reader, char *const words[WORDS])
{
    static const char *const places[] = {"any", "out", "in"};
    static const char *const multicasts[] = {"any", "yes", "no"};
    struct symm_row row = {.origin = SYMM_ROW_FILE, .line = (uint16_t)reader->fault->line};
    if (!collective_parse(reader, words[0], &row) ||
        !choice_parse(reader, words[1], memories, SYMM_ALGORITHM_MEMORIES,
                      "memory: host or device", &row.memory) ||
        !ranks_parse(reader, words[2], &row) ||
        !choice_parse(reader, words[3], places, 3, "place: out, in or any", &row.place) ||
        !choice_parse(reader, words[4], multicasts, 3, "multicast: yes, no or any",
                      &row.multicast) ||
        !range_parse(reader, words[5], &row) || !algorithm_parse(reader, words[6], &row)) {
        return false;
    }
    if (reader->count == SYMM_TABLE_FILE_ROWS) {
        return refuse(reader, "one row more", "up to 1024 rows");
    }
    reader->rows[reader->count++] = row;
    return true;
}

static bool line_parse(struct reader *reader, char *line)
{
    char *words[WORDS], *rest = NULL;
    char copy[LINE_SIZE];
    int count = 0;
    line[strcspn(line, "#")] = '\0';
    (void)snprintf(copy, sizeof(copy), "%s", line);
    for (char *word = strtok_r(line, blanks, &rest); word != NULL;
         word = strtok_r(NULL, blanks, &rest)) {
        if (count == WORDS) {
            return refuse(reader, word, "nothing behind the seventh word, the algorithm");
        }
        words[count++] = word;
    }
    if (count > 0 && count < WORDS) {
        copy[strcspn(copy, "\r\n")] = '\0';
        return refuse(reader, copy,
                      "seven words: collective memory ranks place multicast bytes algorithm");
    }
    return count == 0 || row_parse(reader, words);
}

static bool lines_parse(struct reader *reader, FILE *file)
{
    char line[LINE_SIZE];
    size_t read = 0;
    while (fgets(line, sizeof(line), file) != NULL) {
        size_t length = strlen(line);
        read += length;
        reader->fault->line++;
        if (length == 0 || read > SIZE_MOST) { /* files of procfs may have no end */
            return refuse(reader, line, "a text of at most 1 MiB");
        }
        if (length + 1 == sizeof(line) && line[length - 1] != '\n') {
            return refuse(reader, line, "lines of less than 511 characters");
        }
        if (!line_parse(reader, line)) {
            return false;
        }
    }
    if (ferror(file)) {
        reader->fault->line = 0;
        return refuse(reader, strerror(errno), "a file that can be read");
    }
    return true;
}

/* ---- the whole ------------------------------------------------------------------------------- */

/* Whether the file has no more rows for a number of ranks than a team's table has room for. */
static bool count_check(struct reader *reader, unsigned ranks)
{
    char value[48], allowed[64];
    int count = 0;
    for (size_t i = 0; i < reader->count; i++) {
        const struct symm_row *row = &reader->rows[i];
        if (ranks >= row->ranks_least && ranks <= row->ranks_most) {
            reader->fault->line = row->line;
            count++;
        }
    }
    if (count <= SYMM_TABLE_FILE_MOST) {
        return true;
    }
    (void)snprintf(value, sizeof(value), "%d rows for %u ranks", count, ranks);
    (void)snprintf(allowed, sizeof(allowed), "up to %d rows for any number of ranks",
                   SYMM_TABLE_FILE_MOST);
    return refuse(reader, value, allowed);
}

/*
 * The number of ranks that has the most rows is one at which some row begins, so only these are
 * checked.
 */
static bool counts_check(struct reader *reader)
{
    for (size_t i = 0; i < reader->count; i++) {
        if (!count_check(reader, reader->rows[i].ranks_least)) {
            return false;
        }
    }
    return true;
}

bool mca_coll_symm_table_read(FILE *file, struct symm_row **rows, size_t *count,
                              struct symm_table_fault *fault)
{
    struct reader reader = {.fault = fault};
    *fault = (struct symm_table_fault){.line = 0};
    *rows = NULL;
    *count = 0;
    reader.rows = calloc(SYMM_TABLE_FILE_ROWS, sizeof(*reader.rows));
    if (reader.rows == NULL) {
        return refuse(&reader, "no memory", "free memory");
    }
    bool good = lines_parse(&reader, file) && counts_check(&reader);
    if (!good || reader.count == 0) {
        free(reader.rows);
        return good;
    }
    *rows = reader.rows;
    *count = reader.count;
    return true;
}

/* ---- the file that the parameter names ------------------------------------------------------- */

static struct symm_row *rows;
static size_t row_count;

const struct symm_row *mca_coll_symm_table_file_rows(size_t *count)
{
    *count = row_count;
    return rows;
}

static void unreadable_warn(const char *path, const char *why)
{
    if (symm_once("table unreadable")) {
        symm_help_show("help-coll-symm.txt", "table unreadable", path, why);
    }
}

/* As a rule processes have the same file, so one process tells the user for all. */
static void fault_warn(const char *path, const struct symm_table_fault *fault)
{
    if (fault->line == 0) {
        unreadable_warn(path, fault->value);
    } else if (symm_once("table refused")) {
        symm_help_show("help-coll-symm.txt", "table refused", path, fault->line, fault->value,
                       fault->allowed);
    }
}

/* Why the open file cannot be a table; NULL: it may be one. */
static const char *fault_of_file(int descriptor)
{
    struct stat status;
    if (fstat(descriptor, &status) != 0) {
        return strerror(errno);
    }
    return !S_ISREG(status.st_mode)     ? "It is not a regular file"
           : status.st_size > SIZE_MOST ? "It is larger than 1 MiB"
                                        : NULL;
}

/* A device may have no end, and who opens a FIFO waits for its writer: neither is read. */
static FILE *table_file_open(const char *path)
{
    int descriptor = open(path, O_RDONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
    const char *fault = descriptor < 0 ? strerror(errno) : fault_of_file(descriptor);
    FILE *file = fault == NULL ? fdopen(descriptor, "r") : NULL;
    if (file == NULL) {
        unreadable_warn(path, fault != NULL ? fault : strerror(errno));
        if (descriptor >= 0) {
            (void)close(descriptor);
        }
    }
    return file;
}

void mca_coll_symm_table_open(const char *path)
{
    struct symm_table_fault fault;
    if (path == NULL || *path == '\0' || strcmp(path, "none") == 0) {
        return;
    }
    FILE *file = table_file_open(path);
    if (file == NULL) {
        return;
    }
    if (!mca_coll_symm_table_read(file, &rows, &row_count, &fault)) {
        fault_warn(path, &fault);
    } else if (opal_process_info.my_local_rank == 0) {
        mca_coll_symm_verbose(SYMM_VERBOSE_COMMUNICATORS, "%zu rows of choices from %s", row_count,
                              path);
    }
    (void)fclose(file);
}

void mca_coll_symm_table_close(void)
{
    free(rows);
    rows = NULL;
    row_count = 0;
}
