import { CONTENTS } from './contents.ts'
import type { Heading } from './markdown.ts'

export interface SitePage {
  /** `/developer/core` */
  readonly path: string
  readonly title: string
  readonly summary: string
  /** The path of the page that lists this one instead of the contents. */
  readonly parent?: string
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
  readonly scripts?: readonly string[]
  readonly styles: readonly string[]
  readonly pages: readonly SitePage[]
}

/** A document of the site. It loads files of the same host only. */
export function layout(options: LayoutOptions): string {
  const { path, title, summary, html, headings = [], twin, scripts = [], styles } = options
  const links = styles.map((href) => `<link rel="stylesheet" href="${href}">`)
  const alternate = twin === undefined ? [] : [`<link rel="alternate" type="text/markdown" href="${twin}">`]
  const sources = scripts.map((src) => `<script src="${src}" defer></script>`)
  const sections = headings.filter(({ level }) => level === 2)
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta name="description" content="${escapeHtml(summary.slice(0, 300))}">
<title>${escapeHtml(title)}</title>
<link rel="alternate" type="application/atom+xml" title="Changelog" href="/changelog.xml">
${[...alternate, ...links, ...sources].join('\n')}
</head>
<body>
<a class="skip" href="#main">Skip to content</a>
<header><a href="/">Documentation</a><a class="to-contents" href="#contents">Contents</a></header>
<div class="columns">
<main id="main">
${sections.length > 2 ? onThisPage(sections) : ''}
${html}
${twin === undefined ? '' : `<p class="twin"><a href="${twin}">This page as Markdown</a></p>`}
</main>
${navigation(options.pages, path)}
</div>
</body>
</html>
`
}

/** Next to the text on a wide screen, below it on a phone. */
function navigation(pages: readonly SitePage[], current: string): string {
  const open = pages.find(({ path }) => path === current)?.parent ?? current
  const item = (page: Pick<SitePage, 'path' | 'title'>): string => {
    const here = page.path === current ? ' aria-current="page"' : ''
    const parts = page.path === open ? pages.filter(({ parent }) => parent === page.path) : []
    const nested = parts.length === 0 ? '' : `\n<ul>\n${parts.map(item).join('\n')}\n</ul>\n`
    return `<li><a href="${page.path}"${here}>${escapeHtml(page.title)}</a>${nested}</li>`
  }
  const groups = CONTENTS.map(({ title, section, slugs, generated = [] }) => {
    const listed = slugs.flatMap((slug) => pages.find(({ path }) => path === `/${section}/${slug}`) ?? [])
    return `<h2>${escapeHtml(title)}</h2>\n<ul>\n${[...generated, ...listed].map(item).join('\n')}\n</ul>`
  })
  return `<nav id="contents" class="contents" aria-label="Contents">\n${groups.join('\n')}\n</nav>`
}

function onThisPage(sections: readonly Heading[]): string {
  const items = sections.map(({ id, text }) => `<li><a href="#${id}">${escapeHtml(text)}</a></li>`)
  return `<nav class="toc" aria-label="On this page"><ul>\n${items.join('\n')}\n</ul></nav>`
}

function escapeHtml(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('"', '&quot;')
}
