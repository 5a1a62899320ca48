let current: string | undefined;

/** The path of the test file that runs; undefined in programs that are no tests. */
export const currentTestFile = (): string | undefined => current;

export function setCurrentTestFile(file: string): void {
  current = file;
}
