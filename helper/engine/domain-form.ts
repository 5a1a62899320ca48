const domain = /^(?=.{1,253}$)[A-Za-z0-9_](?:[A-Za-z0-9_.-]*[A-Za-z0-9])?\.?$/;

/** Whether a word that a gateway gave can be a domain. */
export const isDomain = (word: string): boolean => domain.test(word);
