import { describe, expect, it } from 'vitest'
import { type Fingerprint, fingerprintText } from './fingerprint.ts'
import { matchChunks, scoreTexts } from './score.ts'
import { packVector } from './vector.ts'

const ENGLISH =
  'The harbour froze early that winter, and the ferries lay two deep along the northern quay. Every morning the pilot walked the length of the breakwater with a lantern and a notebook, wrote down the thickness of the ice, and came back to the office to telephone the figures to the capital. Nobody had asked for them since the railway opened, but the form still had a line for ice.'
const RUSSIAN =
  'В ту зиму гавань замёрзла рано, и паромы стояли вдоль северного причала в два ряда. Каждое утро лоцман проходил по всему молу с фонарём и тетрадью, записывал толщину льда и возвращался в контору, чтобы передать цифры по телефону в столицу. С тех пор как открыли железную дорогу, никто о них не спрашивал.'
const JAPANESE =
  'その冬、港は早くから凍りつき、フェリーは北の岸壁に二列に並んでいた。水先案内人は毎朝、ランタンとノートを持って防波堤の端まで歩き、氷の厚さを書きとめ、事務所に戻って首都に電話で伝えた。鉄道が開通してからは誰もその数字を求めなかったが、書類にはまだ氷の欄があった。'
const SIMPLIFIED =
  '那年冬天港口很早就结冰了，渡轮沿着北边的码头排成两列。每天早晨，领航员提着灯笼、带着笔记本走过整条防波堤，记下冰层的厚度，然后回到办公室，用电话把数字报给首都。自从铁路开通以后，没有人再问过这些数字，但是表格上还留着一行写冰的地方，他从来不让表格空着一行。'
const TRADITIONAL =
  '那年冬天港口很早就結冰了，渡輪沿著北邊的碼頭排成兩列。每天早晨，領航員提著燈籠、帶著筆記本走過整條防波堤，記下冰層的厚度，然後回到辦公室，用電話把數字報給首都。自從鐵路開通以後，沒有人再問過這些數字，但是表格上還留著一行寫冰的地方，他從來不讓表格空著一行。'

const PERSIAN =
  'آن زمستان بندر زود یخ زد و کشتی‌ها در دو ردیف کنار اسکلهٔ شمالی ماندند. هر روز صبح راهنما با فانوس و دفترچه‌ای تا انتهای موج‌شکن می‌رفت، ضخامت یخ را یادداشت می‌کرد و به دفتر بازمی‌گشت تا ارقام را با تلفن به پایتخت بگوید. از سال ۱۹۳۵ که راه‌آهن باز شد کسی سراغ این ارقام را نگرفته بود.'
const URDU =
  'اس سال سردیوں میں بندرگاہ جلد ہی جم گئی اور کشتیاں شمالی گھاٹ کے ساتھ دو قطاروں میں کھڑی رہیں۔ ہر صبح ملاح لالٹین اور کاپی لے کر پوری دیوار کے ساتھ چلتا، برف کی موٹائی لکھتا اور دفتر واپس آ کر دارالحکومت کو فون پر بتاتا۔ ریلوے کھلنے کے بعد کسی نے یہ اعداد نہیں پوچھے تھے۔'

/** How much of the original is found in the changed text. */
function foundIn(original: string, changed: string): number {
  const [left, right] = [fingerprintText(original), fingerprintText(changed)]
  const pairs = matchChunks(packedOf(left), packedOf(right))
  return scoreTexts(spannedOf(left), spannedOf(right), pairs).leftContainment
}
const packedOf = ({ chunks }: Fingerprint) => chunks.map(({ values }) => packVector(values))
const spannedOf = ({ chunks, wordCount }: Fingerprint) => ({ wordCount, spans: chunks })

const substituted = (text: string, from: string, to: string) => {
  const [source, target] = [Array.from(from), Array.from(to)]
  return Array.from(text, (letter) => target[source.indexOf(letter)] ?? letter).join('')
}
const within = (inserted: string) => (text: string) => text.replaceAll(/(?<=\p{L})(?=\p{L})/gu, inserted)
/** Every long word, after its fourth letter. */
const broken = (text: string, with_: string) => text.replaceAll(/(?<!\p{L})\p{L}{4}(?=\p{L}{3})/gu, `$&${with_}`)
const katakana = (text: string) =>
  text.replaceAll(/[ぁ-ゖ]/g, (letter) => String.fromCharCode(letter.charCodeAt(0) + 0x60))
