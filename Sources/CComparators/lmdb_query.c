// LMDB: the same requests by hand. Rows stay where they are mapped; what is sorted are their addresses.
#include "internal.h"

#include <stdlib.h>

typedef struct {
  double depth;
  uint64_t number;
  const uint8_t *row;
} found_row;

typedef struct {
  cmp_text network;
  int64_t count, felt;
  double magnitude;
} found_group;

enum { MOST_GROUPS = 64 };

static int by_depth(const void *left, const void *right) {
  const found_row *a = left, *b = right;
  if (a->depth != b->depth) return a->depth < b->depth ? -1 : 1;
  return a->number < b->number ? -1 : 1;
}

static int by_number(const void *left, const void *right) {
  const found_row *a = left, *b = right;
  return a->number < b->number ? -1 : 1;
}

static int by_network(const void *left, const void *right) {
  const cmp_text *a = &((const found_group *)left)->network, *b = &((const found_group *)right)->network;
  uint32_t common = a->length < b->length ? a->length : b->length;
  int order = memcmp(a->bytes, b->bytes, common);
  return order != 0 ? order : (int)a->length - (int)b->length;
}

static void add_row(const uint8_t *row, cmp_result *result) {
  cmp_quake quake;
  lmdb_unpack(row, &quake);
  result->checksum = cmp_mix(result->checksum, cmp_hash_quake(&quake));
  result->rows++;
}

static int ask_range(MDB_txn *transaction, cmp_store *store, double bound, cmp_result *result) {
  MDB_cursor *cursor;
  uint8_t bytes[16];
  lmdb_key(bound, 0, bytes);
  MDB_val key = {16, bytes}, none, row;
  int code = mdb_cursor_open(transaction, store->by_magnitude, &cursor);
  if (code != 0) return code;
  code = mdb_cursor_get(cursor, &key, &none, MDB_SET_RANGE);
  for (int found = 0; code == 0 && found < 20; found++) {
    uint64_t number = lmdb_number((const uint8_t *)key.mv_data + 8);
    MDB_val own = {8, &number};
    code = mdb_get(transaction, store->rows, &own, &row);
    if (code != 0) break;
    add_row(row.mv_data, result);
    code = mdb_cursor_get(cursor, &key, &none, MDB_NEXT);
  }
  mdb_cursor_close(cursor);
  return code == MDB_NOTFOUND ? 0 : code;
}

static void add_to_group(const cmp_quake *quake, found_group *groups, size_t *count) {
  size_t i = 0;
  for (; i < *count; i++) {
    const cmp_text *known = &groups[i].network;
    if (known->length == quake->network.length && !memcmp(known->bytes, quake->network.bytes, known->length))
      break;
  }
  if (i == *count) {
    if (*count == MOST_GROUPS) return;
    groups[(*count)++] = (found_group){quake->network, 0, 0, quake->magnitude};
  }
  groups[i].count++;
  groups[i].felt += quake->felt;
  if (quake->magnitude > groups[i].magnitude) groups[i].magnitude = quake->magnitude;
}

/// Reads all rows: filters them, sorts them, or groups them.
static int ask_all(
  MDB_txn *transaction, cmp_store *store, cmp_query query, double bound, cmp_result *result) {
  MDB_stat stat;
  MDB_cursor *cursor;
  int code = mdb_stat(transaction, store->rows, &stat);
  if (code == 0) code = mdb_cursor_open(transaction, store->rows, &cursor);
  if (code != 0) return code;
  found_row *rows = query == CMP_ORDER ? malloc((stat.ms_entries + 1) * sizeof *rows) : NULL;
  found_group groups[MOST_GROUPS];
  size_t row_count = 0, group_count = 0;
  MDB_val key, row;
  while ((code = mdb_cursor_get(cursor, &key, &row, MDB_NEXT)) == 0) {
    cmp_quake quake;
    lmdb_unpack(row.mv_data, &quake);
    if (query == CMP_GROUP) {
      add_to_group(&quake, groups, &group_count);
    } else if (query == CMP_FILTER) {
      if (quake.depth < bound && quake.latitude >= 0) add_row(row.mv_data, result);
    } else if (rows != NULL) {
      uint64_t number;
      memcpy(&number, key.mv_data, 8);
      rows[row_count++] = (found_row){quake.depth, number, row.mv_data};
    }
  }
  if (rows != NULL) qsort(rows, row_count, sizeof *rows, by_depth);
  for (size_t i = 0; i < row_count; i++) {
    cmp_quake quake;
    lmdb_unpack(rows[i].row, &quake);
    result->checksum = cmp_mix_text(result->checksum, quake.code.bytes, quake.code.length);
    result->checksum = cmp_mix_double(result->checksum, quake.depth);
    result->rows++;
  }
  qsort(groups, group_count, sizeof *groups, by_network);
  for (size_t i = 0; i < group_count; i++) {
    uint64_t hash = cmp_mix_text(result->checksum, groups[i].network.bytes, groups[i].network.length);
    hash = cmp_mix(cmp_mix(hash, (uint64_t)groups[i].count), (uint64_t)groups[i].felt);
    result->checksum = cmp_mix_double(hash, groups[i].magnitude);
    result->rows++;
  }
  free(rows);
  mdb_cursor_close(cursor);
  return code == MDB_NOTFOUND ? 0 : code;
}

static int ask_members(
  MDB_txn *transaction, cmp_store *store, const cmp_text *codes, size_t count, cmp_result *result) {
  found_row *rows = malloc((count + 1) * sizeof *rows);
  if (rows == NULL) return MDB_PANIC;
  int code = 0;
  size_t found = 0;
  for (size_t i = 0; code == 0 && i < count; i++) {
    MDB_val key = {codes[i].length, (void *)codes[i].bytes}, holder;
    code = mdb_get(transaction, store->by_code, &key, &holder);
    if (code == 0) memcpy(&rows[found++].number, holder.mv_data, 8);
    if (code == MDB_NOTFOUND) code = 0;
  }
  qsort(rows, found, sizeof *rows, by_number);
  for (size_t i = 0; code == 0 && i < found; i++) {
    if (i > 0 && rows[i].number == rows[i - 1].number) continue;
    MDB_val key = {8, &rows[i].number}, row;
    code = mdb_get(transaction, store->rows, &key, &row);
    if (code == 0) add_row(row.mv_data, result);
  }
  free(rows);
  return code;
}

int lmdb_ask(
  cmp_store *store, cmp_query query, const double *bounds, const cmp_text *codes, size_t count,
  cmp_result *result) {
  *result = (cmp_result){0};
  MDB_txn *transaction = NULL;
  double start = cmp_start();
  int code = mdb_txn_begin(store->env, NULL, MDB_RDONLY, &transaction);
  if (code == 0 && query == CMP_MEMBERS) {
    code = ask_members(transaction, store, codes, count, result);
  } else {
    for (size_t i = 0; code == 0 && i < count; i++) {
      code =
        query == CMP_RANGE
          ? ask_range(transaction, store, bounds[i], result)
          : ask_all(transaction, store, query, bounds[i], result);
    }
  }
  if (transaction != NULL) mdb_txn_abort(transaction);
  result->seconds = cmp_stop(start);
  return code == 0 ? 0 : lmdb_fail(store, code);
}
