// Texts on which a regular expression could take more than linear time, made from its own syntax: for each quantifier
// without an end, what leads up to it, what it repeats, many times, and an end that makes the match fail. The static
// rule (scslre) knows the shapes that it knows; this one only believes the clock.

import { type AST, RegExpParser, visitRegExpAST } from "@eslint-community/regexpp";

/** Tails that make a match fail: nothing matches both of them and the end of a text. */
const spoilers = ["", "\u0001", "\n\u0001", "!"];
/** What stands for a class of characters, the first that fits: common ones first, so that classes that overlap share it. */
const alphabet = [
  ..." \ta0-=.:/_;,<>\"'@&?#+~%\\()[]{}|!$^*`\nA9f\r\u00a0\u00e9\u0130\u{1f600}",
  String.fromCharCode(0xd800),
];

/** The texts, each about `length` long; empty when the expression has no quantifier without an end. */
export function attacksOn(regex: RegExp, length: number): string[] {
  const pattern = new RegExpParser().parsePattern(regex.source, 0, regex.source.length, {
    unicode: regex.unicode,
    unicodeSets: regex.unicodeSets,
  });
  const characters = new Characters(regex.flags);
  visitRegExpAST(pattern, {
    onCharacterClassEnter: (node) => characters.learn(node),
    onCharacterSetEnter: (node) => characters.learn(node),
    onCharacterEnter: (node) => characters.learn(node),
  });
  const attacks = new Set<string>();
  visitRegExpAST(pattern, {
    onQuantifierEnter(quantifier) {
      if (quantifier.max < 1000) return;
      const lead = leadOf(quantifier, characters);
      for (const pump of pumpsOf(quantifier.element, characters)) {
        if (pump === "") continue;
        // The lead once, and the lead again before each: a start at every place.
        for (const text of [lead + repeated(pump, length), repeated(lead + pump, length)]) {
          for (const spoiler of spoilers) attacks.add(text + spoiler);
        }
      }
    },
  });
  return [...attacks];
}

const repeated = (text: string, length: number) => text.repeat(Math.max(1, Math.floor(length / text.length)));

type Single = AST.CharacterClass | AST.CharacterSet | AST.Character;

/** The characters that matter to an expression: one for each of its classes and sets, and its own. */
class Characters {
  readonly #flags: string;
  readonly #known = new Set<string>();

  constructor(flags: string) {
    this.#flags = flags.replace(/[gym]/g, "");
  }

  learn(node: Single): void {
    if (node.type === "Character") this.#known.add(String.fromCodePoint(node.value));
    else for (const one of this.#fitting(node, alphabet).slice(0, 3)) this.#known.add(one);
  }

  /** Of what matters, what the node matches. */
  of(node: Single): string[] {
    return this.#fitting(node, [...this.#known]);
  }

  #fitting(node: Single, from: readonly string[]): string[] {
    const alone = new RegExp(`^(?:${node.raw})$`, this.#flags);
    return from.filter((one) => alone.test(one));
  }
}

/** What has to stand before the node so that the expression gets there. */
function leadOf(node: AST.Node, characters: Characters): string {
  const { parent } = node;
  if (parent === null) return "";
  const before =
    parent.type === "Alternative"
      ? parent.elements
          .slice(0, parent.elements.indexOf(node as AST.Element))
          .map((each) => sampleOf(each, characters))
      : [];
  return leadOf(parent, characters) + before.join("");
}

/** Texts that one repetition may match. */
function pumpsOf(node: AST.Element, characters: Characters): string[] {
  switch (node.type) {
    case "Group":
    case "CapturingGroup":
      return node.alternatives.flatMap((each) => [
        each.elements.map((element) => sampleOf(element, characters)).join(""),
        ...(each.elements.length === 1 ? pumpsOf(each.elements[0]!, characters) : []),
      ]);
    case "Quantifier":
      return pumpsOf(node.element, characters);
    case "Character":
    case "CharacterSet":
    case "CharacterClass":
      return characters.of(node).slice(0, 6);
    default:
      return [];
  }
}

/** One text that the node matches, or nothing where none is needed. */
function sampleOf(node: AST.Element, characters: Characters): string {
  switch (node.type) {
    case "Group":
    case "CapturingGroup":
      return (node.alternatives[0]?.elements ?? []).map((element) => sampleOf(element, characters)).join("");
    case "Quantifier":
      return sampleOf(node.element, characters).repeat(Math.min(node.min, 1000));
    case "Character":
    case "CharacterSet":
    case "CharacterClass":
      return characters.of(node)[0] ?? "";
    default:
      return "";
  }
}
