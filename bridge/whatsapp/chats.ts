// What people see of the device in a chat besides its messages: that it is typing, and that it has read theirs.

import { setTimeout as sleep } from "node:timers/promises";
import type { Socket } from "./library.ts";

/** The speed of a fast typist, and a few seconds at most, ms. */
const msPerChar = 40;
const minTypingMs = 1_000;
const maxTypingMs = 4_000;

/** Shows that a text is being typed, for a time that matches its length. Failures are ignored: only the message matters. */
export async function showTyping(socket: Socket, jid: string, text: string): Promise<void> {
  const ms = Math.min(maxTypingMs, Math.max(minTypingMs, text.length * msPerChar));
  await socket.sendPresenceUpdate("composing", jid).catch(() => {});
  await sleep(ms);
  await socket.sendPresenceUpdate("paused", jid).catch(() => {});
}

/** Best effort. People see it unless the phone's privacy settings prevent it. `facts`: of a received message, as JSON. */
export async function markRead(socket: Socket, facts: string): Promise<void> {
  const { chat, id } = JSON.parse(facts) as { chat: string; id: string };
  await socket.readMessages([{ remoteJid: chat, id, fromMe: false }]).catch(() => {});
}
