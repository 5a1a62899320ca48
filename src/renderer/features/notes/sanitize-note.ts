import createPurifier from 'dompurify';
import { webAddress } from '#shared/host/web-address.ts';

/** Tags of plain prose. Headings begin below the dialog's own. */
const tags =
  'h3 h4 h5 h6 p div span br hr blockquote pre ul ol li a b strong i em u s small sub sup code mark img'.split(
    ' ',
  );
const attributes = ['href', 'src', 'alt', 'title', 'width', 'height'];

const mailLink = /^mailto:[^\s?]+$/i;
const pictureData = /^data:image\/(?:png|jpeg|gif|webp);base64,/i;

const purifier = createPurifier(window);
purifier.addHook('afterSanitizeAttributes', (element) => {
  if (element instanceof HTMLAnchorElement) limitLink(element);
  if (element instanceof HTMLImageElement) limitPicture(element);
});

/** A note's HTML without anything that runs, asks for input, disguises itself or leaves the note's area. */
export function sanitizeNote(html: string): DocumentFragment {
  return purifier.sanitize(html, {
    RETURN_DOM_FRAGMENT: true,
    ALLOWED_TAGS: tags,
    ALLOWED_ATTR: attributes,
    ALLOW_DATA_ATTR: false,
    ALLOW_ARIA_ATTR: false,
  });
}

function limitLink(link: HTMLAnchorElement): void {
  const target = link.getAttribute('href') ?? '';
  const allowed = mailLink.test(target) ? target : webAddress(target);
  if (allowed === undefined) {
    link.removeAttribute('href');
    return;
  }
  link.href = allowed;
  link.target = '_blank';
  link.rel = 'noopener noreferrer';
}

function limitPicture(picture: HTMLImageElement): void {
  const source = picture.getAttribute('src') ?? '';
  if (!pictureData.test(source) && !webAddress(source)?.startsWith('https:')) {
    picture.remove();
    return;
  }
  picture.alt = picture.getAttribute('alt') ?? '';
}
