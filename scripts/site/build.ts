/**
 * Builds the documentation site from the Markdown under `workers/docs/pages` and the committed OpenAPI documents: HTML and
 * Markdown of each page, the indexes, the files for language models, and the assets.
 *
 * @module
 */
import { execFileSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { changelogFeed } from './changelog/feed.ts'
import { CONTENTS, checkContents, type Group } from './contents.ts'
import { type LayoutOptions, layout, type SitePage } from './layout.ts'
import { llmsFiles } from './llms/llms.ts'
import { renderMarkdown } from './markdown.ts'
import { referenceFiles } from './sdk-reference.ts'
import { listPages, type PageSource, ROOT } from './sources.ts'

const THEME = join(ROOT, 'scripts/site/theme')
const NAME = 'Documentation'
const ABOUT =
  'A self-hostable platform on Cloudflare Workers for identity-bound, post-quantum-signed data: eight services, one SDK.'

/** Error pages for browsers; other clients get JSON. The service serves them with their status, never by path. */
const REFUSALS = [
  {
    status: 404,
    title: 'No such page',
    html: '<p>There is no page at this address. The contents list every page; <a href="/llms.txt"><code>/llms.txt</code></a> lists them for programs.</p>',
  },
  {
    status: 405,
    title: 'Method not allowed',
    html: '<p>This host accepts GET, HEAD and OPTIONS. The services have their own hosts: see <a href="/developer/first-client">First client</a>.</p>',
  },
] as const

/** `sdk` is a folder with the SDK reference; without one, its addresses answer 503. */
export function buildSite(target: string, sdk?: string): void {
  const put = (file: string, content: string | Uint8Array) => {
    const path = join(target, file)
    mkdirSync(dirname(path), { recursive: true })
    writeFileSync(path, content)
  }
  /** Writes a file under a name with its content hash, so that it can be cached forever. */
  const asset = (name: string, content: string | Uint8Array): string => {
    const [stem = '', extension = ''] = name.split(/\.(?=[^.]+$)/)
    const digest = createHash('sha256').update(content).digest('hex').slice(0, 12)
    const path = `/assets/${stem}-${digest}.${extension}`
    put(path, content)
    return path
  }

  const sources = listPages()
  checkContents(sources)
  const rendered = sources.map((source) => ({ source, page: renderMarkdown(source.markdown) }))
  const pages: SitePage[] = rendered.map(({ source, page }) => ({
    path: `/${source.section}/${source.slug}`,
    title: page.title,
    summary: page.summary,
    ...(source.parent === undefined ? {} : { parent: `/${source.section}/${source.parent}` }),
  }))
  const css = asset('docs.css', readFileSync(join(THEME, 'docs.css')))
  const document = (options: Omit<LayoutOptions, 'pages' | 'styles'>) => layout({ ...options, styles: [css], pages })

  for (const { source, page } of rendered) {
    const path = `/${source.section}/${source.slug}`
    const shared = { path, title: page.title, summary: page.summary, twin: `${path}.md` }
    put(`${path}.md`, source.markdown)
    put(`${path}.html`, document({ ...shared, html: page.html, headings: page.headings }))
  }
  put('index.html', document({ path: '/', title: NAME, summary: ABOUT, html: home(pages) }))
  for (const section of ['developer', 'academic'] as const) {
    const title = section === 'developer' ? 'Developer pages' : 'Academic pages'
    put(`${section}.html`, document({ path: `/${section}`, title, summary: ABOUT, html: index(title, section, pages) }))
  }
  for (const { status, title, html } of REFUSALS)
    put(`${status}.html`, document({ path: `/${status}`, title, summary: title, html: `<h1>${title}</h1>\n${html}` }))
  const texts = rendered.map(({ source, page }) => ({
    ...source,
    path: `/${source.section}/${source.slug}`,
    summary: page.summary,
    isReference: source.isReference === true,
  }))
  for (const [file, text] of llmsFiles({ title: NAME, about: ABOUT }, texts)) put(file, text)
  put('changelog.xml', changelogFeed(ROOT))
  const reference = sdk === undefined ? [] : [...referenceFiles(sdk)]
  for (const [file, content] of reference) put(file, content)
  put(
    'sitemap.xml',
    sitemap(
      sources,
      reference.map(([file]) => file).filter((file) => /^sdk\/.*\.html$/.test(file)),
    ),
  )
}

function home(pages: readonly SitePage[]): string {
  const groups = CONTENTS.map((group) => `<h2>${group.title}</h2>\n${list([group], pages)}`)
  return `<h1>${NAME}</h1>\n<p>${ABOUT}</p>\n${groups.join('\n')}`
}

function index(title: string, section: string, pages: readonly SitePage[]): string {
  const groups = CONTENTS.filter((group) => group.section === section)
  return `<h1>${title}</h1>\n${list(groups, pages)}`
}

function list(groups: readonly Group[], pages: readonly SitePage[]): string {
  const listed = groups.flatMap(({ section, slugs, generated = [] }) => [
    ...generated,
    ...slugs.flatMap((slug) => pages.find(({ path }) => path === `/${section}/${slug}`) ?? []),
  ])
  const items = listed.map(({ path, title }) => `<li><a href="${path}">${title}</a></li>`)
  return `<ul>\n${items.join('\n')}\n</ul>`
}

/** The service replaces `{origin}`, which only it knows. */
function sitemap(sources: readonly PageSource[], sdk: readonly string[]): string {
  const dates = changeDates()
  const paths = ['/', '/developer', '/academic'].map((path) => ({ path, file: '' }))
  const listed = [
    ...paths,
    ...sources.map(({ section, slug, file }) => ({ path: `/${section}/${slug}`, file })),
    ...['sdk', ...sdk.toSorted()].map((name) => ({ path: `/${name}`, file: '' })),
  ]
  const urls = listed.map(({ path, file }) => {
    const date = dates.get(file)
    return `<url><loc>{origin}${path}</loc>${date === undefined ? '' : `<lastmod>${date}</lastmod>`}</url>`
  })
  return `<?xml version="1.0" encoding="UTF-8"?>\n<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">\n${urls.join('\n')}\n</urlset>\n`
}

/** The date of the last commit to each page; empty without a Git history. */
function changeDates(): ReadonlyMap<string, string> {
  const dates = new Map<string, string>()
  let log: string
  try {
    const args = ['log', '--format=@%cs', '--name-only', '--', 'workers/docs/pages', 'workers/*/openapi.json', '*.md']
    log = execFileSync('git', args, { cwd: ROOT, encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] })
  } catch {
    return dates
  }
  let day = ''
  for (const line of log.split('\n')) {
    if (line.startsWith('@')) day = line.slice(1)
    else if (line !== '' && !dates.has(line)) dates.set(line, day)
  }
  return dates
}
