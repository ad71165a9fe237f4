// What the Cloud API refuses in the body of a message: fields, types and lengths of Meta's OpenAPI document.

import { z } from "zod";

const chars = (max: number) => z.string().min(1).max(max);

const parameter = z.looseObject({
  type: z.enum(["text", "currency", "date_time", "image", "video", "document", "payload"]),
});

const file = { id: z.string().regex(/^\d+$/).optional(), link: z.url().optional() };
const captioned = { ...file, caption: z.string().max(1024).optional() };
/** A file is named by an id or by a link, never by both. */
const oneSource = <Shape extends z.ZodObject>(shape: Shape) =>
  shape.refine((media) => "id" in media !== "link" in media, "needs an id or a link");

const parts = {
  text: z.strictObject({ body: chars(4096), preview_url: z.boolean().optional() }),
  image: oneSource(z.strictObject(captioned)),
  video: oneSource(z.strictObject(captioned)),
  document: oneSource(z.strictObject({ ...captioned, filename: z.string().optional() })),
  audio: oneSource(z.strictObject({ ...file, voice: z.boolean().optional() })),
  interactive: z.strictObject({
    type: z.literal("list"),
    header: z.strictObject({ type: z.literal("text"), text: chars(60) }).optional(),
    body: z.strictObject({ text: chars(4096) }),
    footer: z.strictObject({ text: chars(60) }).optional(),
    action: z.strictObject({
      button: chars(20),
      sections: z
        .array(
          z.strictObject({
            title: chars(24).optional(),
            rows: z
              .array(z.strictObject({ id: chars(200), title: chars(24), description: chars(72).optional() }))
              .min(1),
          }),
        )
        .min(1)
        .max(10)
        .refine((list) => list.length === 1 || list.every(({ title }) => title !== undefined), "titles")
        .refine((list) => list.flatMap(({ rows }) => rows).length <= 10, "10 rows in all"),
    }),
  }),
  template: z.strictObject({
    name: z.string().regex(/^[a-z0-9_]{1,512}$/),
    language: z.strictObject({ code: z.string().min(2).max(15) }),
    components: z
      .array(z.looseObject({ type: z.string(), parameters: z.array(parameter).optional() }))
      .optional(),
  }),
};

const message = z
  .strictObject({
    messaging_product: z.literal("whatsapp"),
    recipient_type: z.literal("individual").optional(),
    to: z.string().min(1).optional(),
    recipient: z
      .string()
      .regex(/^[A-Z]{2}\.(?:ENT\.)?[A-Za-z0-9]{1,128}$/)
      .optional(),
    type: z.enum(["text", "image", "video", "document", "audio", "interactive", "template"]),
    biz_opaque_callback_data: z.string().max(512).optional(),
    messaging_account_id: z.string().regex(/^\d+$/).optional(),
    /** Of Direct Send. */
    category: z.enum(["utility", "authentication"]).optional(),
    ...Object.fromEntries(Object.entries(parts).map(([name, part]) => [name, part.optional()])),
  })
  .refine(({ to, recipient }) => to !== undefined || recipient !== undefined, "The parameter to is required.")
  .refine((body) => {
    const present = Object.keys(parts).filter((name) => Object.hasOwn(body, name));
    return present.length === 1 && present[0] === body.type;
  }, "The parameter of the type is required.");

/** Why Meta would refuse the body; null: it would not. */
export function messageFault(body: unknown): string | null {
  const { error } = message.safeParse(body);
  if (error === undefined) return null;
  return error.issues.map(({ path, message: why }) => `${path.join(".")} ${why}`.trim()).join("; ");
}
