// SQLite: the jobs that read. Every value of every row is fetched and goes into the checksum.
#include "internal.h"

int sql_pages(
  cmp_store *store, const double *before, size_t requests, double magnitude, int limit, cmp_result *result) {
  sqlite3_stmt *select = store->statements[SQL_PAGE];
  uint64_t hash = 0, rows = 0;
  double start = cmp_start();
  for (size_t i = 0; i < requests; i++) {
    sqlite3_bind_double(select, 1, before[i]);
    sqlite3_bind_double(select, 2, magnitude);
    sqlite3_bind_int(select, 3, limit);
    int code;
    while ((code = sqlite3_step(select)) == SQLITE_ROW) {
      cmp_quake quake;
      sql_read(select, &quake);
      hash = cmp_mix(hash, cmp_hash_quake(&quake));
      rows++;
    }
    sqlite3_reset(select);
    if (code != SQLITE_DONE) return sql_fail(store);
  }
  *result = (cmp_result){cmp_stop(start), rows, hash};
  return 0;
}

int sql_lookup(cmp_store *store, const cmp_text *codes, size_t count, cmp_result *result) {
  sqlite3_stmt *select = store->statements[SQL_BY_CODE];
  uint64_t hash = 0;
  double start = cmp_start();
  for (size_t i = 0; i < count; i++) {
    sqlite3_bind_text(select, 1, codes[i].bytes, (int)codes[i].length, SQLITE_STATIC);
    int code = sqlite3_step(select);
    if (code == SQLITE_ROW) {
      cmp_quake quake;
      sql_read(select, &quake);
      hash = cmp_mix(hash, cmp_hash_quake(&quake));
    }
    sqlite3_reset(select);
    if (code != SQLITE_ROW) return cmp_fail(store, code, "SQLite: a key is not stored");
  }
  *result = (cmp_result){cmp_stop(start), count, hash};
  return 0;
}

static int read_all(cmp_store *store, sqlite3_stmt *select, bool ordered, cmp_result *result) {
  uint64_t hash = 0, rows = 0;
  double start = cmp_start();
  int code;
  while ((code = sqlite3_step(select)) == SQLITE_ROW) {
    cmp_quake quake;
    sql_read(select, &quake);
    uint64_t row = cmp_hash_quake(&quake);
    hash = ordered ? cmp_mix(hash, row) : hash + row;
    rows++;
  }
  sqlite3_reset(select);
  if (code != SQLITE_DONE) return sql_fail(store);
  *result = (cmp_result){cmp_stop(start), rows, hash};
  return 0;
}

int sql_sorted(cmp_store *store, cmp_result *result) {
  return read_all(store, store->statements[SQL_SORTED], true, result);
}

int sql_content(cmp_store *store, cmp_result *result) {
  return read_all(store, store->statements[SQL_ALL], false, result);
}

int sql_changes(cmp_store *store, uint64_t after, cmp_result *result) {
  sqlite3_stmt *select = store->statements[SQL_CHANGES];
  uint64_t hash = 0, rows = 0;
  double start = cmp_start();
  sqlite3_bind_int64(select, 1, (int64_t)after);
  int code;
  while ((code = sqlite3_step(select)) == SQLITE_ROW) {
    hash = cmp_mix(hash, (uint64_t)sqlite3_column_int64(select, 2));
    hash = cmp_mix(hash, (uint64_t)sqlite3_column_int64(select, 3));
    rows++;
  }
  sqlite3_reset(select);
  if (code != SQLITE_DONE) return sql_fail(store);
  *result = (cmp_result){cmp_stop(start), rows, hash};
  return 0;
}

int sql_order(cmp_store *store, uint64_t *numbers, size_t room, size_t *count) {
  sqlite3_stmt *select = store->statements[SQL_ORDER];
  int code;
  *count = 0;
  while ((code = sqlite3_step(select)) == SQLITE_ROW && *count < room)
    numbers[(*count)++] = (uint64_t)sqlite3_column_int64(select, 0);
  sqlite3_reset(select);
  return code == SQLITE_DONE ? 0 : sql_fail(store);
}
