// The target's first file; replaced as soon as it has one.
