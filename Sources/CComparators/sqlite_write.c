// SQLite: the jobs that write.
#include "internal.h"

static void bind_text(sqlite3_stmt *statement, int column, cmp_text text) {
  sqlite3_bind_text(statement, column, text.bytes, (int)text.length, SQLITE_STATIC);
}

static void bind(sqlite3_stmt *statement, const cmp_quake *quake) {
  bind_text(statement, 1, quake->code);
  sqlite3_bind_double(statement, 2, quake->magnitude);
  sqlite3_bind_double(statement, 3, quake->latitude);
  sqlite3_bind_double(statement, 4, quake->longitude);
  sqlite3_bind_double(statement, 5, quake->depth);
  sqlite3_bind_int64(statement, 6, quake->felt);
  sqlite3_bind_int64(statement, 7, quake->significance);
  sqlite3_bind_int64(statement, 8, quake->stations);
  bind_text(statement, 9, quake->place);
  bind_text(statement, 10, quake->network);
  bind_text(statement, 11, quake->magnitude_type);
  bind_text(statement, 12, quake->status);
  sqlite3_bind_double(statement, 13, quake->time);
}

static int run(sqlite3_stmt *statement) {
  int code = sqlite3_step(statement);
  sqlite3_reset(statement);
  return code == SQLITE_DONE ? 0 : code;
}

static int note(cmp_store *store, int64_t object, int kind, int64_t columns) {
  sqlite3_stmt *change = store->statements[SQL_CHANGE];
  sqlite3_bind_int64(change, 1, (int64_t)store->transaction);
  sqlite3_bind_int64(change, 2, object);
  sqlite3_bind_int(change, 3, kind);
  sqlite3_bind_int64(change, 4, columns);
  return run(change);
}

static bool same(cmp_text a, cmp_text b) {
  return a.length == b.length && memcmp(a.bytes, b.bytes, a.length) == 0;
}

/// Which columns differ, a bit each; no bit: the record changes nothing.
static int64_t differences(const cmp_quake *a, const cmp_quake *b) {
  return (int64_t)(a->magnitude != b->magnitude) << 1 | (int64_t)(a->latitude != b->latitude) << 2
       | (int64_t)(a->longitude != b->longitude) << 3 | (int64_t)(a->depth != b->depth) << 4
       | (int64_t)(a->felt != b->felt) << 5 | (int64_t)(a->significance != b->significance) << 6
       | (int64_t)(a->stations != b->stations) << 7 | (int64_t)!same(a->place, b->place) << 8
       | (int64_t)!same(a->network, b->network) << 9
       | (int64_t)!same(a->magnitude_type, b->magnitude_type) << 10
       | (int64_t)!same(a->status, b->status) << 11 | (int64_t)(a->time != b->time) << 12;
}

/// Insert if absent; where the key is taken, compare and update by number. One change row for what changed.
static int import_noted(cmp_store *store, const cmp_quake *quake, cmp_conflict conflict) {
  sqlite3_stmt *insert = store->statements[SQL_INSERT_ABSENT];
  bind(insert, quake);
  if (run(insert) != 0) return -1;
  if (sqlite3_changes(store->db) == 1)
    return note(store, sqlite3_last_insert_rowid(store->db), CHANGE_INSERT, 0);

  sqlite3_stmt *select = store->statements[SQL_BY_CODE];
  bind_text(select, 1, quake->code);
  if (sqlite3_step(select) != SQLITE_ROW) {
    sqlite3_reset(select);
    return -1;
  }
  cmp_quake stored;
  sql_read(select, &stored);
  int64_t number = sqlite3_column_int64(select, 13);
  int64_t columns = conflict == CMP_UPSERT ? 0x1FFE : differences(&stored, quake);
  sqlite3_reset(select);
  if (columns == 0) return 0;
  sqlite3_stmt *update = store->statements[SQL_UPDATE_CHANGED];
  bind(update, quake);
  sqlite3_bind_int64(update, 14, number);
  if (run(update) != 0) return -1;
  return note(store, number, CHANGE_UPDATE, columns);
}

static int import_one(
  cmp_store *store, sqlite3_stmt *upsert, const cmp_quake *quake, cmp_conflict conflict, bool history) {
  if (history) return import_noted(store, quake, conflict);
  bind(upsert, quake);
  return run(upsert);
}

