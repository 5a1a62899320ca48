/** The pipe of that name among those of all programs. `String.raw` would not do: a backslash keeps `${` from being one. */
export const pipeNamed = (name: string): string => `\\\\.\\pipe\\${name}`;
