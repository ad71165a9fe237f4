// The commands of `trunkline` and their words. Each loads its own code when it runs. Commander reads the words, because it has no
// dependencies, names the nearest known word beside an unknown one, and writes the help.

import { Command, type CommanderError } from "commander";
import { commandWords, version } from "#runtime/program.ts";
import { fail, type Result, show } from "./output.ts";
import { configured } from "./settings.ts";

/** Exit codes: 0 done, 1 failed, 2 the words are wrong. */
const wrongWords = 2;

const json = ["--json", "print JSON for programs"] as const;

export function createProgram(): Command {
  const program = new Command("trunkline");
  const add = (words: string, description: string) => program.command(words).description(description);
  const showing = (command: Command) => command.option(...json);
  const elsewhere = (command: Command) =>
    command
      .option("--account <name>", "the account; otherwise the only one, or the one called default")
      .option("--url <address>", "an installation at this address; see TRUNKLINE_URL");

  program
    .description("Self-hosted messaging (SMS, WhatsApp, email) with durable delivery, and an AI gateway.")
    .version(version, "-v, --version", "print the version")
    .helpOption("-h, --help", "print this help")
    .helpCommand("help [command]", "print the help of a command")
    .addHelpText(
      "after",
      `
Without a command the service runs. Settings come from TRUNKLINE_ variables and the file .env; see docs/reference/configuration.md.
Exit codes: 0 done, 1 failed, 2 the words of the command are wrong.`,
    )
    .showSuggestionAfterError(true)
    .configureOutput({
      outputError: (text, write) => write(text.replace(/^error: /, "trunkline: ")),
    })
    .exitOverride(({ exitCode }: CommanderError) => process.exit(exitCode === 0 ? 0 : wrongWords));

  add("serve", "run the service (the same as no command)").action(async () => {
    const { serve } = await import("./serve.ts");
    await serve(configured());
  });
  showing(add("init", "ask three questions, and write .env and provision.yaml here"))
    .option("-y, --yes", "ask nothing")
    .action(async (options) => {
      const { init } = await import("./init.ts");
      show(await init(options), options);
    });
  showing(add("setup", "make a one-time link that makes an operator")).action(async (options) => {
    const { makeSetupLink } = await import("./keys.ts");
    show(await makeSetupLink(configured(), null), options);
  });
  showing(
    add("operator <email>", "the same for one e-mail address, also for an operator who lost the password"),
  ).action(async (email: string, options) => {
    const { makeSetupLink } = await import("./keys.ts");
    show(await makeSetupLink(configured(), email), options);
  });
  const key = add("key <account>", "give an account a new API key, in place of its old one");
  showing(key).action(async (account: string, options) => {
    const { renewKey } = await import("./keys.ts");
    show(await renewKey(configured(), account), options);
  });
  const several = (value: string, before: string[] = []) => [...before, value];
  elsewhere(
    key.command("create <name>").description("create an API key with a name, beside the account's own"),
  )
    .requiredOption("--scope <scope>", "read, send:sms, send:whatsapp or send:email; once for each", several)
    .option("--gateway <identifier>", "a gateway that it may use, once for each; otherwise all", several)
    .option("--expires <time>", "when it ends: YYYY-MM-DD, or a time with its offset")
    .option(...json)
    .action(async (name: string, _options, command: Command) => {
      const { createKey } = await import("./named-keys.ts");
      const options = command.optsWithGlobals<Parameters<typeof createKey>[1] & { json?: boolean }>();
      show(await createKey(name, options), options);
    });
  elsewhere(key.command("list").description("list the API keys with a name"))
    .option(...json)
    .action(async (_options, command: Command) => {
      const { listKeys } = await import("./named-keys.ts");
      const options = command.optsWithGlobals();
      show(await listKeys(options), options);
    });
  elsewhere(key.command("revoke <name>").description("revoke the API key with this name"))
    .option(...json)
    .action(async (name: string, _options, command: Command) => {
      const { revokeKey } = await import("./named-keys.ts");
      const options = command.optsWithGlobals();
      show(await revokeKey(name, options), options);
    });
  add("backup <file>", "copy a SQLite installation to a file, while it runs or not")
    .option("--key <keyfile>", "copy the master key to this file")
    .action(async (file: string, { key }: { key?: string }) => {
      const { backup } = await import("./backup.ts");
      await backup(configured(), file, key ?? null);
    });
  add("restore <file>", "put a backup into the data folder, which has no database yet")
    .option("--key <keyfile>", "the file that holds the backup's master key")
    .action(async (file: string, { key }: { key?: string }) => {
      const { restore } = await import("./restore.ts");
      restore(configured(), file, key ?? null);
    });
  showing(add("hold", "hold what is pending, before the first start of a restored dump or snapshot")).action(
    async (options) => {
      const { hold } = await import("./hold.ts");
      show(await hold(configured()), options);
    },
  );
  showing(add("release", "let go of what a restore holds")).action(async (options) => {
    const { release } = await import("./hold.ts");
    show(await release(configured()), options);
  });
  showing(add("doctor", "look at everything that commonly breaks, and say what to do")).action(
    async (options) => {
      const { doctor } = await import("./doctor/doctor.ts");
      const found = await doctor();
      show(found, options);
      if (!found.healthy) process.exitCode = 1;
    },
  );
  add("health", "end with 0 when the service on this machine is ready, and else say why").action(async () => {
    // It ends the process with its verdict.
    await import(new URL("../../scripts/health.mjs", import.meta.url).href);
    await new Promise(() => {});
  });
  add("install-whatsapp", "install the library of the gateway kind whatsapp-linked").action(() =>
    fail([`This process cannot install it. Run: ${commandWords("install-whatsapp")}`]),
  );
  elsewhere(add("send <channel> <to> <text>", "send a message: sms, whatsapp or email"))
    .option("--subject <text>", "the subject of an email")
    .option("--gateway <identifier>", "the gateway; otherwise the channel's default one")
    .option("--at <time>", "when to send it: YYYY-MM-DD HH:MM:SS, in the account's time zone")
    .option(...json)
    .action(async (channel: string, to: string, text: string, options) => {
      const { send } = await import("./messages.ts");
      show(await send(channel, to, text, options), options);
    });
  elsewhere(add("get <id>", "look a message up"))
    .option(...json)
    .action(async (id: string, options) => {
      const { get } = await import("./messages.ts");
      show(await get(id, options), options);
    });
  elsewhere(add("tail", "print messages as they are accepted and change"))
    .option("--channel <channel>", "of this channel alone: sms, whatsapp or email")
    .option(...json)
    .action(async (options) => {
      const { tail } = await import("./messages.ts");
      await tail(options);
    });
  elsewhere(add("gateways", "list the gateways and how they are"))
    .option(...json)
    .action(async (options) => {
      const { gateways } = await import("./lists.ts");
      show(await gateways(options), options);
    });
  elsewhere(add("pools", "list the pools and how their members are"))
    .option(...json)
    .action(async (options) => {
      const { pools } = await import("./lists.ts");
      show(await pools(options), options);
    });
  elsewhere(add("ask <question>", "ask a pool"))
    .option("--pool <name>", "the pool; otherwise the only one, or the one called default")
    .option("--model <model>", "the model; otherwise the pool chooses")
    .action(async (question: string, options) => {
      const { ask } = await import("./ask.ts");
      await ask(question, options);
    });
  const importing = add("import", "take over lists of other services");
  elsewhere(
    importing
      .command("suppressions <file>")
      .description("add the recipients of a CSV file to the list of those that get nothing"),
  )
    .option("--column <name>", "the column with the recipients: its name, or its number from 1")
    .option("--channel <channel>", "sms, whatsapp or email; otherwise what the column has")
    .option("--note <text>", "a note for those who read the list later")
    .option(...json)
    .action(async (file: string, options) => {
      const { importSuppressions } = await import("./import/suppressions.ts");
      show(await importSuppressions(file, options), options);
    });
  add("completion <shell>", "print a completion script for bash, zsh or fish").action(
    async (shell: string) => {
      const { completionScript, shells } = await import("./completion.ts");
      const script = completionScript(shell, program);
      if (script === null) fail([`There is no completion for ${shell}. There is for: ${shells.join(", ")}.`]);
      process.stdout.write(script);
    },
  );
  add("version", "print the version").action(() =>
    show({ text: version, data: { version } } satisfies Result, {}),
  );
  return program;
}

/** Runs the command that the words name. */
export async function runCommand(words: readonly string[]): Promise<void> {
  try {
    // Loading the reader of words takes 10 ms, which a start does not need.
    if (words.length === 0 || (words.length === 1 && words[0] === "serve")) {
      const { serve } = await import("./serve.ts");
      await serve(configured());
      return;
    }
    // The reader of a pipe, such as `head`, has read enough.
    process.stdout.on("error", (error: NodeJS.ErrnoException) =>
      process.exit(error.code === "EPIPE" ? 0 : 1),
    );
    await createProgram().parseAsync(words as string[], { from: "user" });
  } catch (error) {
    fail([error instanceof Error ? error.message : String(error)]);
  }
}
