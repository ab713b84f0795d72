/**
 * How the search reads texts and queries. The build makes the index with it and the page loads it, so both must agree.
 *
 * @module
 */
import type { Options, SearchOptions } from 'minisearch'

/** A section of a page. */
export interface Section {
  /** The address: `/developer/chain#append`. */
  readonly id: string
  readonly title: string
  readonly heading: string
  /** The group of the page in the contents. */
  readonly group: string
  readonly text: string
  /** The first words of the text, shown in results. */
  readonly excerpt: string
}

/** Words too common to find anything by. */
const COMMON = new Set(
  'a an and are as at be by can do for from how i in is it its my of on or that the this to was what when with you your'.split(
    ' ',
  ),
)

const BETWEEN_WORDS = /[^\p{L}\p{N}_-]+/u

export const INDEX_OPTIONS: Options<Section> = {
  // A name such as `stale_head` or `X-Request-ID` is found as a whole and by its parts.
  tokenize: (text) =>
    text.split(BETWEEN_WORDS).flatMap((word) => (/[_-]/.test(word) ? [word, ...word.split(/[_-]+/)] : [word])),
  fields: ['title', 'heading', 'text'],
  storeFields: ['title', 'heading', 'group', 'excerpt'],
  processTerm: (term) => {
    const plain = stem(term.toLowerCase())
    return plain.length < 2 || plain.length > 24 || COMMON.has(plain) ? null : plain
  },
}

export const SEARCH_OPTIONS: SearchOptions = {
  boost: { title: 4, heading: 3 },
  // The references repeat the words of the pages that explain them.
  boostDocument: (id) => (String(id).includes('/api-') ? 0.6 : 1),
  prefix: (_, at, terms) => at === terms.length - 1,
  fuzzy: (term) => (term.length > 5 ? 0.2 : false),
  maxFuzzy: 2,
  weights: { prefix: 0.4, fuzzy: 0.3 },
  combineWith: 'OR',
}

/** One form for the singular and plural, and for `sign`, `signs`, `signed` and `signing`. */
function stem(word: string): string {
  if (word.length < 5) return word
  return word
    .replace(/(?:ies|ied)$/, 'y')
    .replace(/(ss|x|ch|sh)es$/, '$1')
    .replace(/([^su])s$/, '$1')
    .replace(/(\w{4})(?:ing|ed)$/, '$1')
    .replace(/(\w{4})e$/, '$1')
}
