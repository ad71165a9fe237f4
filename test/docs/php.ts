// Arrays and texts of PHP, as far as pages write them.

/** A value of JSON. */
type Value = string | Value[] | { [name: string]: Value };

/** `'text'`, `"text"`, `[value, …]` or `['name' => value, …]`; anything else up to a comma or bracket stands for itself. */
export function phpValue(code: string): Value {
  const tokens = code.match(/'[^']*'|"[^"]*"|=>|[[\],]|[^\s[\],'"]+/g) ?? [];
  let at = 0;
  const value = (): Value => {
    const token = tokens[at++] ?? "";
    if (token !== "[") return /^['"]/.test(token) ? token.slice(1, -1) : token;
    const items: Value[] = [];
    const fields: { [name: string]: Value } = {};
    while (at < tokens.length && tokens[at] !== "]") {
      const item = value();
      if (tokens[at] === "=>") {
        at += 1;
        fields[String(item)] = value();
      } else items.push(item);
      if (tokens[at] === ",") at += 1;
    }
    at += 1;
    return items.length > 0 ? items : fields;
  };
  return value();
}
