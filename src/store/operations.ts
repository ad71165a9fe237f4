// Every operation by its name, for the threads that run them.

import * as accept from "./accept.ts";
import * as accounts from "./accounts.ts";
import type { Operation } from "./database.ts";
import * as gateways from "./gateways.ts";
import * as lanes from "./lanes.ts";
import * as lookup from "./lookup.ts";
import * as progress from "./progress.ts";
import * as provisioned from "./provisioned.ts";
import * as receipts from "./receipts.ts";
import * as waiting from "./waiting.ts";

function isOperation(value: unknown): value is Operation<unknown, unknown> {
  return typeof value === "object" && value !== null && "gathered" in value && "run" in value;
}

export const operations: ReadonlyMap<string, Operation<unknown, unknown>> = new Map(
  [accounts, accept, gateways, lanes, lookup, progress, provisioned, receipts, waiting]
    .flatMap((module) => Object.values(module))
    .filter(isOperation)
    .map((operation) => [operation.name, operation]),
);
