/** Of the URL Standard, what Node, browsers and webviews all have, and this room uses. */
declare const URL: {
  new (url: string): { readonly hostname: string };
  canParse(url: string): boolean;
};
