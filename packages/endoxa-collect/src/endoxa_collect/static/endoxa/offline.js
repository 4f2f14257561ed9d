// Keeps taps, words and answers of the survey until the site says, with the token they were sent with, that it has them.
// Everything works without it.
"use strict";

(() => {
  const KEPT = "endoxa.answers";
  const OWNER = "endoxa.owner";
  const REFUSED = "endoxa.refused";
  const STORE = "endoxa-1";
  const RETRY_SECONDS = 15;
  const GIVE_UP_SECONDS = 10;
  const AT_HAND_AFTER_SECONDS = 2;
  const ENOUGH = 8;
  const CARD = /^\/card\/[0-9a-f-]{36}\//;
  const line = document.getElementById("waiting");
  if (!line) return;
  const forms = [...document.querySelectorAll("form[data-keep]")];
  let sending = false;
  // The key of what was sent from this page, its form, and the button.
  let live = null;
  let leaving = false;

  // Without storage, what waits goes with the page.
  const memory = {};
  const get = (name, otherwise) => {
    try { return JSON.parse(localStorage.getItem(name)) ?? otherwise; } catch { return memory[name] ?? otherwise; }
  };
  const set = (name, value) => {
    memory[name] = value;
    try {
      if (value && Object.keys(value).length) localStorage.setItem(name, JSON.stringify(value));
      else localStorage.removeItem(name);
    } catch { /* kept in memory */ }
  };
  // Whether somebody else began since, or the person left.
  const replaced = () => get(OWNER, "") !== line.dataset.owner;
  // By key: the address, "#" and a token. The value is the form.
  const read = () => get(KEPT, {});
  const waits = () => Object.keys(read()).length;
  const drop = (key) => {
    const { [key]: _, ...others } = read();
    set(KEPT, others);
  };
  const token = () => {
    // `crypto.randomUUID` is missing on plain http, as in a workshop's own network.
    const hex = [...crypto.getRandomValues(new Uint8Array(16))].map((byte) => byte.toString(16).padStart(2, "0"));
    return hex.join("").replace(/^(.{8})(.{4})(.{4})(.{4})/, "$1-$2-$3-$4-");
  };

  const note = line.querySelector("p");
  const button = line.querySelector("button");
  const show = (sent = false) => {
    const count = waits();
    const refused = get(REFUSED, []);
    const said = [];
    if (refused.length) said.push(`${line.dataset.refused} ${refused.join(" · ")}`);
    if (count) said.push(line.dataset.waiting.replace("{n}", count.toLocaleString(document.documentElement.lang)));
    else if (sent) said.push(line.dataset.sent);
    note.textContent = said.join(" ");
    button.textContent = refused.length ? line.dataset.seen : line.dataset.send;
    button.hidden = !refused.length && !count;
    line.hidden = !said.length;
  };
  const say = (id) => {
    const box = document.getElementById(id);
    if (!box) return;
    box.hidden = false;
    box.textContent = box.dataset.text;
    box.scrollIntoView({ block: "nearest" });
  };

  const csrf = () => line.querySelector("[name=csrfmiddlewaretoken]");
  // What the site says; null: no network, the site is busy, or it was not the site that answered.
  const ask = async (address, body, mark) => {
    const abort = new AbortController();
    const timer = setTimeout(() => abort.abort(), GIVE_UP_SECONDS * 1000);
    const headers = { Accept: "application/json", "Endoxa-Send": mark };
    try {
      const method = body ? "POST" : "GET";
      const answer = await fetch(address, { method, headers, body, redirect: "manual", cache: "no-store", signal: abort.signal });
      const ours = answer.headers.get("Endoxa-Kept") === mark && answer.status !== 429 && answer.status < 500;
      if (!ours) return answer.status === 403 ? "stale" : null;
      return { status: answer.status, next: answer.headers.get("Endoxa-Next"), headers: answer.headers, answer };
    } catch {
      return null;
    } finally {
      clearTimeout(timer);
    }
  };
  const post = async (address, fields, mark) => {
    const filled = (more) => new URLSearchParams([...new URLSearchParams(fields), ["csrfmiddlewaretoken", more]]);
    let told = await ask(address, filled(csrf().value), mark);
    if (told === "stale") {
      // The page was kept for longer than the token of its forms.
      const fresh = await ask(line.dataset.atHand, null, token());
      if (!fresh || fresh === "stale") return null;
      if (fresh.status === 410) return fresh;
      csrf().value = (await fresh.answer.json()).csrf;
      told = await ask(address, filled(csrf().value), mark);
    }
    return told === "stale" ? null : told;
  };

  const store = async () => ("caches" in window && navigator.serviceWorker ? caches.open(STORE) : null);
  const paths = async (kept) => (await kept.keys()).map((each) => new URL(each.url).pathname);
  // The pages that an answer is about are not shown again.
  const forget = async (address) => {
    const kept = await store();
    if (!kept) return;
    const path = address.split("#")[0];
    const card = path.match(CARD)?.[0];
    await kept.delete(card ?? path);
    if (card && !path.endsWith("/rate/")) await kept.delete(`${card}add/`);
  };
  const onward = async (wanted) => {
    const kept = await store();
    if (!kept) return "";
    const there = await paths(kept);
    if (there.includes(wanted)) return wanted;
    const own = location.pathname.startsWith("/survey/") ? /^\/survey\// : /^\/(card\/[0-9a-f-]{36}|pause)\/$/;
    return there.find((path) => own.test(path)) ?? (there.includes("/offline/") ? "/offline/" : "");
  };

  const go = (address) => {
    leaving = true;
    const to = new URL(address, location.href);
    if (to.pathname + to.search === location.pathname + location.search) {
      location.hash = to.hash;
      location.reload();
    } else location.assign(to);
  };
  const goOn = async () => {
    const next = await onward(live.form.dataset.next || "");
    // As the phone has it: the site does not know yet what waits here.
    if (next && next !== location.pathname) go(`${next}?kept`);
    else say("kept");
  };

  const words = (fields) => [...new URLSearchParams(fields)].filter(([name]) => /^(text|lines)$/.test(name))
    .map(([, value]) => value.trim()).filter(Boolean).map((value) => `“${value}”`);

  // Sends what is kept, the oldest first. True: nothing is left.
  const flush = async () => {
    if (sending || replaced()) return false;
    sending = true;
    let some = false;
    for (let next; navigator.onLine && (next = Object.entries(read())[0]);) {
      const [key, fields] = next;
      const [address, mark] = key.split("#");
      const told = await post(address, fields, mark || token());
      if (!told) break;
      const asked = live?.key === key;
      if (told.status === 410 && !asked) { location.assign("/"); return false; }
      drop(key);
      await forget(key);
      some = true;
      const ours = asked || forms.some((form) => form.dataset.keep === "once" && new URL(form.action).pathname === address);
      const lost = [403, 410, 422].includes(told.status) ? words(fields) : [];
      if (asked && (lost.length || [403, 410].includes(told.status))) {
        // A page says what is wrong, beside the words.
        live.form.dataset.native = "1";
        live.form.requestSubmit(live.button);
        return false;
      }
      if (lost.length) set(REFUSED, [...get(REFUSED, []), ...lost]);
      if (ours) {
        if (told.next) go(told.next); else location.reload();
        return false;
      }
    }
    sending = false;
    const left = waits();
    show(some);
    if (left) setTimeout(flush, RETRY_SECONDS * 1000);
    return !left;
  };

  const written = (form) => words(new URLSearchParams(new FormData(form))).length > 0;
  const incomplete = (form) => {
    const first = form.querySelectorAll("[name=lines]");
    const wanting = written(form) ? [...form.querySelectorAll("select[name=language]")].filter((each) => !each.value) : [...first];
    for (const each of wanting) each.required = true;
    for (const each of wanting) each.closest("details")?.setAttribute("open", "");
    return wanting.length > 0 && !form.reportValidity();
  };

  const empty = (form) => {
    for (const each of form.querySelectorAll("[name=text], [name=lines]")) each.value = "";
  };
  const keep = async (form, pressed) => {
    const address = new URL(pressed?.hasAttribute("formaction") ? pressed.formAction : form.action).pathname;
    const data = new FormData(form);
    if (pressed?.name) data.append(pressed.name, pressed.value);
    data.delete("csrfmiddlewaretoken");
    const key = `${address}#${token()}`;
    const fields = new URLSearchParams(data).toString();
    // A form has one answer, the latest; only words about a card add up.
    const adds = CARD.test(address) && form.dataset.keep !== "once";
    const others = Object.entries(read()).filter(([each, sent]) => each.split("#")[0] !== address || (adds && sent !== fields));
    const before = others.length;
    live = { key, form, button: pressed };
    if (form.dataset.keep === "more" && address.endsWith("/finish/") && ![...data].some(([name, value]) => !/^(language|owner)$/.test(name) && value)) {
      // Nothing to add: nothing to send.
      if (navigator.onLine && !before) location.assign(form.dataset.next); else await goOn();
      return;
    }
    set(KEPT, Object.fromEntries([...others, [key, fields]]));
    await forget(key);
    // Nobody shall wait for each answer until the network gives up.
    if (!before || !(await onward(form.dataset.next || ""))) await flush();
    if (!(key in read())) return;
    show();
    if (form.dataset.keep !== "once") empty(form);
    // "Add" stays with its card.
    if (!address.endsWith("/add/")) await goOn();
  };

  for (const form of forms) {
    form.addEventListener("submit", (event) => {
      // A second tap.
      if (leaving) { event.preventDefault(); return; }
      const pressed = event.submitter;
      // Of lines that are all empty the site says in the person's language what to do.
      const asks = form.dataset.keep === "words" && pressed?.name !== "nothing" && navigator.onLine && !written(form);
      // The page of an earlier person goes to the site, which says so.
      const stale = replaced();
      if (form.dataset.native || asks || (stale && navigator.onLine)) return;
      event.preventDefault();
      if (stale) { say("offline"); return; }
      // A second tap while the first is on its way; what is only kept may be changed.
      if (sending && live && live.key in read()) return;
      if (pressed?.name !== "nothing" && incomplete(form)) return;
      for (const each of form.querySelectorAll("button")) each.setAttribute("aria-pressed", String(each === pressed));
      keep(form, pressed);
    });
  }
  addEventListener("pageshow", () => { leaving = false; });
  button.addEventListener("click", () => { set(REFUSED, []); show(); flush(); });

  // Pages for the time without a network, once nothing that they would ask again waits.
  const fetchPages = async () => {
    const kept = await store();
    if (!kept || !navigator.onLine || waits()) return;
    const language = document.documentElement.lang;
    const there = get("endoxa.language", "") === language ? await paths(kept) : [];
    if (there.filter((path) => CARD.test(path) && !path.endsWith("/add/")).length >= ENOUGH) return;
    const asked = [["owner", line.dataset.owner], ...there.map((path) => ["have", path])];
    const told = await post(line.dataset.atHand, new URLSearchParams(asked), token());
    if (!told) throw new Error();
    if (told.status !== 200) return;
    const headers = new Headers(told.headers);
    for (const name of ["content-length", "content-encoding"]) headers.delete(name);
    headers.set("content-type", "text/html; charset=utf-8");
    const { pages, keep: worth, more } = await told.answer.json();
    if (replaced() || waits()) return;
    set("endoxa.language", language);
    for (const path of await paths(kept)) if (!path.startsWith("/static/") && !worth.includes(path)) await kept.delete(path);
    // Without its script a page sends what is typed into a dead network.
    for (const [, file] of Object.values(pages).join("").matchAll(/"(\/static\/[^"]+\.(css|js))"/g)) {
      if (!(await kept.match(file))) await kept.add(file);
    }
    // All are put anew: the store has them in the order in which they were put.
    for (const path of worth) {
      const page = path in pages ? new Response(pages[path], { headers }) : await kept.match(path);
      if (page) await kept.put(path, page);
    }
    if (more) fetchSoon(AT_HAND_AFTER_SECONDS);
  };
  const fetchSoon = (seconds) => setTimeout(() => fetchPages().catch(() => fetchSoon(RETRY_SECONDS)), seconds * 1000);

  const begin = async () => {
    if (replaced()) {
      set(KEPT, {});
      set(REFUSED, []);
      await globalThis.caches?.delete(STORE);
      set(OWNER, line.dataset.owner);
    }
    show();
    navigator.serviceWorker?.register(line.dataset.worker).catch(() => { /* plain http, or not wanted */ });
    // For a page older than the worker.
    navigator.serviceWorker?.ready.then(({ active }) => { if (!navigator.serviceWorker.controller) active.postMessage("claim"); });
    if (await flush()) fetchSoon(AT_HAND_AFTER_SECONDS);
  };
  addEventListener("online", () => { flush(); });
  begin();
})();
