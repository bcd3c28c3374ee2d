"""What `adjudge doctor` looks at, one subject a file. Nothing is sent, nothing is changed."""
