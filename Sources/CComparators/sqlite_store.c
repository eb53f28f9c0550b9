// SQLite: opening, the schema, and the statements, all prepared once.
#include "internal.h"

#define COLUMNS \
  "code, magnitude, latitude, longitude, depth, felt, significance, stations, " \
  "place, network, magnitude_type, status, time"
#define INSERT "INSERT INTO quake (" COLUMNS ") VALUES (?1,?2,?3,?4,?5,?6,?7,?8,?9,?10,?11,?12,?13)"
#define ASSIGN \
  "magnitude = excluded.magnitude, latitude = excluded.latitude, longitude = excluded.longitude, " \
  "depth = excluded.depth, felt = excluded.felt, significance = excluded.significance, " \
  "stations = excluded.stations, place = excluded.place, network = excluded.network, " \
  "magnitude_type = excluded.magnitude_type, status = excluded.status, time = excluded.time"
#define DIFFERS \
  "quake.magnitude IS NOT excluded.magnitude OR quake.latitude IS NOT excluded.latitude OR " \
  "quake.longitude IS NOT excluded.longitude OR quake.depth IS NOT excluded.depth OR " \
  "quake.felt IS NOT excluded.felt OR quake.significance IS NOT excluded.significance OR " \
  "quake.stations IS NOT excluded.stations OR quake.place IS NOT excluded.place OR " \
  "quake.network IS NOT excluded.network OR quake.magnitude_type IS NOT excluded.magnitude_type OR " \
  "quake.status IS NOT excluded.status OR quake.time IS NOT excluded.time"

static const char *const schema =
  "CREATE TABLE IF NOT EXISTS quake (id INTEGER PRIMARY KEY, code TEXT NOT NULL, magnitude REAL, "
  "latitude REAL, longitude REAL, depth REAL, felt INTEGER, significance INTEGER, stations INTEGER, "
  "place TEXT, network TEXT, magnitude_type TEXT, status TEXT, time REAL);"
  "CREATE UNIQUE INDEX IF NOT EXISTS quake_code ON quake (code);"
  "CREATE INDEX IF NOT EXISTS quake_magnitude ON quake (magnitude);"
  "CREATE INDEX IF NOT EXISTS quake_time ON quake (time);"
  "CREATE TABLE IF NOT EXISTS change (sequence INTEGER PRIMARY KEY, number INTEGER NOT NULL, "
  "entity INTEGER NOT NULL, object INTEGER NOT NULL, kind INTEGER NOT NULL, columns INTEGER NOT NULL);";

const char *const sql_all = "SELECT " COLUMNS " FROM quake NOT INDEXED";

static const char *const texts[SQL_COUNT] = {
  [SQL_UPSERT] = INSERT " ON CONFLICT (code) DO UPDATE SET " ASSIGN,
  [SQL_UPSERT_CHANGED] = INSERT " ON CONFLICT (code) DO UPDATE SET " ASSIGN " WHERE " DIFFERS,
  [SQL_INSERT_ABSENT] = INSERT " ON CONFLICT (code) DO NOTHING",
  [SQL_UPDATE_CHANGED] =
    "UPDATE quake SET magnitude = ?2, latitude = ?3, longitude = ?4, depth = ?5, felt = ?6, "
    "significance = ?7, stations = ?8, place = ?9, network = ?10, magnitude_type = ?11, status = ?12, "
    "time = ?13 WHERE id = ?14",
  [SQL_BY_CODE] = "SELECT " COLUMNS ", id FROM quake WHERE code = ?1",
  // The plus keeps the planner on the index that also gives the order.
  [SQL_PAGE] = "SELECT " COLUMNS " FROM quake WHERE time < ?1 AND +magnitude >= ?2 "
               "ORDER BY time DESC, id DESC LIMIT ?3",
  [SQL_SORTED] = "SELECT " COLUMNS " FROM quake INDEXED BY quake_magnitude ORDER BY magnitude, id",
  [SQL_CHANGE] = "INSERT INTO change (number, entity, object, kind, columns) VALUES (?1, 1, ?2, ?3, ?4)",
  [SQL_CHANGE_MANY] = "INSERT INTO change (number, entity, object, kind, columns) "
                      "SELECT ?1, 1, id, ?2, ?3 FROM quake NOT INDEXED WHERE significance < ?4",
  [SQL_UPDATE] = "UPDATE quake SET felt = ?1 WHERE significance < ?2",
  [SQL_DELETE] = "DELETE FROM quake WHERE significance < ?1",
  [SQL_CHANGES] = "SELECT number, entity, object, kind, columns FROM change WHERE number > ?1 "
                  "ORDER BY sequence",
  [SQL_MOVE] = "UPDATE quake SET magnitude = ?1 WHERE id = ?2",
  [SQL_ORDER] = "SELECT id FROM quake INDEXED BY quake_magnitude ORDER BY magnitude, id",
};

