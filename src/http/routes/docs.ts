// GET /openapi.json, GET /docs and GET /setup: what is read rather than called.

import { z } from "zod";
import { docsPage } from "#http/docs-page.ts";
import { type Endpoint, endpoint } from "#http/endpoint.ts";
import { openapiDocument } from "#http/openapi.ts";
import { setupPage } from "#http/setup-page.ts";

let document: object | undefined;
let page: ReturnType<typeof docsPage> | undefined;

/** Made when first asked for: it takes some 20 ms that a start can do without. */
function theDocument(): object {
  document ??= openapiDocument();
  return document;
}

const openapi = endpoint({
  method: "GET",
  path: "/openapi.json",
  name: "openapi",
  tag: "Documentation",
  summary: "This interface as an OpenAPI document",
  family: "open",
  replies: { 200: z.looseObject({ openapi: z.string() }) },
  problems: [],
})(async () => ({ status: 200, body: theDocument() as { openapi: string } }));

const docs = endpoint({
  method: "GET",
  path: "/docs",
  name: "docs",
  tag: "Documentation",
  summary: "This interface as a page",
  family: "open",
  replies: { 200: z.string() },
  replyType: "text/html; charset=utf-8",
  problems: [],
})(async () => {
  page ??= docsPage(theDocument());
  const headers = { "Content-Security-Policy": page.contentSecurityPolicy };
  return { status: 200, body: page.html, type: "text/html; charset=utf-8", headers };
});

const setup = endpoint({
  method: "GET",
  path: "/setup",
  name: "setupPage",
  tag: "Documentation",
  summary: "Where a one-time link makes an operator",
  family: "open",
  replies: { 200: z.string() },
  replyType: "text/html; charset=utf-8",
  problems: [],
})(async () => {
  const headers = { "Content-Security-Policy": setupPage.contentSecurityPolicy };
  return { status: 200, body: setupPage.html, type: "text/html; charset=utf-8", headers };
});

/** The pages, and the document that describes the other endpoints; they are not part of what it describes. */
export const docsEndpoints: readonly Endpoint[] = [openapi, docs, setup];
