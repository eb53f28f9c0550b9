// The C side of bolide-bench: the same jobs on the raw SQLite and LMDB interfaces, written as someone who
// knows these libraries would write them. Prepared statements, one transaction a job, no allocation per row.
//
// Every function that can fail returns 0 or an error number; `cmp_message` says what happened.
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

/// Bytes of UTF-8 that somebody else owns; at most 255 in a record.
typedef struct {
  const char *bytes;
  uint32_t length;
} cmp_text;

/// One record: a unique text key, four doubles, three integers, four short texts, and a date in seconds.
typedef struct {
  cmp_text code;
  double magnitude, latitude, longitude, depth;
  int64_t felt, significance, stations;
  cmp_text place, network, magnitude_type, status;
  double time;
} cmp_quake;

typedef enum { CMP_SQLITE_FILE, CMP_SQLITE_MEMORY, CMP_LMDB } cmp_kind;

/// What an import does with a record whose key is stored already.
typedef enum {
  CMP_UPSERT,          // writes it again
  CMP_UPSERT_CHANGED,  // compares first and writes what differs
} cmp_conflict;

/// What a job did: how long it took, over how many rows, and a checksum of what it saw.
typedef struct {
  double seconds;
  uint64_t rows;
  uint64_t checksum;
} cmp_result;

typedef struct cmp_store cmp_store;

/// Opens or creates a store; `path` is a file for SQLite and a folder for LMDB, and is not used in memory.
/// On failure `*store` is still set when memory allowed it, so that its message can be read; close it anyway.
int cmp_open(cmp_kind kind, const char *path, cmp_store **store);
void cmp_close(cmp_store *store);
const char *cmp_message(const cmp_store *store);

/// Makes at most `room` records and returns how many; 0 ends the series. Their texts stay valid until the next call.
typedef size_t (*cmp_fill)(void *context, cmp_quake *quakes, size_t room);

/// The records of an import: an array, or, where `fill` is set, whatever it makes.
typedef struct {
  const cmp_quake *quakes;
  size_t count;
  cmp_fill fill;
  void *context;
} cmp_source;

/// Imports all records in one transaction; `history` adds one change row per object that changed.
int cmp_import(
  cmp_store *store, cmp_source source, cmp_conflict conflict, bool history, cmp_result *result);

/// Reads the newest `limit` rows before each time that have at least this magnitude; ordered checksum.
int cmp_pages(
  cmp_store *store, const double *before, size_t requests, double magnitude, int limit, cmp_result *result);

/// Reads one row for each key.
int cmp_lookup(cmp_store *store, const cmp_text *codes, size_t count, cmp_result *result);

/// Reads every row in order of magnitude, then number; ordered checksum.
int cmp_sorted(cmp_store *store, cmp_result *result);

/// Sets `felt` where `significance` is below the bound, with a change row each.
int cmp_update(cmp_store *store, int64_t significance, int64_t felt, cmp_result *result);

/// Deletes where `significance` is below the bound, with a change row each.
int cmp_delete(cmp_store *store, int64_t significance, cmp_result *result);

/// Reads every change after a transaction; the checksum covers object and kind, in order.
int cmp_changes(cmp_store *store, uint64_t after, cmp_result *result);

/// Gives the rows with these numbers other magnitudes, in one transaction that is not timed, then finds out where rows
/// stand in the order of magnitude, then number: reads the order again and compares it with the one of the last call.
/// The checksum is that of the order; the rows are those that stand where another one stood.
int cmp_follow(
  cmp_store *store, const uint64_t *numbers, const double *magnitudes, size_t count, cmp_result *result);

/// Opens, `openings` times, a SQLite store in memory with this many sightings and groups, each sighting in one group.
/// The checksum covers what the last one holds. The store given is not touched; it takes the message of a failure.
int cmp_preview(
  cmp_store *store, size_t openings, size_t sightings, size_t groups, cmp_result *result);

/// What sighting number `index` of a preview holds.
double cmp_preview_time(size_t index);
double cmp_preview_energy(size_t index);

