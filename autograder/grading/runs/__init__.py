"""Many submissions: workers, clusters, results kept on disk."""
