"""Join codes with expiry, and the page with the QR code."""
