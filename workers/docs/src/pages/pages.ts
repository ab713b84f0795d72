/**
 * Which pages there are. `pages.gen.ts` lists them; the site is built from their texts by `scripts/site.ts` and read
 * through `page-store.ts`.
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

/**
 * Whether a reader asks for Markdown: it names the type, and HTML not before it. Browsers never do; without a word
 * about either, a page is HTML.
 */
export function prefersMarkdown(accept: string | null): boolean {
  const ranges = (accept ?? '').split(',').map((range) => {
    const [type = '', ...parameters] = range.split(';').map((part) => part.trim().toLowerCase())
    const quality = parameters.find((parameter) => parameter.startsWith('q='))
    return { type, q: quality === undefined ? 1 : Number(quality.slice(2)) }
  })
  const weightOf = (type: string) => ranges.find((range) => range.type === type)?.q ?? 0
  return weightOf('text/markdown') > 0 && weightOf('text/markdown') >= weightOf('text/html')
}
