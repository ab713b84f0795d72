/**
 * Text fingerprints implemented independently, from the page with their rules alone.
 *
 * @module
 */
type Range = readonly [from: string, to: string]

export interface Tables {
  readonly points: readonly Range[]
  readonly unseen: readonly Range[]
  readonly scripts: readonly (readonly [from: string, to: string, kind: Kind])[]
}

type Kind = 'letter' | 'ideograph' | 'kana' | 'cluster'
interface Word {
  readonly hash: number
  readonly head: number
  readonly letters: number
  readonly kind: Kind
  readonly length: number
  readonly position: number
}

export interface Chunk {
  readonly start: number
  readonly words: number
  readonly values: readonly number[]
}

const MASS: Record<Kind, number> = { letter: 6, ideograph: 3, kana: 2, cluster: 1 }
const WEIGHTS: Record<Kind, readonly number[]> = {
  letter: [],
  ideograph: [1, 4, 2],
  kana: [0, 1, 1],
  cluster: [0, 0, 2, 2, 2],
}

function mix(x: number): number {
  let h = Math.imul(x ^ (x >>> 16), 0x85ebca6b)
  h = Math.imul(h ^ (h >>> 13), 0xc2b2ae35)
  return h ^ (h >>> 16)
}
const isDigit = (codePoint: number) => /\p{Nd}/u.test(String.fromCodePoint(codePoint))
const join = (left: number, right: number) => mix((Math.imul(left, 0x9e3779b1) + right) | 0)

/** Packs a vector into bytes. */
export function packed(values: readonly number[]): Uint8Array {
  const bytes = new Uint8Array(32)
  for (const [i, value] of values.entries()) if (value === 1) bytes[i >> 3] = (bytes[i >> 3] ?? 0) | (1 << (i & 7))
  return bytes
}

export class Fingerprints {
  readonly #tables: Tables
  readonly #replacements = new Map<string, string>()
  readonly #common = new Set<number>()

  constructor(tables: Tables, functionWords: readonly string[], replacements: readonly string[]) {
    this.#tables = tables
    for (const group of replacements.flatMap((line) => line.split(' ')))
      for (const character of group) this.#replacements.set(character, group.charAt(0))
    for (const word of functionWords.flatMap((line) => line.split(' '))) {
      const words = this.#split(this.#fold(word))
      if (words.length === 1) this.#common.add(words[0]?.hash ?? 0)
      else if (words[0]?.kind !== 'letter')
        for (let from = 0; from < words.length; from++)
          for (let size = 2; size <= 5 && from + size <= words.length; size++)
            this.#common.add(gram(words.slice(from, from + size)))
    }
  }

