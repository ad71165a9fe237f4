// What the scripted model answers to the Python clients: it calls the first tool, says what came back, and fills the
// shape that the answer has to have.

import type { Step, Turn } from "../ai-peers/turn.ts";

export const city = "Zürich";
/** The answer where there is nothing else to say. */
export const greeting = "Grüezi 😀";
const shape = JSON.stringify({ city, degrees: 21 });

export function nextStep({ tools, results, schema }: Turn): Step {
  const thought = "It is about the weather.";
  const weather = tools.find(({ name }) => name === "weather");
  if (weather && results.length === 0) {
    return { thought, text: "I ask.", call: { tool: weather, input: JSON.stringify({ city }) } };
  }
  // Frameworks that want a shape offer a tool for it, or name its schema.
  const filled = tools.find(({ parameters }) => parameters.includes("degrees"));
  if (filled) return { thought, text: "", call: { tool: filled, input: shape } };
  if (schema !== null) return { thought, text: shape, call: null };
  return {
    thought,
    text: results.length > 0 ? `The tool said: ${results.join(", ")}` : greeting,
    call: null,
  };
}
