"""The intent definition language: parsing, checking, compiling, printing."""
