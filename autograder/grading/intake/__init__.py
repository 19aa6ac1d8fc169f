"""Read submitted files and rebuild them in the shape of the released notebook."""
