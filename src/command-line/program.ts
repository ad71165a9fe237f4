// The commands of `trunkline` and their arguments. Each loads its own code when it runs. Uses Commander because it has no dependencies,
// suggests the nearest command for an unknown one, and writes the help.

import { Command, CommanderError } from "commander";
import { commandWords, installation, version } from "#runtime/program.ts";
import { Failure, print, show, type Terminal } from "./terminal.ts";

const wrongWords = 2;

const json = ["--json", "print JSON for programs"] as const;

const elsewhere = (command: Command) =>
  command
    .option("--account <name>", "the account; otherwise the only one, or the one called default")
    .option("--url <address>", "an installation at this address; see TRUNKLINE_URL");

const several = (value: string, before: string[] = []) => [...before, value];

/** Parses the arguments of a command, which runs on this terminal. */
export function createProgram(terminal: Terminal): Command {
  const program = new Command("trunkline")
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
      writeOut: (text) => terminal.output.write(text),
      writeErr: (text) => terminal.errors.write(text),
      outputError: (text, write) => write(text.replace(/^error: /, "trunkline: ")),
    })
    .exitOverride();
  addStart(program, terminal);
  addProvisioning(program, terminal);
  addAccess(program, terminal);
  addNamedKeys(program, terminal);
  addCopies(program, terminal);
  addChecks(program, terminal);
  addMessages(program, terminal);
  addLists(program, terminal);
  addShell(program, terminal);
  return program;
}

function addStart(program: Command, terminal: Terminal): void {
  program
    .command("serve")
    .description("run the service (the same as no command)")
    .action(async () => {
      const { serve } = await import("./serve.ts");
      await serve(terminal);
    });
  program
    .command("demo")
    .description("look around in an installation with a month of traffic, which is removed at its end")
    .action(async () => {
      const [{ runDemo }, { systemSettings }, { configured }] = await Promise.all([
        import("#demo/demo.ts"),
        import("./open.ts"),
        import("./settings.ts"),
      ]);
      const config = configured(terminal);
      await runDemo({
        host: config.HOST,
        port: config.PORT,
        settingsFor: (folder) =>
          systemSettings({ ...config, DATA_DIR: folder, DATABASE_URL: undefined, MASTER_KEY: undefined }),
        print: (text) => print(terminal, text),
      });
    });
  program
    .command("init")
    .description("ask three questions, and write .env and provision.yaml here")
    .option(...json)
    .option("-y, --yes", "ask nothing")
    .action(async (options) => {
      const { init } = await import("./init.ts");
      show(terminal, await init(terminal, options), options);
    });
}

function addProvisioning(program: Command, terminal: Terminal): void {
  program
    .command("provision [file]")
    .description("apply a provisioning file as a start does, also to the service that runs here")
    .option(
      "--check",
      "change nothing: say whether a fresh installation takes the file, and what it would change here",
    )
    .option("--export", "print what there is as a provisioning file, with a variable for each secret")
    .option(...json)
    .action(async (file: string | undefined, options, command: Command) => {
      if ((file === undefined) !== (options.export === true) || (options.check && options.export))
        command.error("error: name a file, or --export without one");
      const { applyFile, exportFile } = await import("./provision/apply.ts");
      if (file === undefined) return await exportFile(terminal, options);
      const { checkProvision } = await import("./provision/check.ts");
      show(terminal, await (options.check ? checkProvision : applyFile)(terminal, file), options);
    });
}

/** Access for people, and an account's own key. */
function addAccess(program: Command, terminal: Terminal): void {
  program
    .command("setup")
    .description("make a one-time link that makes an operator")
    .option(...json)
    .action(async (options) => {
      const { makeSetupLink } = await import("./keys.ts");
      show(terminal, await makeSetupLink(terminal, null), options);
    });
  program
    .command("operator <email>")
    .description("the same for one email address, also for an operator who lost the password")
    .option(...json)
    .action(async (email: string, options) => {
      const { makeSetupLink } = await import("./keys.ts");
      show(terminal, await makeSetupLink(terminal, email), options);
    });
}

