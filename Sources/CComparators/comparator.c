// The public functions: each goes to the library that the store was opened on.
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>
#ifdef __GLIBC__
#include <malloc.h>
#endif

#include "internal.h"

static double seconds_of(clockid_t clock) {
  struct timespec now;
  clock_gettime(clock, &now);
  return (double)now.tv_sec + (double)now.tv_nsec * 1e-9;
}

double cmp_now(void) {
  return seconds_of(CLOCK_MONOTONIC);
}

/// Processor time of the timed parts that have ended, and that at which the current one started.
static double busy, busy_start;
static int64_t parts;

__attribute__((noinline)) double cmp_start(void) {
  busy_start = seconds_of(CLOCK_PROCESS_CPUTIME_ID);
  return cmp_now();
}

__attribute__((noinline)) double cmp_stop(double start) {
  double seconds = cmp_now() - start;
  busy += seconds_of(CLOCK_PROCESS_CPUTIME_ID) - busy_start;
  parts++;
  return seconds;
}

double cmp_busy(void) {
  return busy;
}

int64_t cmp_parts(void) {
  return parts;
}

void cmp_give_back(void) {
#ifdef __GLIBC__
  malloc_trim(0);
#endif
}

int cmp_fail(cmp_store *store, int code, const char *format, ...) {
  va_list arguments;
  va_start(arguments, format);
  vsnprintf(store->message, sizeof store->message, format, arguments);
  va_end(arguments);
  return code != 0 ? code : -1;
}

const char *cmp_message(const cmp_store *store) {
  return store == NULL ? "out of memory" : store->message;
}

int cmp_open(cmp_kind kind, const char *path, cmp_store **result) {
  cmp_store *store = calloc(1, sizeof *store);
  *result = store;
  if (store == NULL) return ENOMEM;
  store->kind = kind;
  if (path != NULL) {
    if (strlen(path) >= sizeof store->path) return cmp_fail(store, ENAMETOOLONG, "the path is too long");
    strcpy(store->path, path);
  }
  return kind == CMP_LMDB ? lmdb_open(store) : sql_open(store);
}

void cmp_close(cmp_store *store) {
  if (store == NULL) return;
  free(store->order);
  if (store->kind == CMP_LMDB) lmdb_close(store);
  else sql_close(store);
  free(store);
}

size_t cmp_next(cmp_source *source, cmp_quake *buffer, const cmp_quake **quakes) {
  if (source->fill != NULL) {
    *quakes = buffer;
    return source->fill(source->context, buffer, PIECE_OF_STREAM);
  }
  size_t count = source->count;
  *quakes = source->quakes;
  source->count = 0;
  return count;
}

int cmp_import(
  cmp_store *store, cmp_source source, cmp_conflict conflict, bool history, cmp_result *result) {
  return store->kind == CMP_LMDB ? lmdb_import(store, source, conflict, history, result)
                                 : sql_import(store, source, conflict, history, result);
}

int cmp_pages(
  cmp_store *store, const double *before, size_t requests, double magnitude, int limit, cmp_result *result) {
  return store->kind == CMP_LMDB ? lmdb_pages(store, before, requests, magnitude, limit, result)
                                 : sql_pages(store, before, requests, magnitude, limit, result);
}

int cmp_lookup(cmp_store *store, const cmp_text *codes, size_t count, cmp_result *result) {
  return store->kind == CMP_LMDB ? lmdb_lookup(store, codes, count, result)
                                 : sql_lookup(store, codes, count, result);
}

int cmp_sorted(cmp_store *store, cmp_result *result) {
  return store->kind == CMP_LMDB ? lmdb_sorted(store, result) : sql_sorted(store, result);
}

int cmp_update(cmp_store *store, int64_t significance, int64_t felt, cmp_result *result) {
  return store->kind == CMP_LMDB ? lmdb_update(store, significance, felt, result)
                                 : sql_update(store, significance, felt, result);
}

int cmp_delete(cmp_store *store, int64_t significance, cmp_result *result) {
  return store->kind == CMP_LMDB ? lmdb_delete(store, significance, result)
                                 : sql_delete(store, significance, result);
}

int cmp_changes(cmp_store *store, uint64_t after, cmp_result *result) {
  return store->kind == CMP_LMDB ? lmdb_changes(store, after, result) : sql_changes(store, after, result);
}

int cmp_copy(cmp_store *store, const char *path, cmp_result *result) {
  if (store->kind == CMP_SQLITE_MEMORY) return sql_copy_memory(store, result);
  double start = cmp_start();
  int code = store->kind == CMP_LMDB ? lmdb_copy(store, path) : sql_copy_file(store, path);
  double seconds = cmp_stop(start);
  if (code != 0) return code;
  cmp_store *copy = NULL;
  cmp_result content = {0};
  code = cmp_open(store->kind, path, &copy);
  if (code == 0) code = cmp_content(copy, &content);
  if (code != 0) cmp_fail(store, code, "the copy: %s", cmp_message(copy));
  cmp_close(copy);
  *result = (cmp_result){seconds, 1, content.checksum};
  return code;
}

int cmp_content(cmp_store *store, cmp_result *result) {
  return store->kind == CMP_LMDB ? lmdb_content(store, result) : sql_content(store, result);
}

int cmp_ask(
  cmp_store *store, cmp_query query, const double *bounds, const cmp_text *codes, size_t count,
  cmp_result *result) {
  return store->kind == CMP_LMDB ? lmdb_ask(store, query, bounds, codes, count, result)
                                 : sql_ask(store, query, bounds, codes, count, result);
}

int cmp_copy_file(cmp_store *store, const char *from, const char *to) {
  enum { PIECE = 1 << 20 };
  int code = 0;
  int input = open(from, O_RDONLY | O_CLOEXEC);
  int output = open(to, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
  char *buffer = malloc(PIECE);
  if (input < 0 || output < 0 || buffer == NULL) code = errno;
  while (code == 0) {
    ssize_t got = read(input, buffer, PIECE);
    if (got == 0) break;
    if (got < 0) code = errno;
    for (ssize_t done = 0; code == 0 && done < got;) {
      ssize_t put = write(output, buffer + done, (size_t)(got - done));
      if (put < 0) code = errno;
      else done += put;
    }
  }
  free(buffer);
  if (input >= 0) close(input);
  if (output >= 0 && close(output) != 0 && code == 0) code = errno;
  return code == 0 ? 0 : cmp_fail(store, code, "copying %s: %s", from, strerror(code));
}
