// What the files of the comparators share, and nobody else sees.
#pragma once

#include <lmdb.h>
#include <sqlite3.h>
#include <stdarg.h>

#include "CComparators.h"

enum { CHANGE_INSERT = 1, CHANGE_UPDATE = 2, CHANGE_DELETE = 3 };

/// The most bytes a packed row can take: fixed slots, ends of the texts, and texts of this length each.
enum { LONGEST_TEXT = 255, TEXTS = 5, LONGEST_ROW = 96 + TEXTS * LONGEST_TEXT };

enum {
  SQL_UPSERT,
  SQL_UPSERT_CHANGED,
  SQL_INSERT_ABSENT,
  SQL_UPDATE_CHANGED,
  SQL_BY_CODE,
  SQL_PAGE,
  SQL_SORTED,
  SQL_ALL,
  SQL_CHANGE,
  SQL_CHANGE_MANY,
  SQL_UPDATE,
  SQL_DELETE,
  SQL_CHANGES,
  SQL_MOVE,
  SQL_ORDER,
  SQL_COUNT,
};

struct cmp_store {
  cmp_kind kind;
  uint64_t transaction;
  char path[1024];
  char message[512];
  /// The order that was read last, for `cmp_follow`.
  uint64_t *order;
  size_t order_count;
  // SQLite
  sqlite3 *db;
  sqlite3_stmt *statements[SQL_COUNT];
  // LMDB
  MDB_env *env;
  MDB_dbi rows, by_code, by_magnitude, by_time, changes;
};

int cmp_fail(cmp_store *store, int code, const char *format, ...) __attribute__((format(printf, 3, 4)));
/// How many records of a stream are made at a time.
enum { PIECE_OF_STREAM = 512 };

/// The next piece of a source, in `buffer` where it has to be made; 0 at the end.
size_t cmp_next(cmp_source *source, cmp_quake *buffer, const cmp_quake **quakes);

int cmp_copy_file(cmp_store *store, const char *from, const char *to);

extern const char *const sql_all;

int sql_open(cmp_store *store);
void sql_close(cmp_store *store);
int sql_fail(cmp_store *store);
int sql_begin(cmp_store *store);
int sql_commit(cmp_store *store);
int sql_abandon(cmp_store *store);
void sql_read(sqlite3_stmt *statement, cmp_quake *quake);
int sql_import(
  cmp_store *store, cmp_source source, cmp_conflict conflict, bool history, cmp_result *result);
int sql_pages(
  cmp_store *store, const double *before, size_t requests, double magnitude, int limit, cmp_result *result);
int sql_lookup(cmp_store *store, const cmp_text *codes, size_t count, cmp_result *result);
int sql_sorted(cmp_store *store, cmp_result *result);
int sql_move(cmp_store *store, const uint64_t *numbers, const double *magnitudes, size_t count);
int sql_order(cmp_store *store, uint64_t *numbers, size_t room, size_t *count);
int sql_update(cmp_store *store, int64_t significance, int64_t felt, cmp_result *result);
int sql_delete(cmp_store *store, int64_t significance, cmp_result *result);
int sql_changes(cmp_store *store, uint64_t after, cmp_result *result);
int sql_copy_file(cmp_store *store, const char *path);
int sql_copy_memory(cmp_store *store, cmp_result *result);
int sql_content(cmp_store *store, cmp_result *result);
int sql_ask(
  cmp_store *store, cmp_query query, const double *bounds, const cmp_text *codes, size_t count,
  cmp_result *result);

/// A change as the LMDB side stores it, after its sequence number.
typedef struct {
  uint64_t transaction, object;
  uint32_t entity, kind;
  uint64_t columns;
} lmdb_change;

int lmdb_open(cmp_store *store);
void lmdb_close(cmp_store *store);
int lmdb_fail(cmp_store *store, int code);
size_t lmdb_pack(const cmp_quake *quake, uint8_t *row);
void lmdb_unpack(const uint8_t *row, cmp_quake *quake);
void lmdb_key(double value, uint64_t number, uint8_t key[16]);
uint64_t lmdb_number(const uint8_t *bytes);
int lmdb_last(MDB_txn *transaction, MDB_dbi dbi, uint64_t *key);
int lmdb_append_change(
  MDB_txn *transaction, MDB_dbi dbi, uint64_t sequence, const lmdb_change *change);
int lmdb_import(
  cmp_store *store, cmp_source source, cmp_conflict conflict, bool history, cmp_result *result);
int lmdb_pages(
  cmp_store *store, const double *before, size_t requests, double magnitude, int limit, cmp_result *result);
int lmdb_lookup(cmp_store *store, const cmp_text *codes, size_t count, cmp_result *result);
int lmdb_sorted(cmp_store *store, cmp_result *result);
int lmdb_move(cmp_store *store, const uint64_t *numbers, const double *magnitudes, size_t count);
int lmdb_order(cmp_store *store, uint64_t *numbers, size_t room, size_t *count);
int lmdb_update(cmp_store *store, int64_t significance, int64_t felt, cmp_result *result);
int lmdb_delete(cmp_store *store, int64_t significance, cmp_result *result);
int lmdb_changes(cmp_store *store, uint64_t after, cmp_result *result);
int lmdb_copy(cmp_store *store, const char *path);
int lmdb_content(cmp_store *store, cmp_result *result);
int lmdb_ask(
  cmp_store *store, cmp_query query, const double *bounds, const cmp_text *codes, size_t count,
  cmp_result *result);
