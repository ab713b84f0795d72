/**
 * The index of the search: a document for each section of each page, for each error, and for each operation of an API.
 *
 * @module
 */

import { errorAnchor } from '@svc/protocol/http/error-pages'
import MiniSearch from 'minisearch'
import { groupOf, PAGES_OF_VALUES } from '../contents.ts'
import { shortened } from '../excerpts.ts'
import { anchorOf, withoutComments } from '../markdown.ts'
import type { PageSource } from '../sources.ts'
import { INDEX_OPTIONS, type Section } from './options.ts'
import { packed } from './packed.ts'

/** An error with its meaning and what to do, in a table of `tables/error-tables.ts`. */
const ERROR_ROW = /^\| `([^`]+)` \*\*(.+?)\.\*\* (.+) \|$/m
const EXCERPT_LENGTH = 80
/** Of a long section only these words are searched, and every name in code: the rest repeats them. */
const MAX_WORDS = 62
/** Words that nobody types: values, hashes, identifiers in full. */
const VALUE = /\b(?=\w*\d)[\w-]{20,}|…/g

export function searchIndex(pages: readonly PageSource[]): string {
  const engine = new MiniSearch<Section>(INDEX_OPTIONS)
  engine.addAll(pages.flatMap(sectionsOf))
  return packed(engine)
}

/** The sections of a page. The first, without a heading, is the page itself. */
export function sectionsOf(page: PageSource): Section[] {
  const { section, slug, title, markdown, isReference = false } = page
  const path = `/${section}/${slug}`
  const group = groupOf(page)
  const parts = partsOf(withoutComments(markdown).replace(/^# .+\n/, ''))
  const taken = new Map<string, number>()
  const sections = parts.map(({ heading, body }): Section => {
    const name = plain(heading)
    const stem = anchorOf(name)
    const count = (taken.get(stem) ?? 0) + 1
    taken.set(stem, count)
    const anchor = heading === '' ? '' : `#${stem}${count === 1 ? '' : `-${count}`}`
    // There, only the first paragraph of a section has words that readers look for.
    const isShort = isReference || PAGES_OF_VALUES.includes(slug) || ERROR_ROW.test(body)
    const text = isShort ? plain(firstParagraph(body)) : searchedWords(body)
    return {
      id: path + anchor,
      title,
      heading: name,
      group,
      text,
      excerpt: shortened(excerptOf(body), EXCERPT_LENGTH),
    }
  })
  return [...sections, ...(slug === 'errors' ? parts.flatMap((part) => errorsOf(path, title, part)) : [])]
}

interface Part {
  readonly heading: string
  readonly body: string
}

/** Splits at headings, which code does not have. Of code, only the names of what it calls are kept. */
function partsOf(markdown: string): Part[] {
  const text = markdown.replaceAll(/^```(\w*).*\n([\s\S]*?)^```$/gm, (_, language: string, code: string) => {
    const called = language === 'ts' ? [...code.matchAll(/\.(\w{4,})\(/g)].map(([, name]) => `\`${name}\``) : []
    return [...new Set(called)].join(' ')
  })
  const [first = '', ...others] = text.split(/^#{2,4} /m)
  return [
    { heading: '', body: first },
    ...others.map((part) => {
      const [heading = '', ...body] = part.split('\n')
      return { heading, body: body.join('\n') }
    }),
  ]
}

/** The errors of one status, which the heading begins with. */
function errorsOf(path: string, title: string, { heading, body }: Part): Section[] {
  const rows = [...body.matchAll(new RegExp(ERROR_ROW, 'gm'))]
  return rows.map(([, name = '', meaning = '', advice = '']) => ({
    id: `${path}#${errorAnchor(name)}`,
    title,
    heading: name,
    group: 'Error',
    text: `${heading.slice(0, 3)} ${plain(advice)}`,
    excerpt: `${heading.slice(0, 3)}: ${plain(meaning)}`,
  }))
}

function searchedWords(body: string): string {
  const words = plain(body).split(' ')
  const names = [...body.matchAll(/`([A-Za-z][\w.-]{3,40})`/g)].map(([, name = '']) => name)
  return [...words.slice(0, MAX_WORDS), ...(words.length > MAX_WORDS ? new Set(names) : [])].join(' ')
}

/** The first paragraph; of a table, its first row. */
function excerptOf(body: string): string {
  const first = firstParagraph(body)
  return plain(first.startsWith('|') ? (first.split('\n')[2] ?? '').replaceAll(/ \| /g, ': ') : first)
}

/** Skips what is left of code. */
const firstParagraph = (body: string) =>
  body
    .trim()
    .split(/\n\n+/)
    .find((paragraph) => !/^(?:`\w+` ?)+$/.test(paragraph)) ?? ''

function plain(markdown: string): string {
  return markdown
    .replaceAll(/\[([^\]]*)\]\([^)]*\)/g, '$1')
    .replaceAll(VALUE, ' ')
    .replaceAll(/[`*|]|^-+$|-{3,}/gm, ' ')
    .replaceAll(/\s+/g, ' ')
    .trim()
}
