// LMDB: the jobs that read. Every value of every row is unpacked and goes into the checksum.
#include "internal.h"

static int read_number(MDB_txn *transaction, cmp_store *store, uint64_t number, cmp_quake *quake) {
  MDB_val key = {8, &number}, row;
  int code = mdb_get(transaction, store->rows, &key, &row);
  if (code == 0) lmdb_unpack(row.mv_data, quake);
  return code;
}

static int page(
  MDB_txn *transaction, cmp_store *store, MDB_cursor *cursor, double before, double magnitude, int limit,
  cmp_result *result) {
  uint8_t bytes[16];
  lmdb_key(before, 0, bytes);
  MDB_val key = {16, bytes}, none;
  int code = mdb_cursor_get(cursor, &key, &none, MDB_SET_RANGE);
  code = mdb_cursor_get(cursor, &key, &none, code == MDB_NOTFOUND ? MDB_LAST : MDB_PREV);
  for (int found = 0; code == 0 && found < limit;) {
    cmp_quake quake;
    code = read_number(transaction, store, lmdb_number((const uint8_t *)key.mv_data + 8), &quake);
    if (code != 0) return code;
    if (quake.magnitude >= magnitude) {
      result->checksum = cmp_mix(result->checksum, cmp_hash_quake(&quake));
      result->rows++;
      found++;
    }
    code = mdb_cursor_get(cursor, &key, &none, MDB_PREV);
  }
  return code == MDB_NOTFOUND ? 0 : code;
}

int lmdb_pages(
  cmp_store *store, const double *before, size_t requests, double magnitude, int limit, cmp_result *result) {
  *result = (cmp_result){0};
  MDB_txn *transaction = NULL;
  MDB_cursor *cursor = NULL;
  double start = cmp_start();
  int code = mdb_txn_begin(store->env, NULL, MDB_RDONLY, &transaction);
  if (code == 0) code = mdb_cursor_open(transaction, store->by_time, &cursor);
  for (size_t i = 0; code == 0 && i < requests; i++) {
    code = page(transaction, store, cursor, before[i], magnitude, limit, result);
    mdb_txn_reset(transaction);
    if (code == 0) code = mdb_txn_renew(transaction);
    if (code == 0) code = mdb_cursor_renew(transaction, cursor);
  }
  if (cursor != NULL) mdb_cursor_close(cursor);
  if (transaction != NULL) mdb_txn_abort(transaction);
  result->seconds = cmp_stop(start);
  return code == 0 ? 0 : lmdb_fail(store, code);
}

int lmdb_lookup(cmp_store *store, const cmp_text *codes, size_t count, cmp_result *result) {
  *result = (cmp_result){0, count, 0};
  MDB_txn *transaction = NULL;
  double start = cmp_start();
  int code = mdb_txn_begin(store->env, NULL, MDB_RDONLY, &transaction);
  for (size_t i = 0; code == 0 && i < count; i++) {
    MDB_val key = {codes[i].length, (void *)codes[i].bytes}, holder;
    cmp_quake quake;
    uint64_t number = 0;
    code = mdb_get(transaction, store->by_code, &key, &holder);
    if (code == 0) memcpy(&number, holder.mv_data, 8);
    if (code == 0) code = read_number(transaction, store, number, &quake);
    if (code == 0) result->checksum = cmp_mix(result->checksum, cmp_hash_quake(&quake));
    mdb_txn_reset(transaction);
    if (code == 0) code = mdb_txn_renew(transaction);
  }
  if (transaction != NULL) mdb_txn_abort(transaction);
  result->seconds = cmp_stop(start);
  return code == 0 ? 0 : lmdb_fail(store, code);
}

