// The documentation as a site: the guides, the API reference, and the OpenAPI document as docs/reference/ has it. A test holds that file to
// the endpoints, so that the service itself never generates it.

import { readFileSync } from "node:fs";
import { docsPage } from "./docs.ts";
import { guideFiles, type SiteFile } from "./guides.ts";

/** What is rendered, as a worker thread receives it. */
export interface SiteInput {
  /** The URL of docs/. */
  folder: string;
  /** The address of the site in `llms.txt`. */
  base: string;
}

/** All files of the site by their path in it, and the API reference for a page beside it: `../docs`. */
export function siteFiles({ folder, base }: SiteInput): ReadonlyMap<string, SiteFile> {
  const document = JSON.parse(readFileSync(new URL("reference/openapi.json", folder), "utf8")) as object;
  const openapi = Buffer.from(JSON.stringify(document));
  const { html, contentSecurityPolicy } = docsPage(document);
  const files = guideFiles(new URL(folder), { ...docsPage(document, "index.html"), openapi }, base);
  const bytes = Buffer.from(html);
  return new Map([...files, ["../docs", { type: "text/html; charset=utf-8", bytes, contentSecurityPolicy }]]);
}