const hiragana = (text: string) =>
  text.replaceAll(/[ァ-ヶ]/g, (letter) => String.fromCharCode(letter.charCodeAt(0) - 0x60))

describe('a text is found in full', () => {
  it.each([
    [
      'with Cyrillic for Latin letters',
      ENGLISH,
      substituted(ENGLISH, 'acdehijklmopqrstvwxyABCEKMOPST', 'асԁеһіјкӏморԛгѕтѵԝхуАВСЕКМОРЅТ'),
    ],
    ['with Greek for Latin letters', ENGLISH, substituted(ENGLISH, 'aeikoptuvyTE', 'αειкοрτυνγΤΕ')],
    ['with Armenian for Latin letters', ENGLISH, substituted(ENGLISH, 'hnouq', 'հոօսգ')],
    [
      'in small capitals',
      ENGLISH,
      substituted(ENGLISH.toLowerCase(), 'abcdefghijklmnoprstuvwyz', 'ᴀʙᴄᴅᴇꜰɢʜɪᴊᴋʟᴍɴᴏᴘʀꜱᴛᴜᴠᴡʏᴢ'),
    ],
    ['with Latin for Cyrillic letters', RUSSIAN, substituted(RUSSIAN, 'аеорсухАВЕКМОРСТХ', 'aeopcyxABEKMOPCTX')],
    ['with U+0000 in words', ENGLISH, within('\0')(ENGLISH)],
    ['with a C0 control in words', ENGLISH, within('\u0001')(ENGLISH)],
    ['with DEL in words', ENGLISH, within('\u007f')(ENGLISH)],
    ['with U+0085 in words', ENGLISH, within('\u0085')(ENGLISH)],
    ['with a C1 control in words', ENGLISH, within('\u009f')(ENGLISH)],
    ['with interlinear annotation in words', ENGLISH, within('\ufff9\ufffa\ufffb')(ENGLISH)],
    ['with U+2800 in words', ENGLISH, within('\u2800')(ENGLISH)],
    ['with every letter doubled', ENGLISH, ENGLISH.replaceAll(/\p{L}/gu, '$&$&')],
    ['in katakana', JAPANESE, katakana(JAPANESE)],
    ['in hiragana', JAPANESE, hiragana(JAPANESE)],
    ['from an Arabic keyboard for a Persian one', PERSIAN, substituted(PERSIAN, 'یک۱۹۳۵', 'يك١٩٣٥')],
    ['from an Arabic keyboard for an Urdu one', URDU, substituted(URDU, 'یکہ', 'يكه')],
    ['with words broken at the ends of lines', ENGLISH, broken(ENGLISH, '-\n')],
    ['with words broken and lines indented', ENGLISH, broken(ENGLISH, '\u2010 \r\n    ')],
    ['with Russian words broken', RUSSIAN, broken(RUSSIAN, '-\n')],
    ['in traditional Chinese', SIMPLIFIED, TRADITIONAL],
    ['in simplified Chinese', TRADITIONAL, SIMPLIFIED],
  ])('%s', (_, original, changed) => {
    expect(changed).not.toBe(original)
    expect(foundIn(original, changed)).toBe(1)
    expect(fingerprintText(changed)).toEqual(fingerprintText(original))
  })
})

/** Listed on the page on fingerprints. A change that finds one of them changes that list, too. */
describe('a text is not found', () => {
  it.each([
    ['with its letters spaced apart', ENGLISH, within(' ')(ENGLISH)],
    ['with thin spaces in words', ENGLISH, within('\u200a')(ENGLISH)],
    ['with blank characters for spaces', ENGLISH, ENGLISH.replaceAll(' ', '\u2800')],
    ['with digits for letters', ENGLISH, substituted(ENGLISH, 'oeiast', '031457')],
    [
      'in negative circled letters',
      ENGLISH,
      ENGLISH.toLowerCase().replaceAll(/[a-z]/g, (one) => String.fromCodePoint(0x1f150 + one.charCodeAt(0) - 97)),
    ],
    ['backwards', ENGLISH, Array.from(ENGLISH).toReversed().join('')],
  ])('%s', (_, original, changed) => {
    expect(foundIn(original, fiveWords(changed))).toBe(0)
  })
})

/** Enough words for a fingerprint, none of the text’s. */
function fiveWords(text: string): string {
  return `${text} zzz zzzz zzzzz zzzzzz zzzzzzz`
}
