"""Cards in the database: drawing the next one, answering, skipping, taking back, proposing new pairs.

What is written is checked in the same transaction, which locks the campaign first (`locking`), so that what is read is
still true then. The sampler decides, these functions store.
"""
