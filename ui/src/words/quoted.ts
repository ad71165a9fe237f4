/** In a shell's single quotes, only a single quote has a meaning. */
export const quoted = (text: string): string => `'${text.replaceAll("'", "'\\''")}'`;
