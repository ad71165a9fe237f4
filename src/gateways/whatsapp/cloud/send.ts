// Sends one message: its file is uploaded first, and outside the 24-hour window a template may replace its text.

import type { OutgoingMessage } from "#gateways/message.ts";
import type { Outcome } from "#gateways/outcome.ts";
import { type GatewayHost, SessionLost } from "#gateways/session.ts";
import { windowClosed } from "./errors.ts";
import { MediaStore } from "./media.ts";
import { outcomeOf } from "./outcome.ts";
import { isWindowClosed, outsideWindow, templatePart } from "./reply-window.ts";
import {
  bodyOf,
  isLonger,
  type MediaSource,
  maxCaptionChars,
  maxTextChars,
  mediaPart,
  type Part,
  type PlainContent,
  partOf,
} from "./request.ts";
import { authorization, type CloudSettings, graphUrl } from "./settings.ts";

type Sent = OutgoingMessage<PlainContent["kind"] | "media">;

const sentDirectly = "The person did not write within 24 hours: the text was sent by Direct Send.";
const captionNotSent = "caption_not_sent: WhatsApp shows no text with audio.";

/** Sends the messages of one gateway. */
export class CloudSender {
  readonly #settings: CloudSettings;
  readonly #host: GatewayHost;
  readonly #files: MediaStore;

  constructor(settings: CloudSettings, host: GatewayHost) {
    this.#settings = settings;
    this.#host = host;
    this.#files = new MediaStore(settings, host);
  }

  async send(message: Sent, signal: AbortSignal): Promise<Outcome> {
    const { outside_window, direct_send } = this.#settings;
    const { content } = message;
    const refused = refusalOf(content, this.#settings);
    if (refused !== null) return refused;
    const isAlwaysAsIs = outside_window === "send" && (direct_send === null || content.kind !== "text");
    if (content.kind === "template" || isAlwaysAsIs) return await this.#sendAsIs(message, signal);
    try {
      if (await isWindowClosed(message, this.#host)) return await this.#sendOutside(message, signal);
    } catch (error) {
      if (!(error instanceof SessionLost)) throw error;
      return { kind: "deferred", code: "aborted", reason: "The message was not sent: the gateway stops." };
    }
    const outcome = await this.#sendAsIs(message, signal);
    // Meta knows better when the window closed, and has not sent the message.
    const isClosed = outcome.kind === "rejected" && outcome.code === windowClosed;
    return isClosed ? await this.#sendOutside(message, signal) : outcome;
  }

  async #sendAsIs(message: Sent, signal: AbortSignal): Promise<Outcome> {
    const { content } = message;
    if (content.kind !== "media") return await this.#post(message, partOf(content, this.#settings), signal);
    const outcome = await this.#sendFile({ ...message, content }, signal);
    const isSilent = outcome.kind === "accepted" && content.media === "audio" && content.text !== "";
    return isSilent ? withNote(outcome, captionNotSent) : outcome;
  }

  async #sendOutside(message: Sent, signal: AbortSignal): Promise<Outcome> {
    const { content } = message;
    const { outside_window, direct_send } = this.#settings;
    if (direct_send !== null && content.kind === "text") {
      const part = { ...partOf(content, this.#settings), category: direct_send };
      const outcome = await this.#post(message, part, signal);
      if (outcome.kind === "accepted") return withNote(outcome, sentDirectly);
      if (outside_window !== "template" || !isRefusedDirectSend(outcome)) return outcome;
    }
    if (outside_window !== "template") return outsideWindow("The gateway refuses it then.");
    if (content.kind !== "text") return outsideWindow("A template takes the place of a text alone.");
    const template = templatePart(content, this.#settings);
    if ("kind" in template) return template;
    const outcome = await this.#post(message, template.part, signal);
    if (outcome.kind !== "accepted") return outcome;
    const note = `The person did not write within 24 hours: the template ${this.#settings.template?.name} was sent.`;
    return withNote(outcome, note);
  }

  /** An upload that Meta refuses to send is uploaded once more. */
  async #sendFile(message: OutgoingMessage<"media">, signal: AbortSignal): Promise<Outcome> {
    const source = await this.#files.sourceOf(message, signal);
    if ("kind" in source) return source;
    const send = (from: MediaSource) => this.#post(message, mediaPart(message.content, from), signal);
    const outcome = await send(source);
    if (!("id" in source) || !isAboutTheFile(outcome)) return outcome;
    const renewed = await this.#files.renewed(message, source.id, signal);
    if (renewed === null) return outcome;
    return "kind" in renewed ? renewed : await send(renewed);
  }

  async #post(message: Sent, part: Part, signal: AbortSignal): Promise<Outcome> {
    const settings = this.#settings;
    const { outbound, clock, timeoutMs } = this.#host;
    const result = await outbound.request({
      method: "POST",
      url: graphUrl(settings, `/${settings.phone_number_id}/messages`),
      headers: {
        authorization: authorization(settings),
        "content-type": "application/json",
        accept: "application/json",
      },
      body: bodyOf(message, part, settings),
      timeoutMs,
      signal,
    });
    const { attempt, recipient } = message;
    return outcomeOf(result, { settings, attempt, recipient, now: clock.now() });
  }
}

/** The note before the one about Meta's answer. */
const withNote = (outcome: Outcome & { kind: "accepted" }, note: string): Outcome => ({
  ...outcome,
  note: outcome.note === undefined ? note : `${note} ${outcome.note}`,
});

/** 131053 is about the file. Meta names an id that it does not know with codes for parameters in general. */
function isAboutTheFile(outcome: Outcome): boolean {
  if (outcome.kind !== "rejected") return false;
  const { code, reason } = outcome;
  return code === "131053" || (["100", "131009"].includes(code) && /\b(?:media|attachment)\b/i.test(reason));
}

/**
 * Direct Send is not enabled for the account (100), or blocked (139200)
 * (https://developers.facebook.com/documentation/business-messaging/whatsapp/direct-send/api-reference). Nothing was sent.
 */
const isRefusedDirectSend = (outcome: Outcome): boolean =>
  outcome.kind === "rejected" && ["100", "139200"].includes(outcome.code);

/** The reason why it cannot be sent. Acceptance checks the length if it knows the gateway; a message may come from another one later. */
function refusalOf(content: Sent["content"], { audio_text }: CloudSettings): Outcome | null {
  if (content.kind === "template") return null;
  if (content.kind === "media" && content.media === "audio") {
    if (audio_text === "drop" || content.text === "") return null;
    const reason = "WhatsApp shows no text with audio, and the gateway refuses to leave it out.";
    return { kind: "rejected", code: "caption_not_sent", reason };
  }
  const max = content.kind === "media" ? maxCaptionChars : maxTextChars;
  if (!isLonger(content.text, max)) return null;
  const reason = `WhatsApp takes ${max} characters of ${content.kind === "media" ? "caption" : "text"} at most.`;
  return { kind: "rejected", code: "message_too_long", reason };
}
