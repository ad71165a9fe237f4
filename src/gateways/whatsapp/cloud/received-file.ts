// The file of a message from a person
// (https://developers.facebook.com/documentation/business-messaging/whatsapp/business-phone-numbers/media): its id leads to a URL that is
// valid for five minutes and needs our token, so callers get the bytes through us.

import { parseJson } from "#gateways/json-path.ts";
import type { FileTools, OpenedFile, ReceivedFile } from "#gateways/received-file.ts";
import { isBodyError } from "#runtime/net/streaming-client.ts";
import { field, text } from "./json.ts";
import { outcomeOf } from "./outcome.ts";
import { authorization, type CloudSettings, graphUrl } from "./settings.ts";

/** Meta deletes received files after seven days. */
export const receivedFileMs = 7 * 86_400_000;
const connectMs = 10_000;
const headersMs = 15_000;
const patienceMs = 30_000;
/** The largest file that a person can send. */
const maxBytes = 2 * 1024 * 1024 * 1024;

export async function openReceivedFile(
  { id }: ReceivedFile,
  settings: CloudSettings,
  { outbound, upstreams, clock, timeoutMs, signal }: FileTools,
): Promise<OpenedFile> {
  const query = `?phone_number_id=${settings.phone_number_id}`;
  const headers = { authorization: authorization(settings), accept: "application/json" };
  const url = graphUrl(settings, `/${id}${query}`);
  const found = await outbound.request({ method: "GET", url, headers, timeoutMs });
  if (found.kind !== "answer" || found.status !== 200) {
    const outcome = outcomeOf(found, { settings, attempt: 1, now: clock.now() });
    const code = "code" in outcome ? outcome.code : undefined;
    // Meta reports an id that it no longer knows as an invalid parameter.
    if (found.kind === "answer" && (found.status === 404 || code === "100")) return { kind: "gone" };
    return { kind: "unavailable", reason: "reason" in outcome ? outcome.reason : "Meta named no file." };
  }
  const named = parseJson(found.body) ?? null;
  const target = URL.parse(text(field(named, "url")));
  // The token is sent to Meta only.
  if (target === null || !isMetas(target, settings))
    return { kind: "unavailable", reason: "Meta named no address of its own for the file." };
  const opened = await upstreams.open({
    method: "GET",
    url: target.href,
    headers: { authorization: authorization(settings), "user-agent": "Trunkline", accept: "*/*" },
    body: null,
    connectMs,
    headersMs,
    signal,
  });
  if (opened.kind === "failed") return { kind: "unavailable", reason: `Meta's file: ${opened.reason}` };
  const { status, body } = opened;
  if (status !== 200) {
    body.cancel();
    return status === 404 || status === 410
      ? { kind: "gone" }
      : { kind: "unavailable", reason: `Meta answered ${status} for the file.` };
  }
  const announced = opened.headers["content-length"] ?? "";
  const bytes = /^\d{1,12}$/.test(announced) ? Number(announced) : null;
  let left = bytes ?? maxBytes;
  return {
    kind: "opened",
    bytes,
    next: async () => {
      const piece = await body.read(patienceMs);
      if (isBodyError(piece)) throw new Error(`The file broke off: ${piece.reason}`);
      left -= piece?.length ?? 0;
      if (left < 0) throw new Error("The file is longer than Meta announced.");
      return piece;
    },
    cancel: () => body.cancel(),
  };
}

/** Where Meta keeps files, or where the settings say that the Graph API is. */
function isMetas(url: URL, { base_url }: CloudSettings): boolean {
  if (url.origin === new URL(base_url).origin) return true;
  return (
    url.protocol === "https:" &&
    /(?:^|\.)(?:fbsbx\.com|facebook\.com|fbcdn\.net|whatsapp\.net)$/.test(url.hostname)
  );
}