/// Copies the whole store: a file copy, or SQLite's own backup when it is in memory; checksum of the copy.
int cmp_copy(cmp_store *store, const char *path, cmp_result *result);

/// Gives freed memory back to the system where it can be told to, so that what is held is what is used.
void cmp_give_back(void);

/// Runs a program with one argument, its output thrown away, and waits for it; not 0 when it cannot be run or fails.
int cmp_spawn(const char *path, const char *argument, double *seconds);

/// The sum of all rows' hashes, whatever their order. Not timed as a job.
int cmp_content(cmp_store *store, cmp_result *result);

/// What is asked of a store that has data.
typedef enum {
  CMP_RANGE,    // for each bound the 20 weakest rows with at least this magnitude, by an index
  CMP_FILTER,   // for each bound the northern rows that are less deep, by number; there is no index
  CMP_ORDER,    // for each bound, which is not used, key and depth of all rows by depth, then number
  CMP_GROUP,    // for each bound, which is not used, count, sum of `felt` and strongest of each network
  CMP_MEMBERS,  // the rows with the keys, by number
} cmp_query;

/// Asks a store; `count` is how many bounds or keys there are. Ordered checksum of all answers.
int cmp_ask(
  cmp_store *store, cmp_query query, const double *bounds, const cmp_text *codes, size_t count,
  cmp_result *result);

/// Seconds of a clock that only goes forward.
double cmp_now(void);

/// The seconds at which a timed part starts, and those since then. Every timed part stands between these two, so that a
/// tool that counts instructions can be told to count between them alone.
double cmp_start(void);
double cmp_stop(double start);

/// The processor time of this process in all timed parts that have ended: on a busy machine it says more than a clock.
/// Timed parts are on one thread.
double cmp_busy(void);

/// How many timed parts have ended.
int64_t cmp_parts(void);

// The hash both sides use, eight bytes at a time, so that looking at every value costs next to nothing.

static inline uint64_t cmp_mix(uint64_t hash, uint64_t word) {
  hash = (hash ^ word) * UINT64_C(0x9E3779B97F4A7C15);
  return hash ^ (hash >> 29);
}

static inline uint64_t cmp_mix_double(uint64_t hash, double value) {
  uint64_t word;
  memcpy(&word, &value, sizeof word);
  return cmp_mix(hash, word);
}

static inline uint64_t cmp_mix_text(uint64_t hash, const void *bytes, size_t length) {
  const uint8_t *next = bytes;
  hash = cmp_mix(hash, length);
  for (; length >= 8; length -= 8, next += 8) {
    uint64_t word;
    memcpy(&word, next, 8);
    hash = cmp_mix(hash, word);
  }
  if (length > 0) {
    uint64_t word = 0;
    for (size_t i = 0; i < length; i++) word |= (uint64_t)next[i] << (8 * i);
    hash = cmp_mix(hash, word);
  }
  return hash;
}

static inline uint64_t cmp_hash_quake(const cmp_quake *quake) {
  uint64_t hash = cmp_mix_text(1, quake->code.bytes, quake->code.length);
  hash = cmp_mix_double(hash, quake->magnitude);
  hash = cmp_mix_double(hash, quake->latitude);
  hash = cmp_mix_double(hash, quake->longitude);
  hash = cmp_mix_double(hash, quake->depth);
  hash = cmp_mix(hash, (uint64_t)quake->felt);
  hash = cmp_mix(hash, (uint64_t)quake->significance);
  hash = cmp_mix(hash, (uint64_t)quake->stations);
  hash = cmp_mix_text(hash, quake->place.bytes, quake->place.length);
  hash = cmp_mix_text(hash, quake->network.bytes, quake->network.length);
  hash = cmp_mix_text(hash, quake->magnitude_type.bytes, quake->magnitude_type.length);
  hash = cmp_mix_text(hash, quake->status.bytes, quake->status.length);
  return cmp_mix_double(hash, quake->time);
}