int sql_fail(cmp_store *store) {
  return cmp_fail(store, sqlite3_errcode(store->db), "SQLite: %s", sqlite3_errmsg(store->db));
}

int sql_open(cmp_store *store) {
  const char *path = store->kind == CMP_SQLITE_MEMORY ? ":memory:" : store->path;
  int flags = SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE | SQLITE_OPEN_NOMUTEX;
  if (sqlite3_open_v2(path, &store->db, flags, NULL) != SQLITE_OK) return sql_fail(store);
  const char *settings =
    "PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL; PRAGMA cache_size = -32768; "
    "PRAGMA secure_delete = OFF;";
  if (sqlite3_exec(store->db, settings, NULL, NULL, NULL) != SQLITE_OK) return sql_fail(store);
  if (sqlite3_exec(store->db, schema, NULL, NULL, NULL) != SQLITE_OK) return sql_fail(store);
  for (int i = 0; i < SQL_COUNT; i++) {
    unsigned hints = SQLITE_PREPARE_PERSISTENT;
    if (sqlite3_prepare_v3(store->db, i == SQL_ALL ? sql_all : texts[i], -1, hints, &store->statements[i], NULL) != SQLITE_OK)
      return sql_fail(store);
  }
  return 0;
}

void sql_close(cmp_store *store) {
  for (int i = 0; i < SQL_COUNT; i++) sqlite3_finalize(store->statements[i]);
  sqlite3_close(store->db);
}

int sql_begin(cmp_store *store) {
  if (sqlite3_exec(store->db, "BEGIN IMMEDIATE", NULL, NULL, NULL) != SQLITE_OK) return sql_fail(store);
  store->transaction++;
  return 0;
}

int sql_commit(cmp_store *store) {
  return sqlite3_exec(store->db, "COMMIT", NULL, NULL, NULL) == SQLITE_OK ? 0 : sql_fail(store);
}

/// Keeps the first error's message and undoes what the transaction did.
int sql_abandon(cmp_store *store) {
  int code = sql_fail(store);
  sqlite3_exec(store->db, "ROLLBACK", NULL, NULL, NULL);
  return code;
}

static cmp_text text(sqlite3_stmt *statement, int column) {
  const char *bytes = (const char *)sqlite3_column_text(statement, column);
  return (cmp_text){bytes, (uint32_t)sqlite3_column_bytes(statement, column)};
}

void sql_read(sqlite3_stmt *statement, cmp_quake *quake) {
  quake->code = text(statement, 0);
  quake->magnitude = sqlite3_column_double(statement, 1);
  quake->latitude = sqlite3_column_double(statement, 2);
  quake->longitude = sqlite3_column_double(statement, 3);
  quake->depth = sqlite3_column_double(statement, 4);
  quake->felt = sqlite3_column_int64(statement, 5);
  quake->significance = sqlite3_column_int64(statement, 6);
  quake->stations = sqlite3_column_int64(statement, 7);
  quake->place = text(statement, 8);
  quake->network = text(statement, 9);
  quake->magnitude_type = text(statement, 10);
  quake->status = text(statement, 11);
  quake->time = sqlite3_column_double(statement, 12);
}
