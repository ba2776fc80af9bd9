"""Climate normals."""
