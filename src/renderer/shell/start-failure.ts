import type { Language } from '#shared/entities.ts';
import { languageTags } from '#shared/language.ts';

/** If not even the texts could be loaded: those of the crash page, in each language. */
const texts: Record<Language, Record<'title' | 'text' | 'reload', string>> = {
  en: {
    title: 'Waymaker could not be loaded',
    text: 'Check your internet connection, then load it again.',
    reload: 'Load again',
  },
  'zh-hans': {
    title: 'Waymaker 无法加载',
    text: '请检查网络连接，然后重新加载。',
    reload: '重新加载',
  },
  'zh-hant': {
    title: 'Waymaker 無法載入',
    text: '請檢查網路連線，然後重新載入。',
    reload: '重新載入',
  },
};

/** Replaces the launch screen with a button to load the page again, using nothing that would have to be loaded. */
export function showStartFailure(root: Element, language: Language): void {
  const { title, text, reload } = texts[language];
  const heading = document.createElement('h1');
  heading.textContent = title;
  const paragraph = document.createElement('p');
  paragraph.textContent = text;
  const button = document.createElement('button');
  button.type = 'button';
  button.textContent = reload;
  button.addEventListener('click', () => location.reload());
  const panel = document.createElement('main');
  panel.className = 'launch-screen';
  panel.append(heading, paragraph, button);
  document.documentElement.lang = languageTags[language];
  root.replaceChildren(panel);
}
