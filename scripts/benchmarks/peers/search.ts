import { fingerprintText, toTextRegistration } from '@svc/fingerprint'
import type { Figure } from '../figures/figure.ts'
import { EDITS } from '../figures/fingerprint/fingerprint-edits.ts'
import { LANGUAGES } from '../figures/fingerprint/fingerprint-languages.ts'
import { Author, Chance, print, type Text } from '../figures/fingerprint/fingerprint-texts.ts'
import { median } from '../figures/load.ts'
import { TextRegistry } from '../poison/registry.ts'
import { certifiedId } from '../poison/texts.ts'
import { urlOf } from './databases.ts'
import { Peer } from './peer.ts'
import { ratioOf } from './rounds.ts'
import { type Line, type Lines, type Scene, shown } from './scene.ts'

const TEXTS = 1_000
const WORDS = 60
const QUERIES = 500
/** More, because at most one in a thousand may match. Theirs gets as many as of the others. */
const UNRELATED_QUERIES = 2_000
const EDITED = ['typos 5 %', 'excerpt of 20 words', 'substitution 15 %', 'deletion 10 %', 'reordering']
/** Texts that are in no index: the best answer is none. */
const UNRELATED = 'unrelated'

interface Query {
  readonly text: string
  /** The place of the text from which it was made; null if there is none. */
  readonly source: number | null
}

/** pg_trgm: which of 1,000 texts another one was made from. */
export async function compareSearch({ programs, postgres }: Scene): Promise<Lines> {
  if (!postgres) return { rows: [], figures: [], skipped: ['pg_trgm: PostgreSQL is not installed'] }
  const [language] = LANGUAGES
  if (!language) throw new Error('no language')
  const authors = Array.from({ length: TEXTS + UNRELATED_QUERIES }, (_, topic) => new Author(language, topic))
  const all = authors.map((author, i) => author.write(i, WORDS))
  const texts = all.slice(0, TEXTS)
  const registry = new TextRegistry()
  const ids = texts.map((text) => registered(registry, print(text)))
  const search = registry.search()
  const trigrams = await Peer.start(programs, 'texts')
  try {
    await trigrams.call('start', { url: urlOf(postgres, 'texts'), texts: texts.map(print) })
    const rows: Line[] = []
    const figures: Figure[] = []
    for (const name of [...EDITED, UNRELATED]) {
      const queries = name === UNRELATED ? unrelated(all.slice(TEXTS)) : edited(name, texts, authors)
      const asked = queries.map(({ text }) => text)
      const theirs = await trigrams.call<{ id: number | null; milliseconds: number }[]>('search', {
        queries: asked.slice(0, QUERIES),
      })
      const ours = asked.map((text) => {
        const startedAt = performance.now()
        const found = search(toTextRegistration(fingerprintText(text)).chunks)
        return { id: found === undefined ? null : ids.indexOf(found), milliseconds: performance.now() - startedAt }
      })
      const right = (found: readonly { readonly id: number | null }[]) =>
        queries.filter(({ source }, i) => found[i]?.id === source).length
      const [their, our] = [right(theirs), right(ours)]
      const time = ratioOf(quarters(ours.slice(0, QUERIES), theirs))
      const cell = (count: number, of: readonly { readonly milliseconds: number }[]) =>
        `${count} of ${of.length} right, ${median(of.map(({ milliseconds }) => milliseconds)).toFixed(2)} ms`
      const unequal = 'theirs sees the text; ours sees vectors, and computes them in this time, in memory'
      rows.push([`pg_trgm: ${name}`, cell(their, theirs), cell(our, ours), `${shown(time)} time`, unequal])
      figures.push(...figuresOf(name, { their, our, asked: asked.length }, time))
    }
    return { rows, figures, skipped: [] }
  } finally {
    trigrams.stop()
  }
}

function figuresOf(
  name: string,
  right: { readonly their: number; readonly our: number; readonly asked: number },
  time: ReturnType<typeof ratioOf>,
) {
  const wrong = right.asked - right.our
  const quality: Figure =
    name === UNRELATED
      ? {
          name: 'search: unrelated texts that match one',
          ratio: wrong / right.asked,
          bar: { limit: 0.001, good: 'at most' },
          detail: `${wrong} of ${right.asked}`,
        }
      : {
          name: `search / pg_trgm, right answers: ${name}`,
          ratio: right.our / right.their,
          bar: { limit: 1, good: 'at least' },
          detail: `${right.our} / ${right.their} of ${right.asked}`,
        }
  const speed: Figure = {
    name: `search / pg_trgm, time: ${name}`,
    ratio: time.median,
    range: time.range,
    bar: { limit: 0.05, good: 'at most' },
    detail: '',
  }
  return [quality, speed]
}

function registered(registry: TextRegistry, text: string): string {
  const registration = toTextRegistration(fingerprintText(text))
  const asset_id = certifiedId(registration)
  registry.register({ asset_id, by: asset_id, ...registration })
  return asset_id
}

function edited(name: string, texts: readonly Text[], authors: readonly Author[]): Query[] {
  const edit = EDITS[name]
  if (!edit) throw new Error(`no edit ${name}`)
  const chance = new Chance(name.length)
  return Array.from({ length: QUERIES }, () => {
    const source = chance.below(texts.length)
    const [text, author] = [texts[source], authors[source]]
    if (!text || !author) throw new Error('no text')
    return { text: edit(text, chance, author), source }
  })
}

const unrelated = (texts: readonly Text[]): Query[] => texts.map((text) => ({ text: print(text), source: null }))

/** The ratio of the medians in each quarter of the queries: a range as of rounds. */
function quarters(ours: readonly { milliseconds: number }[], theirs: readonly { milliseconds: number }[]): number[] {
  const size = QUERIES / 4
  const middle = (of: readonly { milliseconds: number }[], quarter: number) =>
    median(of.slice(quarter * size, (quarter + 1) * size).map(({ milliseconds }) => milliseconds))
  return [0, 1, 2, 3].map((quarter) => middle(ours, quarter) / middle(theirs, quarter))
}
