/**
 * Pages that are files of the repository: the changelog and the security policy. Their links to other files lead to the
 * pages that are made from them.
 *
 * @module
 */
import { readFileSync } from 'node:fs'
import { join, posix } from 'node:path'

export interface RepositoryPage {
  readonly section: 'developer'
  readonly slug: string
  readonly title: string
  readonly markdown: string
  /** Repository path. */
  readonly file: string
}

export const CHANGELOG = 'CHANGELOG.md'
/** The packages that are published. Their changelogs follow that of the platform on its page. */
export const PUBLISHED = ['client', 'fingerprint', 'cli'] as const

const SLUGS: Readonly<Record<string, string>> = { [CHANGELOG]: 'changelog', 'SECURITY.md': 'security-policy' }

export function repositoryPages(root: string): RepositoryPage[] {
  const read = (file: string) => siteLinks(readFileSync(join(root, file), 'utf8'), file)
  return Object.entries(SLUGS).map(([file, slug]) => {
    const own = read(file)
    const title = /^# (.+)\n/.exec(own)?.[1]
    if (title === undefined) throw new Error(`${file} must begin with its title`)
    const markdown = file === CHANGELOG ? [own.trimEnd(), ...packageParts(read)].join('\n\n').concat('\n') : own
    return { section: 'developer', slug, title, markdown, file }
  })
}

/** Each under a heading with the name of its package, one level deeper than in its file. */
function packageParts(read: (file: string) => string): string[] {
  return PUBLISHED.map((name) => {
    const text = read(packageFile(name)).replace(/^# .+\n/, '')
    return `## @svc/${name}\n\n${text.replaceAll(/^(#+) /gm, '#$1 ').trim()}`
  })
}

const packageFile = (name: string) => `packages/${name}/CHANGELOG.md`

/** Replaces links to files of the repository. One that no page is made from is an error: readers of the site do not have it. */
export function siteLinks(markdown: string, file: string): string {
  return markdown.replaceAll(/\]\(([^)\s]+)\)/g, (link, target: string) => {
    if (/^(?:[a-z]+:|#|\/)/.test(target)) return link
    const [path = '', fragment] = posix.join(posix.dirname(file), target).split('#')
    const address = addressOf(path)
    if (address === null) throw new Error(`${file} links to ${path}, which no page of the site is made from`)
    return `](${address}${fragment === undefined ? '' : `#${fragment}`})`
  })
}

function addressOf(path: string): string | null {
  const [, section, slug] = /^workers\/docs\/pages\/(developer|academic)\/([a-z0-9-]+)\.md$/.exec(path) ?? []
  if (section !== undefined) return `/${section}/${slug}`
  const own = SLUGS[path]
  if (own !== undefined) return `/developer/${own}`
  const name = PUBLISHED.find((one) => packageFile(one) === path)
  return name === undefined ? null : `/developer/changelog#svc-${name}`
}
