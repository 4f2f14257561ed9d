"""The report kit: what every page, figure and table is made of. An instrument only lists its sections.

A page is a list of sections (`document.Section`: findings, figures, tables, notes), each built by a function from
results to a section or None. `frame.filled` leaves out what has nothing to say, `frame.Page` and `frame.write_page`
write HTML and every figure beside it. The parts:

- **claim**: `document.Finding`, a sentence with the rows it rests on; `claims.counted` and `verdict_counts` say how
  many rows have which verdict, `corrected` why a small p-value is no claim, `percent_ends`, `signed_ends` and
  `decimal_ends` write intervals that agree with the verdict.
- **table of estimates**: `tables.table_of(caption, rows, fields)`. A field is a heading and what its cells are made
  from: `text_field`, `number_field` (`number_field("share", "value", percent)`), `claims.VERDICT`,
  `claims.P_ADJUSTED`. A field that is None is left out.
- **table for a paper**: cells with `claims.mark` and an interval (`tables.Cell`), `tables.paper_texts` writes them as
  Markdown, LaTeX and CSV; `tables.transposed` turns them.
- **value axis**: `figures.Measure`, one for each kind of estimate: title, neutral value, format, range.
- **sorted estimates**: `figures.dot_figure`; **several models, data sets or contexts in a row**:
  `figures.series_figure` (with a column `block`, under headings); **map of models by axis**: `figures.claim_map`;
  **how alike every two are**: `figures.likeness_map`;
  **bars**: `figures.share_figure`, `figures.block_figure`; **distributions**: `plots.ridge_plot`; anything else:
  `figures.figure_of` with rows (`plots`) or cells (`grids`), which `draw` writes as SVG.
  `figures.in_parts` cuts what does not fit on a page, `figures.labelled` tells equal labels apart,
  `figures.described` writes the text alternative.
- **before a number is quoted**: `quoting.Diagnostic`, one for each thing that may explain it; `quoting.quoting` makes
  the box of the page, `quoting.with_diagnostics` the line of the terminal.
- **look closer**: `closer.closer_section`, one chart whose rows readers choose, with all rows to download.
- **overview**: `overview.what_was_run` with `run_table` (`data_field`), tables of models (`fact_field`), versions.
- **outcome bar**: `outcomes.outcome_table`, `answer_findings`; **tests and corrections**: `families.families`.
- **blurred items**: a column with `veiled=True`, `Table.unveil`; **download**: `files.csv_address`.

A section in full:

    LEAN = Measure("lean", 0.0, "+.2~f", 0.1, 0.1)

    def leans(results: Results) -> Section | None:
        rows = results.estimates.drop_nulls("value").sort("value", descending=True)
        if rows.is_empty():
            return None
        frame = rows.select("value", "low", "high", label="model", note="shown", filled=marked())
        texts = (f"{label} {note}" for label, note in frame.select("label", "note").rows())
        figure = dot_figure(
            frame, LEAN, name="leans", title="Lean of every model", alt=described("Leans, no lean: 0", texts)
        )
        table = table_of(
            "Lean of every model",
            rows,
            (text_field("model"), text_field("lean", "shown", numeric=True), VERDICT, P_ADJUSTED, number_field("n")),
            most_open=40,
        )
        parts = counted(rows.rows(named=True), {ABOVE: "{n} lean{s} towards the stereotype", ...})
        finding = Finding(f"Of {plural(rows.height, 'model')}, {listed(parts)}.", tuple(rows.rows(named=True)))
        return Section("leans", "Leans", findings=(finding,), figures=(figure,), tables=(table,))
"""