int lmdb_sorted(cmp_store *store, cmp_result *result) {
  *result = (cmp_result){0};
  MDB_txn *transaction = NULL;
  MDB_cursor *cursor = NULL;
  double start = cmp_start();
  int code = mdb_txn_begin(store->env, NULL, MDB_RDONLY, &transaction);
  if (code == 0) code = mdb_cursor_open(transaction, store->by_magnitude, &cursor);
  MDB_val key, none;
  while (code == 0 && (code = mdb_cursor_get(cursor, &key, &none, MDB_NEXT)) == 0) {
    cmp_quake quake;
    code = read_number(transaction, store, lmdb_number((const uint8_t *)key.mv_data + 8), &quake);
    if (code != 0) break;
    result->checksum = cmp_mix(result->checksum, cmp_hash_quake(&quake));
    result->rows++;
  }
  if (code == MDB_NOTFOUND) code = 0;
  if (cursor != NULL) mdb_cursor_close(cursor);
  if (transaction != NULL) mdb_txn_abort(transaction);
  result->seconds = cmp_stop(start);
  return code == 0 ? 0 : lmdb_fail(store, code);
}

int lmdb_content(cmp_store *store, cmp_result *result) {
  *result = (cmp_result){0};
  MDB_txn *transaction = NULL;
  MDB_cursor *cursor = NULL;
  int code = mdb_txn_begin(store->env, NULL, MDB_RDONLY, &transaction);
  if (code == 0) code = mdb_cursor_open(transaction, store->rows, &cursor);
  MDB_val key, row;
  while (code == 0 && (code = mdb_cursor_get(cursor, &key, &row, MDB_NEXT)) == 0) {
    cmp_quake quake;
    lmdb_unpack(row.mv_data, &quake);
    result->checksum += cmp_hash_quake(&quake);
    result->rows++;
  }
  if (code == MDB_NOTFOUND) code = 0;
  if (cursor != NULL) mdb_cursor_close(cursor);
  if (transaction != NULL) mdb_txn_abort(transaction);
  return code == 0 ? 0 : lmdb_fail(store, code);
}

int lmdb_changes(cmp_store *store, uint64_t after, cmp_result *result) {
  *result = (cmp_result){0};
  MDB_txn *transaction = NULL;
  MDB_cursor *cursor = NULL;
  double start = cmp_start();
  int code = mdb_txn_begin(store->env, NULL, MDB_RDONLY, &transaction);
  if (code == 0) code = mdb_cursor_open(transaction, store->changes, &cursor);
  MDB_val key, value;
  while (code == 0 && (code = mdb_cursor_get(cursor, &key, &value, MDB_NEXT)) == 0) {
    lmdb_change change;
    memcpy(&change, value.mv_data, sizeof change);
    if (change.transaction <= after) continue;
    result->checksum = cmp_mix(result->checksum, change.object);
    result->checksum = cmp_mix(result->checksum, change.kind);
    result->rows++;
  }
  if (code == MDB_NOTFOUND) code = 0;
  if (cursor != NULL) mdb_cursor_close(cursor);
  if (transaction != NULL) mdb_txn_abort(transaction);
  result->seconds = cmp_stop(start);
  return code == 0 ? 0 : lmdb_fail(store, code);
}

int lmdb_order(cmp_store *store, uint64_t *numbers, size_t room, size_t *count) {
  *count = 0;
  MDB_txn *transaction = NULL;
  MDB_cursor *cursor = NULL;
  int code = mdb_txn_begin(store->env, NULL, MDB_RDONLY, &transaction);
  if (code == 0) code = mdb_cursor_open(transaction, store->by_magnitude, &cursor);
  MDB_val key, none;
  while (code == 0 && (code = mdb_cursor_get(cursor, &key, &none, MDB_NEXT)) == 0 && *count < room)
    numbers[(*count)++] = lmdb_number((const uint8_t *)key.mv_data + 8);
  if (code == MDB_NOTFOUND) code = 0;
  if (cursor != NULL) mdb_cursor_close(cursor);
  if (transaction != NULL) mdb_txn_abort(transaction);
  return code == 0 ? 0 : lmdb_fail(store, code);
}
