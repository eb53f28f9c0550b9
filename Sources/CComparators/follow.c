// A list that follows its data, as one does it without help: read the order again and compare.
#include <stdlib.h>

#include "internal.h"

/// Reads the order into a block of its own, with room for what may have been added since the last one.
static int read_order(cmp_store *store, uint64_t **order, size_t *count) {
  cmp_result content;
  size_t room = store->order_count;
  if (room == 0) {
    int code = cmp_content(store, &content);
    if (code != 0) return code;
    room = content.rows;
  }
  *order = malloc((room + 1) * sizeof **order);
  if (*order == NULL) return cmp_fail(store, -1, "no memory for a list");
  return store->kind == CMP_LMDB ? lmdb_order(store, *order, room + 1, count)
                                 : sql_order(store, *order, room + 1, count);
}

int cmp_follow(
  cmp_store *store, const uint64_t *numbers, const double *magnitudes, size_t count, cmp_result *result) {
  int code = store->kind == CMP_LMDB ? lmdb_move(store, numbers, magnitudes, count)
                                     : sql_move(store, numbers, magnitudes, count);
  uint64_t *order = NULL;
  size_t order_count = 0;
  uint64_t moved = 0;
  double start = cmp_start();
  if (code == 0) code = read_order(store, &order, &order_count);
  if (code != 0) {
    free(order);
    return code;
  }
  for (size_t i = 0; i < order_count && i < store->order_count; i++) moved += order[i] != store->order[i];
  double seconds = cmp_stop(start);
  uint64_t hash = 0;
  for (size_t i = 0; i < order_count; i++) hash = cmp_mix(hash, order[i]);
  free(store->order);
  store->order = order;
  store->order_count = order_count;
  *result = (cmp_result){seconds, moved, hash};
  return 0;
}
