// A Rankhold worker: ranks files by the query's words in them. Protocol: docs/protocol.md.

import { readdirSync, readFileSync } from "node:fs";
import { join, sep } from "node:path";
import { createInterface } from "node:readline";

const texts = new Map(); // path -> path and text, in lower case

const operations = {
  hello: () => ({ protocol: 1, name: "words.mjs", version: "1.0", unit: "file", ranked: true }),

  prepare({ corpus }) {
    for (const entry of readdirSync(corpus, { recursive: true, withFileTypes: true })) {
      if (!entry.isFile()) continue;
      const full = join(entry.parentPath ?? entry.path, entry.name);
      const path = full.slice(corpus.length + 1).replaceAll(sep, "/");
      texts.set(path, `${path}\n${readFileSync(full, "utf8")}`.toLowerCase());
    }
    return { files: [...texts.keys()].sort(), units: texts.size };
  },

  query({ query, fetch }) {
    const words = new Set(query.toLowerCase().match(/[\p{L}\p{N}_]+/gu) ?? []);
    const hits = [];
    for (const [path, text] of texts) {
      const counts = [...words].map((word) => text.split(word).length - 1).filter((count) => count > 0);
      const sum = counts.reduce((total, count) => total + count, 0);
      if (sum > 0) hits.push({ path, score: counts.length * 1000000 + sum });
    }
    hits.sort((a, b) => b.score - a.score || (a.path < b.path ? -1 : 1));
    return { hits: hits.slice(0, fetch) };
  },

  stop: () => ({}),
};

for await (const line of createInterface({ input: process.stdin })) {
  const { id, op, ...request } = JSON.parse(line);
  let reply;
  try {
    if (!Object.hasOwn(operations, op)) throw new Error(`unknown operation ${op}`);
    reply = { ok: true, ...operations[op](request) };
  } catch (error) { // an operation we do not know, a file we cannot read: say so and go on
    reply = { ok: false, error: { detail: String(error) } };
  }
  console.log(JSON.stringify({ id, ...reply }));
  if (op === "stop") break;
}
