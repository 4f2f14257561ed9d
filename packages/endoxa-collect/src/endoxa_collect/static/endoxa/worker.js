// Shows the pages that a phone keeps where there is no network: those of contributors only. `offline.js` puts them
// into the store and takes them out.
"use strict";

const STORE = "endoxa-1";
const PATIENCE_SECONDS = 10;
const NEXT = /^\/(card\/[0-9a-f-]{36}|pause)\/$/;
// After these somebody else may take part on this phone.
const HANDS_ON = /^\/(next-speaker|leave|resume|j\/.+)\/$/;
const NOT_OURS = /^\/(organise|t)\//;

const late = () => new Promise((_, fail) => { setTimeout(fail, PATIENCE_SECONDS * 1000, new Error("late")); });

const file = async (request) => {
  const store = await caches.open(STORE);
  return await store.match(request) ?? fetch(request);
};

const kept = async (url) => {
  const store = await caches.open(STORE);
  const path = new URL(url).pathname;
  const page = await store.match(path);
  if (page) return page;
  const cards = (await store.keys()).filter((each) => NEXT.test(new URL(each.url).pathname));
  const asks = path.startsWith("/card/") || path === "/" || path === "/pause/";
  return (asks && cards[0] && await store.match(cards[0])) || store.match("/offline/");
};

const page = async (request) => {
  const asked = new URL(request.url);
  // "Go on" after a pause.
  if (asked.search === "?on=1") await (await caches.open(STORE)).delete("/pause/");
  const there = asked.search === "?kept" && await (await caches.open(STORE)).match(asked.pathname);
  if (there) return there;
  try {
    // What is sent may take its time: sent twice it would be shown twice.
    const answer = await (request.method === "GET" ? Promise.race([fetch(request), late()]) : fetch(request));
    if (request.method === "POST" && HANDS_ON.test(asked.pathname)) await caches.delete(STORE);
    return answer;
  } catch (problem) {
    const instead = request.method === "GET" ? await kept(request.url) : await caches.match("/offline/");
    if (instead) return instead;
    throw problem;
  }
};

addEventListener("install", () => { skipWaiting(); });
addEventListener("activate", (event) => {
  const tidy = async () => {
    for (const name of await caches.keys()) if (name.startsWith("endoxa-") && name !== STORE) await caches.delete(name);
    await clients.claim();
  };
  event.waitUntil(tidy());
});
addEventListener("message", (event) => { event.waitUntil(clients.claim()); });
addEventListener("fetch", (event) => {
  const { origin, pathname } = new URL(event.request.url);
  if (origin !== location.origin || NOT_OURS.test(pathname)) return;
  // Names of files change with their contents.
  if (event.request.method === "GET" && pathname.startsWith("/static/")) event.respondWith(file(event.request));
  else if (event.request.mode === "navigate") event.respondWith(page(event.request));
});
