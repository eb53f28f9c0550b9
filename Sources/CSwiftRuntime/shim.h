// What the Swift runtime offers to C, and the language has no words for.
#ifndef BOLIDE_SWIFT_RUNTIME_H
#define BOLIDE_SWIFT_RUNTIME_H

/// Retains an object, unless its last reference is gone; its memory must still be there.
/// Returns the object, or NULL where it is ending. Part of the runtime's stable interface.
void *_Nullable swift_tryRetain(void *_Nonnull object);

#endif
