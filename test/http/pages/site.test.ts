// The documentation as the service delivers it, which a thread renders.

import assert from "node:assert/strict";
import test from "node:test";
import { siteFiles } from "#http/pages/site.ts";
import { installation } from "#runtime/program.ts";
import { ask, edge } from "../edge.ts";

const get = (url: string) => ask(edge(), { method: "GET", url });

test("the thread that renders the site delivers it whole", async () => {
  const site = siteFiles({ folder: new URL("docs/", installation).href, base: "docs/" });
  for (const path of ["index.html", "from/twilio.html", "from/twilio.md", "search.json", "api.html"])
    assert.equal((await get(`/docs/${path}`)).text, Buffer.from(site.get(path)!.bytes).toString(), path);
  assert.equal((await get("/docs")).text, Buffer.from(site.get("../docs")!.bytes).toString());
});
