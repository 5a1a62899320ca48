/** Whether two addresses lead to one page: query and fragment do not matter, nor does a slash at the end. */
export function isSamePage(url: string, page: string): boolean {
  const here = URL.parse(url);
  const there = URL.parse(page);
  return here !== null && here.origin === there?.origin && pathOf(here) === pathOf(there);
}

const pathOf = ({ pathname }: URL) => pathname.replace(/\/$/, '');