  of(text: string): { wordCount: number; chunks: Chunk[] } {
    const words = this.#split(this.#fold(text))
    const starts = this.#segments(words)
    const chunks: Chunk[] = []
    for (let i = 0; i < Math.max(1, starts.length - 3); i++) {
      const [start = 0, end = 0] = [starts[i], starts[Math.min(i + 3, starts.length - 1)]]
      chunks.push({ start, words: end - start, values: this.#values(words.slice(start, end)) })
    }
    return { wordCount: words.length, chunks }
  }

  #isLeftOut(codePoint: number): boolean {
    const { points, unseen } = this.#tables
    return [...points, ...unseen].some(
      ([from, to]) => codePoint >= Number.parseInt(from, 16) && codePoint <= Number.parseInt(to, 16),
    )
  }

  #fold(text: string): string {
    const seen = (all: string) =>
      Array.from(all)
        .filter((one) => !this.#isLeftOut(one.codePointAt(0) ?? 0))
        .join('')
    const few = (all: string) => all.replaceAll(/([\p{M}\uff9e\uff9f]{8})[\p{M}\uff9e\uff9f]+/gu, '$1')
    const lower = seen(few(seen(text.toWellFormed())).normalize('NFKD').toLowerCase())
    const whole = lower
      .replaceAll('ß', 'ss')
      .replaceAll(/(?<=[\p{L}\p{M}])[-‐]\p{Zs}*[\n\v\f\r\u2028\u2029]\s*(?=\p{L})/gu, '')
    const composed = few(whole).normalize('NFC')
    return Array.from(composed, (one) => this.#replacements.get(one) ?? one).join('')
  }

  #split(folded: string): Word[] {
    const words: Word[] = []
    let current: { kind: Kind; points: number[] } | undefined
    let position = 0
    const end = () => {
      if (!current) return
      const { kind, points } = current
      const hashOf = (all: readonly number[]) => mix(all.reduce(join, 0))
      const hash = hashOf(points)
      const set = points.reduce((bits, point) => bits | (1n << BigInt(Math.imul(point, 0x9e3779b1) >>> 26)), 0n)
      const letters = mix(join(join(~2, Number(set & 0xffffffffn)), Number(set >> 32n)))
      const exact = points.some(isDigit)
      const parts = { hash, head: exact ? hash : hashOf(points.slice(0, 3)), letters: exact ? hash : letters }
      words.push({ ...parts, kind, length: points.length, position })
      position += MASS[current.kind]
      current = undefined
    }
    for (const character of folded) {
      const codePoint = character.codePointAt(0) ?? 0
      if (/[\p{P}\p{S}\p{Z}\p{Cc}\p{Cf}\p{Cs}\p{Extended_Pictographic}]/u.test(character)) {
        end()
        continue
      }
      const isMark = /\p{M}/u.test(character)
      const kind: Kind = isMark ? (current?.kind ?? 'letter') : this.#kindOf(codePoint)
      if (current?.kind !== kind || current.points.length >= 64 || !(isMark || kind === 'letter')) {
        end()
        current = { kind, points: [] }
      } else if (codePoint === current.points.at(-1) && !isMark && !isDigit(codePoint)) continue
      current = { kind, points: [...current.points, codePoint] }
    }
    end()
    return words
  }

  #kindOf(codePoint: number): Kind {
    const found = this.#tables.scripts.find(
      ([from, to]) => codePoint >= Number.parseInt(from, 16) && codePoint <= Number.parseInt(to, 16),
    )
    return found?.[2] ?? 'letter'
  }

  /** The first word of each segment, followed by the number of words. */
  #segments(words: readonly Word[]): number[] {
    const value = words.map(({ hash, head, kind }, i) => {
      if (kind !== 'letter') return mix(join(join(~2, hash), words[i + 1]?.hash ?? 0)) >>> 0
      return (this.#common.has(hash) ? mix(~hash) | 0x80000000 : mix(~head)) >>> 0
    })
    const at = (i: number) => words[i]?.position ?? (words.at(-1)?.position ?? 0) + MASS[words.at(-1)?.kind ?? 'letter']
    const leastOf = (candidates: number[]) =>
      candidates.reduce((least, i) => ((value[i] ?? 0) < (value[least] ?? 0) ? i : least))
    const all = words.map((_, i) => i)
    const boundaries = all.filter((i) => i > 0 && leastOf(all.filter((j) => Math.abs(at(j) - at(i)) <= 30)) === i)
    const starts = [0]
    for (const end of [...boundaries, words.length]) {
      for (let start = starts.at(-1) ?? 0; at(end) - at(start) > 90; start = starts.at(-1) ?? 0)
        starts.push(leastOf(all.filter((i) => at(i) - at(start) >= 30 && at(i) - at(start) <= 60)))
      starts.push(end)
    }
    return starts
  }

  #values(words: readonly Word[]): number[] {
    const features = new Map<number, number>()
    const add = (hash: number, weight: number) => {
      if (!features.has(hash)) features.set(hash, weight)
    }
    const isCommon = (word: Word | undefined) => word !== undefined && this.#common.has(word.hash)
    for (const [last, word] of words.entries()) {
      const before = words[last - 1]
      if (word.kind === 'letter') {
        if (isCommon(word)) add(word.hash, 1)
        else add(word.letters, Math.min(word.length, 5))
        const both = (other: Word) => isCommon(word) && isCommon(other)
        if (before) add(join(join(~3, before.head), word.head), both(before) ? 2 : 4)
        const earlier = words[last - 2]
        if (earlier) add(join(join(~4, earlier.head), word.head), both(earlier) ? 1 : 3)
        continue
      }
      add(word.hash, isCommon(word) ? 0 : (WEIGHTS[word.kind][0] ?? 0))
      for (let size = 2; size <= Math.min(5, last + 1); size++) {
        const within = words.slice(last - size + 1, last + 1)
        const row = word.kind === 'kana' && within[0]?.kind === 'ideograph' ? 'ideograph' : word.kind
        const weight = WEIGHTS[row][size - 1] ?? 0
        if (weight === 0 || this.#common.has(gram(within))) continue
        add(gram(within), size === 2 && within.some(isCommon) ? Math.floor(weight / 2) : weight)
      }
    }
    return signsOf(features)
  }
}

function gram(words: readonly Word[]): number {
  return words.reduce((hash, word) => join(hash, word.hash), words.length)
}

function signsOf(features: ReadonlyMap<number, number>): number[] {
  const all = [...features]
  if (all.reduce((sum, [, weight]) => sum + weight, 0) % 2 === 0)
    all.push([mix(all.reduce((sum, [hash]) => (sum + hash) | 0, 0)), 1])
  const total = all.reduce((sum, [, weight]) => sum + weight, 0)
  return Array.from({ length: 256 }, (_, i) => {
    const having = all.filter(([hash]) => (mix((hash + Math.imul((i >> 5) + 1, 0x9e3779b1)) | 0) >>> (i & 31)) & 1)
    return 2 * having.reduce((sum, [, weight]) => sum + weight, 0) > total ? 1 : -1
  })
}