function addNamedKeys(program: Command, terminal: Terminal): void {
  const key = program
    .command("key <account>")
    .description("give an account a new API key, in place of its old one")
    .option(...json)
    .action(async (account: string, options) => {
      const { renewKey } = await import("./keys.ts");
      show(terminal, await renewKey(terminal, account), options);
    });
  elsewhere(
    key.command("create <name>").description("create an API key with a name, beside the account's own"),
  )
    .requiredOption(
      "--scope <scope>",
      "read, read:own, send:sms, send:whatsapp or send:email; once for each",
      several,
    )
    .option("--gateway <identifier>", "a gateway that it may use, once for each; otherwise all", several)
    .option("--expires <time>", "when it ends: YYYY-MM-DD, or a time with its offset")
    .option(...json)
    .action(async (name: string, _options, command: Command) => {
      const { createKey } = await import("./named-keys.ts");
      const options = command.optsWithGlobals<Parameters<typeof createKey>[2] & { json?: boolean }>();
      show(terminal, await createKey(terminal, name, options), options);
    });
  elsewhere(key.command("list").description("list the API keys with a name"))
    .option(...json)
    .action(async (_options, command: Command) => {
      const { listKeys } = await import("./named-keys.ts");
      const options = command.optsWithGlobals();
      show(terminal, await listKeys(terminal, options), options);
    });
  elsewhere(key.command("revoke <name>").description("revoke the API key with this name"))
    .option(...json)
    .action(async (name: string, _options, command: Command) => {
      const { revokeKey } = await import("./named-keys.ts");
      const options = command.optsWithGlobals();
      show(terminal, await revokeKey(terminal, name, options), options);
    });
}

function addCopies(program: Command, terminal: Terminal): void {
  program
    .command("backup <file>")
    .description("copy a SQLite installation to a file, while it runs or not")
    .option("--key <keyfile>", "copy the master key to this file")
    .action(async (file: string, { key }: { key?: string }) => {
      const { backup } = await import("./backup/backup.ts");
      await backup(terminal, file, key ?? null);
    });
  program
    .command("restore <file>")
    .description("put a backup into the data folder, which has no database yet")
    .option("--key <keyfile>", "the file that holds the backup's master key")
    .action(async (file: string, { key }: { key?: string }) => {
      const { restore } = await import("./backup/restore.ts");
      restore(terminal, file, key ?? null);
    });
  program
    .command("hold")
    .description("hold what is pending, before the first start of a restored dump or snapshot")
    .option(...json)
    .action(async (options) => {
      const { hold } = await import("./backup/hold.ts");
      show(terminal, await hold(terminal), options);
    });
  program
    .command("release")
    .description("let go of what a restore holds")
    .option(...json)
    .action(async (options) => {
      const { release } = await import("./backup/hold.ts");
      show(terminal, await release(terminal), options);
    });
}

function addChecks(program: Command, terminal: Terminal): void {
  program
    .command("doctor")
    .description("look at everything that commonly breaks, and say what to do")
    .option(...json)
    .action(async (options) => {
      const { doctor } = await import("./doctor/doctor.ts");
      const found = await doctor(terminal);
      show(terminal, found, options);
      // Errors are printed.
      if (!found.healthy) throw new Failure([]);
    });
  program
    .command("health")
    .description("end with 0 when the service on this machine is ready, and else say why")
    .action(async () => {
      // Its result is the exit code of the process.
      await import(new URL("scripts/health.mjs", installation).href);
      await new Promise(() => {});
    });
  program
    .command("install-whatsapp")
    .description("install the library of the gateway kind whatsapp-linked")
    .action(() => {
      throw new Error(`This process cannot install it. Run: ${commandWords("install-whatsapp")}`);
    });
}

