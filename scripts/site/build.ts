/**
 * The documentation site, from the Markdown under `workers/docs/pages` and the committed OpenAPI documents: for each page
 * its HTML and its Markdown twin, the indexes, what language models read, and the files that pages load.
 *
 * @module
 */
import { execFileSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import { ROOT, WORKER_NAMES } from '../lib/workspace.ts'
import { CONTENTS, checkContents } from './contents.ts'
import { type LayoutOptions, layout, type SitePage } from './layout.ts'
import { type RenderedPage, renderMarkdown } from './markdown.ts'
import { referenceStyle } from './reference-style.ts'
import { listPages, type PageSource } from './sources.ts'

const THEME = join(ROOT, 'scripts/site/theme')
const NAME = 'Documentation'
const ABOUT =
  'A self-hostable platform on Cloudflare Workers for identity-bound, post-quantum-signed data: eight services, one SDK.'

/** What a browser is shown beside the status; everybody else gets JSON. No path leads to them. */
const REFUSALS = [
  {
    status: 404,
    title: 'No such page',
    html: '<p>Nothing is at this address. Every page is in the contents; <a href="/llms.txt"><code>/llms.txt</code></a> lists them for programs.</p>',
  },
  {
    status: 405,
    title: 'Pages are only read',
    html: '<p>This host takes GET, HEAD and OPTIONS. The services have hosts of their own: see <a href="/developer/first-client">First client</a>.</p>',
  },
] as const

export function buildSite(target: string): void {
  const put = (file: string, content: string | Uint8Array) => {
    const path = join(target, file)
    mkdirSync(dirname(path), { recursive: true })
    writeFileSync(path, content)
  }
  /** Under a name that changes with the content, so that it can be kept for good. */
  const asset = (name: string, content: string | Uint8Array): string => {
    const [stem = '', extension = ''] = name.split(/\.(?=[^.]+$)/)
    const digest = createHash('sha256').update(content).digest('hex').slice(0, 12)
    const path = `/assets/${stem}-${digest}.${extension}`
    put(path, content)
    return path
  }

  const sources = listPages()
  checkContents(sources.map(({ section, slug }) => `${section}/${slug}`))
  const rendered = sources.map((source) => ({ source, page: renderMarkdown(source.markdown) }))
  const pages: SitePage[] = rendered.map(({ source, page }) => ({
    path: `/${source.section}/${source.slug}`,
    title: page.title,
    summary: page.summary,
  }))
  const css = asset('docs.css', readFileSync(join(THEME, 'docs.css')))
  const reference = referenceAssets(asset)
  const document = (options: Omit<LayoutOptions, 'pages' | 'styles'> & { styles?: readonly string[] }) =>
    layout({ ...options, styles: [css, ...(options.styles ?? [])], pages })

  for (const { source, page } of rendered) {
    const path = `/${source.section}/${source.slug}`
    const shared = { path, title: page.title, summary: page.summary, twin: `${path}.md` }
    put(`${path}.md`, source.markdown)
    put(
      `${path}.html`,
      source.service === undefined
        ? document({ ...shared, html: page.html, headings: page.headings })
        : document({ ...shared, ...reference.of(source.service, page) }),
    )
  }
  put('index.html', document({ path: '/', title: NAME, summary: ABOUT, html: home(pages) }))
  for (const section of ['developer', 'academic'] as const) {
    const title = section === 'developer' ? 'Developer pages' : 'Academic pages'
    put(`${section}.html`, document({ path: `/${section}`, title, summary: ABOUT, html: index(title, section, pages) }))
  }
  for (const { status, title, html } of REFUSALS)
    put(`${status}.html`, document({ path: `/${status}`, title, summary: title, html: `<h1>${title}</h1>\n${html}` }))
  put('llms.txt', llmsText(pages))
  put('llms-full.txt', sources.map(({ markdown }) => markdown.trimEnd()).join('\n\n---\n\n'))
  put('sitemap.xml', sitemap(sources))
}

/** The viewer, its style and the eight descriptions. */
function referenceAssets(asset: (name: string, content: string | Uint8Array) => string) {
  const viewer = dirname(createRequire(import.meta.url).resolve('swagger-ui-dist/package.json'))
  const script = asset('swagger-ui.js', readFileSync(join(viewer, 'swagger-ui-bundle.js')))
  const start = asset('reference.js', readFileSync(join(THEME, 'reference.js')))
  const style = asset('swagger-ui.css', referenceStyle(readFileSync(join(viewer, 'swagger-ui.css'), 'utf8'), asset))
  const descriptions = new Map(
    WORKER_NAMES.map((name) => [
      name as string,
      asset(`openapi-${name}.json`, readFileSync(join(ROOT, 'workers', name, 'openapi.json'))),
    ]),
  )
  return {
    of(service: string, { title }: RenderedPage) {
      const description = descriptions.get(service) ?? ''
      const html = `<h1>${title}</h1>\n<p>The description is <a href="${description}">JSON</a> too, as the service itself gives it at <code>/openapi.json</code>.</p>\n<div id="reference" data-description="${description}"></div>`
      return { html, scripts: [script, start], styles: [style] }
    },
  }
}

function home(pages: readonly SitePage[]): string {
  const groups = CONTENTS.map(({ title, section, slugs }) => `<h2>${title}</h2>\n${list(section, slugs, pages)}`)
  return `<h1>${NAME}</h1>\n<p>${ABOUT}</p>\n${groups.join('\n')}`
}

function index(title: string, section: string, pages: readonly SitePage[]): string {
  const slugs = CONTENTS.filter((group) => group.section === section).flatMap((group) => group.slugs)
  return `<h1>${title}</h1>\n${list(section, slugs, pages)}`
}

function list(section: string, slugs: readonly string[], pages: readonly SitePage[]): string {
  const items = slugs.map((slug) => {
    const page = pages.find(({ path }) => path === `/${section}/${slug}`)
    return page ? `<li><a href="${page.path}">${page.title}</a></li>` : ''
  })
  return `<ul>\n${items.join('\n')}\n</ul>`
}

/** What llmstxt.org describes: a title, a summary, and links to Markdown. */
function llmsText(pages: readonly SitePage[]): string {
  const groups = CONTENTS.map(({ title, section, slugs }) => {
    const lines = slugs.map((slug) => {
      const page = pages.find(({ path }) => path === `/${section}/${slug}`)
      return `- [${page?.title}](/${section}/${slug}.md): ${page?.summary.split('. ')[0]?.slice(0, 200)}`
    })
    return `## ${title}\n\n${lines.join('\n')}`
  })
  return `# ${NAME}\n\n> ${ABOUT}\n\n${groups.join('\n\n')}\n`
}

/** `{origin}` is put in by the service, which knows it. */
function sitemap(sources: readonly PageSource[]): string {
  const dates = changeDates()
  const paths = ['/', '/developer', '/academic'].map((path) => ({ path, file: '' }))
  const listed = [...paths, ...sources.map(({ section, slug, file }) => ({ path: `/${section}/${slug}`, file }))]
  const urls = listed.map(({ path, file }) => {
    const date = dates.get(file)
    return `<url><loc>{origin}${path}</loc>${date === undefined ? '' : `<lastmod>${date}</lastmod>`}</url>`
  })
  return `<?xml version="1.0" encoding="UTF-8"?>\n<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">\n${urls.join('\n')}\n</urlset>\n`
}

/** The day of the last commit to each page; none where there is no history to ask. */
function changeDates(): ReadonlyMap<string, string> {
  const dates = new Map<string, string>()
  let log: string
  try {
    const args = ['log', '--format=@%cs', '--name-only', '--', 'workers/docs/pages', 'workers/*/openapi.json']
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
