// YAML, of which JSON is a part.

import { parse, stringify, YAMLParseError } from "yaml";

/** The value of a text; of one that is no YAML, the line of the error, if known. Its words would quote the text, which may have secrets. */
export function readYaml(text: string): { value: unknown } | { line: number | null } {
  try {
    return { value: parse(text, { maxAliasCount: 100 }) };
  } catch (error) {
    return { line: error instanceof YAMLParseError ? (error.linePos?.[0]?.line ?? null) : null };
  }
}

/** Without anchors and folded lines, for people to change. */
export const yamlText = (value: unknown): string =>
  stringify(value, { lineWidth: 0, aliasDuplicateObjects: false });
