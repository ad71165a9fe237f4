// The name of a key that replaces another one.

/** `app` as `app 2`, `app 2` as `app 3`. */
export function nextName(name: string): string {
  const [, stem = name, count] = /^(.*?)(?: (\d{1,6}))?$/.exec(name) ?? [];
  return `${stem} ${count === undefined ? 2 : Number(count) + 1}`;
}
