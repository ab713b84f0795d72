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
