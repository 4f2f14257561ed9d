"""Pages that lead in: join code, consent, receipt, profile, language."""
