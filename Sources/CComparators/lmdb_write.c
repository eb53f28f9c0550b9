// LMDB: the jobs that write.
#include <sys/stat.h>

#include "internal.h"

/// A write transaction and the last numbers it gave out.
typedef struct {
  cmp_store *store;
  MDB_txn *transaction;
  uint64_t last_row, last_change;
  bool history;
} writing;

static int begin(cmp_store *store, bool history, writing *writing) {
  writing->store = store;
  writing->transaction = NULL;
  writing->history = history;
  int code = mdb_txn_begin(store->env, NULL, 0, &writing->transaction);
  if (code == 0) code = lmdb_last(writing->transaction, store->rows, &writing->last_row);
  if (code == 0) code = lmdb_last(writing->transaction, store->changes, &writing->last_change);
  if (code == 0) store->transaction++;
  return code;
}

static int finish(writing *writing, int code) {
  if (code == 0) code = mdb_txn_commit(writing->transaction);
  else if (writing->transaction != NULL) mdb_txn_abort(writing->transaction);
  return code == 0 ? 0 : lmdb_fail(writing->store, code);
}

static int note(writing *writing, uint64_t object, uint32_t kind, uint64_t columns) {
  if (!writing->history) return 0;
  lmdb_change change = {writing->store->transaction, object, 1, kind, columns};
  return lmdb_append_change(
    writing->transaction, writing->store->changes, ++writing->last_change, &change);
}

static int put_index(writing *writing, MDB_dbi dbi, double value, uint64_t number) {
  uint8_t bytes[16];
  lmdb_key(value, number, bytes);
  MDB_val key = {16, bytes}, none = {0, bytes};
  return mdb_put(writing->transaction, dbi, &key, &none, MDB_NOOVERWRITE);
}

static int drop_index(writing *writing, MDB_dbi dbi, double value, uint64_t number) {
  uint8_t bytes[16];
  lmdb_key(value, number, bytes);
  MDB_val key = {16, bytes};
  return mdb_del(writing->transaction, dbi, &key, NULL);
}

static int move_index(writing *writing, MDB_dbi dbi, double from, double to, uint64_t number) {
  if (from == to) return 0;
  int code = drop_index(writing, dbi, from, number);
  return code == 0 ? put_index(writing, dbi, to, number) : code;
}

static int rewrite(
  writing *writing, const cmp_quake *quake, const MDB_val *packed, uint64_t number, cmp_conflict conflict) {
  cmp_store *store = writing->store;
  MDB_val key = {8, &number}, stored;
  int code = mdb_get(writing->transaction, store->rows, &key, &stored);
  if (code != 0) return code;
  bool equal = stored.mv_size == packed->mv_size
            && memcmp(stored.mv_data, packed->mv_data, packed->mv_size) == 0;
  if (equal && conflict == CMP_UPSERT_CHANGED) return 0;
  cmp_quake old;
  lmdb_unpack(stored.mv_data, &old);
  double magnitude = old.magnitude, time = old.time;
  MDB_val value = *packed;
  code = mdb_put(writing->transaction, store->rows, &key, &value, 0);
  if (code == 0) code = move_index(writing, store->by_magnitude, magnitude, quake->magnitude, number);
  if (code == 0) code = move_index(writing, store->by_time, time, quake->time, number);
  return code == 0 ? note(writing, number, CHANGE_UPDATE, 0x1FFE) : code;
}

static int import_one(writing *writing, const cmp_quake *quake, cmp_conflict conflict) {
  cmp_store *store = writing->store;
  uint8_t row[LONGEST_ROW];
  MDB_val packed = {lmdb_pack(quake, row), row};
  uint64_t number = writing->last_row + 1;
  MDB_val code_key = {quake->code.length, (void *)quake->code.bytes};
  MDB_val holder = {8, &number};
  int code = mdb_put(writing->transaction, store->by_code, &code_key, &holder, MDB_NOOVERWRITE);
  if (code == MDB_KEYEXIST) {
    memcpy(&number, holder.mv_data, 8);
    return rewrite(writing, quake, &packed, number, conflict);
  }
  writing->last_row = number;
  MDB_val key = {8, &number};
  if (code == 0) code = mdb_put(writing->transaction, store->rows, &key, &packed, MDB_APPEND);
  if (code == 0) code = put_index(writing, store->by_magnitude, quake->magnitude, number);
  if (code == 0) code = put_index(writing, store->by_time, quake->time, number);
  return code == 0 ? note(writing, number, CHANGE_INSERT, 0) : code;
}

