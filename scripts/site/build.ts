/**
 * Builds the documentation site from the Markdown under `workers/docs/pages` and the committed OpenAPI documents: HTML and
 * Markdown of each page, the indexes, the files for language models, and the assets.
 *
 * @module
 */
import { createHash } from 'node:crypto'
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { buildSync } from 'esbuild'
import { changeDates } from './change-dates.ts'
import { changelogFeed } from './changelog/feed.ts'
import { escapeHtml } from './code-blocks.ts'
import { CONTENTS, checkContents } from './contents.ts'
import { cardImage, ICON } from './emblem.ts'
import { firstSentence } from './excerpts.ts'
import { statusOfPage } from './features/feature-status.ts'
import { type LayoutOptions, layout, SITE_NAME, type SiteAssets } from './layout.ts'
import { llmsFiles } from './llms/llms.ts'
import { renderMarkdown } from './markdown.ts'
import { listedIn, type SitePage } from './navigation.ts'
import { ROOT } from './root.ts'
import { referenceFiles } from './sdk-reference.ts'
import { searchIndex } from './search/index.ts'
import { homeSource, listPages, type PageSource } from './sources.ts'

const THEME = join(ROOT, 'scripts/site/theme')
const PAGE_SCRIPTS = join(ROOT, 'scripts/site/page')
const ABOUT =
  'A self-hostable platform on Cloudflare Workers for identity-bound, post-quantum-signed data: eight services, one SDK.'
const CARD = ['Identity-bound, post-quantum-signed data', 'on Cloudflare Workers that you run yourself']

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
export async function buildSite(target: string, sdk?: string): Promise<void> {
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
  const dates = changeDates()
  const rendered = sources.map((source) => ({ source, page: renderMarkdown(source.markdown, source.file) }))
  const pages: SitePage[] = rendered.map(({ source, page }) => ({
    path: `/${source.section}/${source.slug}`,
    title: page.title,
    summary: page.summary,
    ...(source.parent === undefined ? {} : { parent: `/${source.section}/${source.parent}` }),
  }))
  const assets: SiteAssets = {
    style: asset('docs.css', minified(join(THEME, 'docs.css'))),
    theme: asset('theme.js', minified(join(PAGE_SCRIPTS, 'theme.ts'), 'iife')),
    script: asset('site.js', minified(join(PAGE_SCRIPTS, 'site.ts'))),
    search: asset('search.js', minified(join(PAGE_SCRIPTS, 'search.ts'))),
    searchIndex: asset('search-index.json', searchIndex(sources)),
    icon: asset('icon.svg', ICON),
    card: asset('card.png', await cardImage(SITE_NAME, CARD)),
  }
  const version = releaseVersion()
  const document = (options: Omit<LayoutOptions, 'pages' | 'assets' | 'version'>) =>
    layout({ ...options, assets, pages, version })

  for (const { source, page } of rendered) {
    const path = `/${source.section}/${source.slug}`
    put(`${path}.md`, source.markdown)
    const { title, summary, html, headings } = page
    const facts = { changed: dates.get(source.file), status: statusOfPage(path) ?? undefined }
    put(`${path}.html`, document({ path, title, summary, twin: `${path}.md`, html, headings, ...facts }))
  }
  const home = renderMarkdown(homeSource(), 'home.md')
  put('index.md', homeSource())
  put('index.html', document({ path: '/', title: home.title, summary: home.summary, html: home.html }))
  for (const { svg, path } of [...rendered.map(({ page }) => page), home].flatMap(({ pictures }) => pictures))
    put(path, svg)
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
  for (const [file, text] of llmsFiles({ title: SITE_NAME, about: ABOUT }, texts)) put(file, text)
  put('changelog.xml', changelogFeed(ROOT))
  const reference = sdk === undefined ? [] : [...referenceFiles(sdk)]
  for (const [file, content] of reference) put(file, content)
  const sdkPages = reference.map(([file]) => file).filter((file) => /^sdk\/.*\.html$/.test(file))
  put('sitemap.xml', sitemap(sources, sdkPages, dates))
}

/** A style sheet or script as pages load it. */
function minified(entry: string, format: 'esm' | 'iife' = 'esm'): string {
  const { outputFiles } = buildSync({
    entryPoints: [entry],
    bundle: true,
    minify: true,
    write: false,
    format,
    target: ['chrome123', 'firefox120', 'safari17.5'],
  })
  return outputFiles[0]?.text ?? ''
}

function releaseVersion(): string {
  const { version } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')) as { version: string }
  return version === '0.0.0' ? 'unreleased' : version
}

function index(title: string, section: string, pages: readonly SitePage[]): string {
  const groups = CONTENTS.filter((group) => group.section === section).map((group) => {
    const items = listedIn(group, pages).map(({ path, title: name }) => {
      const about = pages.find((page) => page.path === path)?.summary ?? ''
      return `<li><a href="${path}">${escapeHtml(name)}</a> ${escapeHtml(firstSentence(about))}</li>`
    })
    return `<h2>${escapeHtml(group.title)}</h2>\n<ul>\n${items.join('\n')}\n</ul>`
  })
  return `<h1>${title}</h1>\n${groups.join('\n')}`
}

/** The service replaces `{origin}`, which only it knows. */
function sitemap(sources: readonly PageSource[], sdk: readonly string[], dates: ReadonlyMap<string, string>): string {
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
