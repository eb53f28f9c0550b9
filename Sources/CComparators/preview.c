// A store in memory with a handful of rows, opened again and again.
#include <stdio.h>

#include "internal.h"

static const char *const schema =
  "BEGIN;"
  "CREATE TABLE sighting (id INTEGER PRIMARY KEY, time REAL NOT NULL, latitude REAL, longitude REAL, energy REAL);"
  "CREATE UNIQUE INDEX sighting_time ON sighting (time);"
  "CREATE TABLE family (id INTEGER PRIMARY KEY, name TEXT NOT NULL, members INTEGER NOT NULL);"
  "CREATE TABLE membership (sighting INTEGER NOT NULL, family INTEGER NOT NULL, PRIMARY KEY (sighting, family)) "
  "WITHOUT ROWID;"
  "CREATE INDEX membership_family ON membership (family, sighting);";

static int finish(sqlite3_stmt *statement) {
  int code = sqlite3_step(statement);
  sqlite3_reset(statement);
  return code == SQLITE_DONE ? SQLITE_OK : code;
}

static int fill_sightings(sqlite3 *db, size_t sightings, size_t groups) {
  sqlite3_stmt *sighting = NULL, *membership = NULL;
  int code = sqlite3_prepare_v2(db, "INSERT INTO sighting VALUES (?1, ?2, ?3, ?4, ?5)", -1, &sighting, NULL);
  if (code == SQLITE_OK)
    code = sqlite3_prepare_v2(db, "INSERT INTO membership VALUES (?1, ?2)", -1, &membership, NULL);
  for (size_t i = 0; code == SQLITE_OK && i < sightings; i++) {
    sqlite3_bind_int64(sighting, 1, (int64_t)i + 1);
    sqlite3_bind_double(sighting, 2, cmp_preview_time(i));
    sqlite3_bind_double(sighting, 3, (double)i);
    sqlite3_bind_double(sighting, 4, -(double)i);
    sqlite3_bind_double(sighting, 5, cmp_preview_energy(i));
    code = finish(sighting);
    sqlite3_bind_int64(membership, 1, (int64_t)i + 1);
    sqlite3_bind_int64(membership, 2, (int64_t)(i % groups) + 1);
    if (code == SQLITE_OK) code = finish(membership);
  }
  sqlite3_finalize(sighting);
  sqlite3_finalize(membership);
  return code;
}

static int fill_groups(sqlite3 *db, size_t sightings, size_t groups) {
  sqlite3_stmt *family = NULL;
  int code = sqlite3_prepare_v2(db, "INSERT INTO family VALUES (?1, ?2, ?3)", -1, &family, NULL);
  for (size_t i = 0; code == SQLITE_OK && i < groups; i++) {
    char name[32];
    int length = snprintf(name, sizeof name, "Group %zu", i);
    sqlite3_bind_int64(family, 1, (int64_t)i + 1);
    sqlite3_bind_text(family, 2, name, length, SQLITE_STATIC);
    sqlite3_bind_int64(family, 3, (int64_t)((sightings + groups - 1 - i) / groups));
    code = finish(family);
  }
  sqlite3_finalize(family);
  return code;
}

static int hash_content(sqlite3 *db, uint64_t *hash) {
  sqlite3_stmt *sightings = NULL, *groups = NULL;
  int code = sqlite3_prepare_v2(db, "SELECT time, energy FROM sighting ORDER BY time", -1, &sightings, NULL);
  while (code == SQLITE_OK && sqlite3_step(sightings) == SQLITE_ROW) {
    *hash = cmp_mix_double(*hash, sqlite3_column_double(sightings, 0));
    *hash = cmp_mix_double(*hash, sqlite3_column_double(sightings, 1));
  }
  if (code == SQLITE_OK)
    code = sqlite3_prepare_v2(db, "SELECT name, members FROM family ORDER BY name", -1, &groups, NULL);
  while (code == SQLITE_OK && sqlite3_step(groups) == SQLITE_ROW) {
    const void *name = sqlite3_column_text(groups, 0);
    *hash = cmp_mix_text(*hash, name, (size_t)sqlite3_column_bytes(groups, 0));
    *hash = cmp_mix(*hash, (uint64_t)sqlite3_column_int64(groups, 1));
  }
  sqlite3_finalize(sightings);
  sqlite3_finalize(groups);
  return code;
}

double cmp_preview_time(size_t index) {
  return 700000000.0 + 86400.0 * (double)index;
}

double cmp_preview_energy(size_t index) {
  return 0.5 + 1.5 * (double)index;
}

int cmp_preview(
  cmp_store *store, size_t openings, size_t sightings, size_t groups, cmp_result *result) {
  *result = (cmp_result){0, openings, 0};
  if (groups == 0) return cmp_fail(store, -1, "a preview needs groups");
  for (size_t i = 0; i < openings; i++) {
    sqlite3 *db = NULL;
    int flags = SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE | SQLITE_OPEN_NOMUTEX;
    double start = cmp_start();
    int code = sqlite3_open_v2(":memory:", &db, flags, NULL);
    if (code == SQLITE_OK) code = sqlite3_exec(db, schema, NULL, NULL, NULL);
    if (code == SQLITE_OK) code = fill_sightings(db, sightings, groups);
    if (code == SQLITE_OK) code = fill_groups(db, sightings, groups);
    if (code == SQLITE_OK) code = sqlite3_exec(db, "COMMIT", NULL, NULL, NULL);
    result->seconds += cmp_stop(start);
    result->checksum = 0;
    if (code == SQLITE_OK) code = hash_content(db, &result->checksum);
    if (code != SQLITE_OK) cmp_fail(store, code, "SQLite: %s", sqlite3_errmsg(db));
    sqlite3_close(db);
    if (code != SQLITE_OK) return code;
  }
  return 0;
}
