// The accounts that were opened in this browser, the last one first.

export interface Named {
  id: string;
  name: string;
}

const kept = 5;

/** Anything but a list of accounts, such as a value of an earlier version, counts as empty. */
export function recentAccounts(): Named[] {
  try {
    const stored: unknown = JSON.parse(localStorage.getItem("accounts") ?? "[]");
    return Array.isArray(stored)
      ? stored.filter((each): each is Named => typeof each?.id === "string" && typeof each?.name === "string")
      : [];
  } catch {
    return [];
  }
}

export function rememberAccount({ id, name }: Named): void {
  const others = recentAccounts().filter((each) => each.id !== id);
  localStorage.setItem("accounts", JSON.stringify([{ id, name }, ...others].slice(0, kept)));
}

/** The found accounts, recently used ones first. `search`: part of their names. */
export function ordered(recent: readonly Named[], found: readonly Named[], search: string): Named[] {
  const fits = recent.filter(({ name }) => name.toLowerCase().includes(search.trim().toLowerCase()));
  const before = new Set(fits.map(({ id }) => id));
  return [...fits, ...found.filter(({ id }) => !before.has(id))];
}
