"""Names of currencies and units from CLDR, the package Babel."""
