"""The report of stories and of ratings of harm: an explorer in one page. Entry: `endoxa.instruments.reports`."""
