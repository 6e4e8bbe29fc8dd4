"use strict";

// The service worker: it keeps the page's files, all of one version, and answers with them when the page asks again, so that the page
// works without a network. make web writes the version and the names. A new version is used once no tab has the old one.
const version = "devel", names = ["./"];
const mine = `tlayout ${version}`, kept = new Set(names.map(name => new URL(name, registration.scope).href));

self.addEventListener("install", event => {
	const fresh = [...kept].map(address => new Request(address, {cache: "no-cache"})); // asks whether what the browser has is current
	event.waitUntil(caches.open(mine).then(cache => cache.addAll(fresh)));
});

self.addEventListener("activate", event => {
	const drop = async () => Promise.all((await caches.keys()).filter(name => name.startsWith("tlayout ") && name !== mine).map(name => caches.delete(name)));
	event.waitUntil(drop());
});

self.addEventListener("fetch", event => {
	const address = event.request.url.replace(/[?#].*/s, "").replace(/\/index\.html$/, "/");
	if (event.request.method === "GET" && kept.has(address)) event.respondWith(caches.match(address, {cacheName: mine}).then(found => found ?? fetch(event.request)));
});
