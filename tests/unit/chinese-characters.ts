/**
 * Which of the two scripts a Chinese character can be of. The national character sets tell: GB 2312 has the
 * simplified forms, Big5 the traditional ones; most characters that were simplified are in one of them only. What
 * the other set has too, for a rare word or a name, is listed: in our texts it is a slip.
 */
const onlySimplified =
  '肮蚕厂虫触党吨儿复赶构挂柜怀坏机极价茧荐洁惊据夸蜡腊篱离怜帘岭么宁泞扑气确扰洒晒胜圣适体听洼万网痒异踊优愿与云种筑庄忏余户丰并几于后';
const onlyTraditional = '後於徵夥摺';

/** Rows of GB 2312 and of Big5 that have Chinese characters, as the first and the second bytes of each. */
const gb2312 = charactersOf('gb2312', range(0xb0, 0xf7), range(0xa1, 0xfe));
const big5 = charactersOf('big5', range(0xa4, 0xf9), [...range(0x40, 0x7e), ...range(0xa1, 0xfe)]);

/** The Chinese characters of a text that are not of the script of its language, each once. */
export function foreignCharacters(language: 'zh-hans' | 'zh-hant', text: string): string[] {
  const [set, slips] =
    language === 'zh-hans' ? ([gb2312, onlyTraditional] as const) : ([big5, onlySimplified] as const);
  const characters = new Set(text.match(/\p{Script=Han}/gu));
  return [...characters].filter((character) => !set.has(character) || slips.includes(character));
}

function charactersOf(encoding: string, firstBytes: number[], secondBytes: number[]): ReadonlySet<string> {
  const decoder = new TextDecoder(encoding);
  const pairs = firstBytes.flatMap((first) => secondBytes.map((second) => [first, second]));
  const characters = pairs.map((bytes) => decoder.decode(Uint8Array.from(bytes)));
  return new Set(characters.filter((character) => /^\p{Script=Han}$/u.test(character)));
}

function range(first: number, last: number): number[] {
  return Array.from({ length: last - first + 1 }, (_, index) => first + index);
}
