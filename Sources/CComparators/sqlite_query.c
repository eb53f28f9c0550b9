// SQLite: requests of one statement each, as they are asked of a store that has data already.
#include "internal.h"

#include <stdlib.h>

#define QUAKE \
  "SELECT code, magnitude, latitude, longitude, depth, felt, significance, stations, " \
  "place, network, magnitude_type, status, time FROM quake "

static const char *const texts[] = {
  [CMP_RANGE] = QUAKE "WHERE magnitude >= ?1 ORDER BY magnitude, id LIMIT 20",
  [CMP_FILTER] = QUAKE "WHERE depth < ?1 AND latitude >= 0 ORDER BY id",
  [CMP_ORDER] = "SELECT code, depth FROM quake ORDER BY depth, id",
  [CMP_GROUP] =
    "SELECT network, count(*), sum(felt), max(magnitude) FROM quake GROUP BY network ORDER BY network",
};

static uint64_t mix_column(uint64_t hash, sqlite3_stmt *select, int column) {
  const void *text = sqlite3_column_text(select, column);
  return cmp_mix_text(hash, text, (size_t)sqlite3_column_bytes(select, column));
}

/// Goes over the rows of a statement that is bound.
static int read_rows(cmp_store *store, sqlite3_stmt *select, cmp_query query, cmp_result *result) {
  int code;
  while ((code = sqlite3_step(select)) == SQLITE_ROW) {
    uint64_t hash = result->checksum;
    if (query == CMP_ORDER) {
      hash = cmp_mix_double(mix_column(hash, select, 0), sqlite3_column_double(select, 1));
    } else if (query == CMP_GROUP) {
      hash = cmp_mix(mix_column(hash, select, 0), (uint64_t)sqlite3_column_int64(select, 1));
      hash = cmp_mix(hash, (uint64_t)sqlite3_column_int64(select, 2));
      hash = cmp_mix_double(hash, sqlite3_column_double(select, 3));
    } else {
      cmp_quake quake;
      sql_read(select, &quake);
      hash = cmp_mix(hash, cmp_hash_quake(&quake));
    }
    result->checksum = hash;
    result->rows++;
  }
  sqlite3_reset(select);
  return code == SQLITE_DONE ? 0 : sql_fail(store);
}

/// IN takes as many parameters as there are keys: below the limit of 32,766 nothing is faster.
static int ask_members(cmp_store *store, const cmp_text *codes, size_t count, cmp_result *result) {
  static const char start[] = QUAKE "WHERE code IN (?", end[] = ") ORDER BY id";
  char *text = malloc(sizeof start + sizeof end + 2 * count);
  if (text == NULL) return cmp_fail(store, SQLITE_NOMEM, "no memory for a statement");
  char *next = text;
  memcpy(next, start, sizeof start - 1);
  next += sizeof start - 1;
  for (size_t i = 1; i < count; i++) *next++ = ',', *next++ = '?';
  memcpy(next, end, sizeof end);
  sqlite3_stmt *select = NULL;
  int code = sqlite3_prepare_v2(store->db, text, -1, &select, NULL) == SQLITE_OK ? 0 : sql_fail(store);
  for (size_t i = 0; code == 0 && i < count; i++)
    sqlite3_bind_text(select, (int)i + 1, codes[i].bytes, (int)codes[i].length, SQLITE_STATIC);
  if (code == 0) code = read_rows(store, select, CMP_MEMBERS, result);
  sqlite3_finalize(select);
  free(text);
  return code;
}

int sql_ask(
  cmp_store *store, cmp_query query, const double *bounds, const cmp_text *codes, size_t count,
  cmp_result *result) {
  *result = (cmp_result){0};
  double start = cmp_start();
  int code = 0;
  if (query == CMP_MEMBERS) {
    code = ask_members(store, codes, count, result);
  } else {
    sqlite3_stmt *select = NULL;
    code = sqlite3_prepare_v2(store->db, texts[query], -1, &select, NULL) == SQLITE_OK ? 0 : sql_fail(store);
    for (size_t i = 0; code == 0 && i < count; i++) {
      if (sqlite3_bind_parameter_count(select) > 0) sqlite3_bind_double(select, 1, bounds[i]);
      code = read_rows(store, select, query, result);
    }
    sqlite3_finalize(select);
  }
  result->seconds = cmp_stop(start);
  return code;
}
