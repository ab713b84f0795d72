import { describe, expect, it } from 'vitest'
import { fold } from './folding.ts'

/** The letters of orthographies in use; written here, not taken from the rules that make the table. */
const ALPHABETS: readonly (readonly [language: string, letters: string])[] = [
  ['English', 'abcdefghijklmnopqrstuvwxyz'],
  ['Icelandic, Danish, Polish, Maltese, Sámi', 'abdefghijklmnoprstuvxyzæðøþđħłŋŧ'],
  ['Azerbaijani', 'abcdefghijklmnopqrstuvxyzə'],
  ['Ewe, Hausa, Dinka', 'abcdefghijklmnopqrstuvwxyzɓɖɗɛƒɣŋɔʋƙƴ'],
  ['Russian', 'абвгдежзиклмнопрстуфхцчшщъыьэюя'],
  ['Ukrainian, Belarusian', 'абвгдеєжзиіклмнопрстуфхцчшщыьэюяґ'],
  ['Serbian, Macedonian', 'абвгдђежзијклљмнњопрстћуфхцчџшѕ'],
  ['Kazakh, Tatar, Bashkir, Mongolian', 'аәбвгғҙдежҗзиіклҡқмнңоөпрсҫтуұүфхһцчшщъыьэюя'],
  ['Chechen, Avar', 'абвгдежзиклмнопрстуфхцчшщъыьэюяӏ'],
  ['Greek', 'αβγδεζηθικλμνξοπρστυφχψω'],
  ['Armenian', 'աբգդեզէըթժիլխծկհձղճմյնշոչպջռսվտրցւփքօֆ'],
  ['Arabic', 'ابتثجحخدذرزسشصضطظعغفقكلمنهويةء'],
  ['Persian', 'ابپتثجچحخدذرزژسشصضطظعغفقکگلمنوهی'],
  ['Urdu', 'ابپتٹثجچحخدڈذرڑزژسشصضطظعغفقکگلمنںوہھءیے'],
  ['Sindhi', 'ابٻپڀتٺٽثٿجڄڃچڇحخدذڌڏڊڍرڙزسشصضطظعغفڦقڪکگڳڱلمنڻوهي'],
  ['Kurdish', 'ابپتجچحخدرڕزژسشعغفڤقکگلڵمنوۆهەیێ'],
]

describe('replaced characters', () => {
  it.each(ALPHABETS)('keep the letters of %s apart', (_, letters) => {
    const folded = Array.from(letters, fold)
    expect(new Set(folded).size).toBe(letters.length)
    expect(Array.from(letters.toUpperCase(), fold)).toEqual(folded)
  })

  it.each([
    ['Cyrillic', 'асԁеһіјкӏморԛгѕтѵԝху', 'acdehijklmopqrstvwxy'],
    ['Cyrillic capitals', 'АВСЕІЈКМОРЅТХУ', 'abceijkmopstxy'],
    ['Greek', 'αβεικνορτυχ', 'abeikvoptux'],
    ['Greek capitals', 'ΑΒΕΙΚΜΟΡΤΧΖ', 'abeikmoptxz'],
    ['Armenian', 'հոսօտ', 'hnuos'],
    ['full-width', 'ａｂｃＡＢＣ', 'abcabc'],
    ['small-capital', 'ᴛʜᴇ ʙʀᴏᴡɴ ᴊᴜɢꜱ', 'the brown jugs'],
    ['mathematical', '𝓽𝓱𝓮 𝕢𝕦𝕚𝕔𝕜 𝖇𝖗𝖔𝖜𝖓 𝚏𝚘𝚡', 'the quick brown fox'],
    ['phonetic', 'ɑɡı', 'agi'],
  ])('fold %s look-alikes to Latin letters', (_, text, folded) => {
    expect(fold(text)).toBe(folded)
  })

  it('leave digits and the letters that resemble them apart', () => {
    expect(fold('0O 1lI 3З 5S 6б')).toBe(`0o 1li 3${fold('з')} 5s 6${fold('б')}`)
  })

  // Listed on the page on fingerprints, among what hides a text.
  it.each([
    ['several letters for one', 'rn', 'm'],
    ['letters that remind of others', 'и', 'u'],
    ['Cherokee', 'Ꭺ', 'a'],
    ['Coptic', 'ⲟ', 'o'],
    ['Lisu', 'ꓐ', 'b'],
    ['squared letters', '🅰', 'a'],
    ['letters with a stroke', 'ø', 'o'],
    ['a sigma like c', 'ϲ', 'c'],
    ['a Cyrillic capital like H', 'Н', 'H'],
    ['a Greek capital like N', 'Ν', 'N'],
    ['katakana like ideographs', 'カ', '力'],
    ['a voiced sound mark of its own', 'か゛', 'が'],
  ])('leave %s apart', (_, one, other) => {
    expect(fold(one)).not.toBe(fold(other))
  })

  it.each([
    ['カタカナ ガギグ ヴ ヽヾ ｶﾀｶﾅ', 'かたかな がぎぐ ゔ ゝゞ かたかな'],
    ['カー', 'かー'],
    ['國語學習 國语学習', '国语学习 国语学习'],
    ['發髮後裏台灣臺灣', '发发后里台湾台湾'],
    ['図書館の駅', '图书馆の驿'],
  ])('fold %s to %s', (text, folded) => {
    expect(fold(text)).toBe(folded)
  })
})