int lmdb_import(
  cmp_store *store, cmp_source source, cmp_conflict conflict, bool history, cmp_result *result) {
  writing writing;
  cmp_quake buffer[PIECE_OF_STREAM];
  const cmp_quake *quakes;
  uint64_t total = 0;
  double start = cmp_start();
  int code = begin(store, history, &writing);
  for (size_t count; code == 0 && (count = cmp_next(&source, buffer, &quakes)) > 0; total += count) {
    for (size_t i = 0; code == 0 && i < count; i++) code = import_one(&writing, &quakes[i], conflict);
  }
  code = finish(&writing, code);
  if (code == 0) *result = (cmp_result){cmp_stop(start), total, 0};
  return code;
}

int lmdb_move(cmp_store *store, const uint64_t *numbers, const double *magnitudes, size_t count) {
  writing writing;
  int code = begin(store, false, &writing);
  for (size_t i = 0; code == 0 && i < count; i++) {
    uint64_t number = numbers[i];
    MDB_val key = {8, &number}, stored;
    code = mdb_get(writing.transaction, store->rows, &key, &stored);
    if (code != 0) break;
    uint8_t row[LONGEST_ROW];
    cmp_quake old;
    memcpy(row, stored.mv_data, stored.mv_size);
    lmdb_unpack(row, &old);
    memcpy(row, &magnitudes[i], 8);
    MDB_val value = {stored.mv_size, row};
    code = mdb_put(writing.transaction, store->rows, &key, &value, 0);
    if (code == 0) code = move_index(&writing, store->by_magnitude, old.magnitude, magnitudes[i], number);
  }
  return finish(&writing, code);
}

static int update_at(writing *writing, MDB_cursor *cursor, MDB_val key, MDB_val stored, int64_t felt) {
  uint64_t number;
  memcpy(&number, key.mv_data, 8);
  uint8_t row[LONGEST_ROW];
  memcpy(row, stored.mv_data, stored.mv_size);
  memcpy(row + 32, &felt, 8);
  MDB_val value = {stored.mv_size, row};
  int code = mdb_cursor_put(cursor, &key, &value, MDB_CURRENT);
  return code == 0 ? note(writing, number, CHANGE_UPDATE, 1 << 5) : code;
}

static int delete_at(writing *writing, MDB_cursor *cursor, MDB_val key, const cmp_quake *quake) {
  cmp_store *store = writing->store;
  uint64_t number;
  memcpy(&number, key.mv_data, 8);
  MDB_val code_key = {quake->code.length, (void *)quake->code.bytes};
  int code = mdb_del(writing->transaction, store->by_code, &code_key, NULL);
  if (code == 0) code = drop_index(writing, store->by_magnitude, quake->magnitude, number);
  if (code == 0) code = drop_index(writing, store->by_time, quake->time, number);
  if (code == 0) code = mdb_cursor_del(cursor, 0);
  return code == 0 ? note(writing, number, CHANGE_DELETE, 0) : code;
}

/// Walks all rows once and updates or deletes those below the bound where the cursor stands.
static int change_below(
  cmp_store *store, int64_t significance, bool deletes, int64_t felt, cmp_result *result) {
  writing writing;
  uint64_t rows = 0;
  double start = cmp_start();
  int code = begin(store, true, &writing);
  MDB_cursor *cursor = NULL;
  if (code == 0) code = mdb_cursor_open(writing.transaction, store->rows, &cursor);
  while (code == 0) {
    MDB_val key, stored;
    code = mdb_cursor_get(cursor, &key, &stored, MDB_NEXT);
    if (code != 0) break;
    cmp_quake quake;
    lmdb_unpack(stored.mv_data, &quake);
    if (quake.significance >= significance) continue;
    code = deletes ? delete_at(&writing, cursor, key, &quake)
                   : update_at(&writing, cursor, key, stored, felt);
    rows++;
  }
  if (code == MDB_NOTFOUND) code = 0;
  if (cursor != NULL) mdb_cursor_close(cursor);
  code = finish(&writing, code);
  if (code == 0) *result = (cmp_result){cmp_stop(start), rows, 0};
  return code;
}

int lmdb_update(cmp_store *store, int64_t significance, int64_t felt, cmp_result *result) {
  return change_below(store, significance, false, felt, result);
}

int lmdb_delete(cmp_store *store, int64_t significance, cmp_result *result) {
  return change_below(store, significance, true, 0, result);
}

int lmdb_copy(cmp_store *store, const char *path) {
  if (mkdir(path, 0700) != 0) return cmp_fail(store, -1, "cannot make the folder %s", path);
  int code = mdb_env_copy(store->env, path);
  return code == 0 ? 0 : lmdb_fail(store, code);
}