function addMessages(program: Command, terminal: Terminal): void {
  elsewhere(
    program.command("send <channel> <to> <text>").description("send a message: sms, whatsapp or email"),
  )
    .option("--subject <text>", "the subject of an email")
    .option("--gateway <identifier>", "the gateway; otherwise the channel's default one")
    .option("--at <time>", "when to send it: YYYY-MM-DD HH:MM:SS, in the account's time zone")
    .option(...json)
    .action(async (channel: string, to: string, text: string, options) => {
      const { send } = await import("./messages.ts");
      show(terminal, await send(terminal, channel, to, text, options), options);
    });
  elsewhere(program.command("get <id>").description("look a message up"))
    .option(...json)
    .action(async (id: string, options) => {
      const { get } = await import("./messages.ts");
      show(terminal, await get(terminal, id, options), options);
    });
  elsewhere(program.command("tail").description("print messages as they are accepted and change"))
    .option("--channel <channel>", "of this channel alone: sms, whatsapp or email")
    .option(...json)
    .action(async (options) => {
      const { tail } = await import("./messages.ts");
      await tail(terminal, options);
    });
}

function addLists(program: Command, terminal: Terminal): void {
  elsewhere(program.command("gateways").description("list the gateways and how they are"))
    .option(...json)
    .action(async (options) => {
      const { gateways } = await import("./lists.ts");
      show(terminal, await gateways(terminal, options), options);
    });
  elsewhere(program.command("pools").description("list the pools and how their members are"))
    .option(...json)
    .action(async (options) => {
      const { pools } = await import("./lists.ts");
      show(terminal, await pools(terminal, options), options);
    });
  program
    .command("tokens")
    .description("list the management tokens, when each was last used and when it ends")
    .option("--url <address>", "an installation at this address; see TRUNKLINE_URL")
    .option(...json)
    .action(async (options) => {
      const { tokens } = await import("./lists.ts");
      show(terminal, await tokens(terminal, options), options);
    });
  elsewhere(program.command("ask <question>").description("ask a pool"))
    .option("--pool <name>", "the pool; otherwise the only one, or the one called default")
    .option("--model <model>", "the model; otherwise the pool chooses")
    .action(async (question: string, options) => {
      const { ask } = await import("./ask.ts");
      await ask(terminal, question, options);
    });
  const importing = program.command("import").description("take over what another service has");
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
      show(terminal, await importSuppressions(terminal, file, options), options);
    });
  importing
    .command("litellm <file>")
    .description(
      "print the provisioning file that a LiteLLM config.yaml becomes, and what has no counterpart",
    )
    .option("--account <name>", "the account that the pool belongs to", "default")
    .option("--pool <name>", "the name of the pool", "default")
    .option(...json)
    .action(async (file: string, options) => {
      const { importLitellm } = await import("./import/litellm.ts");
      await importLitellm(terminal, file, options);
    });
}

function addShell(program: Command, terminal: Terminal): void {
  program
    .command("completion <shell>")
    .description("print a completion script for bash, zsh or fish")
    .action(async (shell: string) => {
      const { completionScript, shells } = await import("./completion.ts");
      const script = completionScript(shell, program);
      if (script === null)
        throw new Error(`There is no completion for ${shell}. There is for: ${shells.join(", ")}.`);
      terminal.output.write(script);
    });
  program
    .command("version")
    .description("print the version")
    .action(() => show(terminal, { text: version, data: { version } }, {}));
}

/** Runs a command. Returns the exit code; throws what it fails with. */
export async function runWords(words: readonly string[], terminal: Terminal): Promise<number> {
  try {
    await createProgram(terminal).parseAsync(words as string[], { from: "user" });
    return 0;
  } catch (error) {
    if (!(error instanceof CommanderError)) throw error;
    return error.exitCode === 0 ? 0 : wrongWords;
  }
}
