// After leaving: what the scripts kept in this browser goes too. Without scripts nothing was kept.
"use strict";

(async () => {
  try {
    for (const key of Object.keys(localStorage)) if (key.startsWith("endoxa.")) localStorage.removeItem(key);
  } catch { /* no storage: nothing is there */ }
  if ("caches" in window) for (const name of await caches.keys()) if (name.startsWith("endoxa-")) await caches.delete(name);
  for (const worker of await navigator.serviceWorker?.getRegistrations() ?? []) await worker.unregister();
})();
