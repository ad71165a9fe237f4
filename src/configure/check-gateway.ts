// Asks a gateway's provider how the gateway is set up there, and registers its number.

import type { GatewayCheck, Registration } from "#gateways/check.ts";
import type { GatewayAdapter } from "#gateways/gateway.ts";
import { findAdapter } from "#gateways/registry.ts";
import { storeAccountUpdate } from "#store/gateways/account-updates.ts";
import type { GatewaysTable } from "#store/schema/schema.ts";
import { gateways } from "./gateway.ts";
import type { ConfigureDeps } from "./resource.ts";

/** An operator waits for the answer. */
const timeoutMs = 15_000;

/** Null: there is nothing to check at gateways of this kind. */
export async function checkGateway(
  deps: ConfigureDeps,
  gateway: GatewaysTable,
): Promise<GatewayCheck | null> {
  const adapter = findAdapter(gateway.kind, gateway.channel);
  if (!adapter?.account) return null;
  const { clock, database } = deps;
  const checked = await adapter.account.check(settingsOf(deps, adapter, gateway), toolsOf(deps));
  const at = clock.now();
  await database.run(storeAccountUpdate, {
    gatewayId: gateway.id,
    at,
    facts: checked.facts,
    aboutNumber: null,
    notice: null,
    pauseUntil: null,
    lifted: false,
    now: at,
  });
  return checked;
}

/** Null: numbers of this kind are not registered. */
export async function registerGateway(
  deps: ConfigureDeps,
  gateway: GatewaysTable,
  pin: string,
): Promise<Registration | null> {
  const adapter = findAdapter(gateway.kind, gateway.channel);
  if (!adapter?.account) return null;
  return await adapter.account.register(settingsOf(deps, adapter, gateway), pin, toolsOf(deps));
}

const toolsOf = ({ outbound, clock }: ConfigureDeps) => ({ outbound, clock, timeoutMs });

/** The settings as the adapter is given them, with their defaults. */
const settingsOf = ({ sealer }: ConfigureDeps, adapter: GatewayAdapter, gateway: GatewaysTable) =>
  adapter.settings.parse(gateways.fieldsOf(sealer, gateway).settings);
