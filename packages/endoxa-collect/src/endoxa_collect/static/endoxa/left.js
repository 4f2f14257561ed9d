// After leaving: what the cards' script kept in this browser goes too. Without scripts nothing was kept.
"use strict";

try {
  for (const key of ["endoxa.answers", "endoxa.keys"]) localStorage.removeItem(key);
} catch { /* no storage: nothing is there */ }
