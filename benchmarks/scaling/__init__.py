"""A queueing model of a deployment: how many questions workers, stores and machines carry."""
