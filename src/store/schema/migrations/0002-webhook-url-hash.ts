// The URLs of webhook endpoints are sealed. A sealed text is another one each time, so a digest tells equal URLs apart from others.
// Migrations have no key: the first start after this one seals the URLs that are there (`webhooks/endpoint-url`).

import type { Tx } from "#store/database.ts";
import { define } from "./dialect.ts";

export const up = (tx: Tx): Promise<void> =>
  define(tx, [
    `alter table webhook_endpoints add column url_hash text`,
    `create unique index webhook_endpoints_url on webhook_endpoints (account_id, url_hash)`,
  ]);
