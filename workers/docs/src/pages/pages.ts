/**
 * The list of pages. `pages.gen.ts` contains it; `scripts/site/site.ts` builds the site from their texts, which are read
 * through `store.ts`.
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
