/**
 * The index as it is sent. In JSON, most of an index is the numbers of sections, which compress badly: here each term is
 * a line with the letters that differ from the term before, and the sections as differences.
 *
 * @module
 */
import MiniSearch, { type AsPlainObject } from 'minisearch'
import { INDEX_OPTIONS, type Section } from './options.ts'

type Terms = AsPlainObject['index']
type Packed = Omit<AsPlainObject, 'index'> & { readonly index: string }

/** Digits of a number: the letters that two terms share are at most 24, so one digit. */
const BASE = 36

export function packed(engine: MiniSearch<Section>): string {
  const { index, ...others } = engine.toJSON()
  return JSON.stringify({ ...others, index: packedTerms(index) } satisfies Packed)
}

export function opened(text: string): MiniSearch<Section> {
  const { index, ...others } = JSON.parse(text) as Packed
  return MiniSearch.loadJS<Section>({ ...others, index: termsOf(index) }, INDEX_OPTIONS)
}

function packedTerms(terms: Terms): string {
  let before = ''
  const lines = terms.map(([term, fields]) => {
    const shared = sharedLetters(before, term)
    before = term
    const places = Object.entries(fields).map(([field, counts]) => `${field} ${packedCounts(counts)}`)
    return [shared.toString(BASE) + term.slice(shared), ...places].join(' ')
  })
  return lines.join('\n')
}

function termsOf(lines: string): Terms {
  let before = ''
  return lines.split('\n').map((line) => {
    const [coded = '', ...places] = line.split(' ')
    const term = before.slice(0, Number.parseInt(coded.slice(0, 1), BASE)) + coded.slice(1)
    before = term
    const fields: Record<string, Record<string, number>> = {}
    for (let i = 0; i < places.length; i += 2) fields[places[i] ?? ''] = countsOf(places[i + 1] ?? '')
    return [term, fields]
  })
}

/** By section, how often it has the term: `3*2,a` is twice in section 3 and once in section 13. */
function packedCounts(counts: Readonly<Record<string, number>>): string {
  let before = 0
  const items = Object.entries(counts).map(([section, count]) => {
    const step = (Number(section) - before).toString(BASE)
    before = Number(section)
    return count === 1 ? step : `${step}*${count}`
  })
  return items.join(',')
}

function countsOf(items: string): Record<string, number> {
  let section = 0
  return Object.fromEntries(
    items.split(',').map((item) => {
      const [step = '', count = '1'] = item.split('*')
      section += Number.parseInt(step, BASE)
      return [section, Number(count)]
    }),
  )
}

function sharedLetters(one: string, other: string): number {
  let count = 0
  while (count < one.length && one[count] === other[count]) count += 1
  return count
}
