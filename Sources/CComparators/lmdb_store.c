// LMDB: opening, packed rows, and keys that sort as bytes.
#include "internal.h"

/// Offsets in a packed row: eight fixed slots, then where each text ends, then the bytes of the texts.
enum { SLOTS = 8, ENDS_AT = SLOTS * 8, TEXT_AT = ENDS_AT + TEXTS * 2 };

int lmdb_fail(cmp_store *store, int code) {
  return cmp_fail(store, code, "LMDB: %s", mdb_strerror(code));
}

int lmdb_open(cmp_store *store) {
  int code = mdb_env_create(&store->env);
  if (code == 0) code = mdb_env_set_maxdbs(store->env, 8);
  if (code == 0) code = mdb_env_set_mapsize(store->env, (size_t)16 << 30);
  if (code == 0) code = mdb_env_open(store->env, store->path, MDB_NOMETASYNC | MDB_NOTLS, 0600);
  MDB_txn *transaction = NULL;
  if (code == 0) code = mdb_txn_begin(store->env, NULL, 0, &transaction);
  if (code == 0) code = mdb_dbi_open(transaction, "quake", MDB_CREATE | MDB_INTEGERKEY, &store->rows);
  if (code == 0) code = mdb_dbi_open(transaction, "code", MDB_CREATE, &store->by_code);
  if (code == 0) code = mdb_dbi_open(transaction, "magnitude", MDB_CREATE, &store->by_magnitude);
  if (code == 0) code = mdb_dbi_open(transaction, "time", MDB_CREATE, &store->by_time);
  if (code == 0) code = mdb_dbi_open(transaction, "change", MDB_CREATE | MDB_INTEGERKEY, &store->changes);
  if (code == 0) code = mdb_txn_commit(transaction);
  else if (transaction != NULL) mdb_txn_abort(transaction);
  return code == 0 ? 0 : lmdb_fail(store, code);
}

void lmdb_close(cmp_store *store) {
  if (store->env != NULL) mdb_env_close(store->env);
}

size_t lmdb_pack(const cmp_quake *quake, uint8_t *row) {
  memcpy(row, &quake->magnitude, 8);
  memcpy(row + 8, &quake->latitude, 8);
  memcpy(row + 16, &quake->longitude, 8);
  memcpy(row + 24, &quake->depth, 8);
  memcpy(row + 32, &quake->felt, 8);
  memcpy(row + 40, &quake->significance, 8);
  memcpy(row + 48, &quake->stations, 8);
  memcpy(row + 56, &quake->time, 8);
  const cmp_text *texts[TEXTS] = {
    &quake->code, &quake->place, &quake->network, &quake->magnitude_type, &quake->status};
  uint16_t end = 0;
  for (int i = 0; i < TEXTS; i++) {
    memcpy(row + TEXT_AT + end, texts[i]->bytes, texts[i]->length);
    end = (uint16_t)(end + texts[i]->length);
    memcpy(row + ENDS_AT + 2 * i, &end, 2);
  }
  return (size_t)TEXT_AT + end;
}

void lmdb_unpack(const uint8_t *row, cmp_quake *quake) {
  memcpy(&quake->magnitude, row, 8);
  memcpy(&quake->latitude, row + 8, 8);
  memcpy(&quake->longitude, row + 16, 8);
  memcpy(&quake->depth, row + 24, 8);
  memcpy(&quake->felt, row + 32, 8);
  memcpy(&quake->significance, row + 40, 8);
  memcpy(&quake->stations, row + 48, 8);
  memcpy(&quake->time, row + 56, 8);
  cmp_text *texts[TEXTS] = {
    &quake->code, &quake->place, &quake->network, &quake->magnitude_type, &quake->status};
  uint16_t start = 0;
  for (int i = 0; i < TEXTS; i++) {
    uint16_t end;
    memcpy(&end, row + ENDS_AT + 2 * i, 2);
    *texts[i] = (cmp_text){(const char *)row + TEXT_AT + start, (uint32_t)(end - start)};
    start = end;
  }
}

/// The value in an order that bytes keep (sign turned, negatives complemented), then the number.
void lmdb_key(double value, uint64_t number, uint8_t key[16]) {
  uint64_t bits;
  memcpy(&bits, &value, 8);
  bits = bits >> 63 ? ~bits : bits | UINT64_C(1) << 63;
  bits = __builtin_bswap64(bits);
  number = __builtin_bswap64(number);
  memcpy(key, &bits, 8);
  memcpy(key + 8, &number, 8);
}

uint64_t lmdb_number(const uint8_t *bytes) {
  uint64_t number;
  memcpy(&number, bytes, 8);
  return __builtin_bswap64(number);
}

/// The largest key of a database with integer keys, 0 when it is empty.
int lmdb_last(MDB_txn *transaction, MDB_dbi dbi, uint64_t *key) {
  MDB_cursor *cursor;
  MDB_val at, value;
  int code = mdb_cursor_open(transaction, dbi, &cursor);
  if (code != 0) return code;
  code = mdb_cursor_get(cursor, &at, &value, MDB_LAST);
  if (code == 0) memcpy(key, at.mv_data, 8);
  if (code == MDB_NOTFOUND) *key = 0, code = 0;
  mdb_cursor_close(cursor);
  return code;
}

int lmdb_append_change(MDB_txn *transaction, MDB_dbi dbi, uint64_t sequence, const lmdb_change *change) {
  MDB_val key = {8, &sequence};
  MDB_val value = {sizeof *change, (void *)change};
  return mdb_put(transaction, dbi, &key, &value, MDB_APPEND);
}
