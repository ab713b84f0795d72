/**
 * The files for language models: `/llms.txt` in the format of llmstxt.org, one file for each group of the contents and
 * each API, and most pages in one.
 *
 * @module
 */
import { CONTENTS, PAGES_OF_VALUES } from '../contents.ts'
import { firstSentence } from '../excerpts.ts'
import { anchorOf } from '../markdown.ts'

/** The most that a file of a group has, in bytes of UTF-8. A longer group is in several files. */
export const MAX_SECTION_BYTES = 150_000
/** Room for the lines that introduce a file. */
const MAX_PAGES_BYTES = MAX_SECTION_BYTES - 2_000
/** A generated table that takes more is left out of the text with all pages. */
const MAX_TABLE_BYTES = 4_000
/** Signatures and keys are longer, hashes are not. */
const LONG_VALUE = /[A-Za-z0-9_-]{120,}/g
const BREAK = '\n\n---\n\n'

export interface TextPage {
  /** `/developer/core` */
  readonly path: string
  readonly slug: string
  readonly title: string
  readonly summary: string
  readonly markdown: string
  readonly isReference: boolean
}

export interface SectionFile {
  /** `protocol-identities` for `/llms/protocol-identities.txt`. */
  readonly name: string
  readonly title: string
  /** The titles of its pages. */
  readonly holds: readonly string[]
  readonly text: string
}

interface Site {
  readonly title: string
  readonly about: string
}

export function* llmsFiles(site: Site, pages: readonly TextPage[]): Generator<readonly [file: string, text: string]> {
  const sections = sectionFiles(pages)
  const full = fullText(site, pages)
  yield ['llms.txt', indexText(site, pages, sections, full)]
  yield ['llms-full.txt', full]
  for (const { name, text } of sections) yield [`llms/${name}.txt`, text]
}

/** The files of the groups of the contents, then those of the APIs. */
export function sectionFiles(pages: readonly TextPage[]): SectionFile[] {
  const groups = CONTENTS.map(({ title, section, slugs }) => {
    const paths = slugs.map((slug) => `/${section}/${slug}`)
    const listed = paths.flatMap((path) => pages.find((page) => page.path === path && !page.isReference) ?? [])
    return { name: anchorOf(title), title, listed }
  })
  const apis = pages
    .filter(({ isReference, slug }) => isReference && /^api-[a-z]+$/.test(slug))
    .map(({ slug, title }) => ({
      name: slug,
      title,
      listed: pages.filter((page) => page.isReference && (page.slug === slug || page.slug.startsWith(`${slug}-`))),
    }))
  return [...groups, ...apis].filter(({ listed }) => listed.length > 0).flatMap(filesOf)
}

interface Section {
  readonly name: string
  readonly title: string
  readonly listed: readonly TextPage[]
}

function filesOf({ name, title, listed }: Section): SectionFile[] {
  const pieces = listed.flatMap((page) => piecesOf(page.markdown).map((text) => ({ page, text })))
  const files = packed(pieces)
  return files.map((held, at) => {
    const part = files.length === 1 ? '' : `, part ${at + 1} of ${files.length}`
    const holds = [...new Set(held.map(({ page }) => page.title))]
    return {
      name: files.length === 1 ? name : `${name}-${at + 1}`,
      title: `${title}${part}`,
      holds,
      text: `${introduction(`${title}${part}`, held)}${BREAK}${held.map(({ text }) => text).join(BREAK)}\n`,
    }
  })
}

function introduction(title: string, held: readonly { readonly page: TextPage }[]): string {
  const addresses = [...new Set(held.map(({ page }) => `${page.title} (${page.path})`))]
  return `Group of the documentation: ${title}. Pages: ${addresses.join(', ')}. All files: /llms.txt`
}

/** In order, as many in a file as fit. */
function packed<T extends { readonly text: string }>(pieces: readonly T[]): T[][] {
  const files: T[][] = []
  let size = Number.POSITIVE_INFINITY
  for (const piece of pieces) {
    const bytes = bytesOf(piece.text) + BREAK.length
    if (size + bytes > MAX_PAGES_BYTES) {
      files.push([])
      size = 0
    }
    files.at(-1)?.push(piece)
    size += bytes
  }
  return files
}

/** A page that fits in no file is split at its sections. */
function piecesOf(markdown: string): string[] {
  const text = markdown.trimEnd()
  if (bytesOf(text) <= MAX_PAGES_BYTES) return [text]
  const parts = text.split(/\n(?=## )/).map((part) => ({ text: part.trimEnd() }))
  return packed(parts).map((held) => held.map((part) => part.text).join('\n\n'))
}

function fullText({ title }: Site, pages: readonly TextPage[]): string {
  const written = inContents(pages.filter(({ isReference }) => !isReference))
  const left = written.filter(({ slug }) => PAGES_OF_VALUES.includes(slug))
  const head = [
    `The documentation of ${title} in one text, without what is long and seldom needed whole:`,
    '',
    ...left.map((page) => `- the page ${page.title}: ${page.path}.md`),
    '- the API references: /llms.txt lists a file for each service',
    '- generated tables of more than 4 kB: the page has them, at the address in their place',
    '- the middle of signatures and keys: `…` stands for it',
  ]
  const texts = written.filter(({ slug }) => !PAGES_OF_VALUES.includes(slug)).map(shortened)
  return `${[head.join('\n'), ...texts].join(BREAK)}\n`
}

/** In reading order. */
function inContents(pages: readonly TextPage[]): TextPage[] {
  const order = CONTENTS.flatMap(({ section, slugs }) => slugs.map((slug) => `/${section}/${slug}`))
  return pages.toSorted((a, b) => order.indexOf(a.path) - order.indexOf(b.path))
}

/** Without long generated tables and long values. Each table follows a comment that names its source. */
function shortened({ markdown, path }: TextPage): string {
  const table = /^(<!-- The table below is generated from .+ -->\n\n)((?:\|.*\n)+)/gm
  return markdown
    .replaceAll(table, (whole, _, rows: string) =>
      bytesOf(rows) > MAX_TABLE_BYTES ? `(The table is on the page: ${path}.md)\n` : whole,
    )
    .replaceAll(LONG_VALUE, (value) => `${value.slice(0, 12)}…${value.slice(-4)}`)
    .trimEnd()
}

function indexText(site: Site, pages: readonly TextPage[], sections: readonly SectionFile[], full: string): string {
  const groups = CONTENTS.flatMap(({ title, section, slugs }) => {
    const lines = slugs.map((slug) => {
      const page = pages.find(({ path }) => path === `/${section}/${slug}`)
      return `- [${page?.title}](/${section}/${slug}.md): ${firstSentence(page?.summary ?? '')}`
    })
    return lines.length === 0 ? [] : [`## ${title}\n\n${lines.join('\n')}`]
  })
  const files = sections.map(
    ({ name, title, holds, text }) => `- [${title}](/llms/${name}.txt): ${kilobytes(text)}. ${holds.join(', ')}`,
  )
  const whole = `- [All pages](/llms-full.txt): ${kilobytes(full)}, without the API references and the longest tables and values`
  return `# ${site.title}\n\n> ${site.about}\n\n${groups.join('\n\n')}\n\n## Several pages in one file\n\n${[...files, whole].join('\n')}\n`
}

const bytesOf = (text: string) => Buffer.byteLength(text)
const kilobytes = (text: string) => `${Math.ceil(bytesOf(text) / 1_000)} kB`
