// Opens the files of messages from people. Their providers keep the files; we pass them on, and readers need no token of a provider.

import type { Account } from "#accounts/account.ts";
import type { Core } from "#core/core.ts";
import type { OpenedFile, ReceivedFile } from "#gateways/received-file.ts";
import { findAdapter } from "#gateways/registry.ts";
import type { LightAbortSignal } from "#runtime/light-abort-controller.ts";
import { fileSecretContext, findInboundFile } from "#store/feedback/inbound.ts";
import { findGateway, openSettings } from "#store/gateways/gateways.ts";

const timeoutMs = 15_000;

/** `not_found`: the account received no message with this id, or none that the caller may read, or it has no file. */
type OpenFileResult =
  | { kind: "not_found" }
  | Exclude<OpenedFile, { kind: "opened" }>
  | (Extract<OpenedFile, { kind: "opened" }> & { contentType: string; filename: string });

export async function openFile(
  deps: Pick<Core, "clock" | "database" | "log" | "outbound" | "sealer" | "upstreams">,
  account: Pick<Account, "id" | "readableGatewayIds">,
  messageId: string,
  signal: LightAbortSignal,
): Promise<OpenFileResult> {
  const { clock, database, log, outbound, sealer, upstreams } = deps;
  const found = await database.run(findInboundFile, { accountId: account.id, id: messageId });
  if (found && account.readableGatewayIds?.includes(found.gatewayId) === false) return { kind: "not_found" };
  const gateway = found && (await database.run(findGateway, found.gatewayId));
  const adapter = gateway && findAdapter(gateway.kind, gateway.channel);
  if (!gateway || !adapter?.files) return { kind: "not_found" };
  if (clock.now() - found.receivedAt >= adapter.files.keptMs) return { kind: "gone" };
  const { secret: sealed, ...open } = JSON.parse(found.file) as ReceivedFile;
  const secret = sealed === undefined ? {} : { secret: sealer.unseal(sealed, fileSecretContext(gateway.id)) };
  const file: ReceivedFile = { ...open, ...secret };
  const tools = { outbound, upstreams, clock, timeoutMs, signal };
  const opened = await adapter.files.open(file, openSettings(sealer, gateway), tools);
  if (opened.kind === "unavailable") {
    const { reason } = opened;
    log.warn(
      { event: "received_file.unavailable", gateway: gateway.identifier, reason },
      "The file of a received message could not be had from its provider.",
    );
  }
  if (opened.kind !== "opened") return opened;
  const contentType = shownType(file.contentType);
  return {
    ...opened,
    contentType,
    filename: file.filename ?? `${messageId}${extensions.get(contentType) ?? ""}`,
  };
}

/** Types that a browser displays safely, or stores. Anything else is sent as bytes: a page from an unknown sender must not run here. */
const extensions = new Map([
  ["image/jpeg", ".jpg"],
  ["image/png", ".png"],
  ["image/webp", ".webp"],
  ["audio/aac", ".aac"],
  ["audio/amr", ".amr"],
  ["audio/mpeg", ".mp3"],
  ["audio/mp4", ".m4a"],
  ["audio/ogg", ".ogg"],
  ["video/mp4", ".mp4"],
  ["video/3gpp", ".3gp"],
  ["text/plain", ".txt"],
  ["application/pdf", ".pdf"],
]);

function shownType(contentType: string | null): string {
  const type = contentType?.split(";", 1)[0]?.trim().toLowerCase() ?? "";
  return extensions.has(type) ? type : "application/octet-stream";
}
