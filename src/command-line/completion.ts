// Completion of the commands' words in bash, zsh and fish.

import type { Command } from "commander";

export const shells: readonly string[] = ["bash", "zsh", "fish"];

interface Word {
  name: string;
  description: string;
  options: string[];
}

/** The visible commands with their long options. */
function wordsOf(program: Command): Word[] {
  return program
    .createHelp()
    .visibleCommands(program)
    .map((command) => ({
      name: command.name(),
      description: command.description(),
      options: command.options.flatMap(({ long }) => (long === undefined || long === null ? [] : [long])),
    }));
}

/** In single quotes, for a shell. */
const quoted = (text: string) => `'${text.replaceAll("'", "")}'`;

function bash(words: readonly Word[]): string {
  const cases = words
    .filter(({ options }) => options.length > 0)
    .map(({ name, options }) => `    ${name}) words=${quoted(options.join(" "))} ;;`);
  return `_trunkline() {
  local words=${quoted(words.map(({ name }) => name).join(" "))}
  if [ "$COMP_CWORD" -gt 1 ]; then
    case "\${COMP_WORDS[1]}" in
${cases.join("\n")}
    *) words='' ;;
    esac
  fi
  COMPREPLY=($(compgen -W "$words" -- "\${COMP_WORDS[COMP_CWORD]}"))
  [ "\${#COMPREPLY[@]}" -gt 0 ] || COMPREPLY=($(compgen -f -- "\${COMP_WORDS[COMP_CWORD]}"))
}
complete -F _trunkline trunkline
`;
}

function zsh(words: readonly Word[]): string {
  const lines = words.map(({ name, description }) => `    ${quoted(`${name}:${description}`)}`);
  const cases = words
    .filter(({ options }) => options.length > 0)
    .map(({ name, options }) => `    ${name}) compadd -- ${options.join(" ")} ;;`);
  return `#compdef trunkline
_trunkline() {
  local -a commands=(
${lines.join("\n")}
  )
  if (( CURRENT == 2 )); then
    _describe command commands
    return
  fi
  case "$words[2]" in
${cases.join("\n")}
  esac
  _files
}
compdef _trunkline trunkline
`;
}

function fish(words: readonly Word[]): string {
  const lines = words.flatMap(({ name, description, options }) => [
    `complete -c trunkline -n __fish_use_subcommand -f -a ${name} -d ${quoted(description)}`,
    ...options.map(
      (option) => `complete -c trunkline -n '__fish_seen_subcommand_from ${name}' -l ${option.slice(2)}`,
    ),
  ]);
  return `${lines.join("\n")}\n`;
}

/** The script of a shell; null if it is not one of `shells`. */
export function completionScript(shell: string, program: Command): string | null {
  const words = wordsOf(program);
  switch (shell) {
    case "bash":
      return bash(words);
    case "zsh":
      return zsh(words);
    case "fish":
      return fish(words);
    default:
      return null;
  }
}
