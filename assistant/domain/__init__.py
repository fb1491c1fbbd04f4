"""The rules of the product, in the standard library alone: records, machines, the protocol, ports."""
