// The module's first file; replaced as soon as it has one.
