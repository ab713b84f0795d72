/**
 * Converts Markdown to HTML for a strict content security policy: no script, no style attribute, no raw HTML.
 *
 * @module
 */
import { errorAnchor } from '@svc/protocol/http/error-pages'
import MarkdownIt, { type Token } from 'markdown-it'
import { codeHtml, escapeHtml, variantsIn } from './code-blocks.ts'
import { type Picture, pictureOf } from './diagrams.ts'

export interface Heading {
  readonly level: number
  readonly id: string
  readonly text: string
}

export interface RenderedPage {
  readonly title: string
  /** The first paragraph, as plain text. */
  readonly summary: string
  readonly html: string
  readonly headings: readonly Heading[]
  /** The files that the HTML shows. */
  readonly pictures: readonly Picture[]
}

/** `place` names the page in messages. */
export function renderMarkdown(markdown: string, place = 'a page'): RenderedPage {
  const parser = new MarkdownIt({ html: false, linkify: false })
  const headings: Heading[] = []
  const pictures: Picture[] = []
  const taken = new Set<string>()
  parser.core.ruler.push('heading-ids', ({ tokens }) => {
    for (const [at, token] of tokens.entries()) {
      if (token.type !== 'heading_open') continue
      const text = plainText(tokens[at + 1])
      const id = freshId(text, taken)
      token.attrSet('id', id)
      headings.push({ level: Number(token.tag.slice(1)), id, text })
    }
  })
  parser.core.ruler.push('row-ids', ({ tokens }) => {
    for (const [row, name] of namedRows(tokens)) if (!taken.has(name)) row.attrSet('id', take(name, taken))
  })
  parser.core.ruler.push('variants', (state) => {
    const html = (content: string) => Object.assign(new state.Token('html_block', '', 0), { content })
    state.tokens = withVariants(state.tokens, html)
  })
  const { rules } = parser.renderer
  rules['fence'] = (tokens, at) => {
    const { content = '', info = '' } = tokens[at] ?? {}
    if (info.trim() !== 'mermaid') return codeHtml(content, info)
    const picture = pictureOf(content, place)
    pictures.push(picture)
    return pictureHtml(picture)
  }
  // Its text comes from the style sheet, so that the heading's own is what it says.
  rules['heading_close'] = (tokens, at) => {
    const { tag = '' } = tokens[at] ?? {}
    const id = tokens[at - 2]?.attrGet('id')
    const name = escapeHtml(plainText(tokens[at - 1]))
    const anchor = tag === 'h1' ? '' : `<a class="anchor" href="#${id}" aria-label="Link to ${name}"></a>`
    return `${anchor}</${tag}>\n`
  }
  // A wide table scrolls on its own, by keyboard too, instead of widening the page.
  rules['table_open'] = () => '<div class="table" tabindex="0" role="group" aria-label="Table">\n<table>\n'
  rules['table_close'] = () => '</table>\n</div>\n'
  // A column without a name: its header cell heads nothing.
  const isNameless = (tokens: readonly Token[], content: number) => tokens[content]?.content.trim() === ''
  rules['th_open'] = (tokens, at) => (isNameless(tokens, at + 1) ? '<td>' : '<th scope="col">')
  rules['th_close'] = (tokens, at) => (isNameless(tokens, at - 1) ? '</td>\n' : '</th>\n')
  const tokens = parser.parse(withoutComments(markdown), {})
  const paragraph = tokens.findIndex(({ type }) => type === 'paragraph_open')
  return {
    title: headings[0]?.text ?? '',
    summary: plainText(tokens[paragraph + 1]),
    html: parser.renderer.render(tokens, parser.options, {}),
    headings,
    pictures,
  }
}

/** Removes comments for editors. */
export function withoutComments(markdown: string): string {
  return markdown.replaceAll(/^<!--.*-->\n/gm, '')
}

function pictureHtml({ path, alternative, width, height }: Picture): string {
  const size = `width="${width}" height="${height}"`
  // On a phone it scrolls, by keyboard too.
  return `<figure class="picture" tabindex="0"><img src="${path}" alt="${escapeHtml(alternative)}" ${size} loading="lazy" decoding="async"></figure>\n`
}

/** Puts each group of variants into one element, and each variant into a part with its name. */
function withVariants(tokens: readonly Token[], html: (content: string) => Token): Token[] {
  const before = new Map<number, string>()
  const after = new Map<number, string>()
  for (const group of variantsIn(tokens))
    for (const [at, { name, from, to }] of group.entries()) {
      const start = `<div class="variant" data-name="${name}"><p class="variant-name">${name}</p>\n`
      before.set(from, at === 0 ? `<div class="variants">\n${start}` : start)
      after.set(to, at === group.length - 1 ? '</div>\n</div>\n' : '</div>\n')
    }
  return tokens.flatMap((token, at) => [
    ...(before.has(at) ? [html(before.get(at)!)] : []),
    token,
    ...(after.has(at) ? [html(after.get(at)!)] : []),
  ])
}

interface TokenText {
  readonly content: string
  readonly children?: readonly TokenText[] | null
}

function plainText(token: TokenText | undefined): string {
  if (!token) return ''
  return token.children ? token.children.map(({ content }) => content).join('') : token.content
}

/** The rows of tables of names, with the name: `/developer/errors#not_found` leads to one. */
function* namedRows(tokens: readonly Token[]): Generator<[Token, string]> {
  let isNames = false
  for (const [at, token] of tokens.entries()) {
    const first = tokens[at + 2]
    if (token.type !== 'tr_open' || !first) continue
    if (tokens[at + 1]?.type === 'th_open') isNames = /^Name(?:,|$)/.test(first.content)
    const [, name] = /^`([^`]+)`(?: |$)/.exec(first.content) ?? []
    if (isNames && name !== undefined) yield [token, errorAnchor(name)]
  }
}

function freshId(text: string, taken: Set<string>): string {
  const stem = anchorOf(text) || 'section'
  let id = stem
  for (let n = 2; taken.has(id); n++) id = `${stem}-${n}`
  return take(id, taken)
}

/** The id of a heading, unless an earlier heading of the page has it. */
export const anchorOf = (heading: string): string =>
  heading
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N}]+/gu, '-')
    .replaceAll(/^-|-$/g, '')

function take(id: string, taken: Set<string>): string {
  taken.add(id)
  return id
}
