"""Stores on Redis Cluster, behind Sentinel, and with replicas that confirm."""
