/**
 * Which pages there are and how they are listed. The texts are the Markdown under `pages/`, read through `page-store.ts`;
 * `pages.gen.ts` lists them.
 *
 * @module
 */
export interface Page {
  readonly section: 'developer' | 'academic'
  readonly slug: string
  readonly title: string
}

export const SECTIONS = ['developer', 'academic'] as const

export function pathOf({ section, slug }: Page): string {
  return `/${section}/${slug}`
}

/** A plain index: one link a line. Titles come from our own files, and are escaped all the same. */
export function indexPage(title: string, links: readonly { readonly href: string; readonly text: string }[]): string {
  const items = links.map(({ href, text }) => `<li><a href="${href}">${escapeHtml(text)}</a></li>`).join('\n')
  return `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<title>${escapeHtml(title)}</title>
<h1>${escapeHtml(title)}</h1>
<ul>
${items}
</ul>
</html>
`
}

export function sitemap(origin: string, paths: readonly string[]): string {
  const urls = paths.map((path) => `<url><loc>${escapeHtml(origin + path)}</loc></url>`).join('\n')
  return `<?xml version="1.0" encoding="UTF-8"?>\n<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">\n${urls}\n</urlset>\n`
}

function escapeHtml(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('"', '&quot;')
}
