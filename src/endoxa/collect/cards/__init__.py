"""Cards in the database: drawing the next one, answering, skipping, taking back, proposing new pairs.

Each public function is one transaction that locks the campaign's row first (on SQLite the transaction takes the write
lock when it begins), so that what is read is still true when it is written. The sampler decides, these functions store.
"""
