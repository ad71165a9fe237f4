// The webhook events on the page at /docs.

interface PostedEvent {
  operationId: string;
  summary: string;
  description?: string;
  requestBody: { content: Record<string, { example?: unknown }> };
}

/** The `webhooks` of an OpenAPI document: an event's type to what is posted. */
export type Webhooks = Record<string, { post: PostedEvent }>;

interface Tools {
  /** Text made safe for HTML. */
  safe(text: string): string;
  prose(text: string): string;
  codeBlock(label: string, text: string): string;
}

/** The sections of the events, and the links to them; both empty where there are none. */
export function eventSections(
  webhooks: Webhooks,
  { safe, prose, codeBlock }: Tools,
): { links: string; sections: string } {
  const events = Object.entries(webhooks).map(([type, { post }]) => ({ type, ...post }));
  if (events.length === 0) return { links: "", sections: "" };
  const links = events.map(
    ({ operationId, type }) =>
      `<li data-find="${safe(type)}"><a href="#${safe(operationId)}"><span class="method">POST</span> ${safe(type)}</a></li>`,
  );
  const sections = events.map(({ operationId, type, summary, description = "", requestBody }) => {
    const example = requestBody.content["application/json"]?.example;
    return `<section class="event" id="${safe(operationId)}" data-find="${safe(`${type} ${summary}`.toLowerCase())}">
<h3><a href="#${safe(operationId)}">${safe(type)}</a></h3>
<p>${prose(`${summary}. ${description}`)}</p>
${example === undefined ? "" : codeBlock("Body", JSON.stringify(example, null, 2))}
</section>`;
  });
  return {
    links: `<h2>Events</h2><ul>${links.join("")}</ul>`,
    sections: `<h2>Events that are posted to webhooks</h2>${sections.join("")}`,
  };
}
