"""A run with faults: many users talk to several workers while processes, servers, connections and
clocks fail, and a checker compares what was answered with what is kept."""
