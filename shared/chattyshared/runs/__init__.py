"""What a run of a command needs beside its work: locks of what it writes, containment of unexpected errors."""
