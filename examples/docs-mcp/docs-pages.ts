import MiniSearch from 'minisearch'

/** As long as the documentation host lets others keep a page. */
const FRESH_MS = 300_000
const TIMEOUT_MS = 10_000
/** A page is some dozen KB. More is not a page. */
const MAX_BYTES = 2_000_000
const AT_ONCE = 8
const MAX_RESULTS = 10
const EXCERPT_LENGTH = 240

/** `- [Notes](/developer/notes.md): What they are.` */
const LISTED = /^- \[(.+?)\]\((\/[a-z]+\/[a-z0-9-]+)\.md\)(?:: (.*))?$/gm

export interface DocsPage {
  /** `/developer/notes` */
  readonly path: string
  readonly title: string
  readonly summary: string
}

export interface Found {
  readonly path: string
  readonly title: string
  readonly heading: string
  readonly excerpt: string
}

interface Section extends Found {
  readonly id: string
  readonly text: string
}

/** The pages of a documentation host. Reads `/llms.txt`, and the Markdown of the pages that it lists. */
export class DocsPages {
  readonly #origin: string
  readonly #now: () => number
  readonly #texts = new Map<string, { readonly text: Promise<string>; readonly until: number }>()
  #index: { readonly of: readonly string[]; readonly engine: MiniSearch<Section> } | null = null

  constructor(origin: string, now: () => number = Date.now) {
    this.#origin = new URL(origin).origin
    this.#now = now
  }

  async list(): Promise<DocsPage[]> {
    const text = await this.#read('/llms.txt')
    return [...text.matchAll(LISTED)].map(([, title = '', path = '', summary = '']) => ({ path, title, summary }))
  }

  /** The Markdown of a listed page, by path or address, with or without `.md` and a fragment. Throws for any other. */
  async page(name: string): Promise<string> {
    const path = (URL.canParse(name) ? new URL(name).pathname : name).replace(/#.*$/, '').replace(/\.md$/, '')
    const listed = (await this.list()).some((page) => page.path === path)
    if (!listed) throw new RangeError(`There is no page ${path}: use a path that search_docs returns`)
    return this.#read(`${path}.md`)
  }

  /** The sections that fit best. */
  async search(query: string): Promise<Found[]> {
    const engine = await this.#engine()
    const found = engine.search(query, { boost: { title: 4, heading: 3 }, prefix: true, fuzzy: 0.1 })
    return found.slice(0, MAX_RESULTS).map((result) => {
      const { path, title, heading, excerpt } = result as unknown as Section
      return { path, title, heading, excerpt }
    })
  }

  /** Made again when a text changed. */
  async #engine(): Promise<MiniSearch<Section>> {
    const pages = await this.list()
    const texts: string[] = []
    for (let at = 0; at < pages.length; at += AT_ONCE)
      texts.push(
        ...(await Promise.all(pages.slice(at, at + AT_ONCE).map(async ({ path }) => this.#read(`${path}.md`)))),
      )
    const known = this.#index
    if (known?.of.length === texts.length && known.of.every((text, i) => text === texts[i])) return known.engine
    const engine = new MiniSearch<Section>({
      fields: ['title', 'heading', 'text'],
      storeFields: ['path', 'title', 'heading', 'excerpt'],
    })
    engine.addAll(pages.flatMap((page, i) => sectionsOf(page, texts[i] ?? '')))
    this.#index = { of: texts, engine }
    return engine
  }

  #read(path: string): Promise<string> {
    const known = this.#texts.get(path)
    if (known && known.until > this.#now()) return known.text
    const text = this.#fetch(path)
    this.#texts.set(path, { text, until: this.#now() + FRESH_MS })
    text.catch(() => this.#texts.delete(path))
    return text
  }

  async #fetch(path: string): Promise<string> {
    const url = `${this.#origin}${path}`
    const response = await fetch(url, { redirect: 'error', signal: AbortSignal.timeout(TIMEOUT_MS) }).catch(
      (cause: unknown) => {
        throw new Error(`${this.#origin} does not answer: start it with scripts/start, or set DOCS_URL`, { cause })
      },
    )
    if (!response.ok) throw new Error(`${url} answered ${response.status}`)
    const text = await response.text()
    if (text.length > MAX_BYTES) throw new Error(`${url} is larger than a page`)
    return text
  }
}

function sectionsOf({ path, title }: DocsPage, markdown: string): Section[] {
  return outsideCode(markdown).map(({ heading, text }, at) => {
    const excerpt = text.replaceAll(/\s+/g, ' ').trim().slice(0, EXCERPT_LENGTH)
    return { id: `${path}#${at}`, path, title, heading, text, excerpt }
  })
}

/** The parts of a page between its headings. A `#` in a block of code begins none. */
function outsideCode(markdown: string): { heading: string; text: string }[] {
  const parts = [{ heading: '', text: '' }]
  let isCode = false
  for (const line of markdown.split('\n')) {
    if (/^\s*(?:```|~~~)/.test(line)) isCode = !isCode
    const heading = isCode ? undefined : /^#{2,4} (.+)$/.exec(line)?.[1]
    if (heading !== undefined) parts.push({ heading, text: '' })
    else {
      const part = parts.at(-1)
      if (part) part.text += `${line}\n`
    }
  }
  return parts
}
