import { escapeHtml } from './code-blocks.ts'
import { CONTENTS, type Group } from './contents.ts'

export interface SitePage {
  /** `/developer/core` */
  readonly path: string
  readonly title: string
  readonly summary: string
  /** The path of the page that lists this one instead of the contents. */
  readonly parent?: string
}

type Listed = Pick<SitePage, 'path' | 'title'>

/** The pages of a group, in order. */
export function listedIn({ section, slugs, generated = [] }: Group, pages: readonly SitePage[]): Listed[] {
  return [...generated, ...slugs.flatMap((slug) => pages.find(({ path }) => path === `/${section}/${slug}`) ?? [])]
}

/** The contents: beside the text on a wide screen, a drawer on a phone. The group of the page shown is open. */
export function sidebar(pages: readonly SitePage[], current: string): string {
  const open = pages.find(({ path }) => path === current)?.parent ?? current
  const item = (page: Listed): string => {
    const here = page.path === current ? ' aria-current="page"' : ''
    const parts = page.path === open ? pages.filter(({ parent }) => parent === page.path) : []
    const nested = parts.length === 0 ? '' : `\n<ul>\n${parts.map(item).join('\n')}\n</ul>\n`
    return `<li><a href="${page.path}"${here}>${escapeHtml(page.title.split(': ').at(-1) ?? '')}</a>${nested}</li>`
  }
  const isListed = pages.some(({ path }) => path === current)
  const groups = CONTENTS.map((group, at) => {
    const listed = listedIn(group, pages)
    // Where no page is shown, such as on an error page, the first two say where to begin.
    const isOpen = isListed ? listed.some(({ path }) => path === open) : at < 2
    return `<details${isOpen ? ' open' : ''}><summary>${escapeHtml(group.title)}</summary>\n<ul>\n${listed.map(item).join('\n')}\n</ul></details>`
  })
  return `<nav id="contents" class="contents" popover aria-label="Contents">\n${groups.join('\n')}\n</nav>`
}

/** Where a page stands: the title of its group, and the page that lists it. */
export function placeOf(
  pages: readonly SitePage[],
  path: string,
): { readonly group?: string; readonly parent?: SitePage } {
  const listing = pages.find((page) => page.path === path)?.parent
  const parent = pages.find((page) => page.path === listing)
  const group = CONTENTS.find((one) => listedIn(one, pages).some((page) => page.path === (listing ?? path)))
  return { ...(group ? { group: group.title } : {}), ...(parent ? { parent } : {}) }
}

/** The pages before and after in reading order. */
export function neighboursOf(
  pages: readonly SitePage[],
  path: string,
): { readonly before?: SitePage; readonly after?: SitePage } {
  const order = CONTENTS.flatMap((group) => listedIn(group, pages)).flatMap((listed) => {
    const page = pages.find((candidate) => candidate.path === listed.path)
    return page ? [page, ...pages.filter(({ parent }) => parent === page.path)] : []
  })
  const at = order.findIndex((page) => page.path === path)
  const [before, after] = at === -1 ? [] : [order[at - 1], order[at + 1]]
  return { ...(before ? { before } : {}), ...(after ? { after } : {}) }
}
