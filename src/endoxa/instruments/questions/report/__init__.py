"""The report of runs of questions: answers in, one page, table or file out. Entry: `endoxa.instruments.reports`."""
