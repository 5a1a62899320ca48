/** What a link with the app's own scheme can ask for. Anybody can create one: a page, a mail, another program. */
export type DeepLink = { does: 'open' } | { does: 'connect'; serverId: string | undefined };

const scheme = 'waymaker:';
const maxLength = 512;
/** Parsers of addresses leave out spaces and control characters, so the link would not be what it looks like. */
const visibleAscii = /^[\x21-\x7e]*$/;
/** The form of the service's server ids; it cannot be mistaken for anything else. */
const serverId = /^[\w.:-]{1,128}$/;

/**
 * Accepts only `waymaker://open`, `waymaker://connect` and `waymaker://connect?server=ID`; undefined for any other
 * text.
 */
export function parseDeepLink(text: string): DeepLink | undefined {
  if (text.length > maxLength || !visibleAscii.test(text)) return undefined;
  const url = URL.parse(text);
  if (url?.protocol !== scheme || url.username || url.password || url.port || url.hash) return undefined;
  if (url.pathname !== '' && url.pathname !== '/') return undefined;
  const parameters = [...url.searchParams];
  if (url.host === 'open') return parameters.length === 0 ? { does: 'open' } : undefined;
  if (url.host !== 'connect' || parameters.length > 1) return undefined;
  const [first] = parameters;
  if (first === undefined) return { does: 'connect', serverId: undefined };
  const [name, value] = first;
  return name === 'server' && serverId.test(value) ? { does: 'connect', serverId: value } : undefined;
}

/** The link among a program's arguments, where systems put it last. */
export const linkAmong = (argv: readonly string[]): string | undefined => {
  const last = argv.at(-1);
  return last?.toLowerCase().startsWith(scheme) ? last : undefined;
};
