import { type Author, type Chance, print, type Sentence, type Text, wordsOf } from './fingerprint-texts.ts'

export type Edit = (text: Text, chance: Chance, author: Author) => string

const mapWords = (text: Text, change: (word: string) => string | readonly string[]): Text => ({
  ...text,
  sentences: text.sentences.map((sentence) => sentence.flatMap(change)).filter(({ length }) => length > 0),
})

const substitute =
  (share: number): Edit =>
  (text, chance, author) =>
    print(mapWords(text, (word) => (chance.next() < share ? author.word(chance) : word)))

const shuffled = <T>(items: readonly T[], chance: Chance): T[] =>
  items
    .map((item) => ({ item, key: chance.next() }))
    .toSorted((a, b) => a.key - b.key)
    .map(({ item }) => item)

export const excerpt =
  (words: number): Edit =>
  (text, chance) => {
    const all = wordsOf(text)
    const start = chance.below(all.length - words)
    return print({ ...text, sentences: [all.slice(start, start + words)] })
  }

const format: Edit = (text, chance) =>
  text.sentences
    .map((sentence) => {
      const separated = sentence.map((word) => (chance.next() < 0.05 ? `“${word.toUpperCase()}”, ` : word))
      return `  ${separated.join(text.language.space && '\r\n\t ')} `
    })
    .join(' — ')
    .normalize('NFD')

/** Replaces, doubles, drops or swaps two of 100 characters. */
const typos =
  (share: number): Edit =>
  (text, chance) => {
    const letters = Array.from(print(text))
    const alphabet = [...new Set(letters.filter((letter) => /[\p{L}]/u.test(letter)))]
    for (let i = 0; i + 1 < letters.length; i++) {
      if (chance.next() >= share || !/\p{L}/u.test(letters[i] ?? '')) continue
      const kind = chance.below(4)
      if (kind === 0) letters[i] = chance.of(alphabet)
      else if (kind === 1) letters[i] += letters[i] ?? ''
      else if (kind === 2) letters[i] = ''
      else [letters[i], letters[i + 1]] = [letters[i + 1] ?? '', letters[i] ?? '']
    }
    return letters.join('')
  }

/** Changes most content words and the order within sentences; the order of sentences stays. */
const paraphrase: Edit = (text, chance, author) => {
  const changed = mapWords(text, (word) => (chance.next() < 0.6 ? author.word(chance) : word))
  const sentences = changed.sentences.map((sentence): Sentence => {
    const middle = chance.below(sentence.length)
    return [...sentence.slice(middle), ...sentence.slice(0, middle)]
  })
  return print({ ...changed, sentences })
}

const halfOverlap: Edit = (text, chance, author) => {
  const half = text.sentences.slice(0, Math.ceil(text.sentences.length / 2))
  const other = author.write(chance.below(1e9), wordsOf({ ...text, sentences: half }).length)
  return print({ ...text, sentences: [...other.sentences, ...half] })
}

/** Latin and Cyrillic letters that look alike. */
const LATIN = 'acdehijkopqswxyABCEKMOPST'
const CYRILLIC = 'асԁеһіјкорԛѕԝхуАВСЕКМОРЅТ'

/** Swaps letters for those of the other script, and hiragana for katakana, and puts a control character after some. */
const disguise: Edit = (text, chance) =>
  Array.from(print(text), (letter) => {
    const swapped = CYRILLIC[LATIN.indexOf(letter)] ?? LATIN[CYRILLIC.indexOf(letter)] ?? letter
    const kana = swapped.replace(/[ぁ-ゖ]/, (one) => String.fromCharCode(one.charCodeAt(0) + 0x60))
    return chance.next() < 0.2 ? `${kana}\u0001` : kana
  }).join('')

export const EDITS: Record<string, Edit> = {
  formatting: format,
  'typos 2 %': typos(0.02),
  'typos 5 %': typos(0.05),
  'substitution 5 %': substitute(0.05),
  'substitution 15 %': substitute(0.15),
  'substitution 30 %': substitute(0.3),
  'deletion 10 %': (text, chance) => print(mapWords(text, (word) => (chance.next() < 0.1 ? [] : word))),
  reordering: (text, chance) => print({ ...text, sentences: shuffled(text.sentences, chance) }),
  'half overlap': halfOverlap,
  'excerpt of 50 words': excerpt(50),
  'excerpt of 30 words': excerpt(30),
  'excerpt of 20 words': excerpt(20),
  'excerpt of 12 words': excerpt(12),
  paraphrase,
  disguise,
}
