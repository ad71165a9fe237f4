// Checks whether a gateway's provider can be reached and how the gateway is set up there; registers its number.

import type { Finding, GatewayCheck, Registration } from "#gateways/check.ts";
import type { GatewayAdapter } from "#gateways/gateway.ts";
import { findAdapter } from "#gateways/registry.ts";
import { urlFieldPath } from "#settings/url.ts";
import { storeAccountUpdate } from "#store/gateways/account-updates.ts";
import type { GatewaysTable } from "#store/schema/schema.ts";
import { gateways } from "./gateway.ts";
import type { ConfigureDeps } from "./resource.ts";

/** An operator waits for the answer. */
const timeoutMs = 15_000;

/** Whether gateways of this kind have anything to check. */
export function hasCheck({
  account,
  connection,
  settings,
}: Pick<GatewayAdapter, "account" | "connection" | "settings">): boolean {
  // Whether a device is linked is answered separately (`getGatewayLink`).
  const isDevice = connection === "linked" || connection === "pulled";
  return account !== undefined || (!isDevice && urlFieldPath(settings).length > 0);
}

/** Null if gateways of this kind have nothing to check. Sends nothing to servers of which only the connection is checked. */
export async function checkGateway(
  deps: ConfigureDeps,
  gateway: GatewaysTable,
): Promise<GatewayCheck | null> {
  const adapter = findAdapter(gateway.kind, gateway.channel);
  if (adapter === null || !hasCheck(adapter)) return null;
  if (!adapter.account)
    return { facts: {}, findings: await reach(deps, adapter.urls(settingsOf(deps, adapter, gateway))) };
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

/** Connects to each server once and hangs up: names resolve, addresses are allowed, ports answer, certificates are valid. */
async function reach({ outbound }: ConfigureDeps, urls: readonly string[]): Promise<Finding[]> {
  return await Promise.all(
    urls.map(async (url): Promise<Finding> => {
      const { protocol, hostname, port } = new URL(url);
      const secure = protocol === "https:";
      const dialled = {
        host: hostname.replace(/^\[|\]$/g, ""),
        port: port === "" ? (secure ? 443 : 80) : Number(port),
      };
      const result = await outbound.dial({ ...dialled, timeoutMs, ...(secure ? { tls: {} } : {}) });
      if (result.kind !== "connected") return { what: "network", state: "error", detail: result.reason };
      result.socket.destroy();
      const detail = `${dialled.host} answers on port ${dialled.port}${secure ? ", and its certificate is valid" : ""}.`;
      return { what: "network", state: "ok", detail };
    }),
  );
}

/** Null if numbers of this kind are not registered. */
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

/** The settings as the adapter receives them, with their defaults. */
const settingsOf = ({ sealer }: ConfigureDeps, adapter: GatewayAdapter, gateway: GatewaysTable) =>
  adapter.settings.parse(gateways.fieldsOf(sealer, gateway).settings);
