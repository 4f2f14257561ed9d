"""What remembers that rows went, without remembering whose they were: for published releases and restored backups."""
