/**
 * Which pages there are. `pages.gen.ts` lists them; the site is built from their texts by `scripts/site.ts` and read
 * through `page-store.ts`.
 *
 * @module
 */
import { acceptedWeight } from '@svc/service'

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
  const markdown = acceptedWeight(accept, 'text/markdown')
  return markdown > 0 && markdown >= acceptedWeight(accept, 'text/html')
}
