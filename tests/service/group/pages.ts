import type { TestDevice } from '../test-service.ts';

/** All items of a list that comes in pages, two to a page, and how many came with each. */
export async function inPages(device: TestDevice, name: 'members' | 'groupApps') {
  const titles: string[] = [];
  const sizes: number[] = [];
  let cursor: string | undefined;
  do {
    const params = { limit: '2', ...(cursor !== undefined && { cursor }) };
    const page = await device.client.call(name, { params });
    if (!page.ok) throw new Error('no page', { cause: page.failure });
    titles.push(...page.data.items.map((item) => ('loginId' in item ? item.loginId : item.name)));
    sizes.push(page.data.items.length);
    cursor = page.data.next;
  } while (cursor !== undefined);
  return { titles, sizes };
}
