// Values, rows and calls that a store and the layer above it exchange.
