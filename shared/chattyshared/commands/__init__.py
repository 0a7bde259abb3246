"""Click plumbing of both programs: groups, options, input files, exit codes, and the cache command."""
