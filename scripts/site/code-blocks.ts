/**
 * Code on the pages: highlighted, reachable by keyboard where it scrolls, with a caption where it does not run, and as
 * tabs where blocks in several languages stand for the same thing.
 *
 * @module
 */
import hljs from 'highlight.js/lib/core'
import bash from 'highlight.js/lib/languages/bash'
import http from 'highlight.js/lib/languages/http'
import json from 'highlight.js/lib/languages/json'
import python from 'highlight.js/lib/languages/python'
import typescript from 'highlight.js/lib/languages/typescript'
import xml from 'highlight.js/lib/languages/xml'
import type { Token } from 'markdown-it'

hljs.registerLanguage('bash', bash)
hljs.registerLanguage('sh', bash)
hljs.registerLanguage('http', http)
hljs.registerLanguage('json', json)
hljs.registerLanguage('py', python)
hljs.registerLanguage('python', python)
hljs.registerLanguage('ts', typescript)
hljs.registerLanguage('js', typescript)
hljs.registerLanguage('html', xml)

/** The languages that tabs are for, with their names. */
const TABS: Readonly<Record<string, string>> = { ts: 'TypeScript', js: 'Node.js', sh: 'curl', py: 'Python' }

/** What a program or command prints. */
const isOutput = (info: string) => /^text (?:output|quickstart)\b/.test(info)

/** What the reader should know about a block of this kind. */
const CAPTIONS: Readonly<Record<string, string>> = {
  'sh account': 'Needs a Cloudflare account',
  'sh long': 'Takes minutes, or runs until you stop it',
  'text form': 'Fill in the gaps first',
}

const languageOf = (info: string) => info.split(' ')[0] ?? ''

/** A longer block is of values, which nobody reads: the page shows its beginning. */
const MAX_BLOCK = 5_000
const SHOWN = { lines: 40, ofLine: 100 }
const SHORTENED = 'Shortened here: the Markdown of this page has all of it'

function shownOf(code: string): string {
  if (code.length <= MAX_BLOCK) return code
  const lines = code.trimEnd().split('\n')
  const begun = lines.slice(0, SHOWN.lines)
  const cut = begun.map((line) => (line.length > SHOWN.ofLine ? `${line.slice(0, SHOWN.ofLine)}…` : line))
  return `${[...cut, ...(lines.length > SHOWN.lines ? ['…'] : [])].join('\n')}\n`
}

/** The HTML of a block. Without scripts it can be read and copied by hand; scripts add a button. */
export function codeHtml(whole: string, info: string): string {
  const language = languageOf(info)
  const code = shownOf(whole)
  const shown = hljs.getLanguage(language) ? hljs.highlight(code, { language }).value : escapeHtml(code)
  // A block may name the file to save it as.
  const [, file] = /^\w+ \w+ (\S+\.\w+)$/.exec(info.trim()) ?? []
  const caption = code !== whole ? SHORTENED : isOutput(info) ? 'Output' : (CAPTIONS[info.trim()] ?? file)
  const label = caption === undefined ? '' : `<figcaption>${escapeHtml(caption)}</figcaption>`
  const kind = `${isOutput(info) ? ' output' : ''}${code === whole ? '' : ' shortened'}`
  return `<figure class="code${kind}">${label}<pre tabindex="0"><code>${shown}</code></pre></figure>\n`
}

/** Blocks, each with its output, that stand for the same thing: first and last place of each in the tokens. */
export interface Variant {
  readonly name: string
  readonly from: number
  readonly to: number
}

/** The groups of variants: neighbouring blocks in different languages with nothing but their output between them. */
export function variantsIn(tokens: readonly Token[]): Variant[][] {
  const groups: Variant[][] = []
  let open: Variant[] = []
  const close = () => {
    if (open.length > 1) groups.push(open)
    open = []
  }
  for (const [at, { type, info }] of tokens.entries()) {
    const before = open.at(-1)
    const name = type === 'fence' ? TABS[languageOf(info)] : undefined
    if (before && type === 'fence' && isOutput(info)) open[open.length - 1] = { ...before, to: at }
    else if (name === undefined) close()
    else {
      if (open.some((variant) => variant.name === name)) close()
      open.push({ name, from: at, to: at })
    }
  }
  close()
  return groups
}

export function escapeHtml(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('"', '&quot;')
}
