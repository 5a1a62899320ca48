/** Whether the focus was in the page when its heading was removed. */
let wasOnPage = false;

/** Call this when a page's heading is about to be removed from the document. */
export function noteFocusBeforeLeaving(): void {
  wasOnPage = document.querySelector('main')?.contains(document.activeElement) ?? false;
}

/** Whether the focus was lost with the previous page: browsers then give it to the document. */
export function isFocusLost(): boolean {
  return wasOnPage && document.activeElement === document.body;
}
