import { escapeHtml } from './code-blocks.ts'
import { shortened } from './excerpts.ts'
import type { Heading } from './markdown.ts'
import { neighboursOf, placeOf, type SitePage, sidebar } from './navigation.ts'

/** The files that every page loads. */
export interface SiteAssets {
  readonly style: string
  /** Runs before the page is shown: the reader's choice of light or dark. */
  readonly theme: string
  readonly script: string
  /** Loaded when somebody searches. */
  readonly search: string
  readonly searchIndex: string
  readonly icon: string
  readonly card: string
}

export interface LayoutOptions {
  readonly path: string
  readonly title: string
  readonly summary: string
  /** The article as HTML. */
  readonly html: string
  readonly headings?: readonly Heading[]
  /** The same page as Markdown. */
  readonly twin?: string
  /** The day of its last change. */
  readonly changed?: string | undefined
  /** How finished what it describes is. */
  readonly status?: string | undefined
  readonly pages: readonly SitePage[]
  readonly assets: SiteAssets
  /** What stands in the footer beside the licence. */
  readonly version: string
}

export const SITE_NAME = 'svc'
/** As search engines show it. */
const MAX_DESCRIPTION = 160
/** A page with this many sections or more has a list of them beside the text. */
const MIN_SECTIONS = 3
const LEADING = [
  { path: '/developer/quickstart', title: 'Quickstart' },
  { path: '/developer', title: 'Docs' },
  { path: '/sdk', title: 'SDK reference' },
  { path: '/academic', title: 'Academic' },
] as const

/** A document of the site. It loads files of the same host only; the service replaces `{origin}` in its head. */
export function layout(options: LayoutOptions): string {
  const { path, html, headings = [], pages, assets } = options
  const isHome = path === '/'
  const kind = isHome ? 'home' : path.startsWith('/developer/api-') ? 'reference' : ''
  const sections = headings.filter(({ level }) => level === 2)
  const beside = !isHome && sections.length >= MIN_SECTIONS ? onThisPage(sections) : ''
  return `<!doctype html>
<html lang="en">
<head>
${head(options)}
</head>
<body${kind === '' ? '' : ` class="${kind}"`}>
<a class="skip" href="#main">Skip to content</a>
<header class="bar">
<button class="menu" type="button" popovertarget="contents" aria-label="Contents"></button>
<a class="brand" href="/">${SITE_NAME}</a>
<nav class="leading" aria-label="Main">${LEADING.map(({ path: to, title }) => `<a href="${to}">${title}</a>`).join('')}</nav>
<button class="search needs-script" type="button" aria-haspopup="dialog" data-script="${assets.search}" data-index="${assets.searchIndex}">Search <kbd>/</kbd></button>
<button class="look needs-script" type="button" aria-label="Dark colors" aria-pressed="false"></button>
</header>
<div class="columns">
${sidebar(pages, path)}
<main id="main">
${isHome ? '' : above(options)}
${html}
${isHome ? '' : turning(pages, path)}
${footer(options)}
</main>
${beside}
</div>
</body>
</html>
`
}

function head({ path, title, summary, twin, assets }: LayoutOptions): string {
  const isHome = path === '/'
  const isRefusal = /^\/\d+$/.test(path)
  const name = isHome ? `${SITE_NAME}: ${title}` : `${title} · ${SITE_NAME}`
  const about = escapeHtml(shortened(summary, MAX_DESCRIPTION))
  return [
    '<meta charset="utf-8">',
    '<meta name="viewport" content="width=device-width, initial-scale=1">',
    '<meta name="color-scheme" content="light dark">',
    `<meta name="description" content="${about}">`,
    `<title>${escapeHtml(name)}</title>`,
    ...(isRefusal ? ['<meta name="robots" content="noindex">'] : [`<link rel="canonical" href="{origin}${path}">`]),
    ...(isRefusal ? [] : socialTags({ path, title, about, card: assets.card })),
    `<link rel="icon" type="image/svg+xml" href="${assets.icon}">`,
    ...(twin === undefined ? [] : [`<link rel="alternate" type="text/markdown" href="${twin}">`]),
    '<link rel="alternate" type="application/atom+xml" title="Changelog" href="/changelog.xml">',
    `<script src="${assets.theme}"></script>`,
    `<link rel="stylesheet" href="${assets.style}">`,
    `<script src="${assets.script}" type="module"></script>`,
  ].join('\n')
}

interface Social {
  readonly path: string
  readonly title: string
  readonly about: string
  readonly card: string
}

function socialTags({ path, title, about, card }: Social): string[] {
  return [
    '<meta property="og:type" content="website">',
    `<meta property="og:site_name" content="${SITE_NAME}">`,
    `<meta property="og:title" content="${escapeHtml(title)}">`,
    `<meta property="og:description" content="${about}">`,
    `<meta property="og:url" content="{origin}${path}">`,
    `<meta property="og:image" content="{origin}${card}">`,
    '<meta name="twitter:card" content="summary_large_image">',
  ]
}

function above({ pages, path, status }: LayoutOptions): string {
  const { group, parent } = placeOf(pages, path)
  const crumbs = [
    ...(group === undefined ? [] : [`<span>${escapeHtml(group)}</span>`]),
    ...(parent === undefined ? [] : [`<a href="${parent.path}">${escapeHtml(parent.title)}</a>`]),
  ].join(' <span aria-hidden="true">/</span> ')
  const badge =
    status === undefined
      ? ''
      : `<a class="status ${status}" href="/developer/status" title="What the word means">${status}</a>`
  return crumbs + badge === '' ? '' : `<p class="crumbs">${crumbs}${badge}</p>`
}

function turning(pages: readonly SitePage[], path: string): string {
  const { before, after } = neighboursOf(pages, path)
  const link = (page: SitePage, rel: 'prev' | 'next', word: string) =>
    `<a class="${rel}" rel="${rel}" href="${page.path}"><span>${word}</span>${escapeHtml(page.title)}</a>`
  const links = [...(before ? [link(before, 'prev', 'Previous')] : []), ...(after ? [link(after, 'next', 'Next')] : [])]
  return links.length === 0 ? '' : `<nav class="turning" aria-label="Previous and next page">${links.join('')}</nav>`
}

function footer({ twin, changed, version }: LayoutOptions): string {
  const parts = [
    ...(changed === undefined ? [] : [`Last changed <time datetime="${changed}">${changed}</time>`]),
    ...(twin === undefined ? [] : [`<a href="${twin}">This page as Markdown</a>`]),
    '<a href="/llms.txt">For language models</a>',
    '<a href="/developer/changelog">Changelog</a>',
    `Version ${escapeHtml(version)}`,
    'Apache-2.0 licence',
  ]
  return `<footer>${parts.map((part) => `<span>${part}</span>`).join('\n')}</footer>`
}

function onThisPage(sections: readonly Heading[]): string {
  const items = sections.map(({ id, text }) => `<li><a href="#${id}">${escapeHtml(text)}</a></li>`)
  return `<nav class="toc" aria-label="On this page"><p>On this page</p><ul>\n${items.join('\n')}\n</ul></nav>`
}
