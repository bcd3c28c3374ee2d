"""What the service does between a request and its answer: judging one item, running jobs."""
