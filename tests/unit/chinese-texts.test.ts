import { describe, expect, test } from 'vitest';
import { commandTexts } from '#shared/texts/command-texts.ts';
import { desktopTexts } from '#shared/texts/desktop-texts.ts';
import { zhHans } from '#shared/texts/zh-hans.ts';
import { zhHant } from '#shared/texts/zh-hant.ts';
import { trialPlanName } from '../../src/service/account/account.ts';
import { authCodeMail } from '../../src/service/mail/auth-code-mail.ts';
import { refusalTexts } from '#shared/texts/refusal-texts.ts';
import { updateTexts } from '#shared/texts/update-texts.ts';
import { systemTexts } from '#shared/texts/system-texts.ts';
import { foreignCharacters } from './chinese-characters.ts';

const pages = { 'zh-hans': zhHans, 'zh-hant': zhHant };

describe.each(['zh-hans', 'zh-hant'] as const)('no character of the other script is in %s', (language) => {
  test.each<[string, string[]]>([
    ['the pages', Object.values(pages[language])],
    ['what the desktop says outside of pages', Object.values(desktopTexts[language])],
    ['updates', Object.values(updateTexts[language])],
    ['the command line', Object.values(commandTexts[language])],
    [
      'macOS and Windows',
      (['macos', 'windows'] as const).flatMap((system) => Object.values(systemTexts(system, language) ?? {})),
    ],
    ['refusals', Object.values(refusalTexts).map((refusal) => refusal[language])],
    ['the mail with a code', Object.values(authCodeMail('123456', language))],
    ['the name of the trial', [trialPlanName[language]]],
  ])('%s', (_, texts) => {
    expect(texts.join('')).toMatch(/\p{Script=Han}/u);
    const wrong = texts.map((text) => ({ text, foreign: foreignCharacters(language, text) }));
    expect(wrong.filter(({ foreign }) => foreign.length > 0)).toEqual([]);
  });
});

/** Simplified, then traditional: characters that texts like ours have. */
const pairs =
  '连連 线線 装裝 应應 帐帳 号號 验驗 证證 码碼 请請 错錯 误誤 网網 这這 会會 环環 实實 费費 选選 择擇 时時 间間 购購 换換 开開 邮郵 写寫 录錄 数數 额額 户戶 续續 输輸 检檢 标標 订訂 单單 过過 试試 隐隱 权權 储儲 讯訊 资資 删刪 设設 备備 对對 编編 称稱 统統 计計 节節 优優 动動 绝絕 笔筆 处處 频頻 务務 现現 问問 题題 页頁 识識 别別 载載 进進 离離 电電 脑腦 机機 关關 启啟 闭閉 态態 败敗 护護 贴貼 图圖 签籤 览覽 击擊 双雙 键鍵 盘盤 复復 语語 项項 级級 组組 织織 员員 边邊 缘緣 继繼 终終 结結 红紅 颜顏 预預 约約 仅僅 钟鐘 长長 条條 链鏈 浏瀏 历歷 调調 让讓 议議 许許 论論 该該 详詳 说說 读讀 谢謝 变變 产產 业業 专專 东東 车車 转轉 轻輕 较較 达達 远遠 运運 还還 适適 迟遲 递遞 遗遺 门門 阅閱 阶階 际際 险險 难難 须須 顾顧 顺順 驱驅 齐齊 亿億 从從 众眾 传傳 伤傷 伪偽 体體 侧側 偿償 净淨 减減 凭憑 则則 刚剛 创創 办辦 协協 卖賣 压壓 参參 发發 听聽 响響 团團 围圍 国國 坏壞 块塊 头頭 学學 宁寧 宽寬 导導 将將 尝嘗 层層 属屬 币幣 帮幫 广廣 库庫 张張 强強 归歸 当當 惊驚 愿願 执執 扩擴 报報 担擔 据據 损損 摆擺 无無 旧舊 显顯 术術 极極 构構 栏欄 树樹 样樣 档檔 欢歡 汇匯 测測 满滿 灵靈 点點 热熱 状狀 独獨 画畫 监監 础礎 确確 礼禮 种種 积積 稳穩 简簡 紧緊 纪紀 纳納 纸紙 练練 细細 绍紹 经經 给給 络絡 维維 综綜 缓緩 缩縮 罗羅 职職 联聯 脱脫 获獲 营營 虑慮 补補 见見 观觀 规規 视視 觉覺 触觸 认認 训訓 记記 讲講 访訪 评評 词詞 译譯 话話 询詢 谈談 负負 贡貢 财財 责責 账賬 货貨 质質 贵貴 赠贈 软軟 违違 迹跡 释釋 银銀 锁鎖 钱錢 阳陽 随隨 静靜 顶頂 领領 馆館 马馬 与與 万萬 个個 为為 义義 买買 争爭 于於 云雲 们們 价價 几幾 后後 异異 弃棄';

test('the characters that were simplified are told apart', () => {
  const untold = pairs
    .split(' ')
    .filter(
      ([simplified = '', traditional = '']) =>
        foreignCharacters('zh-hans', simplified).length > 0 ||
        foreignCharacters('zh-hans', traditional).length === 0 ||
        foreignCharacters('zh-hant', traditional).length > 0 ||
        foreignCharacters('zh-hant', simplified).length === 0,
    );
  expect(untold).toEqual([]);
});
