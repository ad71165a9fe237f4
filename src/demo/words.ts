// Names and texts of the demo's traffic. Phone numbers are those that Ofcom keeps free for fiction.

import { xorshift32 } from "#runtime/random.ts";

export type Draw = () => number;

/** The same numbers for the same seed. */
export function seeded(seed: number): Draw {
  const next = xorshift32(seed);
  return () => next() / 2 ** 32;
}

export const pick = <T>(draw: Draw, list: readonly T[]): T => list[Math.floor(draw() * list.length)]!;
export const between = (draw: Draw, low: number, high: number) => low + Math.floor(draw() * (high - low + 1));

const names = [
  "Amelia Hart",
  "Ben Okafor",
  "Chloe Marsh",
  "Daniel Reyes",
  "Ella Novak",
  "Finn Gallagher",
  "Grace Lindqvist",
  "Hamza Siddiqui",
  "Isla Turner",
  "Jack Moreau",
  "Kayla Brooks",
  "Leo Fischer",
  "Maya Patel",
  "Noah Jensen",
  "Olivia Castillo",
  "Priya Raman",
  "Quentin Shaw",
  "Rosa Bianchi",
  "Samir Haddad",
  "Tess Whitfield",
] as const;
const mailHosts = ["mail.example", "inbox.example", "post.example", "studio.example"] as const;
const drinks = ["flat white", "filter", "cortado", "espresso", "oat latte"] as const;
const beans = ["Kochere", "Huila", "Antigua", "Sidamo", "Tarrazú"] as const;
const days = ["Monday", "Tuesday", "Wednesday", "Thursday", "Friday"] as const;

interface Person {
  name: string;
  first: string;
  number: string;
  email: string;
}

export function person(draw: Draw): Person {
  const name = pick(draw, names);
  const [first = "", last = ""] = name.split(" ");
  const email = `${first}.${last}${between(draw, 1, 99)}@${pick(draw, mailHosts)}`.toLowerCase();
  return { name, first, number: `+447700900${String(between(draw, 101, 999))}`, email };
}

/** `reference`: the shop's own, such as an order. */
interface Words {
  text: string;
  subject?: string;
  reference?: string;
}

type Write = (draw: Draw, to: Person) => Words;

const orderOf = (draw: Draw) => String(between(draw, 48_000, 52_999));

const onItsWay: Write = (draw, { first }) => {
  const order = orderOf(draw);
  const from = between(draw, 9, 16);
  const text = `Hi ${first}, order ${order} is on its way and arrives ${pick(draw, days)} between ${from}:00 and ${from + 2}:00.`;
  return { text, reference: `order-${order}` };
};
const code: Write = (draw) => ({
  text: `Your Harbour Coffee sign-in code is ${between(draw, 100, 999)} ${between(draw, 100, 999)}. It is valid for 10 minutes.`,
});
const readyToCollect: Write = (draw, { first }) => ({
  text: `${first}, your ${pick(draw, drinks)} is ready at the counter.`,
});
const tasting: Write = (draw, { first }) => ({
  text: `Hello ${first}, your tasting is booked for ${pick(draw, days)} at ${between(draw, 10, 17)}:30. Reply here if you need another time.`,
});
const receipt: Write = (draw, { first }) => {
  const order = orderOf(draw);
  return {
    subject: `Your receipt for order ${order}`,
    text: `<p>Hello ${first},</p><p>thank you for your order of ${between(draw, 1, 4)} bags of ${pick(draw, beans)}. The receipt is below.</p>`,
    reference: `order-${order}`,
  };
};
const newsletter: Write = (draw, { first }) => {
  const bean = pick(draw, beans);
  return {
    subject: `New this week: ${bean}`,
    text: `<p>Hello ${first},</p><p>${bean} is back, roasted on ${pick(draw, days)}.</p>`,
  };
};

export const written = {
  sms: [onItsWay, onItsWay, code, code, readyToCollect],
  whatsapp: [tasting, onItsWay],
  email: [receipt],
  newsletter: [newsletter],
} as const;

export const answers = [
  "Thanks!",
  "Perfect, see you then.",
  "Could you deliver after five?",
  "Is the Sidamo still in stock?",
  "Yes please",
] as const;

export const campaignText =
  "Harbour Coffee: 20% off all beans until Sunday. Reply STOP to end these messages.";