int sql_import(
  cmp_store *store, cmp_source source, cmp_conflict conflict, bool history, cmp_result *result) {
  sqlite3_stmt *upsert =
    store->statements[conflict == CMP_UPSERT ? SQL_UPSERT : SQL_UPSERT_CHANGED];
  cmp_quake buffer[PIECE_OF_STREAM];
  const cmp_quake *quakes;
  uint64_t total = 0;
  double start = cmp_start();
  if (sql_begin(store) != 0) return -1;
  for (size_t count; (count = cmp_next(&source, buffer, &quakes)) > 0; total += count) {
    for (size_t i = 0; i < count; i++) {
      if (import_one(store, upsert, &quakes[i], conflict, history) != 0) return sql_abandon(store);
    }
  }
  if (sql_commit(store) != 0) return sql_abandon(store);
  *result = (cmp_result){cmp_stop(start), total, 0};
  return 0;
}

int sql_move(cmp_store *store, const uint64_t *numbers, const double *magnitudes, size_t count) {
  sqlite3_stmt *move = store->statements[SQL_MOVE];
  if (sql_begin(store) != 0) return -1;
  for (size_t i = 0; i < count; i++) {
    sqlite3_bind_double(move, 1, magnitudes[i]);
    sqlite3_bind_int64(move, 2, (int64_t)numbers[i]);
    if (run(move) != 0) return sql_abandon(store);
  }
  return sql_commit(store) == 0 ? 0 : sql_abandon(store);
}

static int note_many(cmp_store *store, int kind, int64_t columns, int64_t significance) {
  sqlite3_stmt *changes = store->statements[SQL_CHANGE_MANY];
  sqlite3_bind_int64(changes, 1, (int64_t)store->transaction);
  sqlite3_bind_int(changes, 2, kind);
  sqlite3_bind_int64(changes, 3, columns);
  sqlite3_bind_int64(changes, 4, significance);
  return run(changes);
}

int sql_update(cmp_store *store, int64_t significance, int64_t felt, cmp_result *result) {
  sqlite3_stmt *update = store->statements[SQL_UPDATE];
  double start = cmp_start();
  if (sql_begin(store) != 0) return -1;
  if (note_many(store, CHANGE_UPDATE, 1 << 5, significance) != 0) return sql_abandon(store);
  sqlite3_bind_int64(update, 1, felt);
  sqlite3_bind_int64(update, 2, significance);
  if (run(update) != 0) return sql_abandon(store);
  uint64_t rows = (uint64_t)sqlite3_changes64(store->db);
  if (sql_commit(store) != 0) return sql_abandon(store);
  *result = (cmp_result){cmp_stop(start), rows, 0};
  return 0;
}

int sql_delete(cmp_store *store, int64_t significance, cmp_result *result) {
  sqlite3_stmt *delete = store->statements[SQL_DELETE];
  double start = cmp_start();
  if (sql_begin(store) != 0) return -1;
  if (note_many(store, CHANGE_DELETE, 0, significance) != 0) return sql_abandon(store);
  sqlite3_bind_int64(delete, 1, significance);
  if (run(delete) != 0) return sql_abandon(store);
  uint64_t rows = (uint64_t)sqlite3_changes64(store->db);
  if (sql_commit(store) != 0) return sql_abandon(store);
  *result = (cmp_result){cmp_stop(start), rows, 0};
  return 0;
}

int sql_copy_file(cmp_store *store, const char *path) {
  if (sqlite3_wal_checkpoint_v2(store->db, NULL, SQLITE_CHECKPOINT_TRUNCATE, NULL, NULL) != SQLITE_OK)
    return sql_fail(store);
  return cmp_copy_file(store, store->path, path);
}

int sql_copy_memory(cmp_store *store, cmp_result *result) {
  sqlite3 *copy = NULL;
  int flags = SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE | SQLITE_OPEN_NOMUTEX;
  double start = cmp_start();
  int code = sqlite3_open_v2(":memory:", &copy, flags, NULL);
  sqlite3_backup *backup = NULL;
  if (code == SQLITE_OK) backup = sqlite3_backup_init(copy, "main", store->db, "main");
  bool done = backup != NULL && sqlite3_backup_step(backup, -1) == SQLITE_DONE;
  sqlite3_backup_finish(backup);
  double seconds = cmp_stop(start);

  sqlite3_stmt *all = NULL;
  uint64_t sum = 0;
  if (done) done = sqlite3_prepare_v2(copy, sql_all, -1, &all, NULL) == SQLITE_OK;
  while (done && (code = sqlite3_step(all)) == SQLITE_ROW) {
    cmp_quake quake;
    sql_read(all, &quake);
    sum += cmp_hash_quake(&quake);
  }
  done = done && code == SQLITE_DONE;
  if (!done) code = cmp_fail(store, sqlite3_errcode(copy), "SQLite backup: %s", sqlite3_errmsg(copy));
  sqlite3_finalize(all);
  sqlite3_close(copy);
  *result = (cmp_result){seconds, 1, sum};
  return done ? 0 : code;
}
