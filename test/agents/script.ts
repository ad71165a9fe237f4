// What the scripted model does: it writes a file with the agent's own shell, reads it back, and says what it read.
// The step follows from the results that the conversation holds, so any member can go on where another one stopped.

import type { Offered, Step, ToolCall, Turn } from "../ai-peers/turn.ts";

export const fileName = "hello.txt";
/** What the file must hold: quotes, an umlaut and an emoji cross every format and every shell. */
export const fileText = `hello "from" the model: ä 😀`;
export const prompt = `Create a file ${fileName} and tell me what it holds.`;

/** What the answer must say: the words came back from the file, through the agent's shell. */
export const lastWords = (read: string): string => `It holds: ${read}`;

const commands = [
  `printf '%s\\n' '${fileText}' > ${fileName} && echo written`,
  `cat ${fileName}`,
  `wc -l < ${fileName}`,
];
/** So many calls of the model's has a task: one for each command, and one for the last words. */
export const callsOfTask = commands.length + 1;

/** The agent's shell: Claude Code's `Bash`, Codex's `exec_command`, or what the newest Codex has in its place. */
function shellCall(tools: readonly Offered[], command: string): ToolCall | null {
  const named = (pattern: RegExp) => tools.find(({ name }) => pattern.test(name));
  const bash = named(/^Bash$/);
  if (bash) return { tool: bash, input: JSON.stringify({ command, description: "Runs it" }) };
  const exec = named(/^exec_command$/);
  if (exec) return { tool: exec, input: JSON.stringify({ cmd: command }) };
  const script = named(/(^|_)exec(_|$)/);
  if (!script) return null;
  const input = `text((await tools.exec_command(${JSON.stringify({ cmd: command })})).output)`;
  // A member that has no custom tools is offered a function of one text.
  const [parameter] = script.parameters;
  return { tool: script, input: script.kind === "custom" ? input : JSON.stringify({ [parameter!]: input }) };
}

export function nextStep({ tools, results }: Turn): Step {
  // Titles, summaries and the like come without tools.
  if (tools.length === 0) return { thought: null, text: "A file", call: null };
  const command = commands[results.length];
  if (command !== undefined) {
    const call = shellCall(tools, command);
    if (call) return { thought: `Thought ${results.length + 1}.`, text: "I use the shell.", call };
    const names = tools.map(({ name }) => name).join(", ");
    return { thought: null, text: `No shell is offered: ${names}`, call: null };
  }
  const read = results[1]!.split("\n").find((line) => line.includes("hello")) ?? results[1]!;
  return { thought: "All is done.", text: lastWords(read.trim()), call: null };
}
