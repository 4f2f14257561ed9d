// Decision records come last, and the reference of options after the pages that say what to type.
var Scorer = {
  score: ([page, , , , score]) => score - (page.startsWith("decisions/") ? 1000 : page.startsWith("options/") ? 3 : 0),
  objNameMatch: 11, objPartialMatch: 6, objPrio: { 0: 15, 1: 5, 2: -5 }, objPrioDefault: 0,
  title: 15, partialTitle: 7, term: 5, partialTerm: 2,
};
