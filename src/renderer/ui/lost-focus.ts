/** Whether the focus was on the page when its heading went. */
let wasOnPage = false;

/** To be called when a page's heading goes, before it is off the document. */
export function noteFocusBeforeLeaving(): void {
  wasOnPage = document.querySelector('main')?.contains(document.activeElement) ?? false;
}

/** Whether the page that went took the focus with it: a browser then gives it to the document as a whole. */
export function isFocusLost(): boolean {
  return wasOnPage && document.activeElement === document.body;
}
