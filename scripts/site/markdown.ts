/**
 * Converts Markdown to HTML for a strict content security policy: no script, no style attribute, no raw HTML.
 *
 * @module
 */
import { errorAnchor } from '@svc/protocol/http/error-pages'
import hljs from 'highlight.js/lib/core'
import bash from 'highlight.js/lib/languages/bash'
import http from 'highlight.js/lib/languages/http'
import json from 'highlight.js/lib/languages/json'
import python from 'highlight.js/lib/languages/python'
import typescript from 'highlight.js/lib/languages/typescript'
import MarkdownIt, { type Token } from 'markdown-it'

hljs.registerLanguage('bash', bash)
hljs.registerLanguage('sh', bash)
hljs.registerLanguage('http', http)
hljs.registerLanguage('json', json)
hljs.registerLanguage('python', python)
hljs.registerLanguage('ts', typescript)

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
}

export function renderMarkdown(markdown: string): RenderedPage {
  const parser = new MarkdownIt({ html: false, linkify: false, highlight })
  const headings: Heading[] = []
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
  // A wide table scrolls on its own, by keyboard too, instead of widening the page.
  parser.renderer.rules['table_open'] = () =>
    '<div class="table" tabindex="0" role="group" aria-label="Table">\n<table>\n'
  parser.renderer.rules['table_close'] = () => '</table>\n</div>\n'
  const tokens = parser.parse(withoutComments(markdown), {})
  const paragraph = tokens.findIndex(({ type }) => type === 'paragraph_open')
  return {
    title: headings[0]?.text ?? '',
    summary: plainText(tokens[paragraph + 1]),
    html: parser.renderer.render(tokens, parser.options, {}),
    headings,
  }
}

/** Removes comments for editors. */
function withoutComments(markdown: string): string {
  return markdown.replaceAll(/^<!--.*-->\n/gm, '')
}

function highlight(code: string, info: string): string {
  const [language = ''] = info.split(' ')
  return hljs.getLanguage(language) ? hljs.highlight(code, { language }).value : ''
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
    if (tokens[at + 1]?.type === 'th_open') isNames = first.content === 'Name'
    const [, name] = /^`([^`]+)`$/.exec(first.content) ?? []
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
