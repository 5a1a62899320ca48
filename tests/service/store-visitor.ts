/** A person in a browser at the store's pages: keeps cookies, and sends forms with the token they came with. */
export class StoreVisitor {
  private cookie = '';
  private readonly url: string;
  private readonly language: string;
  private readonly address: string | undefined;

  /** `address`: what a proxy says of where the person is. */
  constructor(url: string, language = 'en', address?: string) {
    this.url = url;
    this.language = language;
    this.address = address;
  }

  /** Opens a page, at a path of the service or an address. */
  async open(where: string) {
    return this.read(await this.send(where, {}));
  }

  /** Opens a page, and sends its form to `action` with these fields. Does not follow where the answer leads. */
  async submit(page: string, action: string, fields: Record<string, string>) {
    const { text } = await this.open(page);
    const token = /name="_csrf"\s+value="([^"]+)"/.exec(text)?.[1];
    if (token === undefined) throw new Error(`${page} has no form`);
    return this.post(action, { _csrf: token, ...fields });
  }

  async post(action: string, fields: Record<string, string>) {
    return this.read(await this.send(action, { method: 'POST', body: new URLSearchParams(fields) }));
  }

  private send(where: string, init: RequestInit): Promise<Response> {
    const headers = {
      cookie: this.cookie,
      accept: 'text/html',
      'accept-language': this.language,
      ...(this.address !== undefined && { 'x-forwarded-for': this.address }),
    };
    return fetch(new URL(where, this.url), { ...init, headers, redirect: 'manual' });
  }

  private async read(reply: Response) {
    for (const cookie of reply.headers.getSetCookie()) this.cookie = cookie.split(';', 1)[0] ?? '';
    return {
      status: reply.status,
      headers: reply.headers,
      location: reply.headers.get('location'),
      text: await reply.text(),
    };
  }
}
